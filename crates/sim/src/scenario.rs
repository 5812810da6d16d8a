//! Worlds described in TOML.
//!
//! ```
//! let text = r#"
//!     name = "a lossy radio link"
//!     duration = "10 s"
//!     hosts = ["A", "B"]
//!     routers = ["R"]
//!
//!     [link.wire]
//!     ends = ["A", "R"]
//!     rate = "100 Mbit/s"
//!     delay = "20 ms"
//!
//!     [link.radio]
//!     ends = ["R", "B"]
//!     rate = "11 Mbit/s"
//!     delay = "1 ms"
//!     queue = { kind = "drop-tail", packets = 50 }
//!     loss = "1 %"
//!     back = { loss = "0 %" }
//!
//!     [flow.main]
//!     from = "A"
//!     to = "B"
//!     transport = "sctp"
//!     workload = { kind = "bulk", message = "1452 B" }
//!     sctp = { receive_buffer = "64 KiB" }
//!
//!     [sweep]
//!     "link.radio.loss" = ["0 %", "1 %", "5 %"]
//! "#;
//! let cases = sheave_sim::scenario::read(text)?;
//! assert_eq!(cases.len(), 3);
//! let mut run = cases[1].scenario.build(1)?;
//! run.world.run_until(run.end);
//! assert!(run.sink("main").is_some_and(|sink| sink.bytes() > 100_000));
//! # Ok::<(), sheave_sim::scenario::ScenarioError>(())
//! ```
//!
//! A sweep combines the values of all its keys. `"link.a.loss, link.b.loss" = [..]` sets both to the
//! same value; keys under `sweep.zip` go through their lists side by side; `sweep.sample` draws
//! `count` points at random, which follow from its `seed`, from lists and from ranges
//! (`{ from = "1 ms", to = "1 s", scale = "log" }`).
//!
//! Values used in several places, and groups of keys that change together, have names under `let`:
//! `"$name"` stands for the value `let.name`, `"$name.key"` for a key of that table. A sweep may set a
//! name to values, or to further names: `"$sender" = ["$one path", "$two paths"]`.
//!
//! Each link has two directions; `back` overrides settings for the reverse one. Each mention of a
//! host among the ends of a link creates an interface: the nth interface of the mth host, both
//! counted from 0, has the address 10.n.0.m+1.

mod custom;
mod error;
mod file_flow;
mod flow;
mod link;
mod names;
mod quantity;
mod sctp;
mod section;
mod sweep;
mod tcp_options;

use core::fmt::Display;
use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use sheave_engine::{Checksum, Time};
use toml::{Table, Value};

pub use custom::CustomAlgorithms;
pub use error::{Problem, ScenarioError};
pub use file_flow::FileProtocol;
pub use flow::{Flow, FlowKeys, FlowKind, FlowWorkload};
pub use sweep::{Axis, Case};

use self::section::Section;
use crate::tcp::Tcp;
use crate::{
    AgentId, Bulk, FileReceipts, FileReceiver, FileSender, FtpClient, HttpClient, HttpServer,
    InterfaceId, LinkId, LinkSpec, Messages, Port, Program, RouterId, Sctp, Sink, Stats, Transport,
    UrgentBesideBulk, VantagePoint, Workload, World,
};

/// Most runs of a scenario.
pub const MAX_SEEDS: u32 = 10_000;

/// A network, and the flows on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The name of the scenario.
    pub name: String,
    /// The longest simulated duration.
    pub duration: Duration,
    /// Number of runs, each with a different seed.
    pub seeds: u32,
    /// The hosts.
    pub hosts: Vec<String>,
    /// The routers.
    pub routers: Vec<String>,
    /// Links between hosts and routers, in both directions.
    pub links: Vec<LinkPair>,
    /// The flows between the hosts.
    pub flows: Vec<Flow>,
}

/// The two directions between two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPair {
    /// Name of the link; its reverse direction has the suffix `-back`.
    pub name: String,
    /// Names of two hosts or routers.
    pub ends: [String; 2],
    /// The direction from the first end to the second.
    pub there: LinkSpec,
    /// The direction from the second end to the first.
    pub back: LinkSpec,
}

/// A scenario that was built and is ready to run.
#[derive(Debug)]
pub struct Run {
    /// The world.
    pub world: World,
    /// When the run must end.
    pub end: Time,
    /// The links, both directions of each, in the order of the scenario.
    pub links: Vec<(LinkId, LinkId)>,
    flows: Vec<(String, RunningFlow)>,
}

/// The agents of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningFlow {
    /// The agent that starts or sends.
    pub client: AgentId,
    /// The agent at the other end.
    pub server: AgentId,
}

/// The amount of history that associations keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watching {
    Off,
    /// Only the associations' [`Stats`](crate::Stats).
    Stats,
    /// Full history: associations are [`watched`](Sctp::watched).
    On,
    /// Full history with packets: associations are [`logged`](Sctp::logged).
    Packets,
}

impl Watching {
    /// Applies the history setting to an end.
    fn over(self, sctp: Sctp) -> Sctp {
        match self {
            Self::Off => sctp,
            Self::Stats => sctp.with_stats(),
            Self::On => sctp.watched(),
            Self::Packets => sctp.logged(),
        }
    }
}

/// Reads a scenario and its sweep: one case for each combination of values under `sweep`, or a
/// single case.
///
/// # Errors
/// The first error and its position.
pub fn read(text: &str) -> Result<Vec<Case>, ScenarioError> {
    read_with(text, CustomAlgorithms::default())
}

/// Reads a scenario like [`read`], with user-defined algorithms that `congestion`,
/// `acknowledgement_policy` and `scheduler` of an SCTP flow, the `kind` of a link's queue and the
/// `transport` of a flow may name. `own` may be engine policies only, or [`CustomAlgorithms`].
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, own: impl Into<CustomAlgorithms>) -> Result<Vec<Case>, ScenarioError> {
    read_beside(parse(text)?, own, &[])
}

/// Reads a scenario like [`read_with`], parsed already, in which a caller has keys of its own:
/// `others`, which a sweep may set, too. They end up in [`Case::others`].
///
/// # Errors
/// As [`read`].
pub fn read_beside(
    table: Table,
    own: impl Into<CustomAlgorithms>,
    others: &[&str],
) -> Result<Vec<Case>, ScenarioError> {
    sweep::cases(table, &own.into(), others)
}

/// Reads the network of a scenario for packets from outside ([`World::admit`]), or a single link:
/// the content of `[link.NAME]` without `ends`. A single link is called `link` and joins the hosts
/// `near` and `far`.
/// # Errors
/// The first error and its position; a sweep is an error, since only one network can be returned.
pub fn read_network(text: &str) -> Result<Scenario, ScenarioError> {
    let table: Table = parse(text)?;
    if !table.contains_key("hosts") {
        return Scenario::from_link(&table);
    }
    let mut cases = read(text)?;
    match (cases.pop(), cases.is_empty()) {
        (Some(case), true) => Ok(case.scenario),
        _ => Err(conflict("sweep", &"there can be only one network here")),
    }
}

fn parse(text: &str) -> Result<Table, ScenarioError> {
    text.parse().map_err(|error: toml::de::Error| {
        ScenarioError::new("", Problem::Syntax(error.to_string()))
    })
}

impl Scenario {
    fn from_link(table: &Table) -> Result<Self, ScenarioError> {
        let (there, back) = link::directions(Section::new("", table), table, &[])?;
        let ends = ["near", "far"].map(str::to_owned);
        let pair = LinkPair {
            name: "link".to_owned(),
            ends: ends.clone(),
            there,
            back,
        };
        Ok(Self {
            name: String::new(),
            duration: Duration::MAX,
            seeds: 1,
            hosts: ends.to_vec(),
            routers: Vec::new(),
            links: vec![pair],
            flows: Vec::new(),
        })
    }

    fn from_table(table: &Table, own: &CustomAlgorithms) -> Result<Self, ScenarioError> {
        let mut section = Section::new("", table);
        let name = section.or("name", Section::text, String::new())?;
        let duration = section.required("duration", quantity::duration)?;
        if duration.is_zero() {
            return Err(conflict("duration", &"must be more than 0"));
        }
        let seeds = section.or("seeds", quantity::count, 1_u64)?;
        let seeds = u32::try_from(seeds).unwrap_or(u32::MAX);
        if !(1..=MAX_SEEDS).contains(&seeds) {
            return Err(conflict("seeds", &format!("must be 1 to {MAX_SEEDS}")));
        }
        let hosts = section.required("hosts", Section::texts)?;
        let routers = section.or("routers", Section::texts, Vec::new())?;
        let mut names: Vec<&String> = hosts.iter().chain(&routers).collect();
        names.sort_unstable();
        if let Some(two) = names.windows(2).find(|two| two[0] == two[1]) {
            let problem = format!("two hosts or routers are called `{}`", two[0]);
            return Err(conflict("hosts", &problem));
        }
        let links = section.tables("link", |path, table| {
            link::pair(path, table, &hosts, &routers, &own.queues)
        })?;
        let flows = section.tables("flow", |path, table| flow::flow(path, table, &hosts, own))?;
        section.finish()?;
        Ok(Self {
            name,
            duration,
            seeds,
            hosts,
            routers,
            links,
            flows,
        })
    }

    /// Whether any link can flip bits. If none can, checksums are left to the network
    /// ([`Checksum::Offloaded`]).
    pub fn corrupts(&self) -> bool {
        (self.links.iter()).any(|pair| pair.there.corrupts() || pair.back.corrupts())
    }

    /// Builds the world for one run.
    ///
    /// # Errors
    /// Names in the scenario are inconsistent.
    pub fn build(&self, seed: u64) -> Result<Run, ScenarioError> {
        self.build_with(seed, Watching::Off)
    }

    /// Builds the run like [`build`](Self::build), with all associations
    /// [`watched`](Sctp::watched); the run itself is identical.
    ///
    /// # Errors
    /// Same as [`build`](Self::build).
    pub fn build_watched(&self, seed: u64) -> Result<Run, ScenarioError> {
        self.build_with(seed, Watching::On)
    }

    /// Builds the run like [`build`](Self::build), with all associations [`logged`](Sctp::logged);
    /// the run itself is identical.
    ///
    /// # Errors
    /// Same as [`build`](Self::build).
    pub fn build_logged(&self, seed: u64) -> Result<Run, ScenarioError> {
        self.build_with(seed, Watching::Packets)
    }

    /// Builds the run like [`build`](Self::build), with associations that keep their final
    /// statistics ([`Sctp::with_stats`]); the run itself is identical.
    ///
    /// # Errors
    /// Same as [`build`](Self::build).
    pub fn build_with_stats(&self, seed: u64) -> Result<Run, ScenarioError> {
        self.build_with(seed, Watching::Stats)
    }

    fn build_with(&self, seed: u64, watching: Watching) -> Result<Run, ScenarioError> {
        let mut world = World::new(seed);
        let mut hosts = Vec::new();
        for (place, name) in self.hosts.iter().enumerate() {
            let host = world.add_host(name, &self.addresses(place));
            hosts.push(host.map_err(|error| conflict("hosts", &error))?);
        }
        let routers = self.routers.iter().map(|name| world.add_router(name));
        let routers: Vec<RouterId> = routers.collect();
        let links = self.add_links(&mut world, &routers)?;
        let mut flows = Vec::new();
        for (place, flow) in self.flows.iter().enumerate() {
            let end = |name: &String| {
                let at = self.hosts.iter().position(|host| host == name)?;
                Some((hosts[at], self.addresses(at)))
            };
            let (Some(from), Some(to)) = (end(&flow.from), end(&flow.to)) else {
                return Err(conflict(&flow.name, &"an end that is no host"));
            };
            let running = flow.start(&mut world, place, &[from, to], (self.checksum(), watching));
            flows.push((flow.name.clone(), running));
        }
        Ok(Run {
            world,
            end: Time::ZERO + self.duration,
            links,
            flows,
        })
    }

    fn add_links(
        &self,
        world: &mut World,
        routers: &[RouterId],
    ) -> Result<Vec<(LinkId, LinkId)>, ScenarioError> {
        let mut mentions = vec![0; self.hosts.len()];
        let mut links = Vec::new();
        for pair in &self.links {
            let mut port = |end: &String| {
                if let Some(router) = self.routers.iter().position(|name| name == end) {
                    return routers.get(router).copied().map(Port::from);
                }
                let host = self.hosts.iter().position(|name| name == end)?;
                let interface = world.interface(address(host, mentions[host]));
                mentions[host] += 1;
                interface.map(Port::from)
            };
            let (Some(one), Some(other)) = (port(&pair.ends[0]), port(&pair.ends[1])) else {
                let problem = "an end that is neither a host nor a router";
                return Err(conflict(&pair.name, &problem));
            };
            let there = world.add_link(&pair.name, one, other, &pair.there);
            let back = world.add_link(&format!("{}-back", pair.name), other, one, &pair.back);
            let both = there.and_then(|there| Ok((there, back?)));
            links.push(both.map_err(|error| conflict(&pair.name, &error))?);
        }
        Ok(links)
    }

    fn checksum(&self) -> Checksum {
        if self.corrupts() {
            Checksum::Computed
        } else {
            Checksum::Offloaded
        }
    }

    /// Addresses of a host, one per mention among the ends of links.
    fn addresses(&self, host: usize) -> Vec<IpAddr> {
        let name = &self.hosts[host];
        let ends = self.links.iter().flat_map(|pair| &pair.ends);
        let count = ends.filter(|end| *end == name).count();
        (0..count).map(|place| address(host, place)).collect()
    }
}

impl Run {
    /// Interface pairs between the first two hosts: the nth interface of each.
    pub fn ways(&self) -> Vec<[InterfaceId; 2]> {
        let end = |host, at| self.world.interface(address(host, at));
        let ways = (0..).map_while(|at| Some([end(0, at)?, end(1, at)?]));
        ways.collect()
    }

    /// The agents of a flow.
    pub fn flow(&self, name: &str) -> Option<RunningFlow> {
        let (_, flow) = self.flows.iter().find(|(known, _)| known == name)?;
        Some(*flow)
    }

    /// An SCTP end of a flow; `None` if the flow does not exist or is not SCTP.
    pub fn sctp(&self, flow: &str, end: VantagePoint) -> Option<&Sctp> {
        self.transport(flow, end)
    }

    /// A TCP end of a flow; `None` if the flow does not exist or is not TCP.
    pub fn tcp(&self, flow: &str, end: VantagePoint) -> Option<&Tcp> {
        self.transport(flow, end)
    }

    fn transport<T: Transport>(&self, flow: &str, end: VantagePoint) -> Option<&T> {
        let RunningFlow { client, server } = self.flow(flow)?;
        match end {
            VantagePoint::Server => self
                .transport_under::<T, Sink>(server)
                .or_else(|| self.transport_under::<T, FileReceiver>(server))
                .or_else(|| self.transport_under::<T, HttpServer>(server)),
            VantagePoint::Client => self
                .transport_under::<T, Bulk>(client)
                .or_else(|| self.transport_under::<T, Messages>(client))
                .or_else(|| self.transport_under::<T, UrgentBesideBulk>(client))
                .or_else(|| self.transport_under::<T, FileSender>(client))
                .or_else(|| self.transport_under::<T, HttpClient>(client)),
        }
    }

    fn transport_under<T: Transport, W: Workload>(&self, id: AgentId) -> Option<&T> {
        self.world
            .agent::<Program<T, W>>(id)
            .map(Program::transport)
    }

    /// File receipts of a flow; `None` if the flow does not exist or transfers no files.
    pub fn files(&self, flow: &str) -> Option<&FileReceipts> {
        let RunningFlow { client, server } = self.flow(flow)?;
        let ftp = self.world.agent::<FtpClient>(client);
        let http = self.world.agent::<Program<Tcp, HttpClient>>(client);
        let sheave = self.world.agent::<Program<Sctp, FileReceiver>>(server);
        ftp.map(FtpClient::receipts)
            .or_else(|| Some(http?.workload().receipts()))
            .or_else(|| Some(sheave?.workload().receipts()))
    }

    /// [Statistics](Sctp::stats) of the association at an end of a flow, if available.
    pub fn sctp_stats(&self, flow: &str, end: VantagePoint) -> Option<Stats> {
        self.sctp(flow, end)?.stats()
    }

    /// The sink of a flow; `None` if the flow does not exist or is UDP.
    pub fn sink(&self, flow: &str) -> Option<&Sink> {
        let server = self.flow(flow)?.server;
        let sctp = self.world.agent::<Program<Sctp, Sink>>(server);
        let tcp = self.world.agent::<Program<Tcp, Sink>>(server);
        let custom = self
            .world
            .agent::<Program<Box<dyn Transport>, Sink>>(server);
        sctp.map(Program::workload)
            .or_else(|| tcp.map(Program::workload))
            .or_else(|| custom.map(Program::workload))
    }
}

fn conflict(at: &str, error: &dyn Display) -> ScenarioError {
    ScenarioError::new(at, Problem::Conflict(error.to_string()))
}

/// The address of the nth interface of the mth host.
fn address(host: usize, interface: usize) -> IpAddr {
    let octet = |number: usize| u8::try_from(number % 256).unwrap_or(0);
    let host = host + 1;
    IpAddr::V4(Ipv4Addr::new(
        10,
        octet(interface),
        octet(host / 256),
        octet(host),
    ))
}

/// A value in readable form.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
