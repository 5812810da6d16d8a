//! Messages sent on every active path: a cut of one path delays none, and each copy counts on its
//! own path.

use crate::prelude::*;

use super::hedge::Cut;

fn copying(edit: impl FnOnce(&mut Options)) -> Options {
    let mut options = parsed("redundancy=100");
    edit(&mut options);
    options
}

/// Two links of 5 Mbit/s, with both paths confirmed.
fn world(options: Options, delay: Duration, loss: u16) -> World {
    let setup = Setup::with(options).linked(|link| {
        link.delay = delay;
        link.rate = Some(5_000_000);
        link.loss = loss;
    });
    setup.paths(2).confirmed()
}

/// Sends 64 bytes every 10 ms; returns the sending times.
fn send_small(world: &mut World, count: usize) -> Vec<Time> {
    let send = |_| {
        let now = world.now();
        world.send(A, blob(0, 64));
        world.run_for(ms(10));
        now
    };
    (0..count).map(send).collect()
}

/// The times from sending to delivery, sorted.
fn delays(world: &World, sent: &[Time]) -> Vec<Duration> {
    let received = world.received(Z);
    assert_eq!(received.len(), sent.len(), "messages were lost or doubled");
    let both = received.iter().zip(sent);
    let mut delays: Vec<_> = both.map(|((at, ..), sent)| at.since(*sent)).collect();
    delays.sort();
    delays
}

fn in_flight(world: &mut World) -> Vec<u64> {
    let paths = world.assoc(A).path_stats();
    paths.iter().map(|path| path.flight).collect()
}

/// Each profile, with and without concurrent transfer, at three one-way delays.
fn grid() -> impl Iterator<Item = (Options, Duration)> {
    let multipath = Multipath::Concurrent(ConcurrentTransfer::default());
    let profiles = [
        Profile::Modern,
        Profile::Telecom,
        Profile::Datacenter,
        Profile::Rfc9260,
    ];
    profiles.into_iter().flat_map(move |profile| {
        [Multipath::Off, multipath]
            .into_iter()
            .flat_map(move |multipath| {
                let options = Options {
                    redundancy: Some(100),
                    multipath,
                    ..profile.options()
                };
                [0, 5, 25].map(|delay| (options.clone(), ms(delay)))
            })
    })
}

#[test]
fn a_small_message_with_copies_arrives_in_time_through_any_single_cut() {
    let mut moment = 0;
    for (options, delay) in grid() {
        for (path, cut) in [1, 2]
            .into_iter()
            .flat_map(|path| Cut::ALL.map(|cut| (path, cut)))
        {
            moment = (moment + 3) % 10;
            let mut world = world(options.clone(), delay, 0);
            let mut sent = send_small(&mut world, 30);
            world.run_for(ms(moment));
            cut.make(&mut world, path, ms(1000));
            sent.extend(send_small(&mut world, 250));
            world.run_for(secs(2));
            let slowest = *delays(&world, &sent).last().expect("messages were sent");
            let case = (options.multipath, options.rto_min, delay, path, cut, moment);
            assert!(slowest <= delay + ms(5), "{case:?}: {slowest:?}");
        }
    }
}

#[test]
fn cuts_of_both_paths_in_turn_delay_no_message_with_copies() {
    for delay in [0, 5, 25].map(ms) {
        let mut world = world(copying(|_| {}), delay, 0);
        let mut sent = send_small(&mut world, 30);
        for path in [1, 2, 1] {
            Cut::Both.make(&mut world, path, secs(1));
            sent.extend(send_small(&mut world, 400));
        }
        world.run_for(secs(1));
        let slowest = *delays(&world, &sent).last().expect("messages were sent");
        assert!(slowest <= delay + ms(5), "{delay:?}: {slowest:?}");
    }
}

#[test]
fn copies_keep_losses_from_small_messages() {
    let p99 = |options: Options| {
        let mut world = world(options, ms(5), 10);
        let sent = send_small(&mut world, 5000);
        world.run_for(secs(5));
        delays(&world, &sent)[sent.len() * 99 / 100]
    };
    let (with, without) = (p99(copying(|_| {})), p99(Options::default()));
    println!("p99 beside 1 % loss: {with:?} with copies, {without:?} without");
    assert!(with <= ms(6), "{with:?}");
    assert!(without > 2 * with, "{without:?} beside {with:?}");
}

#[test]
fn a_copy_is_charged_to_its_path_until_it_is_answered() {
    let mut world = world(copying(|_| {}), ms(25), 0);
    world.send(A, blob(0, 64));
    assert_eq!(in_flight(&mut world), [80, 80]);
    world.run_for(ms(60));
    assert_eq!(in_flight(&mut world), [0, 0]);
    world.send(A, blob(0, 101));
    // The message is too long to be copied.
    assert_eq!(in_flight(&mut world), [120, 0]);
}

#[test]
fn a_lost_copy_leaves_the_books_of_its_path() {
    let mut world = world(copying(|_| {}), ms(5), 0);
    Cut::There.make(&mut world, 2, ms(1));
    world.send(A, blob(0, 64));
    world.run_for(ms(20));
    assert_eq!(in_flight(&mut world), [0, 80], "nothing tells of the copy");
    send_small(&mut world, 60);
    world.run_for(ms(20));
    assert_eq!(in_flight(&mut world), [0, 0]);
    let states = world.assoc(A).path_stats();
    assert!(states.iter().all(|path| path.state == PathState::Active));
}

#[test]
fn a_path_that_dies_under_copies_is_found_out() {
    for path in [1, 2] {
        // Copies arrive on a path whose return direction is cut; the peer acknowledges on the
        // other.
        for cut in [Cut::Both, Cut::There] {
            let mut world = world(copying(|_| {}), ms(5), 0);
            send_small(&mut world, 100);
            cut.make(&mut world, path, secs(100));
            send_small(&mut world, 100);
            let failed = world.events(A).iter().any(|event| {
                matches!(event, Event::Path {
                    change: PathChange::PotentiallyFailed | PathChange::Down, remote,
                } if *remote == address(Z, path))
            });
            assert!(failed, "{path} {cut:?}");
        }
    }
}

#[test]
fn copies_raise_few_questions_and_do_not_move_the_peers_data() {
    for delays in [[0, 0], [5, 5], [5, 25], [25, 5]] {
        let mut world = world(copying(|_| {}), ms(5), 0);
        for (n, delay) in (1..).zip(delays) {
            for (one, other) in [(A, Z), (Z, A)] {
                let (one, other) = (address(one, n), address(other, n));
                world.edit_link(one, other, |link| link.delay = ms(delay));
            }
        }
        for _ in 0..500 {
            world.send(A, blob(0, 64));
            world.send(Z, blob(0, 200));
            world.run_for(ms(10));
        }
        world.run_for(secs(1));
        assert_eq!(world.received(A).len(), 500, "{delays:?}");
        let heartbeats =
            world.count(A, ChunkType::HEARTBEAT) + world.count(Z, ChunkType::HEARTBEAT);
        assert!(heartbeats <= 10, "{delays:?}: {heartbeats}");
        let strays = world.sent(Z).filter(|record| record.from != address(Z, 1));
        let strays = strays
            .flat_map(Record::data)
            .filter(|data| data.payload.len() == 200);
        assert!(strays.count() <= 20, "{delays:?}");
    }
}

#[test]
fn a_single_message_is_copied_or_spared_by_its_sender() {
    let mut world = world(copying(|_| {}), ms(5), 0);
    let spared = SendOptions {
        redundancy: Redundancy::OnePath,
        ..SendOptions::default()
    };
    world.send_with(A, blob(0, 64), spared);
    assert_eq!(in_flight(&mut world), [80, 0]);
    world.run_for(ms(300));
    world.send_with(A, blob(0, 3000), SendOptions::default().on_every_path());
    let flights = in_flight(&mut world);
    assert_eq!(flights[0], flights[1], "{flights:?}");
    world.run_for(ms(300));
    assert_eq!(world.received(Z).len(), 2);
    assert_eq!(in_flight(&mut world), [0, 0]);
}

#[test]
fn a_message_takes_the_path_that_its_sender_names_beside_concurrent_transfer() {
    let multipath = Multipath::Concurrent(ConcurrentTransfer::default());
    for n in [1, 2] {
        let options = Options {
            multipath,
            ..Options::default()
        };
        let mut world = world(options, ms(5), 0);
        let options = SendOptions {
            destination: Some(address(Z, n)),
            ..SendOptions::default()
        };
        for _ in 0..20 {
            world.send_with(A, blob(0, 500), options);
            world.run_for(ms(1));
        }
        world.run_for(ms(300));
        let mut sent = world.sent_with(A, ChunkType::DATA);
        assert!(sent.all(|record| record.to == address(Z, n)), "{n}");
        assert_eq!(world.received(Z).len(), 20);
    }
}

#[test]
fn copies_of_a_bulk_transfer_overload_neither_path() {
    let options = copying(|options| options.redundancy = Some(1 << 20));
    let mut world = world(options, ms(5), 0);
    world.edit_link(address(A, 2), address(Z, 2), |link| {
        (link.rate, link.queue) = (Some(2_000_000), 10_000);
    });
    let before = world.log().len();
    world.send_times(A, 1000, &blob(0, 1400));
    world.wait(secs(60), |world| world.received(Z).len() == 1000);
    let since = world.log()[before..].iter();
    let on_second: Vec<_> = since.filter(|record| record.to == address(Z, 2)).collect();
    let lost = on_second
        .iter()
        .filter(|record| record.fate != Fate::Carried);
    let (sent, lost) = (on_second.len(), lost.count());
    println!("{sent} packets on the narrow path, of which {lost} were lost");
    assert!(lost * 10 <= sent, "{lost} of {sent}");
}
