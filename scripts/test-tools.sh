#!/bin/sh
# What the tests need that no package of npm carries: a Chromium, and Maven with a Java, which brings a
# Kafka broker. Root installs them from Debian; anybody else is told the line to run. What else the
# tests need is in scripts/tools/tools.ts.
set -eu
missing=
if [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ]; then
  missing="$missing chromium"
fi
if ! command -v mvn >/dev/null || ! command -v java >/dev/null; then
  missing="$missing maven default-jre-headless"
fi
if [ -z "$missing" ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "The tests need more programs. Install them and run again:" >&2
  echo "  sudo apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086 # each word is a package
apt-get install -q -y --no-install-recommends $missing
