use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::time::Duration;

use sheave_engine::{Delivery, EndpointOptions, Profile, Time};
use sheave_sim::tcp::{self, Framing, Tcp};
use sheave_sim::{
    AgentId, Bitrate, Bulk, Expected, HostId, LinkId, LinkSpec, Port, Program, Sctp, Sink,
    Transport, Udp, Workload, World,
};

use super::reader::Reader;
use super::recorder::Recorder;
use super::writer::Writer;
use super::{SCTP, TCP, UDP};

/// The reader's listening port.
const PORT: u16 = 5000;

/// Optional features, used if the transport has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes {
    /// Whether a program over TCP prefixes its messages with lengths.
    pub(super) framing: Framing,
    /// SCTP's order of delivery.
    pub(super) delivery: Delivery,
}

impl Wishes {
    /// Separate messages, in the usual order.
    pub(super) const MESSAGES: Self = Self {
        framing: Framing::Messages,
        delivery: Delivery::Ordered,
    };
    /// The plain service of a transport.
    pub(super) const BARE: Self = Self {
        framing: Framing::Stream,
        delivery: Delivery::Ordered,
    };
    /// Delivery as soon as possible, in any order.
    pub(super) const UNORDERED: Self = Self {
        framing: Framing::Messages,
        delivery: Delivery::Unordered,
    };
}

/// Two hosts: A with a writer, and B with a reader.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) world: World,
    hosts: [HostId; 2],
    addresses: [Vec<IpAddr>; 2],
    /// The links from A to B, one per path.
    pub(super) there: Vec<LinkId>,
}

/// The two programs of a transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) writer: AgentId,
    pub(super) reader: AgentId,
}

/// The link used by most runs.
pub(super) fn link() -> LinkSpec {
    LinkSpec::new(Bitrate::mbit(10), Duration::from_millis(10))
}

fn address(path: u8, host: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, path, 0, host))
}

impl Bench {
    /// Creates a path per pair of links, one for each direction.
    pub(super) fn new(seed: u64, paths: &[[LinkSpec; 2]]) -> Result<Self, String> {
        let world = World::new(seed);
        let numbers: Vec<u8> = (0..=u8::MAX).take(paths.len()).collect();
        let addresses =
            [1, 2].map(|host| numbers.iter().map(|path| address(*path, host)).collect());
        let mut bench = Self::with_hosts(world, addresses)?;
        for (number, [there, back]) in numbers.iter().zip(paths) {
            let ends = [1, 2].map(|host| bench.world.interface(address(*number, host)));
            let [Some(a), Some(b)] = ends else {
                return Err("a path without ends".to_owned());
            };
            let link = bench.link(&format!("path{number}"), (a, b), there)?;
            bench.link(&format!("path{number}-back"), (b, a), back)?;
            bench.there.push(link);
        }
        Ok(bench)
    }

    /// Creates a path through a bottleneck shared with a competing TCP; returns the competitor's
    /// sink.
    pub(super) fn shared(
        seed: u64,
        access: &LinkSpec,
        bottleneck: &LinkSpec,
    ) -> Result<(Self, AgentId), String> {
        let mut world = World::new(seed);
        let routers = [world.add_router("left"), world.add_router("right")];
        let mut bench = Self::with_hosts(world, [vec![address(0, 1)], vec![address(0, 2)]])?;
        let rival = [address(1, 1), address(1, 2)];
        let mut hosts = Vec::new();
        for address in rival {
            let host = bench.world.add_host("rival", &[address]);
            hosts.push(host.map_err(|error| error.to_string())?);
        }
        for (side, router) in routers.into_iter().enumerate() {
            for path in [0, 1] {
                let host = if side == 0 { 1 } else { 2 };
                let interface = bench.world.interface(address(path, host));
                let interface = interface.ok_or("no interface")?;
                let name = format!("access{path}{side}");
                bench.link(&name, (interface, router), access)?;
                bench.link(&format!("{name}-back"), (router, interface), access)?;
            }
        }
        let [left, right] = routers;
        let link = bench.link("bottleneck", (left, right), bottleneck)?;
        bench.link("bottleneck-back", (right, left), bottleneck)?;
        bench.there.push(link);
        let seeds = ["rival client", "rival server"].map(|label| bench.world.seed(label));
        let client = Tcp::client(
            rival[0],
            (rival[1], PORT),
            tcp::Options::default(),
            seeds[0],
        );
        let server = Tcp::server(PORT, tcp::Options::default(), seeds[1]);
        let bulk = Program::new(client, Bulk::endless(1460, 1), Time::ZERO);
        let sink = Program::new(server, Sink::counting(Expected::Everything), Time::ZERO);
        bench.world.add_agent(hosts[0], Box::new(bulk));
        let sink = bench.world.add_agent(hosts[1], Box::new(sink));
        Ok((bench, sink))
    }

    fn with_hosts(mut world: World, addresses: [Vec<IpAddr>; 2]) -> Result<Self, String> {
        let mut host = |name, at: &[IpAddr]| {
            let host = world.add_host(name, at);
            host.map_err(|error| error.to_string())
        };
        let hosts = [host("A", &addresses[0])?, host("B", &addresses[1])?];
        Ok(Self {
            world,
            hosts,
            addresses,
            there: Vec::new(),
        })
    }

    fn link(
        &mut self,
        label: &str,
        (from, to): (impl Into<Port>, impl Into<Port>),
        spec: &LinkSpec,
    ) -> Result<LinkId, String> {
        let link = self.world.add_link(label, from, to, spec);
        link.map_err(|error| error.to_string())
    }

    /// Connects a writer on A to a reader on B.
    pub(super) fn talk(
        &mut self,
        transport: &str,
        wishes: Wishes,
        writer: Writer,
        reader: Reader,
    ) -> Result<Pair, String> {
        let seeds = ["writer", "reader"].map(|label| self.world.seed(label));
        let [local, remote] = &self.addresses;
        let (Some(near), Some(far)) = (local.first(), remote.first()) else {
            return Err("a host without an address".to_owned());
        };
        let pair = match transport {
            TCP => {
                let options = tcp::Options {
                    nagle: tcp::Nagle::Off,
                    ..tcp::Options::default()
                };
                let client = Tcp::client(*near, (*far, PORT), options.clone(), seeds[0]);
                let server = Tcp::server(PORT, options, seeds[1]);
                let framed = |tcp: Tcp| tcp.with_framing(wishes.framing);
                self.seat(framed(client), writer, framed(server), reader)
            }
            UDP => {
                let ends = [near, far].map(|ip| SocketAddr::new(*ip, PORT));
                let (client, server) = (Udp::new(ends[0], ends[1]), Udp::new(ends[1], ends[0]));
                self.seat(client, writer, server, reader)
            }
            SCTP => {
                let endpoint = EndpointOptions::default();
                let options = Profile::Rfc9260.options();
                let to = (&remote[..], PORT);
                let client = Sctp::client(local, to, options.clone(), endpoint.clone(), seeds[0]);
                let server = Sctp::server(remote, PORT, options, endpoint, seeds[1]);
                self.seat(
                    client.with_delivery(wishes.delivery),
                    writer,
                    server,
                    reader,
                )
            }
            other => return Err(format!("there is no transport {other}")),
        };
        Ok(pair)
    }

    fn seat<T: Transport>(&mut self, client: T, writer: Writer, server: T, reader: Reader) -> Pair {
        let client = Recorder::new(Program::new(client, writer, Time::ZERO));
        let server = Program::new(server, reader, Time::ZERO);
        let [a, b] = self.hosts;
        Pair {
            // The reader must be listening before the first packet arrives.
            reader: self.world.add_agent(b, Box::new(server)),
            writer: self.world.add_agent(a, Box::new(client)),
        }
    }

    pub(super) fn reader(&self, pair: Pair) -> Result<&Reader, String> {
        let id = pair.reader;
        let tcp = program::<Tcp, Reader>(&self.world, id);
        tcp.or_else(|| program::<Udp, Reader>(&self.world, id))
            .or_else(|| program::<Sctp, Reader>(&self.world, id))
            .ok_or_else(|| "no reader".to_owned())
    }

    /// The packets sent by the writer's host.
    pub(super) fn sent(&self, pair: Pair) -> Result<&[Vec<u8>], String> {
        let id = pair.writer;
        let tcp = recorder::<Tcp>(&self.world, id);
        tcp.or_else(|| recorder::<Udp>(&self.world, id))
            .or_else(|| recorder::<Sctp>(&self.world, id))
            .ok_or_else(|| "no writer".to_owned())
    }
}

fn program<T: Transport, W: Workload>(world: &World, id: AgentId) -> Option<&W> {
    world.agent::<Program<T, W>>(id).map(Program::workload)
}

fn recorder<T: Transport>(world: &World, id: AgentId) -> Option<&[Vec<u8>]> {
    let recorder = world.agent::<Recorder<Program<T, Writer>>>(id);
    recorder.map(Recorder::sent)
}
