use core::net::Ipv4Addr;

use super::*;

const A: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const B: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

fn written(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    header.write(&mut out);
    out.extend_from_slice(payload);
    seal(&mut out, A, B);
    out
}

#[test]
fn written_values_are_read_back() {
    let mut blocks = SackBlocks::default();
    for n in 0..5 {
        blocks.push(SackBlock {
            left: Seq(1000 * n),
            right: Seq(1000 * n + 500),
        });
    }
    assert_eq!(blocks.len(), 4);
    let header = Header {
        source_port: 5001,
        destination_port: 80,
        seq: Seq(0xFFFF_FFF0),
        ack: Some(Seq(77)),
        flags: Flags::PSH,
        window: 501,
        sack: Sack::Blocks(blocks),
        ..Header::default()
    };
    let bytes = written(&header, b"hello");
    assert_eq!(bytes.len(), 20 + 36 + 5);
    let segment = Segment::parse(&bytes).unwrap();
    assert_eq!(segment.header, header);
    assert_eq!(segment.payload, b"hello");
}

#[test]
fn a_syn_carries_its_three_options() {
    let header = Header {
        flags: Flags::SYN,
        mss: Some(1460),
        window_scale: Some(7),
        sack: Sack::Permitted,
        ..Header::default()
    };
    let bytes = written(&header, b"");
    assert_eq!(bytes.len(), 32);
    assert_eq!(&bytes[20..], [2, 4, 5, 180, 1, 3, 3, 7, 1, 1, 4, 2]);
    assert_eq!(Segment::parse(&bytes).unwrap().header, header);
    assert_eq!(Segment::parse(&bytes).unwrap().span(), 1);
}

/// A SYN captured from a Linux kernel on the loopback interface (127.0.0.1), with MSS,
/// SACK-permitted, timestamps and window scale.
#[test]
fn a_captured_syn_is_read() {
    let bytes = [
        0x9c, 0x40, 0x00, 0x50, 0x12, 0x34, 0x56, 0x78, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x02, 0xff,
        0xd7, 0x00, 0x00, 0x00, 0x00, 0x02, 0x04, 0xff, 0xd7, 0x04, 0x02, 0x08, 0x0a, 0x01, 0x02,
        0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x01, 0x03, 0x03, 0x07,
    ];
    let header = Segment::parse(&bytes).unwrap().header;
    assert_eq!(header.mss, Some(65495));
    assert_eq!(header.window_scale, Some(7));
    assert_eq!(header.sack, Sack::Permitted);
    let stamps = header.timestamps.unwrap();
    assert_eq!((stamps.value, stamps.echo), (0x0102_0304, 0));
    assert_eq!(written(&header, b"").len(), bytes.len());
    assert_eq!(header.seq, Seq(0x1234_5678));
    assert_eq!(header.ack, None);
}

#[test]
fn timestamps_leave_room_for_three_blocks() {
    let mut blocks = SackBlocks::default();
    for n in 0..3 {
        blocks.push(SackBlock {
            left: Seq(1000 * n),
            right: Seq(1000 * n + 500),
        });
    }
    let header = Header {
        ack: Some(Seq(1)),
        timestamps: Some(TimestampsOption { value: 7, echo: 9 }),
        sack: Sack::Blocks(blocks),
        ..Header::default()
    };
    let bytes = written(&header, b"");
    assert_eq!(bytes.len(), 60);
    assert_eq!(Segment::parse(&bytes).unwrap().header, header);
}

#[test]
fn the_checksum_is_that_of_the_definition() {
    // Computed by adding 16-bit words one by one with end-around carry.
    let bytes = written(&Header::default(), b"abcde");
    let mut pseudo = vec![10, 0, 0, 1, 10, 0, 0, 2, 0, 6, 0, 25];
    pseudo.extend_from_slice(&bytes);
    pseudo.push(0);
    let mut sum = 0_u32;
    for pair in pseudo.chunks_exact(2) {
        sum += u32::from(u16::from_be_bytes([pair[0], pair[1]]));
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    assert_eq!(sum, 0xFFFF);
}

#[test]
fn bytes_that_are_no_segment_are_refused() {
    let bytes = written(&Header::default(), b"");
    for len in 0..20 {
        assert_eq!(Segment::parse(&bytes[..len]), Err(Malformed::Truncated));
    }
    let mut short = bytes.clone();
    short[12] = 0x40;
    assert_eq!(Segment::parse(&short), Err(Malformed::DataOffset));
    let mut long = bytes.clone();
    long[12] = 0x60;
    assert_eq!(Segment::parse(&long), Err(Malformed::Truncated));
    for options in [[2, 1, 0, 0], [2, 5, 0, 0], [1, 1, 1, 8], [5, 0, 0, 0]] {
        let mut bytes = bytes.clone();
        bytes[12] = 0x60;
        bytes.extend_from_slice(&options);
        assert_eq!(Segment::parse(&bytes), Err(Malformed::OptionLength));
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut state = 9_u64;
    for round in 0..20_000 {
        let mut bytes = [0_u8; 64];
        for byte in &mut bytes {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
        let _ = Segment::parse(&bytes[..round % 65]);
    }
}
