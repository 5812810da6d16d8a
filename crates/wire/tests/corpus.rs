//! The corpora that the fuzzer has found, replayed through what the fuzz targets call.

#[path = "bodies/wire_parse.rs"]
mod wire_parse;
#[path = "bodies/wire_roundtrip.rs"]
mod wire_roundtrip;

use std::fs;
use std::path::Path;

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

fn replay(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("a corpus") {
        body(&fs::read(entry.expect("an entry").path()).expect("an input"));
        inputs += 1;
    }
    assert!(inputs > 0, "no corpus in {}", folder.display());
}
