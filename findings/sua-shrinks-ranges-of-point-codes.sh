#!/usr/bin/env bash
# sua 1.0.0 and m3ua 1.1.0 (crates): of a range of point codes that is not reachable the first shows one, the second none of them.
#
# Guess: an entry of the Affected Point Code has a mask, the number of low bits that are left open (RFC 4666 §3.4.1, as in RFC
#   3868): 02 0003e8 in a DUNA stands for the codes 1000 to 1003, the usual way to report a cluster.
#   `affected_point_codes` gives the four, or entries with their mask.
# Seen: sua drops the mask and gives [1000]: traffic to 1001, 1002 and 1003 goes on into the void. m3ua takes the mask for the
#   upper byte of the code: 33555432, which is nobody's, so that nothing stops; its affected_destinations
#   has both parts, under a name that does not say why one should call it. With a mask of 0 all are right.
# Source: sua's src/message.rs, unpack_affected_point_codes; m3ua's src/message.rs, affected_point_codes.
# Output seen: "mask 0: sua [1000], m3ua [1000]", "mask 2: sua [1000], m3ua [33555432]"
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
m3ua = "=1.1.0"
sua = "=1.0.0"
TOML
cat >src/main.rs <<'RUST'
fn main() {
    for mask in [0, 2] {
        // DUNA: version 1, class 2, type 1, length 16, one parameter with the tag 0x0012.
        let duna = [1, 0, 2, 1, 0, 0, 0, 16, 0, 0x12, 0, 8, mask, 0, 3, 0xe8];
        let sua = sua::SuaMessage::decode(&duna).expect("a message of SUA").affected_point_codes();
        let m3ua = m3ua::M3uaMessage::decode(&duna).expect("a message of M3UA").affected_point_codes();
        println!("mask {mask}: sua {sua:?}, m3ua {m3ua:?}");
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "mask 0: sua [1000], m3ua [1000]
mask 2: sua [1000], m3ua [33555432]" ] || { echo "changed" >&2; exit 1; }
