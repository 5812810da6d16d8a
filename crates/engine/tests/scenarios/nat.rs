//! A NAT in front of A that changes its mapping while Z alone sends: what A sends next is the first to
//! show Z the new port (RFC 6951 §5.4, RFC 4787 §4.3).

use core::time::Duration;

use sheave_engine::{Connect, Heartbeats, Options, PeerAddress, Profile};

use crate::world::{A, PORT, Setup, World, Z, address, blob, ms, secs};

/// A's UDP port as Z sees it, and Z's own.
const MAPPED: u16 = 40_000;
const SERVER: u16 = 9899;

/// A has connected to Z through a NAT; packets to a port that the NAT has forgotten are lost.
fn through_a_nat(options: &Options, seed: u64, loss: u16) -> World {
    let mut setup = Setup {
        seed,
        ..Setup::with(options.clone())
    };
    setup.link.delay = ms(40);
    let mut world = setup.world();
    world.set_udp(A, Some(MAPPED));
    world.set_udp(Z, Some(SERVER));
    let to = Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::encapsulated(address(Z, 1), SERVER)],
        options: options.clone(),
    };
    world.connect(A, to);
    world.wait(secs(10), |world| world.is_open(A) && world.is_open(Z));
    world.run_for(secs(1));
    for (from, to) in [(A, Z), (Z, A)] {
        world.edit_link(address(from, 1), address(to, 1), |link| link.loss = loss);
    }
    world
}

/// Z sends 500 bytes each `pause` for 70 s, and after `quiet` the NAT gives A another port. Whether
/// the association lives and all arrives.
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

// The heartbeat is repeated where it, or its answer, is lost.
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

#[test]
fn heartbeats_that_come_too_late_for_the_dead_peer_time_are_refused() {
    let check = |edit: fn(&mut Options)| {
        let mut options = Profile::Modern.options();
        edit(&mut options);
        options.validate().map_err(|error| error.to_string())
    };
    let late = check(|options| options.heartbeats = Heartbeats::Every(secs(16)));
    let why = late.expect_err("three quarters of 20 s are 15 s");
    assert!(
        why.contains("dead_peer_timeout") && why.contains("heartbeats"),
        "{why}"
    );
    check(|options| options.dead_peer_timeout = Some(secs(19))).expect_err("too short");
    check(|options| options.heartbeats = Heartbeats::Every(secs(14))).expect("in time");
    check(|options| options.heartbeats = Heartbeats::Off).expect("no promise");
    check(|options| options.dead_peer_timeout = None).expect("no limit");
}
