//! Many associations of one endpoint.

use crate::prelude::*;

fn connect_many(setup: &Setup, world: &mut World, count: usize) -> Vec<AssocId> {
    (0..count).map(|_| setup.connect(world)).collect()
}

fn say(world: &mut World, id: AssocId, words: &str) {
    tell(world, id, text(0, words));
}

fn tell(world: &mut World, id: AssocId, message: Message) {
    let now = world.now();
    let mut assoc = world.endpoint(A).assoc(id).expect("it lives");
    let sent = assoc.send(now, message, Default::default());
    sent.expect("room");
}

#[test]
fn associations_come_and_go_without_end() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.world();
    for round in 0..60 {
        let ids = connect_many(&setup, &mut world, 10);
        for id in &ids {
            say(&mut world, *id, "hello");
        }
        world.run_for(secs(1));
        for (n, id) in ids.into_iter().enumerate() {
            let now = world.now();
            let mut assoc = world.endpoint(A).assoc(id).expect("it lives");
            assert_eq!(assoc.phase(), Phase::Established);
            if n % 2 == 0 {
                assoc.shutdown(now).unwrap();
            } else {
                assoc.abort(now, Default::default());
            }
        }
        world.run_for(secs(1));
        for host in [A, Z] {
            let stats = world.endpoint(host).stats();
            let left = (stats.associations, stats.buffered);
            assert_eq!(left, (0, 0), "round {round}");
        }
        assert_eq!(world.received(Z).len(), (round + 1) * 10);
    }
}

#[test]
fn each_of_many_flows_gets_its_turn() {
    let setup = Setup::quiet(|_| {}).linked(|link| {
        link.rate = Some(20_000_000);
        link.queue = 100_000;
    });
    let mut world = setup.world();
    world.max_segments = 64;
    let ids = connect_many(&setup, &mut world, 8);
    world.run_for(secs(1));
    for id in &ids {
        for _ in 0..50 {
            tell(&mut world, *id, blob(0, 20_000));
        }
    }
    world.run_for(secs(2));
    let sent = |id: &AssocId| world.endpoint(A).assoc(*id).unwrap().stats().bytes_sent;
    let bytes: Vec<u64> = ids.iter().map(sent).collect();
    let (least, most) = (bytes.iter().min().unwrap(), bytes.iter().max().unwrap());
    assert!(least * 5 > *most, "{bytes:?}");
}

#[test]
fn two_associations_between_the_same_hosts_are_told_apart_by_their_ports() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.world();
    let ids = connect_many(&setup, &mut world, 2);
    world.run_for(secs(1));
    say(&mut world, ids[0], "first");
    say(&mut world, ids[1], "second");
    let now = world.now();
    let mut first = world.endpoint(A).assoc(ids[0]).unwrap();
    first.shutdown(now).unwrap();
    world.run_for(secs(1));
    assert_eq!(world.endpoint(Z).stats().associations, 1);
    say(&mut world, ids[1], "third");
    world.run_for(secs(1));
    assert_eq!(world.texts(Z).len(), 3);
    assert!(world.endpoint(Z).ports().contains(&PORT));
}

const INTERVAL: Duration = secs(60);

/// Heartbeats of a host on 300 associations set up together: for each of four minutes, the number
/// in each twelfth of the minute.
fn beats(host: HostId, options: Options) -> Vec<[usize; 12]> {
    let setup = Setup::with(Options {
        heartbeats: Heartbeats::Every(INTERVAL),
        dead_peer_timeout: options.dead_peer_timeout.map(|_| INTERVAL * 2),
        ..options
    });
    let mut world = setup.world();
    let began = world.now();
    connect_many(&setup, &mut world, 300);
    world.run_for(INTERVAL * 4);
    let mut minutes = vec![[0; 12]; 4];
    for at in world.times(host, ChunkType::HEARTBEAT) {
        let part = at.since(began).as_secs() as usize / 5;
        if let Some(minute) = minutes.get_mut(part / 12) {
            minute[part % 12] += 1;
        }
    }
    minutes
}

#[test]
fn associations_that_are_set_up_together_beat_at_different_times() {
    for host in [A, Z] {
        let minutes = beats(host, Profile::Modern.options());
        // No path is idle in the first minute, in which the passive end measures round trips.
        for minute in &minutes[1..] {
            // 25 are expected in each part, or 50 in each of its second half: a path that came to rest
            // in time with others is probed within an interval.
            let most = minute.iter().max().unwrap();
            assert!(*most < 90, "host {host:?}: {minutes:?}");
            let all: usize = minute.iter().sum();
            assert!((280..=300).contains(&all), "host {host:?}: {minutes:?}");
        }
    }
}

// RFC 9260 §8.3
#[test]
fn the_first_heartbeat_comes_an_interval_after_the_set_up_where_that_is_wanted() {
    let minutes = beats(A, Profile::Rfc9260.options());
    assert_eq!(minutes[0], [0; 12]);
    assert_eq!(minutes[1], [300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}
