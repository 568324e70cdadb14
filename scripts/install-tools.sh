#!/usr/bin/env bash
# Installs the tools that `make` needs and this machine lacks. Safe to run again: what is there in the right
# version is left alone. Groups: `build` (default) for compiling, `test` adds browser and database, `lint` adds
# cargo-deny, `bench` a load generator and what the benchmarks compare with.
set -euo pipefail
cd "$(dirname "$0")/.."

CARGO_LEPTOS_VERSION=0.3.10
WASM_BINDGEN_VERSION=0.2.130
CARGO_DENY_VERSION=0.20.2
BINARYEN_VERSION=132

say() { printf '» %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
version_of() { "$@" 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+\.[0-9]+)?' | head -n 1 || true; }

apt_updated=
apt_install() {
  have apt-get || { say "please install: $*"; exit 1; }
  apt_update
  say "installing $*"
  DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

apt_update() {
  [ -z "$apt_updated" ] || return 0
  say 'updating the package list'
  as_root apt-get update -qq
  apt_updated=1
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -E "$@"; fi; }

# Tools are run a handful of times, so they are compiled fast rather than to be fast.
cargo_install() {
  say "compiling $1 $2 (once, some minutes)"
  CARGO_PROFILE_RELEASE_OPT_LEVEL="${3:-0}" CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 CARGO_PROFILE_RELEASE_DEBUG=0 \
    cargo install --quiet "$1" --version "$2" "${@:4}"
}

install_build() {
  have cargo || { say 'Rust is missing: install rustup first (https://rustup.rs)'; exit 1; }
  have cc || apt_install build-essential
  rustup target list --installed | grep -qx wasm32-unknown-unknown \
    || { say 'adding the wasm target'; rustup target add wasm32-unknown-unknown; }
  have npm || apt_install nodejs npm
  # Debian's wasm-opt 108 mixes up the tables of a module that has two, and the page then stays asleep.
  [ "$(version_of tools/node_modules/.bin/wasm-opt --version)" = "$BINARYEN_VERSION" ] \
    || { say "installing wasm-opt $BINARYEN_VERSION"; npm ci --silent --prefix tools >&2; }
  [ "$(version_of wasm-bindgen --version)" = "$WASM_BINDGEN_VERSION" ] \
    || cargo_install wasm-bindgen-cli "$WASM_BINDGEN_VERSION" 1
  [ "$(version_of cargo-leptos --version)" = "$CARGO_LEPTOS_VERSION" ] \
    || cargo_install cargo-leptos "$CARGO_LEPTOS_VERSION" 0 --locked --features no_downloads
}

install_test() {
  have chromium || apt_install chromium
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || have initdb || apt_install postgresql
  have npm || apt_install nodejs npm
  # The identity provider that the Rust tests sign in at.
  [ end2end/provider/node_modules/.package-lock.json -nt end2end/provider/package-lock.json ] \
    || { say 'installing the identity provider of the tests'; npm ci --silent --prefix end2end/provider >&2; }
  install_checkers
}

# What the generated install files are held against. The copy of the list tells which one is installed.
install_checkers() {
  install_python tools/checkers 'the checkers of install files'
  install_python tools/contract 'what calls the API by its document'
}

# A folder's list of packages in an environment of its own.
install_python() {
  local folder=$1
  cmp -s "$folder/requirements.txt" "$folder/.venv/requirements.txt" && return
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
  say "installing $2"
  python3 -m venv --clear "$folder/.venv"
  "$folder/.venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$folder/requirements.txt" >&2
  cp "$folder/requirements.txt" "$folder/.venv/requirements.txt"
}

# What the benchmarks send and compare with.
install_bench() {
  have wrk || apt_install wrk
  unpack prometheus-pushgateway prometheus-pushgateway
}

# A program of a Debian package, in tools/unpacked. It is not installed: these packages would start their servers.
unpack() {
  local package=$1 folder=tools/unpacked/$1
  [ ! -x "$folder/usr/bin/$2" ] || return 0
  have apt-get || { say "please put $2 into $folder/usr/bin"; exit 1; }
  say "unpacking $package"
  apt_update
  mkdir -p "$folder"
  # It complains that root is not allowed to have others read here.
  (cd "$folder" && apt-get download -qq "$package" 2>/dev/null && dpkg -x "$package"_*.deb . && rm -- *.deb)
}

install_lint() {
  for component in rustfmt clippy; do
    rustup component list --installed | grep -q "^$component" || rustup component add "$component"
  done
  [ "$(version_of cargo-deny --version)" = "$CARGO_DENY_VERSION" ] \
    || cargo_install cargo-deny "$CARGO_DENY_VERSION" 0
  unpack prometheus promtool
}

for group in "${@:-build}"; do
  case "$group" in
    build | test | lint | bench) "install_$group" ;;
    *) say "unknown group $group: build, test, lint or bench"; exit 2 ;;
  esac
done
