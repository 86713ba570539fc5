# make demo   run the pilot against the embedded model and against the mock, publish both pages
# make test   everything that must hold before a change lands
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint types imports unit system lock schemas pages clean

demo: .venv/demo.stamp
	PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

# mypy, which takes one core, works beside the tests and says what it has to say after them.
test: lint imports
	$(MAKE) --silent types > .venv/types.log 2>&1 & types=$$!; \
	$(MAKE) --silent unit; failed=$$?; \
	wait $$types || failed=1; cat .venv/types.log; exit $$failed

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test.stamp
	$(BIN)/mypy

imports: .venv/test.stamp
	$(BIN)/lint-imports --no-cache

# Many tests start processes: what they import is compiled once, whatever the environment says.
unit: .venv/test.stamp system
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 3 --dist worksteal

# What the tests need of the system; nothing is touched that is there.
system:
	sh scripts/system-packages.sh

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/demo.stamp: requirements/demo.lock pyproject.toml | .venv/bin/python
	$(PIP) install --require-hashes --only-binary :all: -r requirements/demo.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

.venv/test.stamp: requirements/test.lock pyproject.toml | .venv/bin/python
	$(PIP) install --require-hashes --only-binary :all: -r requirements/test.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@ .venv/demo.stamp

# The lock files: versions and hashes, no addresses. Needs uv.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra mock --extra build pyproject.toml -o requirements/demo.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra mock --extra postgres --extra build --extra dev -c requirements/demo.lock pyproject.toml -o requirements/test.lock

schemas: .venv/test.stamp
	$(BIN)/python -m jevbias.catalogue.schemas

# What ships drawn: the reports of seed/ and docs/embedded/, FINDINGS-sparrow.md, the pages of docs/.
pages: .venv/test.stamp
	$(BIN)/python scripts/shipped_runs.py
	$(BIN)/python scripts/embedded_reports.py
	$(BIN)/python scripts/findings_pages.py

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
