#!/usr/bin/env bash
# Builds the optimised program with its front end: target/release/rollcall, target/release/hash.txt, target/site.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo leptos build --release --precompress
