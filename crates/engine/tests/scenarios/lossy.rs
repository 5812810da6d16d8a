//! Random networks, random users: every message arrives exactly once and in the order of its
//! stream, or the end of its association is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use core::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};
use sheave_engine::{
    CloseReason, Coalescing, Connect, Delivery, Event, FastRetransmissions, Heartbeats,
    Interleaving, LossDetection, Message, Options, PartialReliability, PeerAddress, Phase, Profile,
    SendOptions, StreamScheduler,
};

use crate::world::{
    A, Calls, HostId, Link, PORT, Random, Reading, Setup, World, Z, address, ms, secs,
};

/// A call of a user at an instant.
#[derive(Clone, Debug)]
enum Act {
    Send(HostId, Message),
    Read(HostId, Reading),
    Shutdown(HostId),
    Abort(HostId),
    /// A loses all state and connects again.
    Restart,
    /// Z connects, too.
    Dial,
    /// A NAT gives A another UDP port.
    Rebind(u16),
}

/// The carriage of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carriage {
    Native,
    Encapsulated,
}

/// A random run.
#[derive(Debug)]
pub(crate) struct Scenario {
    setup: Setup,
    links: BTreeMap<(HostIndex, u8), Link>,
    outages: Vec<(u8, Duration, Duration)>,
    carriage: Carriage,
    acts: Vec<(Duration, Act)>,
    calls: Calls,
    max_segments: usize,
}

/// The UDP port of both ends at first.
const UDP: u16 = 9899;

/// 0 for the direction from A to Z, 1 for the other.
type HostIndex = u8;

impl Scenario {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5ca1_ab1e);
        let paths = 1 + u8::from(random.chance(400)) + u8::from(random.chance(150));
        let setup = Setup {
            seed,
            a: options(&mut random),
            z: options(&mut random),
            ..Setup::default()
        }
        .paths(paths);
        let mut links = BTreeMap::new();
        let mut outages = Vec::new();
        for n in 1..=paths {
            let hard = random.chance(500);
            for direction in [0, 1] {
                links.insert((direction, n), link(&mut random, hard));
            }
            for _ in 0..random.below(4) / 2 {
                let start = Duration::from_millis(random.below(8000));
                outages.push((n, start, Duration::from_millis(50 + random.below(4000))));
            }
        }
        let mut acts = acts(&mut random);
        if random.chance(150) {
            acts.push((ms(random.below(200)), Act::Dial));
        }
        let mut carriage = Carriage::Native;
        if random.chance(200) {
            carriage = Carriage::Encapsulated;
            for _ in 0..random.below(4) {
                let port = 9900 + random.below(100) as u16;
                acts.push((ms(random.below(8000)), Act::Rebind(port)));
            }
        }
        acts.sort_by_key(|(at, _)| *at);
        let calls = if random.chance(200) {
            Calls::Redundant
        } else {
            Calls::Exact
        };
        let max_segments = [1, 2, 8, 64][random.index(4)];
        Self {
            setup,
            links,
            outages,
            carriage,
            acts,
            calls,
            max_segments,
        }
    }

    /// Like [`Scenario::new`], with options that came later drawn too; they have a source of their own,
    /// so that the runs whose fingerprints are stored stay what they are.
    fn varied(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x0dd5_0fa1);
        let mut scenario = Self::new(seed);
        for options in [&mut scenario.setup.a, &mut scenario.setup.z] {
            if random.chance(600) {
                options.loss_detection = LossDetection::Rack;
            }
            if random.chance(100) {
                options.fast_retransmissions = FastRetransmissions::OtherPath;
            }
            // Every message is reliable here, and must not notice.
            if random.chance(300) {
                options.partial_reliability = PartialReliability::On;
            }
        }
        for options in [&mut scenario.setup.a, &mut scenario.setup.z] {
            if random.chance(400) {
                options.multipath = Multipath::Concurrent(transfer(&mut random));
            }
            if random.chance(200) {
                options.potentially_failed_max_retrans = Some(0);
            }
        }
        let interleaving = random.chance(500);
        for options in [&mut scenario.setup.a, &mut scenario.setup.z] {
            if interleaving && !random.chance(100) {
                options.interleaving = Interleaving::On;
            }
            options.scheduler = [
                StreamScheduler::FirstCome,
                StreamScheduler::RoundRobin,
                StreamScheduler::RoundRobinPerPacket,
                StreamScheduler::Priority,
                StreamScheduler::FairBandwidth,
                StreamScheduler::WeightedFairQueueing,
            ][random.index(6)];
        }
        for options in [&mut scenario.setup.a, &mut scenario.setup.z] {
            if random.chance(200) {
                modernise(options);
            }
        }
        scenario
    }

    /// Runs it to its end.
    pub(crate) fn play(&self) -> World {
        let mut world = self.setup.world();
        world.calls = self.calls;
        world.max_segments = self.max_segments;
        for ((direction, n), link) in &self.links {
            let (a, z) = (address(A, *n), address(Z, *n));
            let (from, to) = if *direction == 0 { (a, z) } else { (z, a) };
            world.set_link(from, to, link.clone());
        }
        let began = world.now();
        for (n, start, span) in &self.outages {
            world.cut_path_during(*n, began + *start..began + *start + *span);
        }
        if self.carriage == Carriage::Encapsulated {
            world.set_udp(A, Some(UDP));
            world.set_udp(Z, Some(UDP));
        }
        self.connect(&mut world, A, self.dials().then_some(PORT), PORT);
        for (at, act) in &self.acts {
            let until = began + *at;
            world.run_for(until.since(world.now()));
            self.perform(&mut world, act);
        }
        for host in [A, Z] {
            world.set_reading(host, Reading::Eager);
        }
        assert!(world.run_until(secs(7200), settled), "it comes to no rest");
        for host in [A, Z] {
            if is_up(&mut world, host) {
                world.shutdown(host);
                break;
            }
        }
        assert!(world.run_until(secs(7200), gone), "it does not end");
        world.run_for(secs(1));
        world
    }

    fn perform(&self, world: &mut World, act: &Act) {
        match act {
            Act::Send(host, message) => {
                let context = number(message) as u64;
                let options = SendOptions {
                    context,
                    ..SendOptions::default()
                };
                world.send_with(*host, message.clone(), options);
            }
            Act::Read(host, reading) => world.set_reading(*host, *reading),
            Act::Shutdown(host) if is_up(world, *host) && world.waiting(*host) == 0 => {
                world.shutdown(*host);
            }
            Act::Abort(host) if world.is_open(*host) => world.abort(*host, "scripted"),
            Act::Restart if is_up(world, A) => {
                let port = world.stats(A).local_port;
                let fresh = self.setup.engine(world, &self.setup.a_addresses);
                world.reboot(A, fresh);
                self.connect(world, A, Some(port), PORT);
            }
            Act::Dial if world.endpoint(Z).stats().associations == 0 => {
                self.connect(world, Z, Some(PORT), PORT);
            }
            Act::Rebind(port) => world.set_udp(A, Some(*port)),
            Act::Shutdown(_) | Act::Abort(_) | Act::Restart | Act::Dial => {}
        }
    }

    fn connect(&self, world: &mut World, host: HostId, local_port: Option<u16>, remote_port: u16) {
        let ip = if host == A {
            self.setup.z_addresses[0]
        } else {
            self.setup.a_addresses[0]
        };
        let options = if host == A {
            &self.setup.a
        } else {
            &self.setup.z
        };
        let remote = match self.carriage {
            Carriage::Native => PeerAddress::native(ip),
            Carriage::Encapsulated => PeerAddress::encapsulated(ip, UDP),
        };
        let to = Connect {
            local_port,
            local: Vec::new(),
            remote_port,
            remote: vec![remote],
            options: options.clone(),
        };
        let now = world.now();
        let id = world.endpoint(host).connect(now, to).expect("a free port");
        world.set_current(host, id);
    }

    /// Whether both ends connect.
    fn dials(&self) -> bool {
        self.acts.iter().any(|(_, act)| matches!(act, Act::Dial))
    }

    fn restarts(&self) -> bool {
        self.acts.iter().any(|(_, act)| matches!(act, Act::Restart))
    }

    /// Checks what was promised; says whether everything sent was delivered.
    fn check(&self, world: &World) -> bool {
        let mut complete = true;
        for (sender, receiver) in [(A, Z), (Z, A)] {
            let sent: Vec<&Message> = self.sent_by(sender).collect();
            let received = world.messages(receiver);
            check_received(&sent, &received);
            complete &= received.len() == sent.len();
            if !self.restarts() {
                check_accounts(world, sender, &received);
            }
        }
        complete
    }

    fn sent_by(&self, sender: HostId) -> impl Iterator<Item = &Message> {
        self.acts.iter().filter_map(move |(_, act)| match act {
            Act::Send(host, message) if *host == sender => Some(message),
            _ => None,
        })
    }
}

/// Each message that the engine took was delivered, or came back; and came back only if the user was told that
/// the association ended before its time.
fn check_accounts(world: &World, sender: HostId, received: &[Message]) {
    let mut missing: BTreeSet<u64> = world.accepted(sender).iter().copied().collect();
    for message in received {
        missing.remove(&(number(message) as u64));
    }
    if missing.is_empty() {
        return;
    }
    let told = [A, Z].map(|host| ended_badly(world, host));
    assert_ne!(
        told,
        [false, false],
        "messages missing, and nobody was told"
    );
    // A receiver that ends it may have acknowledged what it could not deliver any more.
    if ended_badly(world, sender) {
        for context in world.failed(sender) {
            missing.remove(&context);
        }
        assert!(
            missing.is_empty(),
            "neither delivered nor given back: {missing:?}"
        );
    }
}

/// The number that a message begins with.
fn number(message: &Message) -> usize {
    let bytes: [u8; 4] = message.payload[..4].try_into().unwrap();
    u32::from_be_bytes(bytes) as usize
}

/// At most once, untouched, and in order within each stream.
fn check_received(sent: &[&Message], received: &[Message]) {
    let mut seen = vec![false; sent.len()];
    let mut last: BTreeMap<StreamId, usize> = BTreeMap::new();
    for message in received {
        let n = number(message);
        assert!(n < sent.len(), "a message that nobody sent");
        assert_eq!(sent[n], message, "message {n} is not as it was sent");
        assert!(!seen[n], "message {n} came twice");
        seen[n] = true;
        if message.delivery == Delivery::Ordered {
            let before = last.insert(message.stream, n);
            assert!(before < Some(n), "message {n} came after {before:?}");
        }
    }
}

fn is_up(world: &mut World, host: HostId) -> bool {
    world.is_open(host) && world.assoc(host).phase() == Phase::Established
}

fn gone(world: &mut World) -> bool {
    [A, Z]
        .into_iter()
        .all(|host| world.endpoint(host).stats().associations == 0)
}

/// Whether the host's user was told that an association ended before its time.
fn ended_badly(world: &World, host: HostId) -> bool {
    let mut reasons = world
        .timed_events(host)
        .iter()
        .filter_map(|(_, _, event)| match event {
            Event::Closed { reason, .. } => Some(reason),
            _ => None,
        });
    reasons.any(|reason| *reason != CloseReason::Graceful)
}

/// Nothing is under way any more, or one end is gone for good.
fn settled(world: &mut World) -> bool {
    if gone(world) {
        return true;
    }
    [A, Z].into_iter().all(|host| {
        is_up(world, host) && world.waiting(host) == 0 && world.stats(host).send_buffered == 0
    })
}

fn options(random: &mut Random) -> Options {
    let profiles = [
        Profile::Rfc9260,
        Profile::Linux,
        Profile::Telecom,
        Profile::Datacenter,
    ];
    let mut options = profiles[random.index(4)].options();
    // Enough patience that most runs end with everything delivered.
    options.association_max_retrans = options.association_max_retrans.max(10);
    options.max_init_retransmits = 12;
    options.path_max_retrans = random.below(6) as u32;
    if random.chance(700) {
        options.rto_min = [ms(10), ms(50), ms(200)][random.index(3)];
        options.rto_initial = options.rto_initial.min(ms(500));
        options.rto_max = secs(2);
    }
    if random.chance(400) {
        options.heartbeats = Heartbeats::Every(ms(100 + random.below(3000)));
    }
    options.sack_frequency = 1 + random.below(4) as u8;
    options.sack_delay = ms(random.below(201));
    if random.chance(250) {
        options.coalescing = Coalescing::Nagle;
    }
    if random.chance(350) {
        options.receive_buffer = 4096 + random.index(30_000);
        options.partial_delivery_point = options.receive_buffer / 2;
    }
    if random.chance(300) {
        options.send_buffer = 1500 + random.index(20_000);
    }
    options.initial_pmtu = [576, 1280, 1500][random.index(3)];
    options.max_burst = [None, Some(1), Some(4)][random.index(3)];
    options
}

/// Adds what sets the profile `Modern` apart, but for the timing.
fn modernise(options: &mut Options) {
    let modern = Profile::Modern.options();
    options.path_max_retrans = modern.path_max_retrans;
    options.potentially_failed_max_retrans = modern.potentially_failed_max_retrans;
    options.dead_peer_timeout = modern.dead_peer_timeout;
    if options.heartbeats == Profile::Rfc9260.options().heartbeats {
        options.heartbeats = modern.heartbeats;
    }
    options.loss_detection = modern.loss_detection;
    options.congestion = modern.congestion;
    options.window_rules = modern.window_rules;
    // Coupled windows are New Reno's.
    if let Multipath::Concurrent(transfer) = &mut options.multipath {
        transfer.coupling = Coupling::Uncoupled;
    }
}

fn transfer(random: &mut Random) -> ConcurrentTransfer {
    ConcurrentTransfer {
        scheduler: [
            PathScheduler::LowestRtt,
            PathScheduler::LargestWindow,
            PathScheduler::RoundRobin,
        ][random.index(3)],
        retransmissions: [
            RetransmissionPath::LargestWindow,
            RetransmissionPath::LargestThreshold,
            RetransmissionPath::Same,
        ][random.index(3)],
        splitting: [BufferSplitting::Off, BufferSplitting::Even][random.index(2)],
        coupling: [
            Coupling::Uncoupled,
            Coupling::PooledThresholds,
            Coupling::PooledRates,
            Coupling::LinkedIncreases,
        ][random.index(4)],
    }
}

fn link(random: &mut Random, hard: bool) -> Link {
    let most = |random: &mut Random, bound: u64| {
        if hard && random.chance(600) {
            random.below(bound) as u16
        } else {
            0
        }
    };
    Link {
        oversize: crate::world::Oversize::Lost,
        delay: Duration::from_micros(100 + random.below(60_000)),
        jitter: Duration::from_micros(random.below(10_000)),
        rate: random
            .chance(300)
            .then(|| 500_000 + random.below(20_000_000)),
        queue: 10_000 + random.below(60_000),
        mtu: 1500,
        loss: most(random, 200),
        duplicate: most(random, 150),
        reorder: most(random, 150),
        corrupt: most(random, 100),
        down: Vec::new(),
    }
}

fn acts(random: &mut Random) -> Vec<(Duration, Act)> {
    let mut acts = Vec::new();
    let span = 200 + random.below(4000);
    let count = [random.below(40), random.below(20)];
    let longest = [60, 1200, 12_000, 50_000][random.index(4)];
    for (host, count) in [A, Z].into_iter().zip(count) {
        let mut times: Vec<u64> = (0..count).map(|_| random.below(span)).collect();
        times.sort_unstable();
        for (n, at) in times.into_iter().enumerate() {
            let message = message(random, n as u32, longest);
            acts.push((ms(at), Act::Send(host, message)));
        }
    }
    for host in [A, Z] {
        if random.chance(250) {
            let at = random.below(span);
            acts.push((ms(at), Act::Read(host, Reading::Stopped)));
            let wake = at + random.below(3000);
            acts.push((ms(wake), Act::Read(host, Reading::Eager)));
        }
    }
    if random.chance(150) {
        acts.push((ms(random.below(span * 2)), Act::Restart));
    }
    if random.chance(150) {
        let host = [A, Z][random.index(2)];
        acts.push((ms(random.below(span * 2)), Act::Shutdown(host)));
        if random.chance(300) {
            acts.push((ms(random.below(span * 2)), Act::Shutdown(A)));
            acts.push((ms(random.below(span * 2)), Act::Shutdown(Z)));
        }
    }
    if random.chance(40) {
        let host = [A, Z][random.index(2)];
        acts.push((ms(random.below(span * 2)), Act::Abort(host)));
    }
    acts.sort_by_key(|(at, _)| *at);
    acts
}

/// Begins with its number, by which it is known again.
fn message(random: &mut Random, number: u32, longest: usize) -> Message {
    let len = 4 + random.index(longest);
    let mut payload = number.to_be_bytes().to_vec();
    payload.extend((4..len).map(|at| (at as u32 ^ number) as u8));
    let message = Message::new(StreamId(random.below(6) as u16), payload);
    if random.chance(250) {
        message.unordered()
    } else {
        message
    }
}

// ---- running many ----

fn number_from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Plays `count` scenarios on all cores; gives back the seeds that failed and how many runs
/// delivered everything.
fn play_all(first: u64, count: u64) -> (Vec<u64>, u64) {
    let next = AtomicU64::new(first);
    let complete = AtomicU64::new(0);
    let failed = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    let run = catch_unwind(AssertUnwindSafe(|| {
                        let scenario = Scenario::varied(seed);
                        scenario.check(&scenario.play())
                    }));
                    match run {
                        Ok(all) => complete.fetch_add(u64::from(all), Ordering::Relaxed),
                        Err(_) => {
                            failed.lock().unwrap().push(seed);
                            0
                        }
                    };
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort_unstable();
    (failed, complete.into_inner())
}

/// `SHEAVE_SCENARIOS=10000` plays as many, from seed `SHEAVE_FIRST` on; `SHEAVE_SEED=n` plays that
/// one.
#[test]
fn every_message_arrives_exactly_once_and_in_order_or_the_end_is_reported() {
    let one = number_from_environment("SHEAVE_SEED");
    let count = number_from_environment("SHEAVE_SCENARIOS").unwrap_or(1000);
    let first = number_from_environment("SHEAVE_FIRST").unwrap_or(0);
    let (first, count) = one.map_or((first, count), |seed| (seed, 1));
    let (failed, complete) = play_all(first, count);
    println!(
        "{complete} of {count} scenarios delivered everything; seeds {first} to {}",
        first + count - 1
    );
    assert!(failed.is_empty(), "seeds that failed: {failed:?}");
    assert!(
        one.is_some() || complete * 100 >= count * 75,
        "{complete} of {count}"
    );
}

#[test]
fn the_scenarios_hold_what_they_promise() {
    let mut restarts = 0;
    let mut outages = 0;
    for seed in 0..1000 {
        let scenario = Scenario::new(seed);
        restarts += usize::from(scenario.restarts());
        outages += scenario.outages.len();
    }
    assert!(
        restarts > 100 && outages > 300,
        "{restarts} restarts, {outages} outages"
    );
    let ended = Scenario::new(3).play();
    let reported = ended
        .events(A)
        .iter()
        .any(|event| matches!(event, Event::Closed { .. }));
    assert!(reported);
}
