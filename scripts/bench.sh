#!/usr/bin/env bash
# Benchmarks of the rules, the protocol and both databases, and of a real server under viewers and exports. Takes about an
# hour; compares within one run. A missed goal is told at the end, after everything was measured.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-tools.sh build test bench
missed=0
cargo bench --locked --no-fail-fast -p fleet || missed=1
cargo bench --locked --no-fail-fast -p server || missed=1
# What a browser makes of 300 groups; prints performance, largest paint, blocking time and layout shift of each page.
scripts/build.sh
cargo build --release --locked -p drill
cd end2end
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --prefer-offline
BENCH=1 npx --no-install playwright test --project scripts --workers 1 specs/lighthouse.spec.ts || missed=1
exit "$missed"
