#!/usr/bin/env bash
# Runs a command with an empty PostgreSQL in CATALOG_TEST_DATABASE. The server listens on a free port of this machine, and
# its folder is removed afterwards. Root cannot start a server, so that it then runs as the user postgres.
set -euo pipefail
if [ -n "${CATALOG_TEST_DATABASE:-}" ]; then exec "$@"; fi
programs=$(dirname "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")
folder=$(mktemp -d)
as_server() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$folder"
  as_server() { runuser -u postgres -- "$@"; }
fi
port=$(node -e 'const free = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(free.address().port); free.close(); })')
stop() {
  as_server "$programs/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
cd "$folder"
as_server "$programs/initdb" -D data -U catalog -A trust -E UTF8 --locale=C --no-sync >/dev/null
# Nothing has to survive a loss of power.
as_server "$programs/pg_ctl" -D data -l "$folder/log" -w \
  -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=300" start >/dev/null
cd - >/dev/null
CATALOG_TEST_DATABASE="postgres://catalog@127.0.0.1:$port/postgres" "$@"
