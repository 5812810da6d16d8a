use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn memory(share: SourceShare) -> Memory {
    Memory::new(1000, share)
}

#[test]
fn a_source_may_hold_as_much_as_it_leaves_free() {
    let mut memory = memory(SourceShare::AsMuchAsIsFree);
    let mut first = memory.open(ip("192.0.2.1"));
    let mut second = memory.open(ip("192.0.2.1"));
    assert_eq!(memory.left(&first), 500);
    memory.book(&mut first, 300);
    assert_eq!(memory.left(&first), 200);
    assert_eq!(memory.left(&second), 200);
    memory.book(&mut second, 200);
    assert_eq!(memory.left(&first), 0);
    assert_eq!(memory.held(), 500);
}

#[test]
fn each_source_leaves_half_of_what_was_free_to_the_next() {
    let mut memory = Memory::new(1 << 20, SourceShare::AsMuchAsIsFree);
    for n in 0..15 {
        let mut booking = memory.open(IpAddr::from([10, 0, 0, n]));
        let left = memory.left(&booking);
        assert!(left > 0, "source {n}");
        memory.book(&mut booking, left);
    }
    assert!(memory.held() < 1 << 20);
}

#[test]
fn a_share_is_given_back_with_the_last_association() {
    let mut memory = memory(SourceShare::Bytes(100));
    let mut first = memory.open(ip("192.0.2.1"));
    let second = memory.open(ip("192.0.2.1"));
    memory.book(&mut first, 100);
    assert_eq!(memory.left(&second), 0);
    memory.close(first);
    assert_eq!(memory.left(&second), 100);
    memory.close(second);
    assert_eq!(memory.held(), 0);
    assert!(memory.sources.is_empty());
    // The account is reused for another source.
    let other = memory.open(ip("198.51.100.1"));
    assert_eq!(memory.left(&other), 100);
    assert_eq!(memory.accounts.len(), 1);
}

#[test]
fn a_network_of_ipv6_is_one_source() {
    let mut memory = memory(SourceShare::Bytes(100));
    let mut near = memory.open(ip("2001:db8::1"));
    let same = memory.open(ip("2001:db8::ffff:2"));
    let other = memory.open(ip("2001:db8:0:1::1"));
    memory.book(&mut near, 60);
    assert_eq!(memory.left(&same), 40);
    assert_eq!(memory.left(&other), 100);
    let mut v4 = memory.open(ip("192.0.2.1"));
    memory.book(&mut v4, 10);
    let mapped = memory.open(ip("::ffff:192.0.2.1"));
    assert_eq!(memory.left(&mapped), 90);
}

#[test]
fn without_shares_there_is_the_limit_alone() {
    let mut memory = memory(SourceShare::All);
    let mut booking = memory.open(ip("192.0.2.1"));
    memory.book(&mut booking, 990);
    assert_eq!(memory.left(&booking), 10);
    memory.book(&mut booking, 1010);
    assert_eq!(memory.left(&booking), 0);
    memory.book(&mut booking, 0);
    assert_eq!(memory.held(), 0);
}
