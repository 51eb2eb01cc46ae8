#!/bin/sh
# npm needs some Node to run at all; the program's own Node 24 then comes with the packages.
set -eu
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "Concordat needs Node 20 or newer and npm to install itself: https://nodejs.org" >&2
  exit 1
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
  echo "Node $major is too old to install Concordat: it needs Node 20 or newer (nvm install 24)." >&2
  exit 1
fi
