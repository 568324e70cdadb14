#!/usr/bin/env bash
# Benchmarks of the rules, the protocol and both databases, and of a real server under viewers and exports. Takes some
# minutes; compares within one run.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-tools.sh build test bench
cargo bench --locked -p fleet
cargo bench --locked -p server
# What a browser makes of 300 groups; prints performance, largest paint, blocking time and layout shift of each page.
scripts/build.sh
cd end2end
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --prefer-offline
BENCH=1 npx --no-install playwright test --project scripts --workers 1 specs/lighthouse.spec.ts
