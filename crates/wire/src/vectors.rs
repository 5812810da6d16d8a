//! The bytes of `vectors.txt`: read as its texts say, and written again as they were.

use std::string::{String, ToString};
use std::vec::Vec;

use crate::captured::{fault_of, hex, packet_of, parse, write};
use crate::{Causes, CommonHeader, Packet, Parameter};

/// The text of a chunk, which is the only one in these bytes and written again as these bytes.
fn chunk(bytes: &[u8]) -> String {
    let packet = packet_of(bytes);
    let chunk = parse(&packet)[0].expect("a chunk");
    assert_eq!(parse(&packet), [Ok(chunk)]);
    let written = write(CommonHeader::default(), &[chunk]);
    assert_eq!(&written[CommonHeader::LEN..], bytes);
    chunk.to_string()
}

/// The text of a chunk that may be written in another form, which says the same.
fn read(bytes: &[u8]) -> String {
    let packet = packet_of(bytes);
    let chunk = parse(&packet)[0].expect("a chunk");
    let written = write(CommonHeader::default(), &[chunk]);
    assert_eq!(parse(&written), [Ok(chunk)]);
    chunk.to_string()
}

/// The text of a captured packet's chunk, behind a header with the right checksum.
fn captured(bytes: &[u8]) -> String {
    let packet = Packet::parse(bytes).expect("a packet");
    assert!(packet.checksum_is_valid());
    let chunks: Vec<_> = packet.chunks().map(Result::unwrap).collect();
    assert_eq!(write(packet.header, &chunks), bytes);
    chunk(&bytes[CommonHeader::LEN..])
}

fn parameter(bytes: &[u8]) -> String {
    let parameter = Parameter::parse(bytes).expect("a parameter");
    let mut written = Vec::new();
    parameter.write(&mut written);
    assert_eq!(
        (&written[..], parameter.encoded_len()),
        (bytes, bytes.len())
    );
    parameter.to_string()
}

/// The text of a cause, and whether it is written again as it was.
fn cause(bytes: &[u8]) -> (String, bool) {
    let causes = Causes::from_wire(bytes);
    let [Ok(cause)] = causes.iter().collect::<Vec<_>>()[..] else {
        panic!("one cause: {causes}")
    };
    let mut written = Vec::new();
    cause.write(&mut written);
    assert_eq!(cause.encoded_len(), written.len());
    assert_eq!(cause.code().to_be_bytes(), bytes[..2]);
    (cause.to_string(), written == bytes)
}

fn told(kind: &str, digits: &str) -> String {
    let bytes = hex(digits);
    let fault = match kind {
        "chunk" => return chunk(&bytes),
        "read" => return read(&bytes),
        "packet" => return captured(&bytes),
        "parameter" => return parameter(&bytes),
        "cause" | "cause-read" => {
            let (text, same) = cause(&bytes);
            assert_eq!(same, kind == "cause");
            return text;
        }
        "fault" => fault_of(digits),
        "parameter-fault" => Parameter::parse(&bytes).expect_err("a fault").what,
        "cause-fault" => {
            let first = Causes::from_wire(&bytes).iter().next();
            first.expect("a step").expect_err("a fault").what
        }
        other => panic!("there is no {other}"),
    };
    fault.to_string()
}

#[test]
fn bytes_say_what_they_should_and_are_written_again() {
    let (mut section, mut checked) = ("", 0);
    for line in include_str!("vectors.txt").lines() {
        if line.starts_with('[') {
            section = line;
        }
        let Some((kind, rest)) = line.split_once(' ').filter(|(kind, _)| *kind != "#") else {
            continue;
        };
        if let Some((digits, text)) = rest.split_once(" =") {
            let text = text.trim_start();
            assert_eq!(told(kind, digits).trim_end(), text, "{section} {line}");
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked} lines");
}
