//! Everything arrives over lossy links, for any combination of extensions.

use crate::prelude::*;

type Tune = fn(&mut Options);

/// Cases: name, number of paths, options.
const CASES: [(&str, u8, Tune); 8] = [
    ("NR-SACK", 2, nr_sack),
    ("NR-SACK and RACK", 2, |options| {
        nr_sack(options);
        options.loss_detection = LossDetection::Rack;
    }),
    ("RACK", 2, |options| {
        options.loss_detection = LossDetection::Rack;
    }),
    ("pacing", 1, |options| options.pacing = Pacing::On),
    ("paced CUBIC", 1, |options| {
        paced(options, CongestionAlgorithm::Cubic);
    }),
    ("paced HighSpeed", 1, |options| {
        paced(options, CongestionAlgorithm::HighSpeed);
    }),
    ("BBR", 1, |options| {
        options.congestion = CongestionAlgorithm::Bbr;
    }),
    ("BBR and RACK", 1, |options| {
        options.congestion = CongestionAlgorithm::Bbr;
        options.loss_detection = LossDetection::Rack;
    }),
];

fn nr_sack(options: &mut Options) {
    options.selective_acks = SelectiveAcks::NonRenegable;
}

fn paced(options: &mut Options, congestion: CongestionAlgorithm) {
    options.pacing = Pacing::On;
    options.congestion = congestion;
    options.loss_detection = LossDetection::Rack;
}

/// Checks that everything arrives: both ends send long and short messages, some unordered; then one
/// shuts down.
#[track_caller]
fn assert_all_arrives(name: &str, setup: &Setup) {
    let mut world = setup.established();
    for n in 0..200_u16 {
        let short = blob(n % 10, 100 * (1 + usize::from(n) % 50));
        world.send(A, if n % 7 == 0 { short.unordered() } else { short });
    }
    for n in 0..60 {
        world.send(A, blob(n % 10, 12_000));
        world.send(Z, blob(n % 10, if n % 2 == 0 { 12_000 } else { 700 }));
    }
    world.run_for(secs(600));
    let arrived = (world.messages(A).len(), world.messages(Z).len());
    assert_eq!(arrived, (60, 260), "{name}, seed {}", setup.seed);
    assert_eq!(world.stats(A).send_buffered, 0, "{name}");
    world.shutdown(A);
    world.run_for(secs(60));
    assert!(!world.is_open(A), "{name}");
}

#[test]
fn everything_arrives_over_lossy_links_whatever_is_agreed_on() {
    for (name, paths, tune) in CASES {
        for seed in 0..4 {
            let mut setup = Setup::quiet(tune).paths(paths);
            setup.seed = seed;
            setup.link.loss = 50;
            setup.link.reorder = 50;
            setup.link.duplicate = 20;
            assert_all_arrives(name, &setup);
        }
    }
}

#[test]
fn every_scheduler_delivers_everything_over_a_lossy_link() {
    for scheduler in SCHEDULERS {
        for (interleaving, recovery) in [
            (Interleaving::Off, LossRecovery::Selective),
            (Interleaving::On, LossRecovery::Selective),
            (Interleaving::On, LossRecovery::GoBackN),
        ] {
            let mut setup = Setup::quiet(|options| {
                options.scheduler = scheduler;
                options.interleaving = interleaving;
                options.loss_recovery = recovery;
            });
            setup.link.loss = 30;
            let name = format!("{scheduler:?}, {interleaving:?}, {recovery:?}");
            assert_all_arrives(&name, &setup);
        }
    }
}
