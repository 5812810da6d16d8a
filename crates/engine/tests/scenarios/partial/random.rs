//! Random losses: whatever is abandoned, nothing is kept and the association closes.

use crate::prelude::*;

use super::{options, partial};

const MESSAGES: usize = 60;

fn setup(random: &mut Random) -> Setup {
    let mut setup = partial(|options| {
        options.rto_min = [ms(50), ms(200), secs(1)][random.index(3)];
        options.rto_initial = ms(300);
        options.rto_max = secs(2);
        options.association_max_retrans = 200;
        options.path_max_retrans = 200;
        options.initial_pmtu = [576, 1500][random.index(2)];
        options.sack_delay = ms(random.below(201));
        if random.chance(300) {
            options.loss_detection = LossDetection::Rack;
        } else if random.chance(200) {
            options.loss_recovery = LossRecovery::GoBackN;
        }
        if random.chance(300) {
            options.receive_buffer = 4096 + random.index(20_000);
            options.partial_delivery_point = options.receive_buffer / 2;
        }
        if random.chance(400) {
            options.send_buffer = 3000 + random.index(20_000);
        }
        if random.chance(300) {
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        }
        let schedulers = [StreamScheduler::FirstCome, StreamScheduler::RoundRobin];
        options.scheduler = schedulers[random.index(2)];
        if random.chance(400) {
            options.interleaving = Interleaving::On;
        }
    });
    setup.seed = random.below(u64::MAX);
    setup.link.delay = Duration::from_micros(200 + random.below(50_000));
    setup
}

fn reliability(random: &mut Random) -> Reliability {
    match random.below(5) {
        0 => Reliability::Reliable,
        1 => Reliability::Timed(ms(1 + random.below(1500))),
        2 => Reliability::Retransmissions(random.below(3) as u8),
        3 => Reliability::Priority(random.below(3) as u32),
        _ => Reliability::Retransmissions(0),
    }
}

fn message(random: &mut Random) -> Message {
    let longest = [40, 1500, 9000][random.index(3)];
    let len = 4 + random.index(longest);
    let message = blob(random.below(4) as u16, len);
    if random.chance(300) {
        message.unordered()
    } else {
        message
    }
}

/// Sets the association up, loses packets until all is delivered or abandoned, and closes.
fn play(seed: u64) {
    let mut random = Random::new(seed ^ 0x7a57_1e55);
    let setup = setup(&mut random);
    let perfect = setup.link.clone();
    let lossy = Link {
        loss: random.below(250) as u16,
        duplicate: random.below(80) as u16,
        reorder: random.below(120) as u16,
        corrupt: random.below(40) as u16,
        ..perfect.clone()
    };
    let set = |world: &mut World, link: &Link| {
        for (from, to) in [(A, Z), (Z, A)] {
            world.set_link(address(from, 1), address(to, 1), link.clone());
        }
    };
    let mut world = setup.established();
    set(&mut world, &lossy);
    if random.chance(300) {
        world.calls = Calls::Redundant;
    }
    for n in 0..MESSAGES * 2 {
        let message = message(&mut random);
        let options = options(reliability(&mut random));
        world.send_with([A, Z][n % 2], message, options);
        world.run_for(Duration::from_micros(random.below(30_000)));
    }
    world.wait(secs(3600), |world| {
        let mut hosts = [A, Z].into_iter();
        hosts.all(|host| world.waiting(host) == 0 && world.stats(host).send_buffered == 0)
    });
    world.run_for(secs(30));
    // A shutdown over such a link may take longer than it is given.
    set(&mut world, &perfect);
    super::finish(&mut world);
}

/// Regression, seeds 231 and 620: under go-back-N, messages abandoned after an answered FORWARD TSN
/// were never skipped, and the shutdown waited for ever.
#[test]
fn messages_given_up_behind_a_skip_are_skipped_before_the_shutdown() {
    (0..100).chain([231, 620]).for_each(play);
}
