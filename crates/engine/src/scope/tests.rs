use alloc::vec::Vec;
use core::net::Ipv4Addr;

use super::*;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const HERE: [IpAddr; 2] = [ip(10, 1), ip(10, 2)];

const fn ip(first: u8, last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(first, 0, 0, last))
}

fn all() -> Arc<[IpAddr]> {
    [LOOPBACK, HERE[0], HERE[1]].into()
}

/// The addresses announced by default.
fn fitting(local: &Arc<[IpAddr]>, remote: &[IpAddr]) -> Arc<[IpAddr]> {
    super::fitting(local, remote, WithLoopback::LoopbackAddresses)
}

#[test]
fn a_loopback_peer_gets_loopback_addresses_and_another_gets_the_others() {
    assert_eq!(*fitting(&all(), &[ip(127, 2)]), [LOOPBACK]);
    assert_eq!(*fitting(&all(), &[ip(10, 9)]), HERE);
}

#[test]
fn a_peer_with_addresses_of_both_kinds_gets_both() {
    assert_eq!(fitting(&all(), &[ip(127, 2), ip(10, 9)]), all());
}

#[test]
fn all_addresses_stay_if_nothing_else_is_bound() {
    let bound: Arc<[IpAddr]> = [LOOPBACK].into();
    assert_eq!(fitting(&bound, &[ip(10, 9)]), bound);
}

#[test]
fn a_packet_leaves_from_an_address_of_the_kind_it_goes_to() {
    let sources = |remote| sources(&all(), remote).collect::<Vec<_>>();
    assert_eq!(sources(ip(10, 9)), HERE);
    assert_eq!(sources(ip(127, 2)), [LOOPBACK]);
    assert!(sources(IpAddr::V6(core::net::Ipv6Addr::LOCALHOST)).is_empty());
}
