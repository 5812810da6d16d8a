//! Simulated packets per second of wall time: one bulk flow over a lossless link of 1 Gbit/s.
//!
//! `cargo bench -p sheave-sim` prints the best of several rounds, in CPU time where the system
//! reports it, which reduces the influence of other programs.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;
use std::time::Instant;

use sheave_engine::{Checksum, EndpointOptions, Options, Profile, Time};
use sheave_sim::{Bitrate, Bulk, Expected, LinkSpec, Program, Sctp, Sink, World};

const A: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const B: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const PORT: u16 = 7;
const SIMULATED: Duration = Duration::from_secs(10);
const ROUNDS: usize = 5;

/// CPU time of this thread.
fn on_processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = stat.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

fn world(checksum: Checksum) -> World {
    let mut world = World::new(1);
    let options = Options {
        send_buffer: 1 << 20,
        receive_buffer: 1 << 20,
        ..Profile::Rfc9260.options()
    };
    let endpoint = EndpointOptions {
        checksum,
        ..EndpointOptions::default()
    };
    let spec = LinkSpec::new(Bitrate::mbit(1000), Duration::from_micros(50));
    let hosts = [A, B].map(|ip| world.add_host("host", &[ip]).expect("a fresh address"));
    let [a, b] = [A, B].map(|ip| world.interface(ip).expect("an interface"));
    world
        .add_links("link", a, b, &spec)
        .expect("free interfaces");
    let client = Sctp::client(
        &[A],
        (&[B], PORT),
        options.clone(),
        endpoint.clone(),
        world.seed("client"),
    );
    let server = Sctp::server(&[B], PORT, options, endpoint, world.seed("server"));
    let bulk = Bulk::endless(1452, 1);
    let sink = Sink::counting(Expected::Everything);
    world.add_agent(hosts[0], Box::new(Program::new(client, bulk, Time::ZERO)));
    world.add_agent(hosts[1], Box::new(Program::new(server, sink, Time::ZERO)));
    world
}

fn main() {
    for checksum in [Checksum::Offloaded, Checksum::Computed] {
        let mut best = 0.0_f64;
        for _ in 0..ROUNDS {
            let mut world = world(checksum);
            let (begin, before) = (Instant::now(), on_processor());
            world.run_for(SIMULATED);
            let wall = begin.elapsed();
            let spent = before.zip(on_processor());
            let spent = spent.map_or(wall, |(before, after)| after - before);
            let links: Vec<_> = world.links().map(|(id, _)| id).collect();
            let stats = links.iter().map(|link| world.link_stats(*link));
            let packets: u64 = stats.map(|stats| stats.delivered).sum();
            best = best.max(packets as f64 / spent.as_secs_f64());
            println!(
                "{checksum:?}: {packets} packets in {wall:.2?}, {spent:.2?} on the processor, \
                 fingerprint {}",
                world.fingerprint()
            );
        }
        println!("{checksum:?}: {:.2} million packets/s", best / 1e6);
    }
}
