//! Ending an association (RFC 9260 §9).

mod abort;
mod remains;
mod scripted;

use crate::prelude::*;

fn both_closed(world: &mut World) -> bool {
    [A, Z]
        .into_iter()
        .all(|host| world.endpoint(host).stats().associations == 0)
}

#[test]
fn a_shutdown_takes_three_packets() {
    let mut world = Setup::quiet(|_| {}).established();
    let before = world.log().len();
    world.shutdown(A);
    world.run_for(secs(10));
    let since = world.log()[before..].iter();
    let types: Vec<_> = since.flat_map(Record::types).collect();
    let expected = [
        ChunkType::SHUTDOWN,
        ChunkType::SHUTDOWN_ACK,
        ChunkType::SHUTDOWN_COMPLETE,
    ];
    assert_eq!(types, expected);
    world.assert_graceful();
    assert!(world.saw(Z, &Event::PeerShutdown));
    assert!(!world.saw(A, &Event::PeerShutdown));
}

#[test]
fn after_a_shutdown_nothing_is_left_to_wait_for() {
    let mut world = Setup::default().established();
    world.shutdown(A);
    world.run_for(secs(1));
    for host in [A, Z] {
        let at = world.endpoint(host).poll_timeout();
        assert_eq!(at, None, "no timer outlives the association");
    }
}

// RFC 9260 §9.2: with an RTO.Max of 400 ms or 5 s the guard would end it after two or 25 seconds.
#[test]
fn a_shutdown_lasts_as_long_as_data_of_the_peer_arrives() {
    for profile in [Profile::Telecom, Profile::Datacenter] {
        let mut world = Setup::with(profile.options())
            .linked(|link| link.rate = Some(100_000))
            .established();
        world.send_by_turns(Z, 100, 10, 10_000);
        world.run_for(ms(100));
        world.shutdown(A);
        world.run_for(secs(120));
        world.assert_graceful();
        assert_eq!(world.messages(A).len(), 100, "{profile:?}");
    }
}

#[test]
fn a_peer_that_sends_the_same_data_for_ever_does_not_put_off_the_end() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.shutdown(A);
    peer.expect(&mut world, ChunkType::SHUTDOWN);
    let data = peer.data(0, 0, b"again");
    for _ in 0..310 {
        peer.send(&mut world, &[Chunk::Data(data)]);
        world.run_for(secs(1));
    }
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn a_shutdown_waits_for_a_reader_that_is_slow() {
    let mut world = Setup::quiet(|options| options.receive_buffer = 20_000).established();
    world.set_reading(Z, Reading::Stopped);
    world.send_times(A, 10, &blob(0, 10_000));
    world.shutdown(A);
    world.run_for(secs(30));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownPending);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(120));
    world.assert_graceful();
    assert_eq!(world.messages(Z).len(), 10);
}

#[test]
fn nothing_is_accepted_once_a_shutdown_began() {
    let mut world = Setup::quiet(|_| {}).established();
    world.shutdown(A);
    world.wait_for(Z, &Event::PeerShutdown, secs(1));
    let now = world.now();
    for host in [A, Z] {
        if !world.is_open(host) {
            continue;
        }
        let refused = world.offer(host, text(0, "too late"));
        assert_eq!(refused, Err(SendError::ShuttingDown));
    }
    let again = world.assoc(A).shutdown(now);
    assert_eq!(again, Err(ShutdownError::AlreadyShuttingDown));
}

#[test]
fn a_shutdown_of_an_association_not_yet_up_delivers_what_was_sent() {
    let mut world = Setup::quiet(|_| {}).connecting();
    world.send(A, text(0, "in passing"));
    world.shutdown(A);
    world.run_for(secs(60));
    assert!(both_closed(&mut world));
    assert_eq!(world.texts(Z), ["in passing"]);
}

#[test]
fn shutdowns_back_off_and_end_after_association_max_retrans() {
    let options = quiet_but(|options| options.association_max_retrans = 3);
    let (mut world, mut peer) = Peer::serving(options);
    let began = world.now();
    world.shutdown(A);
    let arrived = peer.listen(&mut world, secs(300));
    let times = world.delays(A, ChunkType::SHUTDOWN, began);
    assert_eq!(times, [secs(0), secs(1), secs(3), secs(7)]);
    let shutdowns = arrived.iter().filter(|it| it.has(ChunkType::SHUTDOWN));
    assert_eq!(shutdowns.count(), 4);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn shutdown_acks_back_off_and_end_after_association_max_retrans() {
    let options = quiet_but(|options| options.association_max_retrans = 3);
    let (mut world, mut peer) = Peer::serving(options);
    peer.send_shutdown(&mut world, 0);
    world.run_for(secs(300));
    peer.take(&world);
    assert_eq!(world.count(A, ChunkType::SHUTDOWN_ACK), 4);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}
