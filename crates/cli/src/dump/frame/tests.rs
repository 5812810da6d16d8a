use std::net::{IpAddr, Ipv4Addr};

use super::*;
use crate::dump::layer::{IPV4, IPV6};

const SCTP: u8 = 132;
const UDP: u8 = 17;
const ETHERNET: Link = Link::ETHERNET;
const IP: Link = Link::IP;

const ROUTE: Route = Route {
    source: Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1))),
    destination: Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2))),
};

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

fn udp(source: u16, destination: u16, payload: &[u8]) -> Vec<u8> {
    let mut datagram = source.to_be_bytes().to_vec();
    datagram.extend(destination.to_be_bytes());
    datagram.extend(u16::try_from(8 + payload.len()).unwrap().to_be_bytes());
    datagram.extend([0, 0]);
    datagram.extend(payload);
    datagram
}

fn ethernet(tags: &[[u8; 4]], ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; 12];
    frame.extend(tags.iter().flatten());
    frame.extend(ethertype.to_be_bytes());
    frame.extend(payload);
    frame
}

fn sctp(bytes: &[u8]) -> Carried<'_> {
    Carried::Sctp(Segment {
        route: ROUTE,
        udp: None,
        tunnel: None,
        bytes,
        missing: 0,
    })
}

#[test]
fn sctp_is_found_behind_every_link_layer() {
    let packet = ipv4(SCTP, 0, b"payload");
    let found = sctp(b"payload");
    assert_eq!(open(IP, &packet, 9899), found);
    assert_eq!(
        open(Link::from(0), &[&[2, 0, 0, 0], &packet[..]].concat(), 9899),
        found
    );
    assert_eq!(open(ETHERNET, &ethernet(&[], IPV4, &packet), 9899), found);
    let tags = [[0x88, 0xa8, 0, 1], [0x81, 0, 0, 2]];
    assert_eq!(open(ETHERNET, &ethernet(&tags, IPV4, &packet), 9899), found);
    let cooked = [&[0; 14][..], &[8, 0], &packet].concat();
    assert_eq!(open(Link::from(113), &cooked, 9899), found);
    let cooked = [&[8, 0][..], &[0; 18], &packet].concat();
    assert_eq!(open(Link::from(276), &cooked, 9899), found);
}

#[test]
fn ethernet_padding_is_not_part_of_the_packet() {
    let mut frame = ethernet(&[], IPV4, &ipv4(SCTP, 0, b"short"));
    frame.resize(60, 0);
    assert_eq!(open(ETHERNET, &frame, 9899), sctp(b"short"));
}

#[test]
fn udp_counts_only_at_the_port() {
    let packet = ipv4(UDP, 0, &udp(5000, 9899, b"x"));
    let Carried::Sctp(segment) = open(IP, &packet, 9899) else {
        panic!("not found");
    };
    assert_eq!(
        (segment.udp, segment.bytes),
        (Some((5000, 9899)), &b"x"[..])
    );
    assert_eq!(open(IP, &packet, 9900), Carried::Other);
}

#[test]
fn fragments_are_said_to_be_fragments() {
    for bits in [0x2000, 0x0001] {
        let packet = ipv4(SCTP, bits, b"part");
        assert_eq!(open(IP, &packet, 9899), Carried::Fragment(ROUTE));
    }
    // Do not fragment is no fragment.
    assert_eq!(open(IP, &ipv4(SCTP, 0x4000, b"x"), 9899), sctp(b"x"));
}

#[test]
fn packets_that_the_capture_cut_are_counted() {
    let packet = ipv4(SCTP, 0, &[7; 100]);
    let Carried::Sctp(segment) = open(IP, &packet[..60], 9899) else {
        panic!("not found");
    };
    assert_eq!((segment.bytes.len(), segment.missing), (40, 60));
}

#[test]
fn ipv6_headers_are_walked() {
    let mut packet = vec![0x60, 0, 0, 0, 0, 8 + 3, 60, 64];
    packet.extend([0; 15]);
    packet.push(1);
    packet.extend([0; 15]);
    packet.push(2);
    packet.extend([SCTP, 0, 0, 0, 0, 0, 0, 0]);
    packet.extend(b"abc");
    let Carried::Sctp(segment) = open(IP, &packet, 9899) else {
        panic!("not found");
    };
    assert_eq!(segment.bytes, b"abc");
    assert_eq!(segment.route.destination.unwrap().to_string(), "::2");
}

fn ipv6(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
    packet.extend([protocol, 64]);
    packet.extend([0xfd; 32]);
    packet.extend(payload);
    packet
}

/// Packets with `inner`, an IP packet, in a tunnel each, by the tunnel's name.
fn tunnels(inner: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let bridged = ethernet(&[], IPV4, inner);
    let over_udp = |port, header: &[u8], inner: &[u8]| {
        ipv4(UDP, 0, &udp(50_000, port, &[header, inner].concat()))
    };
    let gre = |header: &[u8], inner: &[u8]| ipv4(47, 0, &[header, inner].concat());
    let length = u8::try_from(inner.len() + 2).unwrap();
    let pppoe = [&[0x11, 0, 0, 9, 0, length, 0, 0x21][..], inner].concat();
    let ppp = [0x20, 1, 0x88, 0x0b, 0, length, 0, 1, 0x21];
    let erspan = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 0, 0, 0, 0, 0, 0, 0];
    let extended = [0x36, 255, 0, 9, 0, 0, 0, 7, 0, 1, 0, 0x85, 1, 0x10, 9, 0];
    let label = [0, 0, 0x11, 64];
    let labels = [&[0, 1, 0, 64][..], &label, inner].concat();
    let pseudowire = [&label[..], &[0; 4], &bridged].concat();
    let over_ip = [
        ("IP in IP", ipv4(4, 0, inner)),
        // Without options, with a key and a number, with Ethernet, with PPP.
        ("GRE", gre(&[0, 0, 8, 0], inner)),
        ("GRE", gre(&[0x30, 0, 8, 0, 1, 2, 3, 4, 0, 0, 0, 1], inner)),
        ("GRE", gre(&[0, 0, 0x65, 0x58], &bridged)),
        ("PPP", gre(&ppp, inner)),
        ("ERSPAN", gre(&erspan, &bridged)),
        ("EtherIP", ipv4(97, 0, &[&[0x30, 0][..], &bridged].concat())),
        // Without options; with a number and an extension header.
        (
            "GTP-U",
            over_udp(2152, &[0x30, 255, 0, 9, 0, 0, 0, 7], inner),
        ),
        ("GTP-U", over_udp(2152, &extended, inner)),
        (
            "VXLAN",
            over_udp(4789, &[8, 0, 0, 0, 0, 0, 42, 0], &bridged),
        ),
        ("VXLAN", over_udp(4790, &[12, 0, 0, 1, 0, 0, 42, 0], inner)),
        (
            "Geneve",
            over_udp(6081, &[1, 0, 0x65, 0x58, 0, 0, 42, 0, 1, 2, 3, 0], &bridged),
        ),
        ("MPLS", over_udp(6635, &label, inner)),
        ("GRE", over_udp(4754, &[0, 0, 8, 0], inner)),
    ];
    let others = [
        ("MPLS", ethernet(&[], 0x8847, &labels)),
        ("MPLS", ethernet(&[], 0x8847, &pseudowire)),
        ("PPPoE", ethernet(&[[0x81, 0, 0, 5]], 0x8864, &pppoe)),
        ("IP in IP", ethernet(&[], IPV6, &ipv6(4, inner))),
    ];
    let over_ip = over_ip.map(|(name, packet)| (name, ethernet(&[], IPV4, &packet)));
    over_ip.into_iter().chain(others).collect()
}

#[test]
fn sctp_is_found_in_every_tunnel_and_in_tunnels_within_tunnels() {
    let inner = ipv4(SCTP, 0, b"payload");
    let found = |tunnel| match sctp(b"payload") {
        Carried::Sctp(segment) => Carried::Sctp(Segment {
            tunnel: Some(tunnel),
            ..segment
        }),
        _ => Carried::Other,
    };
    for (number, (name, frame)) in tunnels(&inner).into_iter().enumerate() {
        assert_eq!(open(ETHERNET, &frame, 9899), found(name), "{number} {name}");
        let outer = ipv4(97, 0, &[&[0x30, 0][..], &frame].concat());
        assert_eq!(open(IP, &outer, 9899), found(name), "{number} {name}");
    }
    let over_udp = ipv4(UDP, 0, &udp(1, 9899, b"payload"));
    for (name, frame) in tunnels(&over_udp) {
        let Carried::Sctp(segment) = open(ETHERNET, &frame, 9899) else {
            panic!("{name}");
        };
        assert_eq!((segment.tunnel, segment.udp), (Some(name), Some((1, 9899))));
    }
}

#[test]
fn an_authentication_header_is_passed_over() {
    let header = [
        SCTP, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ];
    let packet = ipv4(51, 0, &[&header[..], b"payload"].concat());
    assert_eq!(open(IP, &packet, 9899), sctp(b"payload"));
}

#[test]
fn what_may_hold_sctp_and_is_not_read_is_named() {
    let unread = |link, frame: &[u8]| match open(link, frame, 9899) {
        Carried::Unread(what) => what.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(unread(Link::from(105), b"802.11"), "link type 105");
    let esp = ipv4(50, 0, &[0; 40]);
    assert_eq!(unread(IP, &esp), "ESP, which is encrypted");
    let record = [23, 254, 253, 0, 1, 0, 0, 0, 0, 0, 1, 0, 2, 1, 2];
    let dtls = ipv4(UDP, 0, &udp(40_000, 5000, &record));
    assert_eq!(unread(IP, &dtls), "DTLS, which is encrypted");
    let mut nested = ipv4(SCTP, 0, b"payload");
    for _ in 0..MOST_HEADERS {
        nested = ipv4(4, 0, &nested);
    }
    assert_eq!(unread(IP, &nested), "more than 32 headers, each in another");
    assert_eq!(open(IP, &ipv4(6, 0, b"tcp"), 9899), Carried::Other);
}

#[test]
fn a_link_type_is_read_without_the_bits_of_the_checksum() {
    let frame = ethernet(&[], IPV4, &ipv4(SCTP, 0, b"payload"));
    let link = Link::from(0x2400_0001);
    assert_eq!(open(link, &frame, 9899), sctp(b"payload"));
    assert_eq!(link.without_checksum(b"frame1234", 0), b"frame");
    assert_eq!(link.without_checksum(b"frame12", 2), b"frame");
    assert_eq!(link.without_checksum(b"fra", 6), b"fra");
    assert_eq!(Link::from(1).without_checksum(b"frame", 0), b"frame");
}

/// Every frame that tunnels make of tunnels, cut at every place and changed in every place.
#[test]
fn cut_and_changed_frames_never_panic() {
    let mut seed = 3_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(5);
        seed.to_be_bytes()[1]
    };
    let inner = tunnels(&ipv6(60, &[SCTP, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]));
    let frames: Vec<Vec<u8>> = inner.into_iter().map(|(_, frame)| frame).collect();
    let links = [0, 1, 9, 51, 101, 104, 113, 219, 248, 276, 999];
    for frame in &frames {
        for len in 0..frame.len() {
            let _ = open(ETHERNET, &frame[..len], 9899);
            for _ in 0..20 {
                let mut changed = frame.clone();
                changed[len] = random();
                let at = usize::from(random()) % changed.len();
                changed[at] = random();
                let _ = open(ETHERNET, &changed, 9899);
            }
        }
    }
    for _ in 0..20_000 {
        let mut frame: Vec<u8> = (0..64).map(|_| random()).collect();
        frame[0] = [frame[0], 0x45, 0x60][usize::from(random()) % 3];
        for link in links {
            let _ = open(Link::from(link), &frame, 9899);
        }
    }
}
