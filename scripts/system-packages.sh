#!/bin/sh
# Install what the tests need of the system where it is missing: Chromium, to look at the page in a real
# browser, and PostgreSQL, of which the tests start a server of their own. Nothing that is there is touched.
set -eu

# Debian keeps the server's programs off the PATH.
has_postgres() {
  command -v postgres >/dev/null 2>&1 && return
  for program in /usr/lib/postgresql/*/bin/postgres; do
    if [ -x "$program" ]; then return 0; fi
  done
  return 1
}

packages=
command -v chromium >/dev/null 2>&1 || packages="chromium fonts-liberation"
has_postgres || packages="$packages postgresql"
if [ -z "$packages" ]; then exit 0; fi

if ! command -v apt-get >/dev/null 2>&1 || { [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; }; then
  if ! command -v chromium >/dev/null 2>&1; then
    echo "The tests need Chromium on the PATH as 'chromium'; install it with this system's package manager." >&2
    exit 1
  fi
  echo "PostgreSQL is not installed: the tests that need it are skipped." >&2
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then as_root=; else as_root=sudo; fi
echo "Installing from the system's packages: $packages" >&2
$as_root apt-get update -qq
# Debian's package would make a cluster and start it; the tests need neither. The setting is taken back below.
no_cluster=/etc/postgresql-common/createcluster.d/jevbias.conf
$as_root mkdir -p "${no_cluster%/*}"
echo "create_main_cluster = false" | $as_root tee "$no_cluster" >/dev/null
trap '$as_root rm -f "$no_cluster"; $as_root rmdir "${no_cluster%/*}" 2>/dev/null || true' EXIT
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $packages >/dev/null
