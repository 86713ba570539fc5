#!/bin/sh
# Install Chromium where it is missing: the tests look at the page in a real browser.
set -eu
if command -v chromium >/dev/null 2>&1; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "The tests need Chromium on the PATH as 'chromium'; install it with this system's package manager." >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then as_root=; else as_root=sudo; fi
echo "Installing Chromium from the system's packages." >&2
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null
