# Makes the database at the first start, and is Postgres then. It stops fast, as an operator's does.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$PASSWORD" > /tmp/password
  initdb --username=concordat --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp -c max_connections=200
