use std::net::Ipv4Addr;

use super::*;

fn packet(len: usize) -> Misdirected {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Misdirected {
        local,
        remote: PeerAddress::native(local),
        ecn: Ecn::NotEct,
        payload: vec![0; len],
    }
}

fn siblings() -> Siblings {
    Siblings::new(Shard::new(0, 2).unwrap())
}

#[test]
fn only_the_first_misdirected_packet_alerts_the_poller() {
    let siblings = siblings();
    assert!(siblings.put(packet(100)));
    assert!(!siblings.put(packet(100)));
    assert_eq!(siblings.take().len(), 2);
    assert!(siblings.put(packet(100)));
}

#[test]
fn a_flood_of_misdirected_packets_is_bounded_in_number_and_bytes() {
    for (len, most) in [(40, MAX_WAITING), (60_000, MAX_WAITING_BYTES / 60_000)] {
        let siblings = siblings();
        for _ in 0..2000 {
            siblings.put(packet(len));
        }
        assert_eq!(siblings.take().len(), most);
        siblings.put(packet(len));
        assert_eq!(siblings.take().len(), 1);
    }
}
