//! The corpora that the fuzzer has found, replayed through what the fuzz targets call.

#[path = "../../../fuzz/replay.rs"]
mod replay;
#[path = "bodies/wire_parse.rs"]
mod wire_parse;
#[path = "bodies/wire_roundtrip.rs"]
mod wire_roundtrip;

use replay::replay;
use wire_parse::wire_parse;
use wire_roundtrip::wire_roundtrip;

#[test]
fn the_corpus_of_wire_parse_passes() {
    replay("wire_parse", wire_parse);
}

#[test]
fn the_corpus_of_wire_roundtrip_passes() {
    replay("wire_roundtrip", wire_roundtrip);
}
