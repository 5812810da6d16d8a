//! The dissector for Wireshark decrypts, too.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{pcap, text};

/// The types of the chunks in each of the first packets of a capture, first those in plain text, then those that
/// were decrypted; `None` without tshark.
pub(crate) fn chunk_types(capture: &str, keys: &str, most: usize) -> Option<Vec<Vec<u64>>> {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../packaging/wireshark/sctp-dtls-chunk.lua"
    );
    let output = Command::new("tshark")
        .args(["-r", capture, "-c", &most.to_string()])
        .args(["-X", &format!("lua_script:{script}")])
        .args(["-o", &format!("sctp_dtls_chunk.keys:{keys}")])
        .args(["-T", "fields", "-e", "sctp.chunk_type"])
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: no tshark");
        return None;
    };
    let (said, complaints) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{complaints}");
    assert!(!complaints.contains(".lua"), "{complaints}");
    let types = |line: &str| line.split(',').map(|word| word.parse().unwrap()).collect();
    Some(said.lines().map(types).collect())
}

/// The types of all chunks in a capture, as tshark sees them without our dissector; `None` without tshark.
pub(crate) fn plain_chunk_types(capture: &Path) -> Option<Vec<u64>> {
    let output = Command::new("tshark")
        .args(["-T", "fields", "-e", "sctp.chunk_type", "-r"])
        .arg(capture)
        .output()
        .ok()?;
    let words = text(&output.stdout);
    let types = words.split_whitespace().flat_map(|line| line.split(','));
    Some(types.map(|word| word.parse().unwrap()).collect())
}

/// A capture of bare SCTP packets.
pub(crate) fn write_capture<'a>(path: impl AsRef<Path>, packets: impl Iterator<Item = &'a [u8]>) {
    let capture = pcap(248, packets.map(|packet| (packet, packet.len())));
    fs::write(path, capture).unwrap();
}

fn from_hex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.map(byte).collect()
}

#[test]
fn the_vectors_of_every_suite_are_decrypted_in_tshark() {
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../secure/tests/vectors.json");
    let vectors: Value = serde_json::from_str(&fs::read_to_string(vectors).unwrap()).unwrap();
    // Nobody can know the number of a record that is the first under its keys and far behind.
    let first = |vector: &&Value| vector["sequence"].as_u64().unwrap() < 1 << 16;
    let vectors: Vec<&Value> = vectors["packets"]
        .as_array()
        .unwrap()
        .iter()
        .filter(first)
        .collect();
    let of = |vector: &Value, name: &str| vector[name].as_str().unwrap().to_owned();
    let keys: String = vectors
        .iter()
        .map(|vector| {
            let [suite, key, iv, sn_key] =
                ["suite", "key", "iv", "sn_key"].map(|name| of(vector, name));
            format!(
                "SCTP_DTLS_KEYS {suite} {} {key} {iv} {sn_key}\n",
                vector["epoch"]
            )
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let [log, capture] =
        ["keys", "capture.pcap"].map(|name| folder.path().join(name).display().to_string());
    fs::write(&log, keys).unwrap();
    let packets: Vec<Vec<u8>> = vectors
        .iter()
        .map(|vector| from_hex(&of(vector, "packet")))
        .collect();
    write_capture(&capture, packets.iter().map(Vec::as_slice));
    let Some(seen) = chunk_types(&capture, &log, packets.len()) else {
        return;
    };
    assert_eq!(seen.len(), vectors.len());
    for (types, vector) in seen.iter().zip(vectors) {
        let first = u64::from(from_hex(&of(vector, "chunks"))[0]);
        assert_eq!(types[..2], [0x41, first], "{vector}");
    }
}
