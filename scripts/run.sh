#!/usr/bin/env bash
# Builds Rollcall and starts it on SQLite with a demo fleet that speaks the real protocol. Ends with Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '» %s\n' "$*" >&2; }

free_port() {
  local port
  for port in $(seq 3000 3020); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  say 'ports 3000 to 3020 are all taken; set ROLLCALL_LISTEN'
  exit 1
}

scripts/install-tools.sh build
say 'building (the first time takes some minutes)'
scripts/build.sh >&2
cargo build --quiet --release --locked -p drill >&2

rollcall=target/release/rollcall
drill=target/release/drill
demo=data/demo
address="${ROLLCALL_LISTEN:-127.0.0.1:$(free_port)}"
mkdir -p "$demo"
exec 9>"$demo.lock"
flock -n 9 || { say 'another demo runs already'; exit 1; }
rm -rf "$demo"
mkdir -p "$demo"
export ROLLCALL_DATABASE="sqlite://$demo/rollcall.db" ROLLCALL_MASTER_KEY_FILE="$demo/master.key"

say 'creating scopes, tokens and a catalog'
today=$(date -u +%F)
"$drill" catalog --today "$today" >"$demo/catalog.json"
"$rollcall" catalog import "$demo/catalog.json" >/dev/null
: >"$demo/tokens"
chmod 600 "$demo/tokens"
scopes=$("$drill" demo --print-scopes)
for scope in $scopes; do
  "$rollcall" scope create "$scope" >/dev/null
  token=$("$rollcall" token create --scope "$scope" --name demo)
  printf '%s=%s\n' "$scope" "$token" >>"$demo/tokens"
done

account=$(head -n 1 "$demo/tokens" | cut -d= -f1 | cut -d/ -f1)
admin=admin@demo.example
"$rollcall" user create --email "$admin" --scope '*' --role admin --no-password >/dev/null
children=()
# shellcheck disable=SC2329
stop() {
  trap - EXIT INT TERM
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
}
trap stop EXIT
trap 'exit 0' INT TERM

"$rollcall" serve --listen "$address" >"$demo/serve.out" 2>"$demo/serve.log" &
server=$!
children+=("$server")
# The server prints its address once it listens, and it listens once the fleet is loaded.
for _ in $(seq 300); do
  [ ! -s "$demo/serve.out" ] || break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
[ -s "$demo/serve.out" ] || { cat "$demo/serve.log" >&2; exit 1; }

"$drill" demo --url "http://$address" --tokens "$demo/tokens" --catalog "$demo/catalog.json" --today "$today" \
  >"$demo/drill.log" 2>&1 &
children+=("$!")
sleep 3

say "Rollcall runs with a live demo fleet. Logs are in $demo. Stop it with Ctrl-C."
"$rollcall" user link --email "$admin" --url "http://$address" --next "/a/$account/delegates?all=true"
wait "$server"
