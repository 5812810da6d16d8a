#!/usr/bin/env bash
# asn1-codecs 0.7.2 (crate, of hampi): in aligned PER strings of one or two characters are not aligned.
#
# Guess: whether a string begins at an octet is decided by its type, by the largest size (X.691 §17 and §30.5, "ub"): a
#   PrintableString (SIZE(1..150,...)), the name of a node in S1AP and NGAP, does, however long the value is.
# Seen: the length of the value decides. "a" is 00 30 80 where pycrate, asn1tools and rasn (0.8.1, 0.169.0, 0.30.0) write
#   00 00 61; "abc" is the same in all four. The crate reads its own bytes back, so that round trips pass, and reads the
#   others' "a" as the character NUL. OCTET STRINGs of variable size go the same way, and BIT STRINGs of variable size with
#   up to 16 bits by the same lines, so that all behind a short value is shifted.
# Source: src/per/common/encode/mod.rs, encode_string_common (length > 2); src/per/common/decode/mod.rs (length > 16).
# Output seen: 'a: 003080, reads "a", of a peer "\0"', 'abc: 0100616263, reads "abc", of a peer "abc"'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
asn1-codecs = "=0.7.2"
TOML
cat >src/main.rs <<'RUST'
use asn1_codecs::aper::decode::decode_printable_string;
use asn1_codecs::aper::encode::encode_printable_string;
use asn1_codecs::PerCodecData;

const SIZE: (Option<i128>, Option<i128>, bool) = (Some(1), Some(150), true);

fn read(bytes: &[u8]) -> String {
    decode_printable_string(&mut PerCodecData::from_slice_aper(bytes), SIZE.0, SIZE.1, SIZE.2).expect("read")
}

fn main() {
    for (text, of_a_peer) in [("a", vec![0, 0, 0x61]), ("abc", vec![1, 0, 0x61, 0x62, 0x63])] {
        let mut data = PerCodecData::new_aper();
        encode_printable_string(&mut data, SIZE.0, SIZE.1, SIZE.2, &text.to_string(), false).expect("written");
        let own = data.into_bytes();
        let hex: String = own.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{text}: {hex}, reads {:?}, of a peer {:?}", read(&own), read(&of_a_peer));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = 'a: 003080, reads "a", of a peer "\0"
abc: 0100616263, reads "abc", of a peer "abc"' ] || { echo "changed" >&2; exit 1; }
