use super::{checksum, parse, write};
use sheave_sim::Protocol;
use sheave_sim::engine::Ecn;

/// A TCP segment of 4 bytes, as far as IP can see: identification 0x1c46, do not fragment, ECT(0).
const V4: [u8; 24] = [
    0x45, 0x02, 0, 24, 0x1c, 0x46, 0x40, 0, 64, 6, 0x9d, 0xdc, 10, 9, 0, 1, 10, 9, 0, 2, 1, 2, 3, 4,
];

#[test]
fn an_ipv4_packet_comes_out_as_it_went_in_but_for_its_lifetime() {
    let (tag, packet) = parse(&V4).expect("a packet");
    assert_eq!(packet.protocol, Protocol::Tcp);
    assert_eq!((packet.ecn, packet.len()), (Ecn::Ect0, 24));
    let mut out = Vec::new();
    write(tag, &packet, &mut out).expect("it fits");
    assert_eq!(out[8], 63);
    // Over a header with its checksum the sum is zero.
    assert_eq!(checksum(&out[..20]), 0);
    let unchanged = |bytes: &[u8]| [&bytes[..8], &bytes[9..10], &bytes[12..]].concat();
    assert_eq!(unchanged(&out), unchanged(&V4));
}

#[test]
fn an_ipv6_packet_comes_out_as_it_went_in_but_for_its_lifetime() {
    let mut bytes = vec![0x60, 0x31, 0x23, 0x45, 0, 3, 58, 64];
    bytes.extend([0xfd; 16]);
    bytes.extend([0xfe; 16]);
    bytes.extend([7, 8, 9]);
    let (tag, packet) = parse(&bytes).expect("a packet");
    assert_eq!(
        (packet.ecn, packet.protocol),
        (Ecn::Ce, Protocol::Other(58))
    );
    let mut out = Vec::new();
    write(tag, &packet, &mut out).expect("it fits");
    bytes[7] = 63;
    assert_eq!(out, bytes);
}

#[test]
fn bytes_that_are_no_packet_are_refused() {
    assert!(parse(&[]).is_none());
    assert!(parse(&V4[..19]).is_none());
    assert!(parse(&V4[..23]).is_none());
    assert!(parse(&[0x61; 39]).is_none());
    let mut short = V4;
    short[3] = 19;
    assert!(parse(&short).is_none());
    let mut options = V4;
    options[0] = 0x46;
    assert!(parse(&options).is_none());
}
