//! Random losses: whatever is abandoned, the rest arrives whole and in order.

use std::collections::{BTreeMap, BTreeSet};

use crate::prelude::*;

use super::partial;

const MESSAGES: usize = 60;

/// A message that a host was asked to send.
struct Sent {
    message: Message,
    reliability: Reliability,
}

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
    setup.link.loss = random.below(250) as u16;
    setup.link.duplicate = random.below(80) as u16;
    setup.link.reorder = random.below(120) as u16;
    setup.link.corrupt = random.below(40) as u16;
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

fn message(random: &mut Random, number: usize) -> Message {
    let longest = [40, 1500, 9000][random.index(3)];
    let len = 4 + random.index(longest);
    let mut payload = (number as u32).to_be_bytes().to_vec();
    payload.extend((4..len).map(|at| (at ^ number) as u8));
    let message = Message::new(StreamId(random.below(4) as u16), payload);
    if random.chance(300) {
        message.unordered()
    } else {
        message
    }
}

fn number(payload: &[u8]) -> usize {
    let bytes: [u8; 4] = payload[..4].try_into().unwrap();
    u32::from_be_bytes(bytes) as usize
}

fn play(seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed ^ 0x7a57_1e55);
    let mut world = setup(&mut random).established_whatever_is_lost();
    if random.chance(300) {
        world.calls = Calls::Redundant;
    }
    let mut sent = [Vec::new(), Vec::new()];
    for n in 0..MESSAGES * 2 {
        let host = [A, Z][n % 2];
        let one = Sent {
            message: message(&mut random, n / 2),
            reliability: reliability(&mut random),
        };
        let options = SendOptions {
            context: n as u64 / 2,
            reliability: one.reliability,
            ..SendOptions::default()
        };
        world.send_with(host, one.message.clone(), options);
        sent[n % 2].push(one);
        world.run_for(Duration::from_micros(random.below(30_000)));
    }
    world.wait(secs(3600), |world| {
        let mut hosts = [A, Z].into_iter();
        hosts.all(|host| world.waiting(host) == 0 && world.stats(host).send_buffered == 0)
    });
    world.run_for(secs(30));
    let mut sums = (0, 0);
    for (host, peer, sent) in [(A, Z, &sent[0]), (Z, A, &sent[1])] {
        let (read, told) = check(&world, host, peer, sent);
        sums = (sums.0 + read, sums.1 + told);
        assert_eq!(world.stats(peer).receive_buffered, 0, "bytes are kept");
    }
    // A shutdown over such a link may take longer than it is given.
    for (from, to) in [(A, Z), (Z, A)] {
        let perfect = Link::default();
        world.set_link(address(from, 1), address(to, 1), perfect);
    }
    super::finish(&mut world);
    sums
}

/// Checks that read messages are whole and in order, and that the others were reported. Returns the
/// number of messages read and abandoned.
fn check(world: &World, host: HostId, peer: HostId, sent: &[Sent]) -> (usize, usize) {
    let mut read = BTreeSet::new();
    let mut last: BTreeMap<StreamId, usize> = BTreeMap::new();
    for message in whole_messages(world, peer) {
        let n = number(&message.payload);
        assert_eq!(message, sent[n].message, "message {n} differs");
        assert!(read.insert(n), "message {n} came twice");
        if message.delivery == Delivery::Ordered {
            let before = last.insert(message.stream, n);
            assert!(before < Some(n), "message {n} came after {before:?}");
        }
    }
    let mut told = BTreeSet::new();
    for event in world.events(host) {
        if let Event::Abandoned {
            message, context, ..
        } = event
        {
            let n = context as usize;
            assert_eq!(message, sent[n].message);
            assert_ne!(sent[n].reliability, Reliability::Reliable);
            assert!(told.insert(n), "message {n} was given up twice");
        }
    }
    for n in 0..sent.len() {
        let known = read.contains(&n) || told.contains(&n);
        assert!(known, "message {n} is neither there nor given up");
    }
    (read.len(), told.len())
}

/// Joined messages, without aborted ones.
fn whole_messages(world: &World, host: HostId) -> Vec<Message> {
    let mut begun: BTreeMap<StreamId, Vec<u8>> = BTreeMap::new();
    let mut whole = Vec::new();
    for (_, _, received) in world.received(host) {
        let message = &received.message;
        let bytes = begun.entry(message.stream).or_default();
        match received.part {
            Part::Whole => whole.push(message.clone()),
            Part::First => *bytes = message.payload.to_vec(),
            Part::Middle | Part::Last => bytes.extend_from_slice(&message.payload),
        }
        if received.part == Part::Last {
            whole.push(Message {
                payload: std::mem::take(bytes).into(),
                ..message.clone()
            });
        }
    }
    whole
}

impl Setup {
    /// Like [`established`](Self::established), with a perfect link during set-up.
    fn established_whatever_is_lost(&self) -> World {
        let mut perfect = self.clone();
        perfect.link = Link {
            delay: self.link.delay,
            ..Link::default()
        };
        let mut world = perfect.established();
        for (from, to) in [(A, Z), (Z, A)] {
            world.set_link(address(from, 1), address(to, 1), self.link.clone());
        }
        world
    }
}

/// Regression: under go-back-N, messages abandoned after an answered FORWARD TSN were never
/// skipped, and the shutdown waited for ever.
#[test]
fn messages_given_up_behind_a_skip_are_skipped_before_the_shutdown() {
    for seed in [231, 620] {
        play(seed);
    }
}

/// `SHEAVE_PARTIAL=10000` runs 10,000 seeds, `SHEAVE_PARTIAL_SEED=n` seed n.
#[test]
fn messages_are_read_whole_or_reported_abandoned_whatever_is_lost() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    if let Some(seed) = number("SHEAVE_PARTIAL_SEED") {
        play(seed);
        return;
    }
    let mut sums = (0, 0);
    for seed in 0..number("SHEAVE_PARTIAL").unwrap_or(150) {
        let (read, told) = std::panic::catch_unwind(|| play(seed))
            .unwrap_or_else(|_| panic!("SHEAVE_PARTIAL_SEED={seed}"));
        sums = (sums.0 + read, sums.1 + told);
    }
    println!("{} read, {} given up", sums.0, sums.1);
    assert!(sums.0 > sums.1 && sums.1 > 100, "{sums:?}");
}
