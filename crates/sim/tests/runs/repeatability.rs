use core::time::Duration;

use sheave_engine::Profile;
use sheave_sim::{
    Arrivals, BitErrorRate, Bitrate, Corruption, Delay, Discipline, Errors, Fingerprint, Gilbert,
    LinkSpec, Order, Probability, Reading, Red, Signal, State, Variation,
};

use crate::town::{ms, secs, town};

/// Loss, RED, random traffic and an association, all at once.
fn run(seed: u64, other: Option<LinkSpec>) -> (Fingerprint, u64) {
    let spec = LinkSpec {
        loss: Errors::Uniform(Probability::new(0.01)),
        queue: Discipline::Red(Red::for_limit(30, Signal::Drop)),
        ..LinkSpec::new(Bitrate::mbit(20), ms(10))
    };
    let mut paths = vec![spec];
    paths.extend(other);
    let mut town = town(seed, &paths);
    let mean = ms(5);
    town.traffic(1500, Arrivals::Poisson { mean }, secs(10));
    town.greedy(&Profile::Rfc9260.options());
    town.world.run_until(secs(10));
    let lost = town.world.link_stats(town.links[0].0).lost;
    (town.world.fingerprint(), lost)
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_one_another() {
    assert_eq!(run(1, None), run(1, None));
    assert_ne!(run(1, None).0, run(2, None).0);
}

#[test]
fn a_run_is_the_same_in_debug_and_release_and_on_every_machine() {
    // No engine takes part, so that a change here means a change of the network itself.
    let spec = LinkSpec {
        loss: Errors::Gilbert(Gilbert {
            good: state(100, 0.0),
            bad: state(30, 0.3),
            reading: Reading::Exponential,
        }),
        queue: Discipline::Red(Red::for_limit(30, Signal::Drop)),
        delay: Delay {
            base: ms(10),
            variation: Variation::Pareto {
                mean: ms(2),
                shape: 2.5,
            },
            order: Order::Free,
        },
        corruption: Corruption::BitErrors(BitErrorRate(Probability::new(1e-6))),
        ..LinkSpec::new(Bitrate::mbit(20), ms(10))
    };
    let mut town = town(7, &[spec]);
    let arrivals = Arrivals::OnOff {
        interval: Duration::from_micros(300),
        on: ms(50),
        off: ms(20),
    };
    town.traffic(1000, arrivals, secs(5));
    town.world.run_until(secs(6));
    assert_eq!(town.world.fingerprint().to_string(), "25d62ac97d7f573f");
}

fn state(millis: u64, hit: f64) -> State {
    State {
        period: ms(millis),
        stay: Probability::NEVER,
        hit: Probability::new(hit),
    }
}

/// Number of packets that a link of that label loses, with or without another link beside it.
fn losses(with_other: Option<&str>) -> u64 {
    let lossy = LinkSpec {
        loss: Errors::Uniform(Probability::new(0.1)),
        ..LinkSpec::default()
    };
    let paths: Vec<LinkSpec> = core::iter::once(lossy.clone())
        .chain(with_other.map(|_| lossy))
        .collect();
    let mut town = town(5, &paths);
    let interval = ms(1);
    let id = town.traffic(100, Arrivals::Constant { interval }, secs(10));
    town.world.run_until(secs(11));
    town.counter(id).packets()
}

#[test]
fn another_link_does_not_change_the_draws_of_a_link() {
    assert_eq!(losses(None), losses(Some("path1")));
}
