use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::error::PathError;
use sheave::events::PathChange;
use sheave::options::{FirstHeartbeat, Heartbeats, PathTuning};
use sheave::stats::PathState;
use sheave::{Association, Event, Options, Profile, Target};

use crate::pair::{
    LONG, PORT, Pair, endpoint, localhost, next, number_of, numbered, quick, within,
};
use crate::relay::Relay;

#[test]
fn a_path_that_comes_back_is_told_and_used_again() {
    within(LONG, || {
        let options = Options {
            heartbeats: Heartbeats::Every(Duration::from_millis(500)),
            ..Profile::Telecom.options()
        };
        let pair = Pair::over(endpoint(&[1, 2]), endpoint(&[3, 4]), options);
        let events = pair.near.events();
        let wait_for = |wanted| {
            let seen = |event| {
                event
                    == Event::Path {
                        remote: localhost(4),
                        change: wanted,
                    }
            };
            assert!(std::iter::from_fn(|| events.next_timeout(LONG)).any(seen));
        };
        while pair.near.path_stats().len() < 2 || !all_active(&pair.near) {
            thread::sleep(Duration::from_millis(5));
        }
        pair.server.unplug(localhost(4));
        wait_for(PathChange::Down);
        pair.server.plug_in(localhost(4));
        wait_for(PathChange::Up);
        while !all_active(&pair.near) {
            thread::sleep(Duration::from_millis(5));
        }
    });
}

fn all_active(association: &Association) -> bool {
    let paths = association.path_stats();
    paths.iter().all(|path| path.state == PathState::Active)
}

#[test]
fn set_primary_moves_the_data_to_the_other_path() {
    within(LONG, || {
        // A machine that stands still for less than a second must not look like a path that fails.
        let options = Profile::Rfc9260.options();
        let pair = Pair::over(endpoint(&[1, 2]), endpoint(&[3, 4]), options);
        while pair.near.set_primary(localhost(4)).is_err() {
            thread::sleep(Duration::from_millis(5));
        }
        let before = chunks_to(&pair.near, 4);
        for number in 0..50 {
            pair.near.send(numbered(0, number, 1000)).unwrap();
            next(&pair.far);
        }
        assert!(chunks_to(&pair.near, 4) >= before + 50);
    });
}

fn chunks_to(association: &Association, last: u8) -> u64 {
    let paths = association.path_stats();
    let path = paths.iter().find(|path| path.remote == localhost(last));
    path.unwrap().chunks_sent
}

#[test]
fn a_client_behind_a_nat_that_changes_its_port_stays_connected() {
    within(LONG, || {
        let (client, server) = (endpoint(&[1]), endpoint(&[2]));
        let listener = server.listen(PORT, quick()).unwrap();
        let relay = Relay::new(
            10,
            SocketAddr::new(localhost(2), server.udp_port().unwrap()),
        );
        let target = Target::over_udp([localhost(10)], relay.port(), PORT).with_options(quick());
        let near = client.connect_timeout(target, LONG).unwrap();
        let far = listener.accept_timeout(LONG).unwrap();
        ping_pong(&near, &far, 0);
        assert_eq!(relayed_port(&far), Some(relay.outer_port()));

        relay.rebind();
        ping_pong(&near, &far, 1);
        assert_eq!(relayed_port(&far), Some(relay.outer_port()));

        // RFC 6951 §5.4: nothing is learnt from a packet that is not valid.
        let damaged = server.stats().bad_checksum;
        let forger = relay.forge();
        while server.stats().bad_checksum == damaged {
            thread::sleep(Duration::from_millis(1));
        }
        assert_ne!(relayed_port(&far), Some(forger));
        ping_pong(&near, &far, 2);
        near.shutdown().unwrap();
    });
}

// The client's next heartbeat is all that can show the server the new port.
#[test]
fn a_client_that_only_receives_outlives_another_port_under_the_default_profile() {
    within(LONG, || {
        thread::scope(|scope| {
            scope.spawn(|| outlives_another_port(10, Duration::from_millis(40)));
            scope.spawn(|| outlives_another_port(11, Duration::from_secs(5)));
        });
    });
}

/// A server sends a message every `pause` to a client behind a relay at 127.0.0.`last`, which takes
/// another port before the second message.
fn outlives_another_port(last: u8, pause: Duration) {
    let (client, server) = (endpoint(&[1]), endpoint(&[2]));
    let listener = server.listen(PORT, Options::default()).unwrap();
    let relay = Relay::new(
        last,
        SocketAddr::new(localhost(2), server.udp_port().unwrap()),
    );
    // The latest time that the draw of the first heartbeat allows.
    let latest = Options {
        first_heartbeat: FirstHeartbeat::AfterInterval,
        ..Options::default()
    };
    let target = Target::over_udp([localhost(last)], relay.port(), PORT).with_options(latest);
    let near = client.connect_timeout(target, LONG).unwrap();
    let far = listener.accept_timeout(LONG).unwrap();
    // Longer than the server waits for a client that stays behind the old port.
    let until = Instant::now() + Duration::from_secs(27);
    thread::scope(|scope| {
        let sending = scope.spawn(|| {
            far.send(numbered(0, 0, 100)).unwrap();
            // Until the client owes no answer that would come from the new port.
            thread::sleep(Duration::from_secs(1));
            relay.rebind();
            let mut sent = 1;
            while Instant::now() < until {
                far.send(numbered(0, sent, 100)).unwrap();
                sent += 1;
                thread::sleep(pause);
            }
            far.shutdown_timeout(LONG).unwrap();
            sent
        });
        let (mut received, mut before, mut longest) = (0, Instant::now(), Duration::ZERO);
        while let Some(message) = near.receive_timeout(LONG).unwrap() {
            assert_eq!(number_of(&message.message.payload), received);
            received += 1;
            longest = longest.max(before.elapsed());
            before = Instant::now();
        }
        assert_eq!(received, sending.join().unwrap());
        let seconds = longest.as_secs_f64();
        assert!((10.0..26.0).contains(&seconds), "{pause:?}: {seconds} s");
    });
}

fn ping_pong(near: &Association, far: &Association, number: u32) {
    near.send(numbered(0, number, 100)).unwrap();
    assert_eq!(number_of(&next(far).message.payload), number);
    far.send(numbered(0, number, 100)).unwrap();
    assert_eq!(number_of(&next(near).message.payload), number);
}

/// The UDP port that an association sends to on its path through the relay.
fn relayed_port(association: &Association) -> Option<u16> {
    let paths = association.path_stats();
    let path = paths.iter().find(|path| path.remote == localhost(10));
    path.and_then(|path| path.encapsulation)
}

#[test]
fn with_concurrent_transfer_both_paths_carry_data() {
    within(LONG, || {
        const MESSAGES: u32 = 2000;
        let options = Options {
            multipath: sheave::options::Multipath::Concurrent(
                sheave::options::ConcurrentTransfer {
                    scheduler: sheave::options::PathScheduler::RoundRobin,
                    ..sheave::options::ConcurrentTransfer::default()
                },
            ),
            ..quick()
        };
        let pair = Pair::over(endpoint(&[1, 2]), endpoint(&[3, 4]), options);
        while pair.near.path_stats().len() < 2 || !all_active(&pair.near) {
            thread::sleep(Duration::from_millis(5));
        }
        let near = pair.near.clone();
        let sending = thread::spawn(move || {
            for number in 0..MESSAGES {
                near.send(numbered(0, number, 10_000)).unwrap();
            }
        });
        for number in 0..MESSAGES {
            assert_eq!(number_of(&next(&pair.far).message.payload), number);
        }
        sending.join().unwrap();
        let paths = pair.near.path_stats();
        let all: u64 = paths.iter().map(|path| path.chunks_sent).sum();
        for path in paths {
            assert!(path.chunks_sent * 10 >= all * 2, "{path:?}");
        }
    });
}

#[test]
fn a_living_association_and_a_path_of_it_get_other_settings() {
    within(LONG, || {
        // By itself it would give a path up after 50 timeouts of half a second and more.
        let patient = Options {
            path_max_retrans: 50,
            association_max_retrans: 100,
            rto_min: Duration::from_millis(500),
            rto_initial: Duration::from_millis(500),
            rto_max: Duration::from_secs(1),
            ..Profile::Rfc9260.options()
        };
        let pair = Pair::over(endpoint(&[1, 2]), endpoint(&[3, 4]), patient.clone());
        let near = &pair.near;
        let rto_max = || near.options().map(|options| options.rto_max);
        assert_eq!(rto_max(), Some(patient.rto_max));
        let mut local = near.local_addresses();
        local.sort_unstable();
        assert_eq!(local, [localhost(1), localhost(2)]);
        let wrong = Options {
            rto_min: Duration::from_secs(2),
            ..patient.clone()
        };
        assert!(near.retune(&wrong).is_err());
        let quick = Options {
            rto_min: Duration::from_millis(20),
            rto_initial: Duration::from_millis(20),
            rto_max: Duration::from_millis(40),
            ..patient
        };
        near.retune(&quick).unwrap();
        assert_eq!(rto_max(), Some(quick.rto_max));
        let hasty = PathTuning {
            heartbeats: Some(Heartbeats::Every(Duration::from_millis(20))),
            max_retrans: Some(0),
            ..PathTuning::default()
        };
        let unknown = near.retune_path(localhost(9), hasty);
        assert_eq!(unknown, Err(PathError::Unknown));
        near.retune_path(localhost(3), hasty).unwrap();
        let events = near.events();
        pair.server.unplug(localhost(3));
        let down = |event: Event| {
            matches!(
                event,
                Event::Path { remote, change: PathChange::Down } if remote == localhost(3)
            )
        };
        while !down(events.next().unwrap()) {}
        near.send(numbered(0, 7, 100)).unwrap();
        assert_eq!(number_of(&next(&pair.far).message.payload), 7);
        near.abort("done");
        assert_eq!((near.waiting(), near.unacknowledged()), (0, 0));
        assert_eq!(near.options(), None);
    });
}
