//! Contenders over sockets: a program for both ends, and their networks.

use std::env;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};

use serde_json::json;
use sheave::options::PathMtuDiscovery;
use sheave::{Config, Endpoint};
use sheave_measure::{Load, Part, Program};

use super::end::{End, Order, Over};
#[cfg(target_os = "linux")]
use super::network::Network;
use super::stage::{Offloads, Stage};
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Packet sizes of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// Size found by path MTU discovery or allowed by the interface
    Found {
        /// Upper limit of the search, bytes.
        most: u16,
    },
    /// At most this many bytes per IP packet, whatever the path allows
    Fixed(u16),
    /// Unknown: chosen by an external program
    Unknown,
}

pub struct Contender {
    /// Name in the tables.
    pub name: String,
    /// Packet sizes.
    pub packets: Packets,
    /// Networks of the ends.
    ends: Ends,
    /// Command line that starts an end, without its part.
    words: Vec<String>,
}

/// Network and address of the client and of the server.
#[derive(Clone)]
struct Ends {
    client: (Stage, IpAddr),
    server: (Stage, IpAddr),
}

/// Name of TCP over a loopback interface with Ethernet's MTU and the kernel's offloads.
pub const TCP_1500: &str = "TCP, MTU 1500";

/// Ethernet's MTU, bytes.
const ETHERNET: u16 = 1500;

impl Ends {
    /// Both ends on the loopback interface of one network.
    fn on_loopback(stage: Stage) -> Self {
        Self {
            client: (stage.clone(), Ipv4Addr::LOCALHOST.into()),
            server: (stage, Ipv4Addr::new(127, 0, 0, 2).into()),
        }
    }

    /// The two ends of a network's first link.
    #[cfg(target_os = "linux")]
    fn linked(network: &Network) -> Self {
        let (near, far) = (network.near_addresses(), network.far_addresses());
        Self {
            client: (network.near.clone(), near[0]),
            server: (network.far.clone(), far[0]),
        }
    }
}

impl Packets {
    /// Maximum packet size, bytes, if known.
    pub const fn most(self) -> Option<u16> {
        match self {
            Self::Found { most } | Self::Fixed(most) => Some(most),
            Self::Unknown => None,
        }
    }
}

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found { most } => write!(f, "up to {most}"),
            Self::Fixed(most) => write!(f, "{most}"),
            Self::Unknown => f.write_str("its own"),
        }
    }
}

impl Contender {
    /// Our own ends in this machine's network, as for a user.
    pub fn here(over: Over) -> Self {
        let most = match over {
            Over::Tcp | Over::Tls => u16::MAX,
            _ => PathMtuDiscovery::USUAL_MAX,
        };
        let ends = Ends::on_loopback(Stage::Here);
        Self::of(over.name(), over, Packets::Found { most }, ends)
    }

    /// Sheave in this machine's network, serving streams in the given order.
    pub fn ordered(order: Order) -> Self {
        let name = match order {
            Order::FirstCome => "sheave, first come",
            Order::Priority => "sheave, priority",
            Order::ShortQueue => "sheave, priority, short queue",
        };
        let most = PathMtuDiscovery::USUAL_MAX;
        let ends = Ends::on_loopback(Stage::Here);
        Self::serving(order, name, Over::Sctp, Packets::Found { most }, ends)
    }

    /// Ends at both sides of a network's first link, which has Ethernet's MTU.
    #[cfg(target_os = "linux")]
    pub fn linked(name: &str, over: Over, network: &Network) -> Self {
        let packets = Packets::Found { most: ETHERNET };
        Self::of(name, over, packets, Ends::linked(network))
    }

    /// Ends in this machine's network with packets of at most `mtu` bytes.
    fn with_mtu(over: Over, mtu: u16) -> Self {
        let name = format!("{}, MTU {mtu}", over.name());
        let ends = Ends::on_loopback(Stage::Here);
        Self::of(&name, over, Packets::Fixed(mtu), ends)
    }

    fn of(name: &str, over: Over, packets: Packets, ends: Ends) -> Self {
        Self::serving(Order::FirstCome, name, over, packets, ends)
    }

    fn serving(order: Order, name: &str, over: Over, packets: Packets, ends: Ends) -> Self {
        let end = End {
            over,
            client: ends.client.1,
            server: ends.server.1,
            mtu: match packets {
                Packets::Fixed(mtu) => Some(mtu),
                Packets::Found { .. } | Packets::Unknown => None,
            },
            order,
            #[cfg(feature = "dtls")]
            identity: super::end::identity(over),
        };
        // If this fails, starting the program fails and reports it.
        let program = env::current_exe().unwrap_or_default();
        let program = program.display().to_string();
        Self {
            name: name.into(),
            packets,
            ends,
            words: vec![program, "bench-end".into(), json!(end).to_string()],
        }
    }

    pub fn start_server(&self, load: Load) -> Result<Program, Failure> {
        self.start(&self.ends.server.0, Part { load, port: None })
    }

    /// Starts a client for the server at `port`.
    pub fn start_client(&self, load: Load, port: u16) -> Result<Program, Failure> {
        let port = Some(port);
        self.start(&self.ends.client.0, Part { load, port })
    }

    fn start(&self, stage: &Stage, part: Part) -> Result<Program, Failure> {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words).arg(json!(part).to_string());
        let program = stage.perform(|| Program::start(&mut command, Stdio::null()));
        let program = program.while_doing("cannot enter a network")?;
        program.while_doing("cannot start a process")
    }
}

/// Contenders available here; reports those that are not.
/// Errors: an external program is not given as `NAME=COMMAND`.
pub fn contenders(args: &BenchArgs, session: &Session<'_>) -> Result<Vec<Contender>, Failure> {
    let mut contenders = vec![Contender::here(Over::Tcp)];
    let skip = |what: &str, why: String| session.skip(&format!("{what}: {why}"));
    let mut ours = vec![Over::Sctp, Over::SctpWithoutGso];
    match Endpoint::bind(Config::raw_ip([Ipv4Addr::LOCALHOST.into()])) {
        Ok(_) => ours.push(Over::SctpRaw),
        Err(error) => skip("raw IP", error.to_string()),
    }
    let mtus = match args.setups.mtus() {
        [] => {
            contenders.push(Contender::here(Over::Sctp));
            &[ETHERNET]
        }
        chosen => chosen,
    };
    for mtu in mtus {
        contenders.extend(ours.iter().map(|over| Contender::with_mtu(*over, *mtu)));
    }
    let kernel = [
        (TCP_1500, Offloads::On),
        ("TCP, MTU 1500, no offloads", Offloads::Off),
    ];
    for (name, offloads) in kernel {
        match Stage::with_ethernet_mtu(offloads) {
            Ok(stage) => {
                let packets = Packets::Fixed(ETHERNET);
                let ends = Ends::on_loopback(stage);
                contenders.push(Contender::of(name, Over::Tcp, packets, ends));
            }
            Err(error) => skip(name, format!("{error} (needs root, `ip` and `ethtool`)")),
        }
    }
    for program in &args.contender {
        let parts = program.split_once('=');
        let (name, command) = parts.ok_or_else(|| Failure::usage("--contender NAME=COMMAND"))?;
        contenders.push(Contender {
            name: name.into(),
            packets: Packets::Unknown,
            ends: Ends::on_loopback(Stage::Here),
            words: command.split_whitespace().map(str::to_owned).collect(),
        });
    }
    Ok(contenders)
}
