//! `sheave dump` as a process, on captures made here.

mod support;

use std::path::PathBuf;

use sheave_wire::{
    Chunk, CommonHeader, Corruption, CorruptionEvent, Cwr, Data, DataFlags, EcnEcho, Init, List,
    PacketWriter, Parameter, Parameters, Ppid, RawParameter, Ssn, StreamId, Tsn, Vtag,
};
use support::{fail, lines, run, succeed, text};

fn packet(vtag: u32, chunks: &[Chunk<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    let header = CommonHeader {
        source_port: 5000,
        destination_port: 5910,
        vtag: Vtag(vtag),
    };
    let mut writer = PacketWriter::new(&mut out, header, 1400);
    for chunk in chunks {
        writer.push(chunk);
    }
    writer.finish();
    out
}

fn init(parameters: Parameters<'_>) -> Chunk<'_> {
    Chunk::Init(Init {
        initiate_tag: Vtag(0x1234),
        a_rwnd: 65_536,
        outbound_streams: 4,
        inbound_streams: 8,
        initial_tsn: Tsn(77),
        parameters,
    })
}

fn data(payload: &[u8]) -> Data<'_> {
    Data {
        flags: DataFlags::BEGINNING.union(DataFlags::ENDING),
        tsn: Tsn(77),
        stream: StreamId(1),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload,
    }
}

fn ipv4(protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    let total = u16::try_from(20 + payload.len()).unwrap();
    let mut packet = vec![0x45, 0];
    packet.extend(total.to_be_bytes());
    packet.extend([0, 1]);
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(payload);
    packet
}

fn udp(payload: &[u8]) -> Vec<u8> {
    let mut datagram = 40_000_u16.to_be_bytes().to_vec();
    datagram.extend(9899_u16.to_be_bytes());
    datagram.extend(u16::try_from(8 + payload.len()).unwrap().to_be_bytes());
    datagram.extend([0, 0]);
    datagram.extend(payload);
    datagram
}

/// An INIT over IP, a DATA chunk over UDP, a wrong checksum, a fragment, a cut frame, nonsense.
fn frames() -> Vec<(Vec<u8>, usize)> {
    let (init, data) = (init(Parameters::EMPTY), Chunk::Data(data(b"hello")));
    let mut broken = packet(9, &[Chunk::CookieAck]);
    broken[9] ^= 1;
    let whole = [
        ipv4(132, 0, &packet(0, &[init])),
        ipv4(17, 0, &udp(&packet(9, &[data, Chunk::CookieAck]))),
        ipv4(132, 0, &broken),
        ipv4(132, 0x2000, &[0; 40]),
        ipv4(132, 0, &packet(9, &[Chunk::CookieAck]))[..34].to_vec(),
        ipv4(132, 0, b"nonsense"),
        b"\x45".to_vec(),
        ipv4(6, 0, b"tcp"),
    ];
    let lengths = [0, 0, 0, 0, 36, 0, 0, 0];
    whole
        .into_iter()
        .zip(lengths)
        .map(|(frame, len)| {
            let len = len.max(frame.len());
            (frame, len)
        })
        .collect()
}

fn pcap(top: &tempfile::TempDir) -> PathBuf {
    pcap_of(top, &frames())
}

fn pcap_of(top: &tempfile::TempDir, frames: &[(Vec<u8>, usize)]) -> PathBuf {
    let frames = frames.iter().map(|(frame, len)| (&frame[..], *len));
    // Packets of IP.
    let out = support::pcap(101, frames);
    let path = top.path().join("trace.pcap");
    std::fs::write(&path, out).unwrap();
    path
}

/// The kinds of blocks that hold packets.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    Enhanced,
    /// The obsolete Packet Block.
    Packet,
}

/// Units of time by the option if_tsresol: millionths of a second, and 2^-20 of one.
const RESOLUTIONS: [u8; 2] = [6, 0x80 | 20];

/// A pcapng file, whose numbers `order` writes.
fn pcapng(
    top: &tempfile::TempDir,
    packets: Block,
    resolution: u8,
    order: fn(u32) -> [u8; 4],
) -> PathBuf {
    let mut out = Vec::new();
    let half = |number: u16| match order(1) {
        [1, ..] => number.to_le_bytes(),
        _ => number.to_be_bytes(),
    };
    let mut block = |kind: u32, body: &[u8]| {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let len = u32::try_from(body.len() + 12).unwrap();
        out.extend([order(kind), order(len)].concat());
        out.extend(body);
        out.extend(order(len));
    };
    let section = [&order(0x1a2b_3c4d)[..], &half(1), &half(0), &[0xff; 8]].concat();
    block(0x0a0d_0d0a, &section);
    let unit = [&half(9)[..], &half(1), &[resolution, 0, 0, 0], &[0; 4]].concat();
    block(
        1,
        &[&half(101)[..], &half(0), &order(0xffff), &unit].concat(),
    );
    for (number, (frame, len)) in (0_u64..).zip(frames()) {
        let micros = 1_700_000_000_000_000 + number * 1000;
        let ticks = match resolution {
            6 => micros,
            // The first one that is not earlier.
            _ => u64::try_from((u128::from(micros) << 20).div_ceil(1_000_000)).unwrap(),
        };
        let captured = u32::try_from(frame.len()).unwrap();
        let [a, b, c, d, e, f, g, h] = ticks.to_be_bytes();
        let (high, low) = (
            u32::from_be_bytes([a, b, c, d]),
            u32::from_be_bytes([e, f, g, h]),
        );
        let words = [high, low, captured, u32::try_from(len).unwrap()];
        let (kind, mut body) = match packets {
            Block::Enhanced => (6, order(0).to_vec()),
            // The interface, and frames that were dropped.
            Block::Packet => (2, [half(0), half(7)].concat()),
        };
        body.extend(words.iter().flat_map(|word| order(*word)));
        body.extend(frame);
        block(kind, &body);
    }
    let path = top.path().join("trace.pcapng");
    std::fs::write(&path, out).unwrap();
    path
}

fn dump(path: &std::path::Path, extra: &str) -> String {
    succeed(&format!("dump {} {extra}", path.display()))
}

#[test]
fn all_file_formats_give_the_same_text() {
    let top = tempfile::tempdir().unwrap();
    let out = dump(&pcap(&top), "");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "0.000000 #1 10.0.0.1 > 10.0.0.2 SCTP 5000 > 5910 vtag 00000000 crc ok, 32 bytes"
    );
    assert!(lines[1].starts_with("    INIT "), "{}", lines[1]);
    assert_eq!(
        lines[2],
        "0.001000 #1 10.0.0.1 > 10.0.0.2 udp 40000 > 9899 SCTP 5000 > 5910 vtag 00000009 crc ok, \
         40 bytes"
    );
    assert!(lines[3].starts_with("    DATA "), "{}", lines[3]);
    assert_eq!(lines[4], "    COOKIE ACK");
    assert!(lines[5].contains("crc BAD"), "{}", lines[5]);
    assert_eq!(
        lines[7],
        "0.003000 10.0.0.1 > 10.0.0.2 IP fragment, not put together"
    );
    assert!(lines[8].contains("cut by the capture"), "{}", lines[8]);
    assert!(lines[9].contains("not SCTP"), "{}", lines[9]);
    assert!(out.contains("3 SCTP packets, "), "{out}");
    assert!(
        out.contains("1 bad checksums, 2 malformed, 1 fragments, 1 cut"),
        "{out}"
    );
    for packets in [Block::Enhanced, Block::Packet] {
        for resolution in RESOLUTIONS {
            for order in [u32::to_le_bytes, u32::to_be_bytes] {
                let path = pcapng(&top, packets, resolution, order);
                assert_eq!(dump(&path, ""), out, "resolution {resolution}");
            }
        }
    }
}

#[test]
fn a_link_type_with_a_checksum_is_read_and_what_is_not_read_is_counted() {
    let top = tempfile::tempdir().unwrap();
    let path = pcap(&top);
    let with_link = |link: u32| {
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[20..24].copy_from_slice(&link.to_le_bytes());
        let other = top.path().join("other.pcap");
        std::fs::write(&other, bytes).unwrap();
        dump(&other, "--json")
    };
    // Raw IP, with a checksum of no bytes.
    let raw = with_link(0x0400_0065);
    assert_eq!(raw, dump(&path, "--json"));
    let unknown = with_link(0x2400_0069);
    let summary: serde_json::Value = serde_json::from_str(unknown.trim()).unwrap();
    assert_eq!(summary["summary"]["unread"]["link type 105"], 8);
    let told = dump(&top.path().join("other.pcap"), "");
    assert!(told.contains("8 frames may hold SCTP in what is not read here: link type 105"));
}

#[test]
fn filters_and_count_narrow_it_down() {
    let top = tempfile::tempdir().unwrap();
    let path = pcap(&top);
    assert!(dump(&path, "--port 5910 -q").starts_with("3 SCTP packets"));
    assert!(dump(&path, "--port 1 -q").starts_with("0 SCTP packets"));
    assert!(dump(&path, "--assoc 2 -q").starts_with("0 SCTP packets"));
    assert!(dump(&path, "-c 1 -q").starts_with("1 SCTP packets"));
    let bytes = dump(&path, "-v -c 1");
    assert!(
        bytes.contains("    0000  13 88 17 16 00 00 00 00 "),
        "{bytes}"
    );
}

#[test]
fn packets_over_another_udp_port_are_hinted_at() {
    let top = tempfile::tempdir().unwrap();
    let path = pcap(&top);
    let hint = "SCTP over UDP port 9899 (--udp-port 9899)";
    assert!(dump(&path, "--udp-port 5").contains(hint));
    assert!(!dump(&path, "").contains(hint));
}

#[test]
fn json_lines_end_with_the_summary() {
    let top = tempfile::tempdir().unwrap();
    let out = dump(&pcap(&top), "--json");
    let lines = lines(&out);
    assert_eq!(lines[0]["chunks"][0]["name"], "INIT");
    assert_eq!(lines[1]["udp_destination_port"], 9899);
    assert_eq!(lines[2]["checksum"], "bad");
    assert_eq!(lines.last().unwrap()["summary"]["packets"], 3);
}

#[test]
fn a_file_that_is_no_capture_or_broken_is_exit_code_1() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().join("x");
    std::fs::write(
        &path,
        "this is no capture file at all, but it is long enough",
    )
    .unwrap();
    fail(&format!("dump {}", path.display()), 1, "no capture file");
    let mut bytes = std::fs::read(pcap(&top)).unwrap();
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&path, bytes).unwrap();
    let output = run(&format!("dump {}", path.display()));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).contains("3 SCTP packets"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_compressed_capture_is_to_be_uncompressed_first() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().join("x.pcap.gz");
    std::fs::write(&path, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).unwrap();
    let wanted = "compressed by gzip: uncompress it first";
    let said = fail(&format!("dump {}", path.display()), 1, wanted);
    assert!(said.contains("gzip -dc "), "{said}");
}

#[test]
fn an_unknown_interface_is_exit_code_2_and_others_are_named() {
    fail("dump -i nonesuch0", 2, "there are: ");
}

#[test]
fn our_own_chunks_and_parameters_have_names() {
    let own = [[0x9e, 0x01, 0, 4], [0x9e, 0x02, 0, 4]];
    let own = own.each_ref().map(|whole| {
        let parameter = RawParameter::parse(whole).unwrap();
        Parameter::Unknown(parameter)
    });
    let init = init(Parameters::from(&own));
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1400);
    writer.push_checked_data(&Data {
        flags: DataFlags::ENDING,
        ..data(b"hello")
    });
    let event = CorruptionEvent {
        tsn: Tsn(78),
        found_at: 5,
    };
    writer.push(&Chunk::Corruption(Corruption {
        events: List::from(&[event][..]),
    }));
    writer.push(&Chunk::EcnEcho(EcnEcho {
        lowest_tsn: Tsn(79),
    }));
    writer.push(&Chunk::Cwr(Cwr {
        lowest_tsn: Tsn(80),
    }));
    writer.finish();
    let top = tempfile::tempdir().unwrap();
    let packets = [packet(0, &[init]), bytes].map(|bytes| ipv4(132, 0, &bytes));
    let frames = packets.into_iter().map(|frame| {
        let len = frame.len();
        (frame, len)
    });
    let out = dump(&pcap_of(&top, &frames.collect::<Vec<_>>()), "");
    for part in [
        "Go-Back-N",
        "Chunk Checksum",
        "CHECKED DATA tsn 77 stream 1 ",
        "CORRUPTION tsns [78 at 5 us]",
        "ECNE lowest tsn 79",
        "CWR lowest tsn 80",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn json_tells_what_the_capture_cut_from_what_is_malformed() {
    let data = Chunk::Data(data(&[7; 100]));
    let whole = ipv4(132, 0, &packet(9, &[Chunk::CookieAck, data]));
    let cut = |len: usize| (whole[..len].to_vec(), whole.len());
    let mut malformed = whole.clone();
    // The length of the second chunk.
    malformed[38..40].copy_from_slice(&3_u16.to_be_bytes());
    let malformed_and_cut = (malformed[..60].to_vec(), whole.len());
    let frames = vec![
        cut(60),
        cut(26),
        cut(10),
        (malformed.clone(), malformed.len()),
        malformed_and_cut,
    ];
    let top = tempfile::tempdir().unwrap();
    let path = pcap_of(&top, &frames);
    // The text left out chunks that were cut, and so did the summaries.
    let out = dump(&path, "");
    assert_eq!(
        out.matches("    DATA, cut by the capture\n").count(),
        1,
        "{out}"
    );
    assert!(out.contains("           1 DATA\n"), "{out}");
    let out = dump(&path, "--json");
    let lines = lines(&out);
    assert_eq!(lines[0]["chunks"][0]["name"], "COOKIE ACK");
    let chunk = &lines[0]["chunks"][1];
    assert_eq!(
        (&chunk["cut"], &chunk["name"]),
        (&true.into(), &"DATA".into())
    );
    assert!(chunk["malformed"].is_null());
    assert_eq!(
        (&lines[1]["kind"], &lines[2]["kind"]),
        (&"cut".into(), &"cut".into())
    );
    for line in &lines[3..5] {
        let chunk = &line["chunks"][1];
        assert!(
            chunk["malformed"].is_string() && chunk["cut"].is_null(),
            "{line}"
        );
    }
    let summary = &lines.last().unwrap()["summary"];
    assert_eq!(
        (&summary["malformed"], &summary["cut"]),
        (&2.into(), &4.into())
    );
    assert_eq!(summary["chunks"]["DATA"], 1);
}
