//! The TCP as a whole, in the simulated network, beside theory.

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

/// `options.len()` senders behind one router, as many receivers behind another, one bottleneck
/// between. Returns the bytes that each receiver has got between `from` and `upto`.
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
            // Not all at the same instant, or they lose in step.
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

    /// Goodput of each connection in bytes per second, in `span` after `warm_up`.
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

/// All that a connection can be made of.
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
        for (mbit, delay) in [(10, 10), (50, 10), (20, 50)] {
            // A queue of one bandwidth-delay product: a halved window still fills the pipe.
            let bdp = mbit * 2 * delay * 1000 / 8 / 1500;
            let spec = LinkSpec {
                queue: drop_tail(bdp.max(10) as usize),
                ..LinkSpec::new(Bitrate::mbit(mbit), ms(delay))
            };
            let mut net = Dumbbell::new(1, &spec, &[options.clone()]);
            let goodput = net.goodput(ms(8_000), ms(10_000))[0];
            // 1460 bytes of each 1500 on the link.
            let share = goodput * 8.0 / (mbit as f64 * 1e6) * 1500.0 / 1460.0;
            assert!(
                share >= 0.95,
                "{name} on {mbit} Mbit/s, {delay} ms: {share:.3}, {:?}",
                net.stats(0)
            );
        }
    }
}

/// Goodput over MSS/RTT, times the square root of p: the constant of the square-root law.
fn constant(options: &Options, p: f64) -> f64 {
    const RTT: u64 = 100;
    let spec = LinkSpec {
        loss: Errors::Uniform(Probability::new(p)),
        queue: drop_tail(100_000),
        ..LinkSpec::new(Bitrate::mbit(1000), ms(RTT / 2))
    };
    // Enough losses for a mean within a few per cent.
    let span = ms((12_000.0 / p.sqrt() + 800_000.0 * (p / 0.02)) as u64);
    let mut net = Dumbbell::new(
        7,
        &spec,
        &[options.clone(), options.clone(), options.clone()],
    );
    let goodput = net.goodput(ms(20_000), span);
    let mean = goodput.iter().sum::<f64>() / goodput.len() as f64;
    let all: Vec<_> = (0..3).map(|n| net.stats(n).sent).collect();
    println!("{p} {all:?}");
    mean / 1460.0 * (RTT as f64 / 1000.0) * p.sqrt()
}

/// Mathis, Semke, Mahdavi and Ott 1997: the constant is the root of 3/2, or of 3/4 where the window
/// grows with each acknowledgement and every second segment is acknowledged.
#[test]
fn goodput_falls_with_the_square_root_of_the_loss_rate() {
    for p in [0.001, 0.005, 0.02] {
        let measured = constant(&large(), p) / 1.5_f64.sqrt();
        println!("bytes {p}: {measured:.3}");
        assert!((0.85..1.15).contains(&measured), "{p}: {measured:.3}");
    }
    // Smaller windows: above 1 % they are but a handful of segments.
    let options = Options {
        counting: Counting::Acknowledgements,
        ..large()
    };
    for p in [0.001, 0.005, 0.01] {
        let measured = constant(&options, p) / 0.75_f64.sqrt();
        assert!((0.85..1.15).contains(&measured), "{p}: {measured:.3}");
    }
}

/// Jain's index of several connections with the same options over one bottleneck.
fn jain(goodput: &[f64]) -> f64 {
    let sum: f64 = goodput.iter().sum();
    let squares: f64 = goodput.iter().map(|g| g * g).sum();
    sum * sum / (goodput.len() as f64 * squares)
}

#[test]
fn connections_of_a_kind_share_a_bottleneck_fairly() {
    for (name, options) in variants() {
        let spec = LinkSpec {
            queue: drop_tail(50),
            // Enough that they do not lose in step for ever.
            loss: Errors::Uniform(Probability::new(0.0001)),
            ..LinkSpec::new(Bitrate::mbit(10), ms(20))
        };
        let mut net = Dumbbell::new(3, &spec, &vec![options; 3]);
        let goodput = net.goodput(ms(20_000), ms(100_000));
        let index = jain(&goodput);
        println!("{name}: {index:.3} {goodput:?}");
        assert!(index >= 0.95, "{name}: {index:.3} {goodput:?}");
        let total: f64 = goodput.iter().sum();
        assert!(total * 8.0 > 0.9 * 10e6, "{name}: {total}");
    }
}
