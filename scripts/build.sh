#!/usr/bin/env bash
# Builds the optimised program with its front end: target/release/rollcall, target/release/hash.txt, target/site.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/tools/node_modules/.bin:$PATH"
cargo leptos build --release --precompress "$@"
