//! The four driver calls, in any order.

use crate::prelude::*;

fn busy() -> World {
    let mut world = Setup {
        seed: 7,
        ..Setup::tuned(|_| {})
    }
    .linked(|link| link.loss = 30)
    .established();
    for n in 0..40 {
        world.send(A, blob(n % 10, 10_000));
        world.send(Z, blob(n % 10, 10_000));
    }
    world.run_for(secs(120));
    world
}

#[test]
fn a_bulk_sender_makes_trains() {
    let mut world = Setup::quiet(|options| options.max_burst = None).established();
    world.max_segments = 1;
    world.send(A, blob(0, 500_000));
    world.run_for(secs(5));
    world.max_segments = 64;
    let now = world.now();
    let message = blob(0, 500_000);
    world
        .assoc(A)
        .send(now, message, Default::default())
        .unwrap();
    let mut buf = Vec::new();
    let transmit = world
        .endpoint(A)
        .poll_transmit(now, &mut buf, 64)
        .expect("data to send");
    let size = transmit.segment_size.expect("a train");
    assert!(buf.len() > 3 * size);
    assert!(buf.len() <= 64 * size);
}

#[test]
fn an_endpoint_without_associations_waits_for_nothing() {
    let mut world = Setup::default().world();
    for host in [A, Z] {
        let now = world.now();
        let endpoint = world.endpoint(host);
        assert_eq!(endpoint.poll_timeout(), None);
        endpoint.handle_timeout(now);
        assert_eq!(endpoint.poll_transmit(now, &mut Vec::new(), 8), None);
        assert!(endpoint.poll_event().is_none());
    }
}

#[test]
fn nothing_happens_before_a_deadline() {
    let mut world = Setup::quiet(|_| {}).established();
    world.cut_path(1);
    world.send(A, blob(0, 100));
    let deadline = world.endpoint(A).poll_timeout().expect("T3-rtx runs");
    assert_eq!(deadline, world.now() + secs(1));
    let early = deadline - Duration::from_nanos(1);
    world.endpoint(A).handle_timeout(early);
    assert_eq!(
        world.endpoint(A).poll_transmit(early, &mut Vec::new(), 8),
        None
    );
    assert_eq!(world.endpoint(A).poll_timeout(), Some(deadline));
    world.endpoint(A).handle_timeout(deadline);
    assert!(
        world
            .endpoint(A)
            .poll_transmit(deadline, &mut Vec::new(), 8)
            .is_some()
    );
}

#[test]
fn a_timeout_handled_leaves_no_deadline_in_the_past() {
    let mut world = busy();
    let late = world.now() + secs(3600);
    for host in [A, Z] {
        let endpoint = world.endpoint(host);
        endpoint.handle_timeout(late);
        while endpoint.poll_transmit(late, &mut Vec::new(), 8).is_some() {}
        assert!(endpoint.poll_timeout().is_none_or(|at| at > late));
    }
}

#[test]
fn a_quiet_association_waits_for_nothing() {
    let mut world = busy();
    world.run_for(secs(60));
    let mut quiet = Setup::quiet(|_| {}).established();
    quiet.send(A, blob(0, 50_000));
    quiet.run_for(secs(60));
    for host in [A, Z] {
        assert_eq!(quiet.endpoint(host).poll_timeout(), None);
        let next = world
            .endpoint(host)
            .poll_timeout()
            .expect("the next heartbeat");
        assert!(next.since(world.now()) < secs(40));
    }
}

#[test]
fn the_buffer_of_poll_transmit_need_not_be_empty() {
    let mut world = Setup::quiet(|_| {}).connecting();
    let now = world.now();
    let mut buf = vec![0xff; 100_000];
    let transmit = world
        .endpoint(A)
        .poll_transmit(now, &mut buf, 8)
        .expect("an INIT");
    assert_eq!(transmit.segment_size, None);
    assert!(buf.len() < 1500);
    Packet::parse(&buf).expect("the INIT alone");
}

// A train is split into equal segments: no packet in it may be longer than the first.
#[test]
fn a_chunk_that_stands_alone_joins_no_train_of_shorter_packets() {
    let mut setup = Setup::quiet(set("address_changes=unauthenticated"));
    setup.a_addresses.push(address(A, 2));
    let mut world = setup.established();
    world.own(A, address(A, 3));
    let now = world.now();
    let engine = world.endpoint(A);
    engine.add_local_address(address(A, 3));
    let mut assoc = world.assoc(A);
    // The probe is the shorter packet.
    assoc.request_heartbeat(now, address(Z, 1)).unwrap();
    assoc.add_address(now, address(A, 3)).unwrap();
    for _ in 0..10 {
        let sent = assoc.send(now, blob(0, 1000), SendOptions::default());
        assert_eq!(sent, Ok(()));
    }
    world.run_for(secs(1));
    assert_eq!(world.count(A, ChunkType::ASCONF), 1);
    assert_eq!(world.messages(Z).len(), 10);
    assert_eq!(world.stats(A).retransmissions, 0);
    let full = world.sent_with(A, ChunkType::DATA);
    assert!(full.map(|record| record.bytes.len()).all(|len| len > 1000));
}
