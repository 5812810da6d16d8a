use super::{Address, Outbox};
use sheave_sim::engine::Ecn;

fn address(port: u16) -> Address {
    Address {
        socket: None,
        to: ([127, 0, 0, 1], port).into(),
        from: None,
        ecn: Ecn::NotEct,
    }
}

#[test]
fn datagrams_of_one_length_go_together_until_a_shorter_one() {
    let mut outbox = Outbox::default();
    assert!(outbox.has_room(address(1), 100, 64));
    outbox.push(address(1), &[0; 100]);
    assert!(outbox.has_room(address(1), 100, 64));
    assert!(!outbox.has_room(address(1), 101, 64));
    assert!(!outbox.has_room(address(2), 100, 64));
    assert!(!outbox.has_room(address(1), 100, 1));
    outbox.push(address(1), &[0; 50]);
    assert!(!outbox.has_room(address(1), 50, 64));
    let train = outbox.train().map(|train| (train.bytes.len(), train.count));
    assert_eq!(train, Some((150, 2)));
    outbox.clear();
    assert!(outbox.train().is_none() && outbox.has_room(address(2), 7, 1));
}

#[test]
fn an_empty_datagram_goes_alone() {
    let mut outbox = Outbox::default();
    outbox.push(address(1), &[]);
    assert!(!outbox.has_room(address(1), 0, 64));
}
