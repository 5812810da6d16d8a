#!/usr/bin/env bash
# nftables 0.6.3 (crate): one rule that asks whether a packet has a chunk makes the rules of the whole host unreadable.
#
# Guess: what nft prints with -j can be read. "sctp chunk asconf exists drop", the plainest rule about chunks, is printed without
#   a field (libnftables-json(5), SCTP CHUNK: no field means a check for existence), and the same check of a TCP option or of
#   an extension header of IPv6 is read, so that this one is as well.
# Seen: "no variant matches", for the ruleset, not for the rule: the crate's get_current_ruleset, which reads all tables, fails for
#   every program on that host, whatever table it came for. The documentation of the type says that the field may be
#   absent. Nor can such a rule be built; a match on the chunk's type, which says the same, can.
# Who cares: firewalls that keep INITs or ASCONFs from an association's port, and the Rust programs beside them.
# Source: src/expr.rs: SctpChunk.field is a Cow, TcpOption.field and Exthdr.field are Options.
# Output seen: "sctp chunk exists: data did not match any variant of untagged enum NfObject", "sctp chunk type: read",
#   "tcp option exists: read", "exthdr exists: read"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
nftables = "=0.6.3"
serde_json = "=1.0.154"
TOML
cat >src/main.rs <<'RUST'
use nftables::schema::Nftables;

/// A ruleset as nft 1.0.6 prints it, of one rule with one match.
fn ruleset(left: &str, right: &str) -> String {
    format!(
        r#"{{"nftables": [{{"rule": {{"family": "inet", "table": "t", "chain": "c", "handle": 2, "expr": [
        {{"match": {{"op": "==", "left": {left}, "right": {right}}}}}, {{"drop": null}}]}}}}]}}"#
    )
}

fn main() {
    for (name, left, right) in [
        ("sctp chunk exists", r#"{"sctp chunk": {"name": "asconf"}}"#, "true"),
        ("sctp chunk type", r#"{"sctp chunk": {"name": "asconf", "field": "type"}}"#, "193"),
        ("tcp option exists", r#"{"tcp option": {"name": "sack"}}"#, "true"),
        ("exthdr exists", r#"{"exthdr": {"name": "frag"}}"#, "true"),
    ] {
        match serde_json::from_str::<Nftables>(&ruleset(left, right)) {
            Ok(_) => println!("{name}: read"),
            Err(error) => println!("{name}: {}", error.to_string().split(" at line").next().unwrap_or_default()),
        }
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = 'sctp chunk exists: data did not match any variant of untagged enum NfObject
sctp chunk type: read
tcp option exists: read
exthdr exists: read' ] || { echo "changed" >&2; exit 1; }
