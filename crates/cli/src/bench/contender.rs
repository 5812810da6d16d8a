//! The contenders over the loopback interface: a program for both ends, and its network.

use std::env;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Child, Command, Stdio};

use clap::ValueEnum;
use sheave::options::PathMtuDiscovery;
use sheave::{Config, Endpoint};

use super::end::{Order, Over, Work};
#[cfg(target_os = "linux")]
use super::network::Network;
use super::stage::{Offloads, Stage};
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// The task of the two ends.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The direction: one way, or to and fro.
    pub work: Work,
    /// Bytes of a message.
    pub size: usize,
    /// Connections at the same time.
    pub connections: u16,
    /// Time to send, milliseconds; round trips, for echoes.
    pub amount: u32,
    /// Bytes of a bulk message beside the echoes.
    pub bulk: usize,
}

/// The length of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// The size that discovery finds for the path, or that the interface allows
    Found {
        /// The size at which the search ends.
        most: u16,
    },
    /// At most this many bytes of IP packet, whatever the path takes
    Fixed(u16),
    /// Whatever a program beside ours does
    Unknown,
}

/// A contender.
pub struct Contender {
    /// The contender's name in the tables.
    pub name: String,
    /// The contender's packets.
    pub packets: Packets,
    /// The network of each end.
    ends: Ends,
    /// The words that start an end of it.
    words: Vec<String>,
}

/// The networks of a client and of a server, and the client's and the server's address there.
#[derive(Clone)]
struct Ends {
    client: (Stage, IpAddr),
    server: (Stage, IpAddr),
}

/// Names of the contenders that others are compared with.
pub struct Names {
    /// TCP over this machine's loopback interface.
    pub tcp: &'static str,
    /// TCP over one whose MTU is Ethernet's, with the kernel's offloads.
    pub tcp_1500: &'static str,
}

/// The names of the contenders that others are compared with.
pub const NAMES: Names = Names {
    tcp: "TCP of the kernel",
    tcp_1500: "TCP, MTU 1500",
};

/// Bytes of a packet on Ethernet.
const ETHERNET: u16 = 1500;

impl Ends {
    /// Both on the loopback interface of one network.
    fn on_loopback(stage: Stage) -> Self {
        Self {
            client: (stage.clone(), Ipv4Addr::LOCALHOST.into()),
            server: (stage, Ipv4Addr::new(127, 0, 0, 2).into()),
        }
    }

    /// At the ends of the first link of a network.
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
    /// Bytes of the longest, if that is known.
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
    /// Ends of our own on this machine's network, as a user has them.
    pub fn here(over: Over) -> Self {
        let most = match over {
            Over::Tcp => u16::MAX,
            _ => PathMtuDiscovery::USUAL_MAX,
        };
        let ends = Ends::on_loopback(Stage::Here);
        Self::of(over.name(), over, Packets::Found { most }, ends)
    }

    /// Sheave here, whose streams are served in that order.
    pub fn ordered(order: Order) -> Self {
        let mut contender = Self::here(Over::Sctp);
        let (name, word) = match order {
            Order::FirstCome => ("sheave, first come", word(&order)),
            Order::Priority => ("sheave, priority", word(&order)),
            Order::ShortQueue => ("sheave, priority, short queue", word(&order)),
        };
        contender.name = name.into();
        contender.words.extend(["--order".into(), word]);
        contender
    }

    /// Ends at both sides of the first link of a network, whose MTU is Ethernet's.
    #[cfg(target_os = "linux")]
    pub fn linked(name: &str, over: Over, network: &Network) -> Self {
        let packets = Packets::Found { most: ETHERNET };
        Self::of(name, over, packets, Ends::linked(network))
    }

    /// The same with packets of at most `mtu` bytes.
    fn with_mtu(over: Over, mtu: u16) -> Self {
        let name = format!("{}, MTU {mtu}", over.name());
        let ends = Ends::on_loopback(Stage::Here);
        Self::of(&name, over, Packets::Fixed(mtu), ends)
    }

    fn of(name: &str, over: Over, packets: Packets, ends: Ends) -> Self {
        // Without itself nothing can be started, which is said then.
        let program = env::current_exe().unwrap_or_default();
        let mut words = vec![
            program.display().to_string(),
            "bench-end".into(),
            "--over".into(),
            word(&over),
            "--client".into(),
            ends.client.1.to_string(),
            "--server".into(),
            ends.server.1.to_string(),
        ];
        if let (Packets::Fixed(mtu), false) = (packets, over == Over::Tcp) {
            words.extend(["--mtu".into(), mtu.to_string()]);
        }
        Self {
            name: name.into(),
            packets,
            ends,
            words,
        }
    }

    /// The name of the network between its ends, as that of a section.
    pub fn network(&self) -> &'static str {
        let same = self.ends.client.1.is_loopback();
        if same { "loopback" } else { "veth" }
    }

    /// Starts the server.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start_server(&self, load: Load) -> Result<Child, Failure> {
        self.start(&self.ends.server.0, load, &[])
    }

    /// Starts a client of the server at that port.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start_client(&self, load: Load, port: u16) -> Result<Child, Failure> {
        self.start(&self.ends.client.0, load, &["--port", &port.to_string()])
    }

    fn start(&self, stage: &Stage, load: Load, more: &[&str]) -> Result<Child, Failure> {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command
            .args(words)
            .args(["--work", &word(&load.work)])
            .args(["--size", &load.size.to_string()])
            .args(["--connections", &load.connections.to_string()])
            .args(["--amount", &load.amount.to_string()])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        // A program beside ours knows no bulk.
        if load.bulk > 0 {
            command.args(["--bulk", &load.bulk.to_string()]);
        }
        let child = stage.perform(|| command.spawn());
        let child = child.while_doing("cannot enter a network")?;
        child.while_doing("cannot start a process")
    }
}

/// Whatever can be compared here; says what cannot.
///
/// # Errors
/// A program beside ours that is not `NAME=COMMAND`.
pub fn contenders(args: &BenchArgs, session: &Session<'_>) -> Result<Vec<Contender>, Failure> {
    let mut contenders = vec![Contender::here(Over::Tcp)];
    let skip = |what: &str, why: String| session.report.note("skipped", &format!("{what}: {why}"));
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
        (NAMES.tcp_1500, Offloads::On),
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

/// A choice as the command line names it.
fn word(choice: &impl ValueEnum) -> String {
    choice
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}
