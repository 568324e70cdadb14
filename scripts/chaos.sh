#!/usr/bin/env bash
# Breaks real servers for as long as it takes to believe them, and prints what was lost.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-tools.sh build test
ROLLCALL_CHAOS=1 cargo test --locked --workspace --exclude hydrate --features app/ssr --test chaos -- --nocapture --test-threads=1
