#!/bin/sh
# What `make verify` needs that no package registry carries: a Postgres with pg_dump. Root installs it
# from Debian, anybody else is told the line to run. What else is needed is in scripts/tools/tools.ts.
set -eu
for version in 15 16 17 18; do
  if [ -x "/usr/lib/postgresql/$version/bin/postgres" ]; then
    exit 0
  fi
done
if [ "$(id -u)" -ne 0 ]; then
  echo "The tests of backups need a Postgres with pg_dump. Install it and run again:" >&2
  echo "  sudo apt-get install --no-install-recommends postgresql" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# Nobody wants a server started: the tests start their own.
settings=/etc/postgresql-common/createcluster.conf
apt-get install -q -y --no-install-recommends postgresql-common
cp "$settings" "$settings.kept"
trap 'mv "$settings.kept" "$settings"' EXIT
echo 'create_main_cluster = false' >> "$settings"
apt-get install -q -y --no-install-recommends postgresql
