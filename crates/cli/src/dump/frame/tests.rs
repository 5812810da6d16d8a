use super::*;

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
        bytes,
        missing: 0,
    })
}

#[test]
fn sctp_is_found_behind_every_link_layer() {
    let packet = ipv4(SCTP, 0, b"payload");
    let found = sctp(b"payload");
    assert_eq!(open(Link::Ip, &packet, 9899), found);
    assert_eq!(
        open(Link::Loopback, &[&[2, 0, 0, 0], &packet[..]].concat(), 9899),
        found
    );
    assert_eq!(
        open(Link::Ethernet, &ethernet(&[], IPV4, &packet), 9899),
        found
    );
    let tags = [[0x88, 0xa8, 0, 1], [0x81, 0, 0, 2]];
    assert_eq!(
        open(Link::Ethernet, &ethernet(&tags, IPV4, &packet), 9899),
        found
    );
    let cooked = [&[0; 14][..], &[8, 0], &packet].concat();
    assert_eq!(open(Link::CookedV1, &cooked, 9899), found);
    let cooked = [&[8, 0][..], &[0; 18], &packet].concat();
    assert_eq!(open(Link::CookedV2, &cooked, 9899), found);
}

#[test]
fn ethernet_padding_is_not_part_of_the_packet() {
    let mut frame = ethernet(&[], IPV4, &ipv4(SCTP, 0, b"short"));
    frame.resize(60, 0);
    assert_eq!(open(Link::Ethernet, &frame, 9899), sctp(b"short"));
}

#[test]
fn udp_counts_only_at_the_port() {
    let packet = ipv4(UDP, 0, &udp(5000, 9899, b"x"));
    let Carried::Sctp(segment) = open(Link::Ip, &packet, 9899) else {
        panic!("not found");
    };
    assert_eq!(
        (segment.udp, segment.bytes),
        (Some((5000, 9899)), &b"x"[..])
    );
    assert_eq!(open(Link::Ip, &packet, 9900), Carried::Other);
}

#[test]
fn fragments_are_said_to_be_fragments() {
    for bits in [0x2000, 0x0001] {
        let packet = ipv4(SCTP, bits, b"part");
        assert_eq!(open(Link::Ip, &packet, 9899), Carried::Fragment(ROUTE));
    }
    // Do not fragment is no fragment.
    assert_eq!(open(Link::Ip, &ipv4(SCTP, 0x4000, b"x"), 9899), sctp(b"x"));
}

#[test]
fn packets_that_the_capture_cut_are_counted() {
    let packet = ipv4(SCTP, 0, &[7; 100]);
    let Carried::Sctp(segment) = open(Link::Ip, &packet[..60], 9899) else {
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
    let Carried::Sctp(segment) = open(Link::Ip, &packet, 9899) else {
        panic!("not found");
    };
    assert_eq!(segment.bytes, b"abc");
    assert_eq!(segment.route.destination.unwrap().to_string(), "::2");
}

#[test]
fn cut_and_random_frames_never_panic() {
    let whole = ethernet(
        &[[0x81, 0, 0, 1]],
        IPV4,
        &ipv4(UDP, 0, &udp(9899, 1, b"abcdef")),
    );
    for len in 0..whole.len() {
        let _ = open(Link::Ethernet, &whole[..len], 9899);
    }
    let mut seed = 3_u64;
    for _ in 0..50_000 {
        let frame: Vec<u8> = (0..64)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(5);
                seed.to_be_bytes()[1]
            })
            .collect();
        for link in [0, 1, 101, 113, 248, 276, 999] {
            let mut frame = frame.clone();
            if link == 101 {
                frame[0] = if seed & 1 == 0 { 0x45 } else { 0x60 };
            }
            let _ = open(Link::from(link), &frame, 9899);
        }
    }
}
