use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn peer(text: &str) -> PeerAddress {
    PeerAddress::native(ip(text))
}

#[test]
fn a_loopback_peer_is_reached_from_loopback_addresses_alone() {
    let local = [ip("127.0.0.1"), ip("192.0.2.1"), ip("::1")];
    assert_eq!(in_scope(&local, &[peer("127.0.0.9")]), [ip("127.0.0.1")]);
}

#[test]
fn a_far_peer_is_reached_from_the_addresses_of_both_families() {
    let local = [
        ip("127.0.0.1"),
        ip("192.0.2.1"),
        ip("2001:db8::1"),
        ip("::1"),
    ];
    for peers in [&["198.51.100.1"][..], &["198.51.100.1", "2001:db8::2"]] {
        let remote: Vec<_> = peers.iter().map(|text| peer(text)).collect();
        assert_eq!(in_scope(&local, &remote), local[1..3]);
    }
}

#[test]
fn all_addresses_are_tried_where_none_fits() {
    let local = [ip("127.0.0.1")];
    assert_eq!(in_scope(&local, &[peer("198.51.100.1")]), local);
}

#[test]
fn this_machine_has_a_loopback_address_and_no_link_local_one() {
    let addresses = usable().unwrap();
    assert!(addresses.iter().any(IpAddr::is_loopback));
    assert!(
        addresses
            .iter()
            .all(|ip| !ip.to_string().starts_with("fe80"))
    );
}

#[test]
#[cfg(linux)]
fn the_loopback_interface_carries_large_packets() {
    assert_eq!(interface_mtu(ip("127.0.0.77")), Some(u16::MAX));
    assert_eq!(interface_mtu(ip("192.0.2.77")), None);
}
