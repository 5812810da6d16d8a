use super::*;

fn ip(last: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, last])
}

fn at(ms: u64) -> Time {
    Time::from_millis(ms)
}

#[test]
fn a_peer_knows_what_was_there_when_its_cookie_was_made() {
    let mut local = LocalAddresses::new([ip(1)].into(), WithLoopback::default());
    assert_eq!(*local.list(at(10), ip(1)), [ip(1)]);
    local.add(ip(2));
    assert_eq!(*local.all().clone(), [ip(1), ip(2)]);
    assert_eq!(*local.listed(at(10), ip(1)), [ip(1)]);
    assert_eq!(*local.list(at(20), ip(1)), [ip(1), ip(2)]);
    assert_eq!(*local.listed(at(20), ip(1)), [ip(1), ip(2)]);
}

#[test]
fn an_address_that_was_there_from_the_beginning_is_known() {
    let mut local = LocalAddresses::new([ip(1)].into(), WithLoopback::default());
    local.add(ip(2));
    local.list(at(10), ip(1));
    assert_eq!(*local.listed(at(10), ip(1)), [ip(1), ip(2)]);
}

#[test]
fn other_addresses_serve_once_all_known_ones_are_gone() {
    let mut local = LocalAddresses::new([ip(1)].into(), WithLoopback::default());
    local.list(at(10), ip(1));
    local.add(ip(2));
    local.remove(ip(1));
    assert_eq!(*local.listed(at(10), ip(2)), [ip(2)]);
    local.remove(ip(2));
    assert!(local.contains(ip(2)));
}
