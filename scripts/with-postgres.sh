#!/usr/bin/env bash
# Runs a command with an empty PostgreSQL in CATALOG_TEST_DATABASE. The server listens on a free port of this machine, and
# its folder is removed afterwards. Root cannot start a server, so that it then runs as the user postgres. With SERVERS=3,
# there are two more servers, whose addresses are in CATALOG_TEST_SHARDS with a space between them.
set -euo pipefail
if [ -n "${CATALOG_TEST_DATABASE:-}" ]; then exec "$@"; fi
programs=$(dirname "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")
folder=$(mktemp -d)
as_server() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$folder"
  as_server() { runuser -u postgres -- "$@"; }
fi
ports=$(node -e 'const free = Array.from({ length: process.argv[1] }, () => require("net").createServer().listen(0, "127.0.0.1"));
  Promise.all(free.map((server) => require("events").once(server, "listening"))).then(() =>
    free.forEach((server) => { console.log(server.address().port); server.close(); }))' "${SERVERS:-1}")
stop() {
  for port in $ports; do
    as_server "$programs/pg_ctl" -D "$folder/$port" -m immediate stop >/dev/null || true
  done
  rm -rf "$folder"
}
trap stop EXIT
cd "$folder"
as_server "$programs/initdb" -D data -U catalog -A trust -E UTF8 --locale=C --no-sync >/dev/null
databases=()
for port in $ports; do
  as_server cp -R data "$port"
  # Nothing has to survive a loss of power.
  as_server "$programs/pg_ctl" -D "$port" -l "$folder/$port/log" -w \
    -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=300" start >/dev/null
  databases+=("postgres://catalog@127.0.0.1:$port/postgres")
done
cd - >/dev/null
CATALOG_TEST_DATABASE="${databases[0]}" CATALOG_TEST_SHARDS="${databases[*]:1}" "$@"
