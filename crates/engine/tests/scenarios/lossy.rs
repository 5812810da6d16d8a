//! Random networks and users; runs have stored fingerprints. (The swarm checks delivery.)

use std::collections::BTreeMap;

use crate::prelude::*;

/// A user call at a given time.
#[derive(Clone, Debug)]
enum Act {
    Send(HostId, Message),
    Read(HostId, Reading),
    Shutdown(HostId),
    Abort(HostId),
    /// A loses all state and connects again.
    Restart,
    /// Z connects as well.
    Dial,
    /// A NAT gives A another UDP port.
    Rebind(u16),
}

/// Carriage of packets.
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

/// Initial UDP port of both ends.
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

    /// Runs the scenario to completion.
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
        world.connect(host, to);
    }

    /// Whether both ends connect.
    fn dials(&self) -> bool {
        self.acts.iter().any(|(_, act)| matches!(act, Act::Dial))
    }

    fn restarts(&self) -> bool {
        self.acts.iter().any(|(_, act)| matches!(act, Act::Restart))
    }
}

/// Reads the number at the start of a message.
fn number(message: &Message) -> usize {
    let bytes: [u8; 4] = message.payload[..4].try_into().unwrap();
    u32::from_be_bytes(bytes) as usize
}

fn is_up(world: &mut World, host: HostId) -> bool {
    world.is_open(host) && world.assoc(host).phase() == Phase::Established
}

fn gone(world: &mut World) -> bool {
    [A, Z]
        .into_iter()
        .all(|host| world.endpoint(host).stats().associations == 0)
}

/// Whether nothing is in flight, or one end is gone for good.
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
    // Enough retries that most runs deliver everything.
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

fn link(random: &mut Random, hard: bool) -> Link {
    let most = |random: &mut Random, bound: u64| {
        if hard && random.chance(600) {
            random.below(bound) as u16
        } else {
            0
        }
    };
    Link {
        oversize: Oversize::Lost,
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

/// Builds a message that starts with its number, for identification.
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
