//! The dead-peer timeout: how long a peer may be silent while an answer is due.

use crate::prelude::*;

use super::{time_until, with_paths};

fn modern(edit: impl FnOnce(&mut Options)) -> World {
    let mut options = Profile::Modern.options();
    edit(&mut options);
    Setup::with(options).established()
}

/// Sets the dead-peer timeout, with the longest heartbeat interval that it allows.
fn dead_after(options: &mut Options, span: Duration) {
    options.dead_peer_timeout = Some(span);
    options.heartbeats = Heartbeats::Every(span / 4 * 3);
}

/// Cuts the link; returns the time until A's association ends.
fn ends_after(world: &mut World) -> Duration {
    world.cut_path(1);
    time_until(world, secs(2000), |world| !world.is_open(A)).expect("an end")
}

#[test]
fn under_modern_a_cut_cable_is_told_in_seconds_and_ends_the_association_in_20() {
    let mut world = modern(|_| {});
    world.send_every(A, ms(50), 10, &blob(0, 1000));
    world.send(A, blob(0, 1000));
    let cut = world.now();
    let took = ends_after(&mut world);
    assert!((secs(20)..secs(25)).contains(&took), "{took:?}");
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    let down = path_event(Z, 1, PathChange::Down);
    let mut events = world.timed_events(A).iter();
    let told = events.find(|(.., event)| *event == down);
    let told = told.expect("an event").0.since(cut);
    assert!(told < secs(5), "{told:?}");
}

// Only a heartbeat's answer is due; once it is overdue, heartbeats become more frequent.
#[test]
fn an_end_that_only_receives_learns_of_it_after_a_heartbeat() {
    for first in [FirstHeartbeat::AfterInterval, FirstHeartbeat::AtRandom] {
        let mut world = modern(|options| options.first_heartbeat = first);
        world.run_for(secs(1));
        let took = ends_after(&mut world);
        assert!((secs(20)..secs(38)).contains(&took), "{first:?}: {took:?}");
    }
}

#[test]
fn the_user_chooses_the_time() {
    for millis in [500, 3000, 60_000] {
        let span = ms(millis);
        let mut world = modern(|options| dead_after(options, span));
        world.send(A, blob(0, 1000));
        let took = ends_after(&mut world);
        assert!(took >= span && took <= span + secs(2), "{took:?}");
    }
}

#[test]
fn without_it_association_max_retrans_decides_alone() {
    let mut world = modern(|options| options.dead_peer_timeout = None);
    world.send(A, blob(0, 1000));
    let took = ends_after(&mut world);
    assert!(took > secs(60), "{took:?}");
}

#[test]
fn a_peer_that_keeps_its_window_closed_is_not_dead() {
    let mut world = modern(|options| options.receive_buffer = 8192);
    world.set_reading(Z, Reading::Stopped);
    world.send_times(A, 30, &blob(0, 1000));
    world.run_for(secs(300));
    assert!(world.is_open(A));
    world.set_reading(Z, Reading::Eager);
    world.wait(secs(120), |world| world.messages(Z).len() == 30);
}

// Losses are not silence: backed-off timeouts probe only five times in 5 s, which would end six of
// ten such associations.
#[test]
fn a_peer_that_can_be_heard_at_times_is_not_dead() {
    for seed in 0..30 {
        let mut options = Profile::Modern.options();
        dead_after(&mut options, secs(5));
        let mut setup = Setup::with(options);
        setup.seed = seed;
        let mut world = setup.established();
        for (from, to) in [(A, Z), (Z, A)] {
            world.edit_link(address(from, 1), address(to, 1), |link| link.loss = 300);
        }
        for n in 0..200 {
            world.send(A, blob(n % 10, 1000));
            world.run_for(ms(100));
        }
        assert_eq!(world.close_reason(A), None, "seed {seed}");
        world.wait(secs(300), |world| world.messages(Z).len() == 200);
        assert!(world.is_open(A));
        assert!(world.count(A, ChunkType::DATA) > 200);
    }
}

#[test]
fn a_silent_peer_is_asked_again_and_again_before_it_is_given_up() {
    let mut world = modern(|options| dead_after(options, secs(16)));
    world.send(A, blob(0, 1000));
    world.run_for(secs(1));
    let cut = world.now();
    world.send(A, blob(0, 1000));
    ends_after(&mut world);
    let asked = world.times(A, ChunkType::HEARTBEAT);
    let late = asked.iter().filter(|at| at.since(cut) > secs(8));
    assert!(late.count() >= 14, "{asked:?}");
}

// Timeouts back off while the network is down. Once a heartbeat is answered, data is sent without
// waiting for the backed-off timeout; in the second half of the dead-peer timeout, heartbeats are
// sent repeatedly.
#[test]
fn data_leaves_soon_after_a_dead_network_is_back() {
    for (paths, dark) in [1, 2]
        .into_iter()
        .flat_map(|paths| (1..20).map(move |dark| (paths, dark)))
    {
        let mut world = with_paths(Profile::Modern.options(), paths);
        world.send(A, blob(0, 2_000_000));
        world.run_for(ms(50));
        let back = world.now() + secs(dark);
        for n in 1..=paths {
            world.cut_path_during(n, world.now()..back);
        }
        world.wait(secs(60), |world| !world.messages(Z).is_empty());
        let late = world.now().since(back);
        let longest = if dark < 10 { secs(dark + 3) } else { secs(2) };
        assert!(late < longest, "{paths} paths, {dark} s: {late:?}");
    }
}

// Holds for any number of dead paths on which data is retransmitted.
#[test]
fn more_paths_do_not_make_an_association_die_sooner() {
    for multipath in [
        Multipath::Off,
        Multipath::Concurrent(ConcurrentTransfer::default()),
    ] {
        for paths in 1..=8 {
            let mut options = Profile::Modern.options();
            options.multipath = multipath;
            let mut world = with_paths(options, paths);
            world.send(A, blob(0, 2_000_000));
            world.run_for(ms(50));
            for n in 1..=paths {
                world.cut_path(n);
            }
            let took = time_until(&mut world, secs(600), |world| !world.is_open(A));
            let took = took.expect("an end");
            let soon = (secs(20)..secs(25)).contains(&took);
            assert!(soon, "{paths} paths: {took:?}");
        }
    }
}

/// The guide's table: maximum waiting times in seconds, one row per profile.
const GUIDE: &str = include_str!("../../../../../docs/guide/tuning.md");

/// The times of a profile's row: to connect, with unacknowledged data, with nothing sent.
fn promised(profile: &str) -> [Duration; 3] {
    let mut rows = GUIDE.lines().filter(|line| line.ends_with(" s |"));
    let row = rows.find(|line| line.starts_with(&format!("| `{profile}` |")));
    let cells = row.expect(profile).split('|').skip(2).take(3);
    let seconds = cells.map(|cell| cell.trim().trim_end_matches(" s").parse().expect(profile));
    let seconds: Vec<u64> = seconds.collect();
    [secs(seconds[0]), secs(seconds[1]), secs(seconds[2])]
}

/// Whether the longest wait, rounded up, is what the guide promises.
fn holds(profile: &str, kind: &str, promised: Duration, waits: &[Duration]) -> bool {
    let longest = *waits.iter().max().expect("a wait");
    println!("{profile}, {kind}: {longest:?}, the guide says {promised:?}");
    longest <= promised && promised <= longest * 6 / 5 + secs(1)
}

#[test]
fn a_silent_peer_is_given_up_when_the_guide_says() {
    let mut all = true;
    for name in [
        "modern",
        "telecom",
        "datacenter",
        "linux",
        "rfc9260",
        "rfc2960",
    ] {
        let options = name.parse::<Profile>().expect("a profile").options();
        let [connecting, sending, receiving] = promised(name);
        let setup = Setup::with(options.clone());
        let mut world = setup.world();
        world.cut_path(1);
        setup.connect(&mut world);
        let waits = time_until(&mut world, secs(2000), |world| !world.is_open(A));
        let waits = [waits.expect("an end")];
        let mut held = holds(name, "connecting", connecting, &waits);
        let (mut with_data, mut without) = (Vec::new(), Vec::new());
        for seed in 0..24 {
            let mut setup = setup.clone();
            setup.seed = seed;
            let mut world = setup.established();
            world.cut_path(1);
            world.send(A, blob(0, 100));
            let ended = time_until(&mut world, secs(2000), |world| !world.is_open(A));
            with_data.extend(ended);
            let mut world = setup.established();
            world.run_for(ms(1300 * seed));
            world.send(A, blob(0, 100));
            world.run_for(secs(1));
            without.push(ends_after(&mut world));
        }
        held &= holds(name, "sending", sending, &with_data);
        held &= holds(name, "receiving", receiving, &without);
        all &= held;
    }
    assert!(all, "docs/guide/tuning.md says something else");
}

/// The table of the page about NATs: heartbeats, and when the far end gives up.
const NATS: &str = include_str!("../../../../../docs/howto/nat.md");

#[test]
fn the_page_about_nats_has_the_heartbeats_of_the_profiles_and_the_times_of_the_guide() {
    let mut named = 0;
    for row in NATS.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, names, heartbeats, given_up, ..] = cells[..] else {
            panic!("{row}");
        };
        for name in names.split(", ").map(|name| name.trim_matches('`')) {
            let options = name.parse::<Profile>().expect(name).options();
            let Heartbeats::Every(interval) = options.heartbeats else {
                panic!("{name} sends no heartbeats");
            };
            assert_eq!(heartbeats, format!("{} s", interval.as_secs()), "{name}");
            let [_, sending, _] = promised(name);
            assert_eq!(given_up, format!("{} s", sending.as_secs()), "{name}");
            named += 1;
        }
    }
    assert_eq!(named, 6);
    // The text has the default's figures.
    let default = Options::default();
    let dead_after = default.dead_peer_timeout.expect("a limit").as_secs();
    let Heartbeats::Every(interval) = default.heartbeats else {
        panic!("no heartbeats");
    };
    for figure in [
        format!("a heartbeat every {} s", interval.as_secs()),
        format!("at most {} s and 1.5 RTOs", interval.as_secs()),
        format!("dark for less than {dead_after} s"),
        format!("The default of {} s", interval.as_secs()),
        format!("`dead_peer_timeout` ({dead_after} s)"),
    ] {
        assert!(NATS.contains(&figure), "{figure}");
    }
}

// RFC 9260 §8.1 counts unanswered sends on all paths together.
#[test]
fn a_peer_with_several_addresses_may_be_silent_as_long_as_one_with_a_single_address() {
    for profile in [Profile::Modern, Profile::Datacenter] {
        for count in 1..=3 {
            let mut world = with_paths(profile.options(), count);
            for path in 1..=count {
                world.cut_path(path);
            }
            world.send(A, blob(0, 100_000));
            world.run_for(secs(15));
            let reason = world.close_reason(A);
            assert!(world.is_open(A), "{profile:?}, {count}: {reason:?}");
        }
    }
}
