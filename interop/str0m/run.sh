#!/bin/sh
# str0m over Sheave's engine.
#   run.sh test [ARG..]         str0m's own tests, all or as `cargo test` takes them
#   run.sh throughput [SECS]    a data channel within str0m, over sctp-proto and over Sheave's engine
# str0m is taken from the registry as it is; Cargo puts interop/str0m/sctp-proto in the place of the
# crate of that name. The environment variable STR0M_TARGET says where to build (target/str0m).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=${STR0M_TARGET:-$here/../../target/str0m}
mkdir -p "$target"
target=$(cd "$target" && pwd)

# Copies str0m's source, which the registry's crate has with its tests, to where it can be built.
source_of_str0m() {
    found=$(cargo metadata --locked --format-version 1 --manifest-path "$here/with-sheave/Cargo.toml" |
        grep -o '"manifest_path":"[^"]*/str0m-[0-9][^"/]*/Cargo.toml"' | head -n 1 | cut -d '"' -f 4)
    rm -rf "$target/source"
    cp -r "$(dirname "$found")" "$target/source"
    chmod -R u+w "$target/source"
    manifest=$target/source/Cargo.toml
    # Without the other crypto libraries, which are released in their own time and which a lock file would
    # name all the same, and the test that takes one of them; without the examples, which need a web
    # server. The emulator of networks is the version that is there, whose units are of another version of
    # str0m's: three tests of bandwidth estimation do not compile with it.
    awk '
        /^\[/ { skipped = /str0m-(openssl|apple-crypto|wincrypto|rust-crypto)|rouille|^\[\[example/ }
        /^\[\[test/ { getline name; skipped = name ~ /"(audio-inactive-probe|bwe|dtls-fingerprint|ssrc-zero-probe)"/; if (!skipped) print; $0 = name }
        /^(openssl|openssl-dimpl|apple-crypto|wincrypto|wincrypto-dimpl|vendored|rust-crypto|examples) = / {
            inside = /\[$/
            next
        }
        /^    "examples",/ { next }
        inside { inside = !/^\]/; next }
        /^\[dev-dependencies.netem\]/ { netem = 1 }
        netem && /^version/ { $0 = "version = \">=0.4\""; netem = 0 }
        !skipped
    ' "$manifest" > "$manifest.new"
    printf '\n[workspace]\n\n[patch.crates-io]\nsctp-proto = { path = "%s" }\n' "$here/sctp-proto" \
        >> "$manifest.new"
    mv "$manifest.new" "$manifest"
    (cd "$target/source/tests" && rm -r audio-inactive-probe.rs bwe dtls-fingerprint.rs ssrc-zero-probe.rs)
    # Versions as measured.
    cp "$here/with-sheave/Cargo.lock" "$target/source/Cargo.lock"
}

case ${1:-} in
test)
    shift
    source_of_str0m
    cd "$target/source"
    CARGO_TARGET_DIR=$target exec cargo test --features _internal_test_exports "$@"
    ;;
throughput)
    for sctp in sctp-proto sheave; do
        CARGO_TARGET_DIR=$target cargo build --quiet --release --locked \
            --manifest-path "$here/with-$sctp/Cargo.toml"
    done
    printf 'stack\tbytes\tns/message\tMb/s\n'
    "$target/release/str0m-with-sctp-proto" "${2:-3}"
    "$target/release/str0m-with-sheave" "${2:-3}"
    ;;
*)
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
    ;;
esac
