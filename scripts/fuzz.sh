#!/usr/bin/env bash
# Hostile input for everything that reads bytes of strangers: RUNS runs of each target, beginning with the inputs of
# fuzz/corpus. A failure leaves the input in target/fuzz and ends with an error. Needs no nightly compiler: there is no
# unsafe code here for the sanitizers to watch.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${RUNS:-1000000}
scripts/install-tools.sh build
host=$(rustc -vV | sed -n 's/^host: //p')
# Naming the target keeps build scripts and macros free of it; what does not read bytes of strangers goes without it, or
# the build takes longer than the runs.
export FUZZED="fleet server serde_json serde_urlencoded form_urlencoded percent_encoding base64 jwe register heartbeat frame filter \
catalog csv"
export RUSTC_WRAPPER="$PWD/scripts/rustc-fuzzed.sh"
export FUZZ_FLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
cargo build --release --locked --manifest-path fuzz/Cargo.toml --target "$host" --target-dir target/fuzz

targets=$(ls fuzz/fuzz_targets | sed 's/\.rs$//')
printf '\n| target | runs | places reached | inputs kept | seconds |\n|---|---:|---:|---:|---:|\n' >target/fuzz/table
for target in $targets; do
  work=target/fuzz/corpus/$target
  mkdir -p "$work"
  started=$SECONDS
  log=target/fuzz/$target.log
  if ! "target/fuzz/$host/release/$target" -runs="$runs" -max_len=16384 -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="target/fuzz/$target-" "$work" "fuzz/corpus/$target" >"$log" 2>&1; then
    tail -40 "$log"
    echo "$target failed" >&2
    exit 1
  fi
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  reached=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
  printf '| %s | %s | %s | %s | %s |\n' "$target" "$done" "$reached" "$(ls "$work" | wc -l)" $((SECONDS - started)) >>target/fuzz/table
done
cat target/fuzz/table
