//! No wait without a timer: for any options, losses and user actions, an end with data to send is
//! never silent for longer than its timers may run. Once the network is healed and the users read,
//! everything is delivered or abandoned and the association closes gracefully.

use crate::prelude::*;

const RTO_MAX: Duration = Duration::from_secs(2);

/// RTO.Max, the same again if data yields to the peer's SSN/TSN reset, plus a delayed answer.
const LONGEST_SILENCE: Duration = Duration::from_millis(4600);

const STREAMS: u16 = 4;

/// Options that each end may choose for itself.
fn tune(random: &mut Random, options: &mut Options) {
    options.heartbeats = Heartbeats::Off;
    options.rto_min = [ms(20), ms(200), secs(1)][random.index(3)];
    options.rto_initial = ms(300).max(options.rto_min);
    options.rto_max = RTO_MAX;
    options.association_max_retrans = 1000;
    options.path_max_retrans = 1000;
    options.sack_delay = ms(random.below(201));
    options.initial_pmtu = [576, 1500][random.index(2)];
    options.scheduler = SCHEDULERS[random.index(6)];
    options.receive_buffer = 4096 + [0, random.index(3000), random.index(60_000)][random.index(3)];
    options.partial_delivery_point = options.receive_buffer / 2;
    options.send_buffer = 3000 + random.index(30_000);
    if random.chance(500) {
        options.coalescing = Coalescing::Nagle;
    }
    if random.chance(300) {
        options.loss_detection = LossDetection::Rack;
    }
    if random.chance(200) {
        options.pacing = Pacing::On;
    }
    if random.chance(400) {
        options.multipath = Multipath::Concurrent(ConcurrentTransfer::default());
    }
}

/// Options that need both ends.
fn agree(random: &mut Random) -> impl Fn(&mut Options) + use<> {
    let [partial, interleaving, reset, go_back, nr, drops] =
        [700, 500, 400, 100, 200, 300].map(|chance| random.chance(chance));
    move |options| {
        if partial {
            options.partial_reliability = PartialReliability::On;
        }
        if interleaving {
            options.interleaving = Interleaving::On;
        }
        if reset {
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        }
        if go_back && options.multipath == Multipath::Off {
            options.loss_recovery = LossRecovery::GoBackN;
        }
        if nr {
            options.selective_acks = SelectiveAcks::NonRenegable;
        }
        if drops {
            options.packet_drop_reports = PacketDropReports::On;
        }
    }
}

fn setup(random: &mut Random) -> (Setup, Link) {
    let agreed = agree(random);
    let mut setup = Setup {
        seed: random.below(u64::MAX),
        ..Setup::default()
    };
    for options in [&mut setup.a, &mut setup.z] {
        tune(random, options);
        agreed(options);
    }
    setup.link.delay = Duration::from_micros(200 + random.below(40_000));
    let lossy = Link {
        loss: random.below(250) as u16,
        duplicate: random.below(60) as u16,
        reorder: random.below(100) as u16,
        corrupt: random.below(60) as u16,
        ..setup.link.clone()
    };
    let paths = 1 + random.below(2) as u8;
    (setup.paths(paths), lossy)
}

fn reliability(random: &mut Random) -> Reliability {
    match random.below(4) {
        0 => Reliability::Reliable,
        1 => Reliability::Timed(ms(1 + random.below(1500))),
        2 => Reliability::Retransmissions(random.below(3) as u8),
        _ => Reliability::Priority(random.below(3) as u32),
    }
}

fn message(random: &mut Random) -> Message {
    let longest = [40, 1500, 9000][random.index(3)];
    let len = 1 + random.index(longest);
    let stream = StreamId(random.below(u64::from(STREAMS)) as u16);
    let message = Message::new(stream, vec![7; len]);
    if random.chance(300) {
        message.unordered()
    } else {
        message
    }
}

/// Calls that a user may make at any time.
fn meddle(world: &mut World, random: &mut Random, host: HostId) {
    let now = world.now();
    match random.below(9) {
        0 => world.set_reading(host, Reading::Stopped),
        1 => world.set_reading(host, Reading::Eager),
        2 => {
            let scheduler = SCHEDULERS[random.index(6)];
            world.assoc(host).set_stream_scheduler(now, scheduler);
        }
        3 => {
            let stream = StreamId(random.below(u64::from(STREAMS)) as u16);
            let directions = [StreamDirection::Outgoing, StreamDirection::Incoming];
            let direction = directions[random.index(2)];
            // Another request may be pending.
            let _ = world.assoc(host).reset_streams(now, &[stream], direction);
        }
        4 => {
            let _ = world.assoc(host).reset_tsns(now);
        }
        5 => {
            let stream = StreamId(random.below(u64::from(STREAMS)) as u16);
            let priority = random.below(3) as u16;
            let _ = world.assoc(host).set_stream_priority(now, stream, priority);
        }
        6 => warn(world, random, host),
        7 => {
            let remote = address(host.other(), 1 + random.below(2) as u8);
            let _ = world.assoc(host).set_primary(remote);
        }
        _ => {}
    }
    world.pump();
}

/// Delivers a warning from a node on the path about a packet, which may or may not be lost.
fn warn(world: &mut World, random: &mut Random, host: HostId) {
    let sent: Vec<&Record> = world.sent(host).collect();
    let last = sent.len().saturating_sub(1 + random.index(8));
    let Some(record) = sent.get(last) else { return };
    let (remote, quoted) = (record.to, record.bytes.clone());
    let warning = ErrorWarning {
        remote,
        quoted: &quoted,
    };
    let now = world.now();
    world.endpoint(host).handle_error_warning(now, warning);
}

/// Runs for `span`; checks that no end with data to send falls silent.
#[track_caller]
fn run_alive(world: &mut World, span: Duration) {
    let until = world.now() + span;
    while world.now() < until {
        let waits = [A, Z].map(|host| has_something(world, host));
        let sent = [A, Z].map(|host| world.sent(host).count());
        world.run_for(LONGEST_SILENCE.min(until.since(world.now())));
        if world.now() >= until {
            return;
        }
        for (host, (waits, before)) in [A, Z].into_iter().zip(waits.into_iter().zip(sent)) {
            if waits && has_something(world, host) {
                let silent = world.sent(host).count() == before;
                assert!(
                    !silent,
                    "{host:?} has fallen silent: {:?}",
                    world.stats(host)
                );
            }
        }
    }
}

fn has_something(world: &mut World, host: HostId) -> bool {
    world.is_open(host) && {
        let stats = world.stats(host);
        stats.send_buffered > 0 || stats.phase != Phase::Established
    }
}

fn set_links(world: &mut World, link: &Link) {
    for n in 1..=2 {
        for (from, to) in [(A, Z), (Z, A)] {
            world.set_link(address(from, n), address(to, n), link.clone());
        }
    }
}

fn play(seed: u64) {
    let mut random = Random::new(seed ^ 0x11fe_11fe);
    let (setup, lossy) = setup(&mut random);
    let mut world = setup.established();
    set_links(&mut world, &lossy);
    for n in 0..120_u64 {
        let host = [A, Z][random.index(2)];
        let options = SendOptions {
            context: n,
            reliability: reliability(&mut random),
            ..SendOptions::default()
        };
        let message = message(&mut random);
        world.send_with(host, message, options);
        if random.chance(150) {
            let host = [A, Z][random.index(2)];
            meddle(&mut world, &mut random, host);
        }
        world.run_for(Duration::from_micros(random.below(30_000)));
    }
    run_alive(&mut world, secs(20 + random.below(40)));
    let early = random.chance(300);
    if early {
        world.shutdown(A);
        run_alive(&mut world, secs(random.below(10)));
    }
    heal(&mut world, &setup.link);
    if early {
        // The guard timer may have expired.
        world.run_for(secs(60));
        assert!(!world.is_open(A) && !world.is_open(Z));
        return;
    }
    come_to_rest(&mut world);
    close(&mut world);
}

/// Ends all losses; users read everything.
fn heal(world: &mut World, perfect: &Link) {
    set_links(world, perfect);
    for host in [A, Z] {
        world.set_reading(host, Reading::Eager);
    }
    world.pump();
}

/// Checks that everything is delivered or abandoned, and nothing is kept.
fn come_to_rest(world: &mut World) {
    for _ in 0..60 {
        run_alive(world, secs(10));
        let done =
            |host: &HostId| world.waiting(*host) == 0 && world.stats(*host).send_buffered == 0;
        if [A, Z].iter().all(done) {
            break;
        }
    }
    world.run_for(secs(10));
    for host in [A, Z] {
        assert_eq!(world.waiting(host), 0);
        let stats = world.stats(host);
        assert_eq!(stats.send_buffered, 0, "{host:?}: {stats:?}");
        assert_eq!(stats.receive_buffered, 0, "{host:?}: {stats:?}");
    }
}

fn close(world: &mut World) {
    world.shutdown(A);
    world.run_for(secs(20));
    for host in [A, Z] {
        assert_eq!(world.close_reason(host), Some(CloseReason::Graceful));
    }
}

/// `SHEAVE_LIVENESS=10000` runs 10,000 seeds, `SHEAVE_LIVENESS_SEED=n` seed n.
#[test]
fn whoever_has_something_to_send_is_never_silent_and_comes_to_an_end() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    if let Some(seed) = number("SHEAVE_LIVENESS_SEED") {
        return play(seed);
    }
    let first = number("SHEAVE_LIVENESS_FROM").unwrap_or(0);
    let mut failed = Vec::new();
    for seed in first..first + number("SHEAVE_LIVENESS").unwrap_or(60) {
        if std::panic::catch_unwind(|| play(seed)).is_err() {
            failed.push(seed);
        }
    }
    assert!(failed.is_empty(), "SHEAVE_LIVENESS_SEED={failed:?}");
}
