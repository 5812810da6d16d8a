//! Concurrent multipath transfer: new data on several paths at a time (Iyengar, Amer and Stewart
//! 2006).

mod blocking;
mod coupling;
mod detection;
mod failure;
mod scripted;

use crate::prelude::*;

/// User bytes of a chunk that fills a packet.
const FULL: usize = 1452;

fn concurrent(options: &mut Options) {
    options.multipath = Multipath::Concurrent(ConcurrentTransfer::default());
}

fn off(_: &mut Options) {}

/// A path: rate in both directions, one-way delay, and a queue of about two round trips.
#[derive(Clone, Copy, Debug)]
struct Road {
    rate: u64,
    delay: Duration,
}

impl Road {
    const fn new(megabits: u64, millis: u64) -> Self {
        Self {
            rate: megabits * 1_000_000,
            delay: Duration::from_millis(millis),
        }
    }

    fn link(self) -> Link {
        let product = self.rate / 8 * self.delay.as_millis() as u64 * 2 / 1000;
        Link {
            rate: Some(self.rate),
            delay: self.delay,
            queue: (2 * product).max(30_000),
            ..Link::default()
        }
    }
}

/// Creates a world with one confirmed path per road.
fn world(roads: &[Road], edit: impl FnOnce(&mut Options)) -> World {
    let setup = Setup::tuned(|options| {
        options.send_buffer = 4 << 20;
        options.receive_buffer = 4 << 20;
        edit(options);
    });
    let mut world = setup.paths(roads.len() as u8).connecting();
    for (n, road) in (1..).zip(roads) {
        for (from, to) in [(A, Z), (Z, A)] {
            world.set_link(address(from, n), address(to, n), road.link());
        }
    }
    world.wait(secs(60), |world| {
        [A, Z].into_iter().all(|host| {
            world.is_open(host)
                && world.assoc(host).path_stats().len() == roads.len()
                && world.active(host).len() == roads.len()
        })
    });
    world.run_for(secs(1));
    world
}

/// Goodput at Z over `span`, bits per second, while A always has data to send.
fn goodput(world: &mut World, span: Duration) -> f64 {
    feed(world);
    let before = world.stats(Z).bytes_received;
    let until = world.now() + span;
    while world.now() < until {
        let left = until.since(world.now());
        world.run_for(left.min(Duration::from_millis(100)));
        feed(world);
    }
    let got = world.stats(Z).bytes_received - before;
    world.forget_received(Z);
    got as f64 * 8.0 / span.as_secs_f64()
}

/// Keeps more data queued than any link sends in 100 ms.
fn feed(world: &mut World) {
    while world.waiting(A) < 500 {
        world.send_together(A, vec![blob(0, FULL); 500]);
    }
}

fn sent_to(world: &World, n: u8) -> usize {
    let sent = world.sent_with(A, ChunkType::DATA);
    sent.filter(|record| record.to == address(Z, n)).count()
}

#[test]
fn two_equal_paths_carry_nearly_twice_what_one_does() {
    let road = Road::new(10, 20);
    for scheduler in [
        PathScheduler::LowestRtt,
        PathScheduler::LargestWindow,
        PathScheduler::RoundRobin,
    ] {
        for detection in [LossDetection::MissingReports, LossDetection::Rack] {
            let mut one = world(&[road], |options| options.loss_detection = detection);
            let alone = goodput(&mut one, secs(20));
            let mut two = world(&[road, road], |options| {
                options.loss_detection = detection;
                options.multipath = Multipath::Concurrent(ConcurrentTransfer {
                    scheduler,
                    ..ConcurrentTransfer::default()
                });
            });
            let both = goodput(&mut two, secs(20));
            println!("{scheduler:?}, {detection:?}: {alone:.0} alone, {both:.0} together");
            assert!(both >= 0.9 * 2.0 * alone, "{both} of {}", 2.0 * alone);
        }
    }
}

#[test]
fn without_it_the_second_path_stands_by() {
    let road = Road::new(10, 20);
    let mut world = world(&[road, road], off);
    goodput(&mut world, secs(5));
    assert_eq!(sent_to(&world, 2), 0);
}

#[test]
fn unequal_paths_are_never_worse_than_the_best_of_them() {
    let roads = [Road::new(10, 5), Road::new(2, 50)];
    let mut best = world(&roads[..1], off);
    let best = goodput(&mut best, secs(30));
    for detection in [LossDetection::MissingReports, LossDetection::Rack] {
        for order in [[0, 1], [1, 0]] {
            let roads = order.map(|at| roads[at]);
            let mut both = world(&roads, |options| {
                concurrent(options);
                options.loss_detection = detection;
            });
            let both = goodput(&mut both, secs(30));
            println!("{roads:?}, {detection:?}: {both:.0}, best alone {best:.0}");
            assert!(both >= best, "{both} of {best}");
        }
    }
}

#[test]
fn a_peer_that_knows_nothing_of_it_gets_everything_as_fast() {
    let road = Road::new(10, 20);
    let mut setup = Setup::tuned(concurrent).paths(2);
    setup.a.send_buffer = 4 << 20;
    setup.z = parsed("profile=rfc9260,receive_buffer=4 MiB");
    setup.link = road.link();
    let mut world = setup.established();
    world.run_for(secs(5));
    let both = goodput(&mut world, secs(20));
    assert!(both > 0.9 * 19_000_000.0, "{both}");
    assert_eq!(world.stats(Z).duplicates_received, 0);
}
