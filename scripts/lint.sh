#!/usr/bin/env bash
# Format, lints and dependencies. Warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fmt --all --check
RUSTFLAGS="${RUSTFLAGS:-}" cargo clippy --locked --workspace --exclude hydrate --all-targets --features app/ssr -- -D warnings
cargo clippy --locked -p hydrate --target wasm32-unknown-unknown -- -D warnings
# What hostile input runs against is built apart, from a lock file of its own.
cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null
# Advisories need a database from a code-hosting site, which not every machine reaches.
cargo deny --locked --log-level error check bans licenses sources
promtool=tools/unpacked/prometheus/usr/bin/promtool
"$promtool" check rules docs/monitoring/alerts.yml >/dev/null
"$promtool" test rules docs/monitoring/alerts.test.yml >/dev/null
long=$(git ls-files '*.rs' '*.ts' '*.css' '*.sh' | grep -v -E '^server/src/store/(sqlite|postgres)' | xargs wc -l \
  | awk '$2 != "total" && $1 > 400 { print "  " $2 " " $1 }')
[ -z "$long" ] || { printf 'over 400 lines:\n%s\n' "$long" >&2; exit 1; }
