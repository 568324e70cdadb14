#!/usr/bin/env bash
# Every check there is: format and lints, Rust tests on both databases, and the pages in a real browser.
set -euo pipefail
cd "$(dirname "$0")/.."

section() { printf '\n== %s\n' "$*"; }

section 'Tools'
scripts/install-tools.sh build test lint

section 'Format, lints, dependencies'
scripts/lint.sh

section 'Rules, store, protocol, pages'
cargo test --locked --workspace --exclude hydrate --features app/ssr

section 'Pages and API on PostgreSQL, on one node and on two that take turns'
for database in postgres pair; do
  ROLLCALL_TEST_DATABASE=$database cargo test --locked --workspace --exclude hydrate --features app/ssr --test http
done

section 'Optimised build'
scripts/build.sh
cargo build --release --locked -p drill
# Only the debug build, which the tests left, has the gallery; it wears the same styles.
cp target/release/hash.txt target/debug/hash.txt

section 'The API against its own document'
scripts/contract.sh

section 'Packages of the browser tests'
cd end2end
# Chromium comes from the system.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --prefer-offline
npm run --silent check

# With scripts on SQLite, without on PostgreSQL, phones on two nodes; TEST_DATABASE=pair puts all of them on two nodes.
section 'Pages in a browser'
npx --no-install playwright test
