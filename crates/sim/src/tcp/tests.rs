//! Tests of TCP in the simulated network, compared with theory.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use sheave_engine::Time;

use super::*;
use crate::{
    AgentId, Bitrate, Bulk, Discipline, Errors, Expected, Limit, LinkSpec, Probability, Program,
    Sink, World,
};

type Client = Program<Tcp, Bulk>;
type Server = Program<Tcp, Sink>;

const PORT: u16 = 80;

fn address(side: u8, n: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, side, 0, n))
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn drop_tail(packets: usize) -> Discipline {
    Discipline::DropTail(Limit::Packets(packets))
}

/// Senders behind one router, the same number of receivers behind another, and a bottleneck.
struct Dumbbell {
    world: World,
    clients: Vec<AgentId>,
    servers: Vec<AgentId>,
}

impl Dumbbell {
    fn new(seed: u64, bottleneck: &LinkSpec, options: &[Options]) -> Self {
        let mut world = World::new(seed);
        let left = world.add_router("left");
        let right = world.add_router("right");
        let back = LinkSpec {
            loss: Errors::None,
            ..bottleneck.clone()
        };
        world.add_link("there", left, right, bottleneck).unwrap();
        world.add_link("back", right, left, &back).unwrap();
        let access = LinkSpec::new(Bitrate::mbit(10_000), Duration::from_micros(10));
        let (mut clients, mut servers) = (Vec::new(), Vec::new());
        for (n, options) in (1..).zip(options) {
            let (near, far) = (address(1, n), address(2, n));
            let client = world.add_host("client", &[near]).unwrap();
            let server = world.add_host("server", &[far]).unwrap();
            let [a, b] = [near, far].map(|ip| world.interface(ip).unwrap());
            world
                .add_links(&format!("near{n}"), a, left, &access)
                .unwrap();
            world
                .add_links(&format!("far{n}"), right, b, &access)
                .unwrap();
            let seed = world.seed(&format!("seed{n}"));
            let tcp =
                Tcp::client(near, (far, PORT), options.clone(), seed).with_framing(Framing::Stream);
            // Staggered starts avoid synchronized losses.
            let start = Time::from_millis(137 * u64::from(n));
            let bulk = Program::new(tcp, Bulk::endless(1460, 1), start);
            clients.push(world.add_agent(client, Box::new(bulk)));
            let tcp = Tcp::server(PORT, options.clone(), seed).with_framing(Framing::Stream);
            let sink = Program::new(tcp, Sink::counting(Expected::Everything), Time::ZERO);
            servers.push(world.add_agent(server, Box::new(sink)));
        }
        Self {
            world,
            clients,
            servers,
        }
    }

    fn bytes(&self) -> Vec<u64> {
        let got = |id: &AgentId| self.world.agent::<Server>(*id).unwrap().workload().bytes();
        self.servers.iter().map(got).collect()
    }

    /// Goodput of each connection, bytes per second, measured for `span` after `warm_up`.
    fn goodput(&mut self, warm_up: Duration, span: Duration) -> Vec<f64> {
        self.world.run_for(warm_up);
        let before = self.bytes();
        self.world.run_for(span);
        let rate = |(after, before)| (after - before) as f64 / span.as_secs_f64();
        self.bytes().into_iter().zip(before).map(rate).collect()
    }

    fn stats(&mut self, n: usize) -> ConnectionStats {
        let client = self.world.agent_mut::<Client>(self.clients[n]).unwrap();
        client
            .transport_mut()
            .connection()
            .unwrap()
            .stats()
            .unwrap()
    }
}

fn large() -> Options {
    Options {
        send_buffer: 8 << 20,
        receive_buffer: 8 << 20,
        ..Options::default()
    }
}

/// The tested variants of TCP.
fn variants() -> Vec<(&'static str, Options)> {
    let reno = Options {
        selective: Selective::Off,
        ..large()
    };
    let cubic = Options {
        congestion: Congestion::Cubic,
        ..large()
    };
    let linux = Options {
        send_buffer: 8 << 20,
        receive_buffer: 8 << 20,
        ..Options::linux_like()
    };
    vec![
        ("NewReno", reno),
        ("NewReno with SACK", large()),
        ("CUBIC", cubic),
        ("like Linux", linux),
    ]
}

#[test]
fn a_link_without_errors_is_filled() {
    for (name, options) in variants() {
        for (mbit, delay) in [(10, 10), (20, 40)] {
            // The queue holds one bandwidth-delay product, so that a halved window still fills the
            // pipe.
            let bdp = mbit * 2 * delay * 1000 / 8 / 1500;
            let spec = LinkSpec {
                queue: drop_tail(bdp.max(10) as usize),
                ..LinkSpec::new(Bitrate::mbit(mbit), ms(delay))
            };
            let mut net = Dumbbell::new(1, &spec, core::slice::from_ref(&options));
            let goodput = net.goodput(ms(8_000), ms(6_000))[0];
            // Each 1500 bytes on the link carry 1460.
            let share = goodput * 8.0 / (mbit as f64 * 1e6) * 1500.0 / 1460.0;
            assert!(
                share >= 0.95,
                "{name} on {mbit} Mbit/s, {delay} ms: {share:.3}, {:?}",
                net.stats(0)
            );
        }
    }
}

/// Goodput in segments per round trip, with loss probability `p` per packet.
fn window(options: &Options, p: f64, seed: u64) -> f64 {
    let spec = LinkSpec {
        loss: Errors::Uniform(Probability::new(p)),
        queue: drop_tail(100_000),
        ..LinkSpec::new(Bitrate::mbit(1000), ms(50))
    };
    // About 150 losses at 0.1 %, and more where a test needs higher precision.
    let losses = 150.0 * (p / 0.001).sqrt();
    let span = Duration::from_secs_f64(losses / 36.0 / p.sqrt());
    let mut net = Dumbbell::new(
        seed,
        &spec,
        &[options.clone(), options.clone(), options.clone()],
    );
    let goodput = net.goodput(ms(20_000), span);
    let mean = goodput.iter().sum::<f64>() / goodput.len() as f64;
    mean / 1460.0 * 0.1
}

/// Mathis, Semke, Mahdavi and Ott 1997: the constant is the root of 3/2, or of 3/4 if the window
/// grows per acknowledgement and every second segment is acknowledged.
#[test]
fn goodput_falls_with_the_square_root_of_the_loss_rate() {
    let counting_acks = Options {
        counting: Counting::Acknowledgements,
        ..large()
    };
    // The law needs windows of more than a few segments: twelve at the largest loss of each case.
    let cases = [
        (large(), 1.5_f64.sqrt(), [0.001, 0.003, 0.01]),
        (counting_acks, 0.75_f64.sqrt(), [0.001, 0.002, 0.005]),
    ];
    for (options, constant, rates) in cases {
        for p in rates {
            let share = window(&options, p, 7) / (constant / p.sqrt());
            assert!((0.85..1.15).contains(&share), "{p}: {share:.3}");
        }
    }
}

/// Down to 2 %, the simple law applies under the conditions for which its constant, the root of
/// 3/2, was derived: every segment is acknowledged. The minimum timeout is Linux's 200 ms, two
/// round trips, since the law assumes no timeouts. At 2 %, eight seeds reached 83 to 93 % of the
/// law, 88 % on average (82 to 91 %, 86 % on average, with the 1 s of RFC 6298), so a single run is
/// not enough.
#[test]
fn the_law_holds_down_to_two_percent_where_every_segment_is_acknowledged() {
    let options = Options {
        acknowledgement: Acknowledgement::Immediate,
        rto_min: ms(200),
        ..large()
    };
    for (p, seeds) in [(0.001, 1), (0.005, 2), (0.02, 8)] {
        let windows = (1..=seeds).map(|seed| window(&options, p, seed));
        let mean = windows.sum::<f64>() / seeds as f64;
        let share = mean / (1.5_f64.sqrt() / p.sqrt());
        assert!((0.85..1.15).contains(&share), "{p}: {share:.3}");
    }
}

/// With delayed acknowledgements, the simple law fails at 2 %, where it predicts 8.7 segments and
/// this TCP has 19 % less. The law neglects the round trip of the recovery, in which the window
/// does not grow: with a maximum of `w` segments, a cycle delivers 3/8 w^2 + w/2 = 1/p segments in
/// w/2 + 1 round trips. The law also neglects timeouts, and the rounding of half an odd window to
/// whole segments.
#[test]
fn with_a_handful_of_segments_the_round_trip_of_the_recovery_counts() {
    let p: f64 = 0.02;
    let w = (-0.5 + (0.25 + 1.5 / p).sqrt()) / 0.75;
    let law = 1.0 / p / (w / 2.0 + 1.0);
    let share = window(&large(), p, 7) / law;
    assert!((0.85..1.15).contains(&share), "{share:.3}");
}

/// Jain's fairness index of several connections with the same options over one bottleneck.
fn jain(goodput: &[f64]) -> f64 {
    let sum: f64 = goodput.iter().sum();
    let squares: f64 = goodput.iter().map(|g| g * g).sum();
    sum * sum / (goodput.len() as f64 * squares)
}

#[test]
fn connections_of_a_kind_share_a_bottleneck_fairly() {
    for (name, options) in variants() {
        let spec = LinkSpec {
            queue: drop_tail(25),
            // Enough loss to keep the connections from losing packets in step forever.
            loss: Errors::Uniform(Probability::new(0.0001)),
            ..LinkSpec::new(Bitrate::mbit(5), ms(20))
        };
        let mut net = Dumbbell::new(3, &spec, &vec![options; 3]);
        let goodput = net.goodput(ms(15_000), ms(60_000));
        let index = jain(&goodput);
        assert!(index >= 0.95, "{name}: {index:.3} {goodput:?}");
        let total: f64 = goodput.iter().sum();
        assert!(total * 8.0 > 0.9 * 5e6, "{name}: {total}");
    }
}

#[test]
fn times_find_more_losses_without_a_timeout_than_reports_do() {
    let timeouts = |loss_detection| -> u64 {
        let options = Options {
            loss_detection,
            ..Options::linux_like()
        };
        let spec = LinkSpec {
            loss: Errors::Uniform(Probability::new(0.05)),
            ..LinkSpec::new(Bitrate::mbit(10), ms(20))
        };
        let of_seed = |seed| {
            let mut net = Dumbbell::new(seed, &spec, core::slice::from_ref(&options));
            net.goodput(ms(60_000), ms(1));
            net.stats(0).sent.timeouts
        };
        (1..=4).map(of_seed).sum()
    };
    let (times, reports) = (timeouts(LossDetection::Rack), timeouts(LossDetection::Sack));
    assert!(2 * times < reports, "{times} and {reports} timeouts");
}

#[test]
fn hystart_sends_little_again_where_slow_start_would_overshoot() {
    let repeated = |slow_start_exit| {
        let options = Options {
            send_buffer: 8 << 20,
            receive_buffer: 8 << 20,
            slow_start_exit,
            ..Options::linux_like()
        };
        // A bandwidth-delay product of 667 packets and a queue of the same length: HyStart ends at
        // 1.5 times the product.
        let spec = LinkSpec {
            queue: drop_tail(667),
            ..LinkSpec::new(Bitrate::mbit(100), ms(40))
        };
        let mut net = Dumbbell::new(1, &spec, core::slice::from_ref(&options));
        net.goodput(ms(2_000), ms(1));
        net.stats(0).sent.retransmissions
    };
    let (loss, hystart) = (
        repeated(SlowStartExit::Loss),
        repeated(SlowStartExit::HyStart),
    );
    assert!(loss > 300 && hystart < loss / 10, "{loss} and {hystart}");
}
