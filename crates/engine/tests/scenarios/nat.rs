//! A NAT in front of A changes its mapping while only Z sends: A's next packet is the first to show
//! Z the new port (RFC 6951 §5.4, RFC 4787 §4.3).

use crate::prelude::*;

/// A's UDP port as Z sees it, and Z's own.
const MAPPED: u16 = 40_000;
const SERVER: u16 = 9899;

/// Starts an association from A to Z over UDP, from Z's port to [`SERVER`], and waits until it is up.
fn connect(world: &mut World, options: &Options, port: u16) {
    world.set_udp(A, Some(port));
    world.set_udp(Z, Some(SERVER));
    let mut to = calling(&[], options.clone());
    to.remote = vec![PeerAddress::encapsulated(address(Z, 1), SERVER)];
    world.connect(A, to);
    world.wait(secs(10), |world| world.is_open(A) && world.is_open(Z));
}

/// A has connected to Z through a NAT, which drops packets to expired mappings.
fn through_a_nat(options: &Options, seed: u64, loss: u16) -> World {
    let mut setup = Setup::with(options.clone()).linked(|link| link.delay = ms(40));
    setup.seed = seed;
    let mut world = setup.world();
    connect(&mut world, options, MAPPED);
    world.run_for(secs(1));
    for (from, to) in [(A, Z), (Z, A)] {
        world.edit_link(address(from, 1), address(to, 1), |link| link.loss = loss);
    }
    world
}

/// Z sends 500 bytes every `pause` for 70 s; after `quiet`, the NAT gives A another port. Returns
/// whether the association survives and everything arrives.
fn outlives_another_port(world: &mut World, pause: Duration, quiet: Duration) -> bool {
    let (began, mut sent) = (world.now(), 0);
    let mut remapped = false;
    while world.now().since(began) < secs(70) {
        if !remapped && world.now().since(began) >= quiet {
            world.set_udp(A, Some(MAPPED + 1));
            remapped = true;
        }
        if !world.is_open(Z) {
            return false;
        }
        world.send(Z, blob(sent % 10, 500));
        sent += 1;
        world.run_for(pause);
    }
    let all = |world: &mut World| world.messages(A).len() == usize::from(sent);
    world.run_until(secs(60), all) && world.is_open(A) && world.is_open(Z)
}

#[test]
fn the_default_outlives_another_port_of_an_end_that_only_receives() {
    for seed in 0..16 {
        for (pause, quiet) in [(ms(40), ms(3000 + 900 * seed)), (secs(12), secs(7 + seed))] {
            let mut world = through_a_nat(&Options::default(), seed, 0);
            let outlived = outlives_another_port(&mut world, pause, quiet);
            assert!(outlived, "seed {seed}, {pause:?}, {quiet:?}");
        }
    }
}

// The last column of the table in docs/howto/nat.md.
#[test]
fn the_profiles_outlive_another_port_or_not_as_the_page_says() {
    for (profile, outlives) in [
        (Profile::Modern, true),
        (Profile::Datacenter, true),
        (Profile::Linux, true),
        (Profile::Rfc9260, true),
        (Profile::Rfc2960, true),
        (Profile::Telecom, false),
    ] {
        let outlived = (0..4).all(|seed| {
            let mut world = through_a_nat(&profile.options(), seed, 0);
            outlives_another_port(&mut world, ms(40), ms(6500 + 900 * seed))
        });
        assert_eq!(outlived, outlives, "{profile:?}");
    }
}

// The heartbeat is repeated if it or its answer is lost.
#[test]
fn the_default_outlives_another_port_where_a_tenth_is_lost_each_way() {
    for seed in 0..32 {
        let mut world = through_a_nat(&Options::default(), seed, 100);
        let outlived = outlives_another_port(&mut world, ms(40), ms(3000 + 500 * seed));
        assert!(outlived, "seed {seed}");
    }
}

// The heartbeat comes within an interval after A's last message, not after two.
#[test]
fn the_default_outlives_another_port_right_after_a_message() {
    for seed in 0..40 {
        let mut world = through_a_nat(&Options::default(), seed, 0);
        world.run_for(ms(400 * seed));
        world.send(A, blob(0, 100));
        world.run_for(ms(300));
        let outlived = outlives_another_port(&mut world, ms(200), Duration::ZERO);
        assert!(outlived, "seed {seed}");
    }
}

// Z's timeout has backed off to seconds by then; A's first packet from the new port brings the data.
#[test]
fn data_flows_within_three_round_trips_after_another_port_is_shown() {
    for seed in 0..16 {
        let mut world = through_a_nat(&Options::default(), seed, 0);
        world.set_udp(A, Some(MAPPED + 1));
        let before = world.log().len();
        let is_shown = |world: &mut World| {
            world.log()[before..]
                .iter()
                .any(|r| r.from == address(A, 1))
        };
        let mut sent = 0;
        while !is_shown(&mut world) {
            world.send(Z, blob(sent % 10, 500));
            sent += 1;
            world.run_for(ms(20 + seed));
        }
        assert!(
            sent > 100,
            "seed {seed}: A was silent for {sent} messages only"
        );
        let some = |world: &mut World| !world.messages(A).is_empty();
        assert!(world.run_until(ms(3 * 80), some), "seed {seed}");
        let all = |world: &mut World| world.messages(A).len() == usize::from(sent);
        assert!(world.run_until(ms(20 * 80), all), "seed {seed}");
    }
}

#[test]
fn heartbeats_that_come_too_late_for_the_dead_peer_time_are_refused() {
    let check = |edit: fn(&mut Options)| {
        let mut options = Profile::Modern.options();
        edit(&mut options);
        options.validate().map_err(|error| error.to_string())
    };
    let late = check(|options| options.heartbeats = Heartbeats::Every(secs(16)));
    let why = late.expect_err("three quarters of 20 s are 15 s");
    assert!(why.contains("dead_peer_timeout"), "{why}");
    assert!(why.contains("heartbeats"), "{why}");
    check(|options| options.dead_peer_timeout = Some(secs(19))).expect_err("too short");
    check(|options| options.heartbeats = Heartbeats::Every(secs(14))).expect("in time");
    check(|options| options.heartbeats = Heartbeats::Off).expect("no promise");
    check(|options| options.dead_peer_timeout = None).expect("no limit");
}

/// Public address of A's `n`th address behind its NAT.
fn outside(n: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, n])
}

/// A has connected to Z from two addresses, each behind its own NAT.
fn through_two_nats(options: &Options, delay: Duration) -> World {
    let setup = Setup::with(options.clone()).paths(2);
    let mut world = setup.linked(|link| link.delay = delay).world();
    for (n, port) in [(1, MAPPED), (2, MAPPED + 1)] {
        let (inside, outside) = (address(A, n), outside(n));
        world.nats.push(Nat {
            inside,
            outside,
            port,
        });
    }
    connect(&mut world, options, SERVER);
    world
}

/// Sends 64-byte messages every 10 ms from one end; returns the longest time without delivery.
fn gap(world: &mut World, from: HostId, count: usize) -> Duration {
    let to = if from == A { Z } else { A };
    let (mut last, mut longest) = (world.now(), Duration::ZERO);
    for _ in 0..count {
        let seen = world.received(to).len();
        world.send(from, blob(0, 64));
        world.run_for(ms(10));
        for (at, ..) in &world.received(to)[seen..] {
            longest = longest.max(at.since(last));
            last = *at;
        }
    }
    longest.max(world.now().since(last))
}

#[test]
fn two_paths_through_two_translators_come_up() {
    for profile in [
        Profile::Modern,
        Profile::Telecom,
        Profile::Datacenter,
        Profile::Linux,
    ] {
        let mut world = through_two_nats(&profile.options(), ms(25));
        let both = |world: &mut World| world.active(A).len() == 2 && world.active(Z).len() == 2;
        assert!(world.run_until(secs(5), both), "{profile:?}");
        let seen = world.active(Z);
        let mut outside = [1, 2].map(outside).into_iter();
        assert!(outside.all(|ip| seen.contains(&ip)), "{seen:?}");
    }
}

/// Nothing shows a sender the new port before the receiver's next packet. A receiver that has acknowledged all
/// sends none, so that the sender waits two round trips and 10 ms, and the other path delivers.
#[test]
fn another_port_of_either_of_two_translators_costs_three_round_trips_and_20_ms_at_most() {
    let concurrent = Multipath::Concurrent(ConcurrentTransfer::default());
    for (multipath, from) in [Multipath::Off, concurrent]
        .into_iter()
        .flat_map(|m| [(m, A), (m, Z)])
    {
        for (nat, phase) in [0, 1]
            .into_iter()
            .flat_map(|nat| (0..20).map(move |phase| (nat, phase)))
        {
            let options = Options {
                multipath,
                ..Options::default()
            };
            let mut world = through_two_nats(&options, ms(25));
            world.run_for(secs(3));
            gap(&mut world, from, 100);
            world.run_for(ms(phase));
            world.nats[nat].port += 100;
            let longest = gap(&mut world, from, 300);
            let case = format!("{multipath:?} {from:?} {nat} {phase}: {longest:?}");
            assert!(longest <= ms(170), "{case}");
            world.run_for(secs(2));
            assert_eq!(world.received(A).len() + world.received(Z).len(), 400);
        }
    }
}

#[test]
fn an_address_without_the_tag_is_not_learnt() {
    let mut world = through_two_nats(&Options::default(), ms(25));
    world.run_for(secs(3));
    world.heartbeat(A, address(Z, 1));
    let is_heartbeat = |record: &&Record| record.has(ChunkType::HEARTBEAT);
    let heartbeat = world.log().iter().rfind(is_heartbeat).expect("it was sent");
    assert_eq!(heartbeat.to, address(Z, 1));
    let mut forged = heartbeat.bytes.clone();
    let before = world.assoc(Z).path_stats().len();
    forged[4] ^= 1;
    reseal(&mut forged);
    let stranger = IpAddr::from([192, 0, 2, 77]);
    world.inject(stranger, address(Z, 1), Some((9, SERVER)), forged);
    world.run_for(secs(1));
    assert_eq!(world.assoc(Z).path_stats().len(), before);
}
