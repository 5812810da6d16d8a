//! Several addresses (RFC 9260 §5.4, §6.4, §8).

use crate::prelude::*;

/// Two paths, both confirmed.
fn two_paths(edit: impl FnOnce(&mut Options)) -> World {
    Setup::tuned(edit).paths(2).confirmed()
}

#[test]
fn all_addresses_of_the_peer_become_paths_that_heartbeats_confirm() {
    let mut world = two_paths(|_| {});
    assert_eq!(world.remotes(A), [address(Z, 1), address(Z, 2)]);
    assert_eq!(world.remotes(Z).len(), 2);
    assert!(world.saw(A, &path_event(Z, 2, PathChange::Confirmed)));
    assert!(world.saw(Z, &path_event(A, 2, PathChange::Confirmed)));
}

// RFC 9260 §5.1.2: the INIT ACK lists all of the peer's addresses.
#[test]
fn an_address_that_the_peer_does_not_list_is_left() {
    let setup = Setup::tuned(|_| {}).paths(2);
    let mut world = setup.world();
    let stranger = address(Z, 3);
    let remote = [address(Z, 1), stranger, address(Z, 2)];
    world.connect(A, calling(&remote, Profile::Modern.options()));
    world.run_for(secs(100));
    assert_eq!(world.remotes(A), [address(Z, 1), address(Z, 2)]);
    let mut beats = world.sent_with(A, ChunkType::HEARTBEAT);
    assert!(beats.all(|record| record.to != stranger));
}

// RFC 9260 §5.4, rules 1 and 2: addresses given by the user, and the INIT ACK's destination, are
// confirmed.
#[test]
fn the_path_of_the_handshake_is_confirmed_from_the_start() {
    let mut world = Setup::quiet(|_| {}).paths(2).connecting();
    world.wait(secs(1), |world| world.is_open(Z));
    assert_eq!(world.first_path(A).state, PathState::Active);
    assert_eq!(world.path(Z, address(A, 1)).state, PathState::Active);
    assert_eq!(world.path(Z, address(A, 2)).state, PathState::Unconfirmed);
}

#[test]
fn an_unconfirmed_address_gets_heartbeats_and_nothing_else() {
    let setup = Setup::tuned(|_| {}).paths(3);
    let mut world = setup.world();
    // The second path never answers; the first dies as soon as the association is up.
    world.cut_path(2);
    world.cut_path(3);
    setup.connect(&mut world);
    world.run_for(ms(300));
    world.cut_path(1);
    world.send_times(A, 20, &blob(0, 1000));
    world.run_for(secs(100));
    for record in world.sent(A) {
        if record.to != address(Z, 1) {
            let types = record.types();
            let proves = |kind: &ChunkType| {
                *kind == ChunkType::HEARTBEAT || *kind == ChunkType::HEARTBEAT_ACK
            };
            assert!(types.iter().all(proves), "{record}");
        }
    }
}

#[test]
fn a_path_that_answers_nothing_is_never_confirmed() {
    let setup = Setup::tuned(|options| options.path_max_retrans = 2).paths(2);
    let mut world = setup.world();
    world.cut_path(2);
    setup.connect(&mut world);
    world.run_for(secs(300));
    assert_ne!(world.path(A, address(Z, 2)).state, PathState::Active);
    assert!(world.is_open(A), "and the association lives on");
    world.mend();
    world.run_for(secs(200));
    assert_eq!(world.path(A, address(Z, 2)).state, PathState::Active);
    assert!(world.saw(A, &path_event(Z, 2, PathChange::Confirmed)));
}

#[test]
fn the_user_can_change_the_primary_path() {
    let mut world = two_paths(|_| {});
    world.assoc(A).set_primary(address(Z, 2)).unwrap();
    assert_eq!(world.ways_of_a_message(), [address(Z, 2)]);
    assert!(world.path(A, address(Z, 2)).primary);
    assert!(world.saw(A, &path_event(Z, 2, PathChange::Primary)));
}

#[test]
fn an_address_cannot_be_primary_before_it_is_confirmed() {
    let setup = Setup::quiet(|_| {}).paths(2);
    let mut world = setup.world();
    world.cut_path(2);
    setup.connect(&mut world);
    world.run_for(ms(500));
    let refused = world.assoc(A).set_primary(address(Z, 2));
    assert_eq!(refused, Err(PathError::Unconfirmed));
    let refused = world.assoc(A).set_primary(address(Z, 7));
    assert_eq!(refused, Err(PathError::Unknown));
}

#[test]
fn failover_needs_path_max_retrans_plus_one_timeouts() {
    for limit in [0, 1, 3] {
        let mut world = two_paths(|options| {
            options.path_max_retrans = limit;
            options.heartbeats = Heartbeats::Off;
        });
        world.cut_path(1);
        world.send(A, blob(0, 100));
        let mut sent = 1;
        let down = path_event(Z, 1, PathChange::Down);
        while !world.saw(A, &down) && sent < 20 {
            // Each message keeps one chunk outstanding on the primary path.
            world.run_for(secs(1));
            world.send(A, blob(0, 100));
            sent += 1;
        }
        world.run_for(secs(60));
        assert!(world.saw(A, &down));
        let path = world.first_path(A);
        assert_eq!(path.state, PathState::Inactive);
        assert_eq!(path.timeouts, u64::from(limit) + 1);
    }
}

// RFC 9260 §6.4
#[test]
fn a_chunk_that_timed_out_is_retransmitted_on_another_path() {
    let mut world = two_paths(|_| {});
    world.cut_path(1);
    let began = world.now();
    world.send(A, text(0, "by another way"));
    world.run_for(secs(2));
    let both = [address(Z, 1), address(Z, 2)];
    assert_eq!(world.destinations(A, ChunkType::DATA, began), both);
    assert_eq!(world.texts(Z), ["by another way"]);
}

// RFC 9260 §6.4
#[test]
fn new_data_and_fast_retransmissions_go_to_the_primary_path() {
    let mut world = two_paths(|_| {});
    let began = world.now();
    world.drop_nth(A, ChunkType::DATA, &[2]);
    world.send_times(A, 30, &blob(0, 1400));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 30);
    let to = world.destinations(A, ChunkType::DATA, began);
    assert!(to.iter().all(|to| *to == address(Z, 1)));
    let path = world.first_path(A);
    assert_eq!((path.fast_retransmissions, path.primary), (1, true));
    assert!(!world.path(A, address(Z, 2)).primary);
}

#[test]
fn a_dead_idle_path_does_not_end_the_association() {
    let mut world = two_paths(set(
        "association_max_retrans=3, path_max_retrans=2, heartbeats=1 s",
    ));
    world.cut_path(2);
    world.send_every(A, secs(10), 100, &blob(0, 100));
    assert!(world.is_open(A) && world.is_open(Z));
    assert_eq!(world.path(A, address(Z, 2)).state, PathState::Inactive);
    assert_eq!(world.messages(Z).len(), 100);
}

#[test]
fn an_association_whose_paths_are_all_dead_ends() {
    let mut world = two_paths(|options| options.association_max_retrans = 5);
    world.cut_path(1);
    world.cut_path(2);
    world.send(A, text(0, "anyone?"));
    world.run_for(secs(600));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    // Heartbeats find out.
    assert_eq!(world.close_reason(Z), Some(CloseReason::TimedOut));
}

#[test]
fn with_all_paths_inactive_it_still_tries() {
    let mut world = two_paths(set("path_max_retrans=0, association_max_retrans=10"));
    world.cut_path(1);
    world.cut_path(2);
    world.send(A, text(0, "after the storm"));
    world.run_for(secs(8));
    assert!(world.active(A).is_empty());
    world.mend();
    world.run_for(secs(120));
    assert_eq!(world.texts(Z), ["after the storm"]);
}

// ---- heartbeats, RFC 9260 §8.3 ----

/// Intervals between the heartbeats to a host's address.
fn beats(world: &World, host: HostId, to: IpAddr, began: Time) -> Vec<Duration> {
    let sent = world.sent_with(host, ChunkType::HEARTBEAT);
    let times = sent.filter(|record| record.to == to && record.at >= began);
    let times: Vec<Time> = times.map(|record| record.at).collect();
    let pairs = times.windows(2);
    pairs.map(|pair| pair[1].since(pair[0])).collect()
}

#[test]
fn an_idle_path_is_probed_every_interval_plus_rto_with_jitter_of_half_an_rto() {
    let mut world =
        Setup::tuned(|options| options.heartbeats = Heartbeats::Every(secs(5))).established();
    let began = world.now();
    world.run_for(secs(3000));
    let beats = beats(&world, A, address(Z, 1), began);
    assert!(beats.len() >= 400, "{}", beats.len());
    for beat in &beats {
        assert!((ms(5500)..=ms(6521)).contains(beat), "{beat:?}");
    }
    let jitter = *beats.iter().max().unwrap() - *beats.iter().min().unwrap();
    assert!(jitter > ms(700), "{jitter:?}");
}

#[test]
fn a_heartbeat_is_answered_at_once_with_its_own_bytes() {
    let (mut world, mut peer) = Peer::connected(Profile::Rfc9260.options());
    let info: Vec<u8> = (0..77).collect();
    let began = world.now();
    peer.send(&mut world, &[Chunk::Heartbeat(Heartbeat { info: &info })]);
    let answer = peer.expect(&mut world, ChunkType::HEARTBEAT_ACK);
    assert_eq!(answer.at.since(began), ms(20));
    let Chunk::HeartbeatAck(Heartbeat { info: echoed }) = answer.chunks()[0] else {
        unreachable!()
    };
    assert_eq!(echoed, info);
}

#[test]
fn with_heartbeats_off_only_new_addresses_are_probed() {
    let mut world = Setup::quiet(|_| {}).established();
    world.run_for(secs(3000));
    assert_eq!(world.count(A, ChunkType::HEARTBEAT), 0);
    Setup::quiet(|_| {}).paths(2).confirmed();
}

#[test]
fn a_path_in_use_is_not_probed() {
    let mut world =
        Setup::tuned(|options| options.heartbeats = Heartbeats::Every(secs(5))).established();
    let before = world.count(A, ChunkType::HEARTBEAT);
    world.send_every(A, secs(1), 100, &blob(0, 100));
    assert_eq!(world.count(A, ChunkType::HEARTBEAT), before);
}

#[test]
fn a_heartbeat_measures_the_path() {
    let mut world = Setup::tuned(|options| options.rto_min = ms(10))
        .linked(|link| link.delay = ms(35))
        .established();
    world.heartbeat(A, address(Z, 1));
    world.run_for(secs(1));
    let path = world.first_path(A);
    assert_eq!((path.heartbeats_sent, path.heartbeats_acked), (1, 1));
    assert_eq!(path.srtt, Some(ms(70)));
    assert_eq!(path.errors, 0);
}

// RFC 9260 §8.3
#[test]
fn an_unanswered_heartbeat_does_not_put_off_the_next() {
    let mut world = Setup::tuned(set("heartbeats=10 s, rto_max=1 s")).established();
    world.cut_path(1);
    world.run_for(secs(100));
    let times = world.times(A, ChunkType::HEARTBEAT);
    assert!(times.len() > 5);
    for pair in times.windows(2) {
        let period = pair[1].since(pair[0]);
        assert!((ms(10_490)..=ms(11_510)).contains(&period), "{period:?}");
    }
}

// RFC 9260 §8.3
#[test]
fn a_heartbeat_on_demand_counts_after_an_rto_though_heartbeats_are_off() {
    let mut world = Setup::quiet(|_| {}).established();
    world.cut_path(1);
    world.heartbeat(A, address(Z, 1));
    world.run_for(ms(1100));
    assert_eq!(world.first_path(A).errors, 1);
}

#[test]
fn an_unanswered_heartbeat_counts_against_its_path_and_backs_off() {
    let mut world = two_paths(set("heartbeats=1 s, path_max_retrans=3"));
    world.cut_path(2);
    world.wait_for(A, &path_event(Z, 2, PathChange::Down), secs(120));
    let path = world.path(A, address(Z, 2));
    assert_eq!(path.state, PathState::Inactive);
    assert!(path.rto >= secs(4), "{:?}", path.rto);
    let sent = path.heartbeats_sent;
    world.run_for(secs(300));
    let path = world.path(A, address(Z, 2));
    assert!(path.heartbeats_sent > sent, "it is still probed");
    assert!(path.errors <= 4, "its counter stops: {}", path.errors);
}

// RFC 9260 §5.4: HB.Max.Burst
#[test]
fn few_heartbeats_leave_at_once_however_many_addresses() {
    for burst in [1, 3] {
        let setup = Setup::tuned(|options| options.hb_max_burst = burst).paths(12);
        let mut world = setup.connecting();
        world.run_for(secs(60));
        let mut at_once = std::collections::BTreeMap::new();
        for record in world.sent_with(A, ChunkType::HEARTBEAT) {
            *at_once.entry(record.at).or_insert(0_usize) += 1;
        }
        let most = *at_once.values().max().unwrap();
        assert!(most <= usize::from(burst), "{at_once:?}");
        assert_eq!(world.active(A).len(), 12, "all are confirmed in the end");
    }
}

// RFC 9260 §5.4: active paths with 200 ms intervals use up every burst.
#[test]
fn heartbeats_of_some_paths_keep_none_unconfirmed() {
    let setup = Setup::tuned(set("heartbeats=200 ms, hb_max_burst=1"));
    let mut world = setup.paths(4).established();
    world.run_for(secs(30));
    assert_eq!([A, Z].map(|host| world.active(host).len()), [4; 2]);
}

#[test]
fn heartbeats_end_with_the_shutdown() {
    let options = parsed("profile=rfc9260,heartbeats=100 ms");
    let (mut world, mut peer) = Peer::connected(options);
    world.shutdown(A);
    peer.take(&world);
    let arrived = peer.listen(&mut world, secs(30));
    assert!(!any_has(&arrived, ChunkType::HEARTBEAT));
}

/// During shutdown no heartbeats are sent, so SHUTDOWN and its answer are sent on every path once
/// none has answered.
#[test]
fn a_shutdown_finds_the_path_that_works_again() {
    for wait in [500, 4000, 12_000] {
        let mut world = two_paths(|options| *options = Profile::Modern.options());
        world.cut_path(2);
        let now = world.now();
        world.cut_path_during(1, now..now + ms(wait));
        world.shutdown(A);
        world.run_for(secs(40));
        for host in [A, Z] {
            let reason = world.close_reason(host);
            assert_eq!(reason, Some(CloseReason::Graceful), "{wait} ms");
        }
    }
}

#[test]
fn an_address_that_the_peer_did_not_list_is_no_path() {
    let (mut world, mut peer) = Peer::connected(Profile::Rfc9260.options());
    let right = peer.address;
    peer.address = address(Z, 5);
    let data = peer.data(0, 0, b"from elsewhere");
    peer.send(&mut world, &[Chunk::Data(data)]);
    world.run_for(secs(10));
    assert_eq!(world.assoc(A).path_stats().len(), 1);
    let mut strays = world.sent(A).filter(|record| record.to != right);
    // Out of the blue.
    assert!(strays.all(|record| record.types() == [ChunkType::ABORT]));
    assert!(world.received(A).is_empty());
}

#[test]
fn addresses_listed_twice_make_one_path() {
    let (mut world, mut peer) = Peer::before_listener(Profile::Rfc9260.options());
    let (IpAddr::V4(first), IpAddr::V4(second)) = (address(Z, 1), address(Z, 2)) else {
        unreachable!()
    };
    let listed = [first, second, first, second, second].map(Parameter::Ipv4Address);
    peer.connect(&mut world, &listed);
    assert_eq!(world.assoc(A).path_stats().len(), 2);
}

#[test]
fn a_peer_with_two_addresses_is_found_at_either() {
    let setup = Setup::quiet(|_| {}).paths(2);
    let mut world = setup.world();
    world.cut_path(1);
    let remote = [address(Z, 1), address(Z, 2)];
    world.connect(A, calling(&remote, setup.a.clone()));
    world.send(A, text(0, "found"));
    world.run_for(secs(30));
    assert_eq!(world.texts(Z), ["found"]);
}

#[test]
fn a_primary_path_that_is_down_is_used_as_soon_as_it_is_up() {
    let mut world = two_paths(set("path_max_retrans=0, heartbeats=1 s"));
    world.cut_path(2);
    world.wait_for(A, &path_event(Z, 2, PathChange::Down), secs(120));
    world.assoc(A).set_primary(address(Z, 2)).unwrap();
    assert_eq!(world.ways_of_a_message(), [address(Z, 1)]);
    world.mend();
    world.wait_for(A, &path_event(Z, 2, PathChange::Up), secs(120));
    assert_eq!(world.ways_of_a_message(), [address(Z, 2)]);
}

// RFC 9260 §8.1: an acknowledgement by any path is a sign of life.
#[test]
fn losses_on_one_path_do_not_end_an_association_that_gets_through_on_another() {
    let mut world = two_paths(set(
        "association_max_retrans=3, path_max_retrans=1000, rto_max=2 s",
    ));
    world.cut_path(1);
    for n in 0..50 {
        world.send(A, text(0, &n.to_string()));
        world.run_for(secs(10));
    }
    assert!(world.is_open(A) && world.is_open(Z));
    assert_eq!(world.messages(Z).len(), 50);
}
