#!/bin/sh
# What `make verify` needs that no package registry carries: a Postgres with pg_dump, PgBouncer, and jq for
# the lines of the runbooks. Root installs them from Debian, anybody else is told the line to run. What else is needed is in
# scripts/tools/tools.ts.
set -eu
missing=""
postgres=""
for version in 15 16 17 18; do
  if [ -x "/usr/lib/postgresql/$version/bin/postgres" ]; then postgres="$version"; fi
done
if [ -z "$postgres" ]; then missing="postgresql"; fi
if [ ! -x /usr/sbin/pgbouncer ]; then missing="$missing pgbouncer"; fi
if ! command -v jq >/dev/null; then missing="$missing jq"; fi
if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ]; then
  echo "The tests need a Postgres with pg_dump, PgBouncer and jq. Install what is missing and run again:" >&2
  echo "  sudo apt-get install --no-install-recommends $missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# Nobody wants servers started: the tests start their own.
apt-get install -q -y --no-install-recommends postgresql-common
settings=/etc/postgresql-common/createcluster.conf
cp "$settings" "$settings.kept"
trap 'mv "$settings.kept" "$settings"' EXIT
echo 'create_main_cluster = false' >> "$settings"
# shellcheck disable=SC2086 # A list of packages.
apt-get install -q -y --no-install-recommends $missing
