#!/bin/sh
# rust_cases.sh CASE CRATE: crate: its tests, with the libraries and without; lints: clippy and rustfmt where they are; example: it is
# recorded, prints the same, and its profile is whole. From the environment: CARGO, CARGO_TARGET_DIR, GECKOPROF, GECKOPROF_BASE,
# GECKOPROF_FULL.
set -u
cd "$2" || exit 1
PATH=$(dirname "$CARGO"):$PATH
export PATH CARGO_NET_OFFLINE=true
case $1 in
  crate)
    "$CARGO" test --offline --locked --quiet || exit 1
    "$CARGO" test --offline --locked --quiet --release --test recorded || exit 1
    base=$GECKOPROF_BASE
    unset GECKOPROF_BASE GECKOPROF_FULL
    "$CARGO" test --offline --locked --quiet --tests || exit 1
    # Where nothing is instrumented, no library is found either.
    export LD_PRELOAD="$base"
    "$CARGO" test --offline --locked --quiet --features disable --test without_library ;;
  lints)
    if "$CARGO" fmt --version >/dev/null 2>&1; then "$CARGO" fmt --check || exit 1; fi
    "$CARGO" clippy --version >/dev/null 2>&1 || exit 77
    "$CARGO" clippy --offline --locked --quiet --all-targets -- -D warnings || exit 1
    "$CARGO" clippy --offline --locked --quiet --all-targets --features disable -- -D warnings ;;
  example)
    [ -x "$GECKOPROF" ] || exit 77
    "$CARGO" build --offline --locked --quiet --example loading || exit 1
    program=$CARGO_TARGET_DIR/debug/examples/loading
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    "$program" > "$work/bare" || exit 1
    "$GECKOPROF" record -q -o "$work/p.json" -- "$program" > "$work/recorded" || exit 1
    cmp "$work/bare" "$work/recorded" || exit 1
    "$GECKOPROF" check --warnings "$work/p.json" > "$work/check" || { cat "$work/check"; exit 1; }
    ! grep warning: "$work/check" || exit 1
    for word in '"Load"' '"loads"' '"begins"' '"waits"' 'for the loader' 'read /made/up/2.json' '"loader"' '"loaded"' \
                'terminating-flow-id\|flow-id' '"head"'; do
      grep -q "$word" "$work/p.json" || { echo "$word is not in the profile"; exit 1; }
    done ;;
  *) exit 2 ;;
esac
