//! Packet sizes (RFC 9260 §6.9, §6.10, §7.3).

mod discovery;

use crate::prelude::*;

/// The largest IP packet that A sent.
fn largest(world: &World) -> usize {
    world.sent(A).map(Record::ip_len).max().unwrap()
}

#[test]
fn packets_are_as_large_as_the_mtu_and_no_larger() {
    for mtu in [576, 1280, 1500, 9000] {
        let mut world = Setup::quiet(|options| options.initial_pmtu = mtu)
            .linked(|link| link.mtu = usize::from(mtu))
            .established();
        world.send(A, blob(0, 100_000));
        world.run_for(secs(10));
        assert_eq!(world.messages(Z), [blob(0, 100_000)]);
        assert!(
            world
                .log()
                .iter()
                .all(|record| record.fate != Fate::Lost(LossReason::TooBig))
        );
        let largest = largest(&world);
        assert!(
            largest <= usize::from(mtu) && largest + 4 > usize::from(mtu),
            "{largest}"
        );
    }
}

#[test]
fn the_larger_header_of_ipv6_is_counted() {
    let mut world = Setup::quiet(|_| {}).ipv6().established();
    world.send(A, blob(0, 100_000));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 1);
    assert!(largest(&world) <= 1500 && largest(&world) > 1490);
}

#[test]
fn the_header_of_the_encapsulation_is_counted() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.world();
    world.set_udp(A, Some(9899));
    world.set_udp(Z, Some(9899));
    let to = Connect {
        remote: vec![PeerAddress::encapsulated(address(Z, 1), 9899)],
        ..calling(&[], setup.a.clone())
    };
    world.connect(A, to);
    world.run_for(secs(1));
    world.send(A, blob(0, 100_000));
    world.send(Z, blob(0, 100_000));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 1);
    assert_eq!(world.messages(A).len(), 1);
    for host in [A, Z] {
        let sizes = world.sent(host).map(Record::ip_len);
        let largest = sizes.max().unwrap();
        assert!(largest <= 1500 && largest > 1490, "{largest}");
    }
}

#[test]
fn many_small_chunks_fill_a_packet_to_the_mtu() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send_together(A, (0..500).map(|n| blob(0, 1 + n % 60)).collect());
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 500);
    assert!(largest(&world) <= 1500);
    assert!(largest(&world) > 1400);
}

#[test]
fn a_sack_and_data_share_a_packet_only_if_they_fit() {
    let mut world = Setup::quiet(|_| {}).established();
    for n in 0..200 {
        world.send(A, blob(0, 1380 + n % 80));
        world.send(Z, blob(0, 1380 + n % 80));
    }
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 200);
    assert_eq!(world.messages(A).len(), 200);
    assert!(largest(&world) <= 1500);
}

#[test]
fn the_smallest_path_decides_the_size_of_fragments() {
    // Fragments must fit whichever path retransmits them: one path is IPv6.
    let setup = Setup {
        a_addresses: vec![address(A, 1), address6(A, 2)],
        z_addresses: vec![address(Z, 1), address6(Z, 2)],
        ..Setup::tuned(|_| {})
    };
    let mut world = setup.established();
    world.run_for(secs(10));
    world.cut(address(A, 1), address(Z, 1), world.now()..Time::MAX);
    world.send(A, blob(0, 50_000));
    world.run_for(secs(200));
    assert_eq!(world.messages(Z), [blob(0, 50_000)]);
    assert!(largest(&world) <= 1500);
    let sent = world
        .sent_with(A, ChunkType::DATA)
        .filter(|record| record.to == address6(Z, 2));
    assert!(sent.count() > 0);
}

#[test]
fn an_init_ack_with_many_addresses_still_arrives() {
    let setup = Setup::quiet(|_| {}).paths(60);
    let mut world = setup.established();
    assert!(world.assoc(A).path_stats().len() >= 8);
    assert!(largest(&world) <= 1500);
}

#[test]
fn a_chunk_cut_for_a_larger_mtu_joins_no_train_of_shorter_packets() {
    let mut world = Setup::quiet(|options| options.max_burst = None).established();
    world.send(A, blob(0, 200_000));
    world.run_for(secs(5));
    let before = world.messages(Z).len();
    // The first packet is as long as the new path MTU allows, the second longer; both are lost.
    world.drop_nth(A, ChunkType::DATA, &[0, 1]);
    let mut messages = vec![blob(0, 1252)];
    messages.extend((0..8).map(|_| blob(0, 1452)));
    world.send_together(A, messages);
    world.run_for(ms(1));
    let quoted = world.sent(A).last().unwrap().bytes.clone();
    let error = IcmpError::PacketTooBig { mtu: 1300 };
    world.complain(address(Z, 1), error, &quoted);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), before + 9);
    let path = world.first_path(A);
    assert_eq!((path.fast_retransmissions, path.timeouts), (2, 0));
}
