#!/usr/bin/env bash
# Holds a running server against its own OpenAPI document, with a key of an admin and with one of a viewer: every call that
# the document allows, and many that it does not, must be answered as it says and never with a 5xx.
# CONTRACT_EXAMPLES: calls per operation and phase.
set -euo pipefail
cd "$(dirname "$0")/.."

examples=${CONTRACT_EXAMPLES:-25}
rollcall=$PWD/target/${PROFILE:-release}/rollcall
drill=$PWD/target/${PROFILE:-release}/drill
schemathesis=$PWD/tools/contract/.venv/bin/schemathesis
folder=$(mktemp -d)
server=
delegate=
stop() {
  for child in $server $delegate; do kill "$child" 2>/dev/null || true; done
  wait
  rm -rf "$folder"
}
trap stop EXIT

# A server of its own for each key: what one of them deletes, the other one still finds.
play() {
  local role=$1 home=$folder/$1 key token address
  mkdir "$home"
  export ROLLCALL_DATABASE="sqlite://$home/rollcall.db" ROLLCALL_MASTER_KEY_FILE="$home/master.key" ROLLCALL_LOG=warn
  "$rollcall" scope create acme/payments/checkout >/dev/null
  "$rollcall" catalog import fixtures/catalog.json >/dev/null
  "$rollcall" setting set api.rate_per_minute 0
  "$rollcall" user create --email "$role@acme.example" --scope acme --role "$role" --no-password >/dev/null
  key=$("$rollcall" api-key create --user "$role@acme.example" --name contract --scope acme)
  token=$("$rollcall" token create --scope acme --name edge-a)
  "$rollcall" user create --email admin@demo.example --scope '*' --role admin --no-password >/dev/null
  "$rollcall" serve --listen 127.0.0.1:0 >"$home/out" 2>"$home/log" &
  server=$!
  for _ in $(seq 100); do [ -s "$home/out" ] && break; sleep 0.1; done
  address=$(head -n 1 "$home/out")
  ACCOUNT_ID=acme DELEGATE_TOKEN=$token MANAGER_HOST_AND_PORT=$address DELEGATE_NAME=edge-a DELEGATE_TYPE=KUBERNETES \
    NEXT_GEN=true "$drill" delegate >/dev/null 2>&1 &
  delegate=$!
  printf '%s: ' "$role"
  "$schemathesis" --config-file tools/contract/schemathesis.toml run "$address/api/v1/openapi.json" \
    --header "x-api-key: $key" --continue-on-failure --max-examples "$examples" \
    --generation-deterministic --no-color >"$home/report" 2>&1 \
    || { cat "$home/report"; exit 1; }
  tail -n 4 "$home/report"
  kill "$delegate" "$server" 2>/dev/null || true
  wait
  server='' delegate=''
  if grep -E '"level":"ERROR"|ERROR|panicked' "$home/log"; then
    echo 'the server wrote errors while it was called' >&2
    exit 1
  fi
}

for role in admin viewer; do play "$role"; done
