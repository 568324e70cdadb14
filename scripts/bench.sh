#!/usr/bin/env bash
# Criterion benchmarks of the rules, the protocol and both databases. Takes some minutes; compares within one run.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-tools.sh build test
cargo bench --locked -p fleet
cargo bench --locked -p server
