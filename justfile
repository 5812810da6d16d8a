# The verbs of this project; `just` lists them.

[private]
default:
    @just --list --unsorted

# Format, lints and documentation, as .ci/run checks them
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked

# All tests
test:
    cargo test --workspace

# What things cost, beside other stacks; `just bench --help`
bench *ARGS:
    cargo bench -- {{ARGS}}

# Throughput over the sockets of this machine
bench-loopback *ARGS:
    cargo bench -p sheave --bench loopback -- {{ARGS}}

# Ten minutes of fuzzing: endpoint, handover, wire_parse or wire_roundtrip
fuzz TARGET='endpoint' SECONDS='600':
    cargo +nightly fuzz run {{TARGET}} -- -max_total_time={{SECONDS}}

# The demonstration of failover
demo *ARGS:
    cargo run --release -- demo transfer {{ARGS}}

# Licences and advisories of what we depend on (needs cargo-deny)
deny:
    cargo deny check
