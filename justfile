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

# Random networks and users over all features, on all cores; `just swarm 1000000`
swarm *ARGS:
    cargo run --release -p sheave-engine --example swarm -- {{ARGS}}

# Transfers through random networks of real namespaces, `just shapes 1000 1`
shapes COUNT='1000' FROM='1':
    SHEAVE_SHAPES={{COUNT}} SHEAVE_SHAPES_FROM={{FROM}} cargo test -p sheave-cli --test shapes -- --nocapture

# What things cost, beside other stacks; `just bench --help`
bench *ARGS:
    cargo bench -- {{ARGS}}

# Throughput over the sockets of this machine
bench-loopback *ARGS:
    cargo run --profile dist -p sheave-cli -- bench loopback {{ARGS}}

# Ten minutes of fuzzing: endpoint, datachannel, webrtc, handover, wire_parse or wire_roundtrip
fuzz TARGET='endpoint' SECONDS='600':
    ASAN_OPTIONS=malloc_context_size=0:detect_stack_use_after_return=0 \
        cargo +nightly fuzz run {{TARGET}} -- -max_total_time={{SECONDS}} -max_len=512

# The most expensive packets of each chunk type that a search of so many attempts finds
hostile-cost ATTEMPTS='3000':
    SHEAVE_HOSTILE_COST={{ATTEMPTS}} cargo test --release -p sheave-engine --test scenarios -- \
        --nocapture the_most_expensive_packets

# Small worlds, visited exhaustively: `just worlds shutdown` for those with that word in their name
worlds WORD='all':
    SHEAVE_WORLDS={{WORD}} cargo test --release -p sheave-engine --test worlds -- --nocapture

# Whether the verdicts of two quick runs with different seeds agree for 95 % of what both decide
agree *STUDIES:
    cargo run --release -- lab run --quick --out target/agree/a {{STUDIES}}
    cargo run --release -- lab run --quick --seeds-after 1000 --out target/agree/b {{STUDIES}}
    cargo run --release -- lab compare target/agree/a target/agree/b --at-least 95

# Newest releases of the stacks that are tested with; once a month: change the pins, run the tests beside them
peers:
    cargo xtask newest

# The demonstration of failover
demo *ARGS:
    cargo run --release -- demo transfer {{ARGS}}

# The pages as a book, target/book/index.html
book:
    cargo xtask book

# Whether a release is ready: packages, verified, and a program that uses them; publishes nothing
release *ARGS:
    cargo xtask release --dry-run {{ARGS}}

# Licences, sources and advisories of what we depend on; installs cargo-deny if it is absent
deny *ARGS:
    @cargo deny --version > /dev/null 2>&1 || cargo install --locked cargo-deny
    cargo deny check {{ARGS}}
