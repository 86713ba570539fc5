"""`python -m jevbias`."""

from jevbias.cli.main import run_app

if __name__ == "__main__":
    run_app()
