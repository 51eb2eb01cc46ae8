#!/bin/sh
# What the tests need that no package of npm carries: a Chromium. Root installs it from Debian;
# anybody else is told the line to run. What else the tests need is in scripts/tools/tools.ts.
set -eu
if [ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "The tests of the page need Chromium. Install it and run again:" >&2
  echo "  sudo apt-get install --no-install-recommends chromium" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends chromium
