//! The vectors, which `vectors.py` made without our code, and packets of ours, which it opens.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use sheave_engine::wire::{Chunk, Dtls, DtlsContext, Packet};
use sheave_secure::{CipherSuite, TrafficKeys};

/// Bytes that hexadecimal digits stand for.
fn bytes(digits: &Value) -> Vec<u8> {
    let digits = digits.as_str().expect("text").as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

fn packets() -> Vec<Value> {
    let text = fs::read_to_string(folder().join("vectors.json")).expect("the vectors");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    all["packets"].as_array().expect("packets").clone()
}

fn keys(vector: &Value) -> TrafficKeys {
    let id = bytes(&vector["suite"]);
    let suite = CipherSuite::from_id([id[0], id[1]]).expect("a suite");
    let [key, iv, sn_key] = ["key", "iv", "sn_key"].map(|name| bytes(&vector[name]));
    TrafficKeys::new(suite, &key, &iv, &sn_key).expect("right lengths")
}

#[test]
fn every_packet_of_the_vectors_is_opened_and_sealed_as_it_was() {
    for vector in packets() {
        let cipher = keys(&vector).cipher().expect("a cipher");
        let sequence = vector["sequence"].as_u64().expect("a number");
        let packet = bytes(&vector["packet"]);
        let packet = Packet::parse(&packet).expect("a packet");
        assert!(packet.checksum_is_valid());
        let Some(Ok(Chunk::Dtls(chunk))) = packet.chunks().next() else {
            panic!("a DTLS chunk");
        };
        let restart = vector["restart"] == 1;
        assert_eq!(chunk.context == DtlsContext::Restart, restart);
        let (&[flags, s0, s1], ciphertext) = chunk.record.split_first_chunk().expect("a record");
        let epoch = vector["epoch"].as_u64().expect("a number");
        assert_eq!(flags, Dtls::RECORD_FLAGS | (epoch & 3) as u8);
        let [m0, m1] = cipher.mask(ciphertext[..16].try_into().unwrap());
        let header = [flags, s0 ^ m0, s1 ^ m1];
        assert_eq!(header[1..], (sequence as u16).to_be_bytes());

        let mut record = ciphertext.to_vec();
        assert_eq!(cipher.open(sequence, header, &mut record), Ok(()));
        record.truncate(record.len() - 16);
        let content_type = record.pop();
        assert_eq!(
            (content_type, &record),
            (Some(23), &bytes(&vector["chunks"]))
        );

        record.push(23);
        let tag = cipher.seal(sequence, header, &mut record);
        assert_eq!([&record[..], &tag].concat(), ciphertext);
        record.extend_from_slice(&tag);
        assert!(cipher.open(sequence + 1, header, &mut record).is_err());
    }
}

#[test]
fn the_vectors_are_what_the_independent_script_makes() {
    let Some(output) = python(&["make"]) else {
        return;
    };
    let stored = fs::read(folder().join("vectors.json")).expect("the vectors");
    assert!(
        output == stored,
        "vectors.py makes other vectors than vectors.json holds"
    );
}

/// The output of the script; `None`, with a line on standard error, where the machine lacks Python's `cryptography`.
pub(crate) fn python(arguments: &[&str]) -> Option<Vec<u8>> {
    let mut probe = Command::new("python3");
    probe
        .args(["-c", "import cryptography"])
        .stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: no python3 with the package cryptography");
        return None;
    }
    let script = folder().join("vectors.py");
    let output = Command::new("python3").arg(script).args(arguments).output();
    let output = output.expect("python3 starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    Some(output.stdout)
}
