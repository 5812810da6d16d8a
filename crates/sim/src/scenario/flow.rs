use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use sheave_engine::{Checksum, EndpointOptions, Options, Time};
use toml::Table;

use super::section::Section;
use super::{Problem, RunningFlow, ScenarioError, link, quantity, sctp};
use crate::{
    Arrivals, Bulk, Counter, Expected, HostId, Messages, Outgoing, Program, Sctp, Sink, Source,
    Traffic, World,
};

/// The first port; each flow has one of its own.
const FIRST_PORT: u16 = 5000;

/// Somebody who talks to somebody.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// What it is called.
    pub name: String,
    /// The host that begins, or sends.
    pub from: String,
    /// The other one.
    pub to: String,
    /// When it begins.
    pub start: Duration,
    /// How they talk.
    pub kind: FlowKind,
}

/// How two hosts talk.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowKind {
    /// Over an association of the engine, with all interfaces of both.
    Sctp {
        /// The protocol parameters of both ends.
        options: Box<Options>,
        /// What is sent.
        workload: FlowWorkload,
    },
    /// UDP packets that nobody answers, between the first interfaces of both.
    Udp {
        /// Bytes of each IP packet.
        len: u16,
        /// When they are sent.
        arrivals: Arrivals,
        /// For how long.
        lasts: Option<Duration>,
    },
}

/// What is sent over a transport.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowWorkload {
    /// As much as it takes, as messages of that many bytes on so many streams; endlessly, or so
    /// many of them.
    Bulk {
        /// Bytes of each message.
        message: usize,
        /// Streams, used in turn.
        streams: u16,
        /// How many messages.
        count: Option<u64>,
    },
    /// Messages whose delay is of interest.
    Messages(Outgoing),
}

pub(super) fn flow(path: &str, table: &Table, hosts: &[String]) -> Result<Flow, ScenarioError> {
    #[derive(Clone, Copy)]
    enum Kind {
        Sctp,
        Udp,
    }
    let mut section = Section::new(path, table);
    let end = |section: &mut Section<'_>, key| {
        let name = section.required(key, Section::text)?;
        if hosts.contains(&name) {
            return Ok(name);
        }
        let problem = Problem::Conflict(format!("there is no host `{name}`"));
        Err(ScenarioError::new(&section.at(key), problem))
    };
    let (from, to) = (end(&mut section, "from")?, end(&mut section, "to")?);
    let start = section
        .optional("start", quantity::duration)?
        .unwrap_or_default();
    let kinds = [("sctp", Kind::Sctp), ("udp", Kind::Udp)];
    let kind = match section.word("transport", &kinds)?.unwrap_or(Kind::Sctp) {
        Kind::Sctp => {
            let options = section.table("sctp", sctp::options)?.unwrap_or_default();
            let workload = section.table("workload", workload)?;
            let workload = workload
                .ok_or_else(|| ScenarioError::new(&section.at("workload"), Problem::Missing))?;
            FlowKind::Sctp {
                options: Box::new(options),
                workload,
            }
        }
        Kind::Udp => FlowKind::Udp {
            len: section.required("packet", quantity::bytes)?,
            arrivals: section
                .table("arrivals", arrivals)?
                .ok_or_else(|| ScenarioError::new(&section.at("arrivals"), Problem::Missing))?,
            lasts: section.optional("lasts", quantity::duration)?,
        },
    };
    section.finish()?;
    let name = path.rsplit('.').next().unwrap_or(path).to_owned();
    Ok(Flow {
        name,
        from,
        to,
        start,
        kind,
    })
}

fn workload(mut section: Section<'_>) -> Result<FlowWorkload, ScenarioError> {
    #[derive(Clone, Copy)]
    enum Kind {
        Bulk,
        Messages,
    }
    let kinds = [("bulk", Kind::Bulk), ("messages", Kind::Messages)];
    let kind = link::kind(&mut section, &kinds)?;
    let message = section.required("message", quantity::bytes)?;
    let streams = section.optional("streams", quantity::count)?.unwrap_or(1);
    let workload = match kind {
        Kind::Bulk => FlowWorkload::Bulk {
            message,
            streams,
            count: section.optional("count", quantity::count)?,
        },
        Kind::Messages => FlowWorkload::Messages(Outgoing {
            len: message,
            count: section.required("count", quantity::count)?,
            streams,
            arrivals: section.table("arrivals", arrivals)?,
        }),
    };
    section.finish()?;
    Ok(workload)
}

fn arrivals(mut section: Section<'_>) -> Result<Arrivals, ScenarioError> {
    #[derive(Clone, Copy)]
    enum Kind {
        Constant,
        Poisson,
        OnOff,
    }
    let kinds = [
        ("constant", Kind::Constant),
        ("poisson", Kind::Poisson),
        ("on-off", Kind::OnOff),
    ];
    let arrivals = match link::kind(&mut section, &kinds)? {
        Kind::Constant => Arrivals::Constant {
            interval: section.required("interval", quantity::duration)?,
        },
        Kind::Poisson => Arrivals::Poisson {
            mean: section.required("mean", quantity::duration)?,
        },
        Kind::OnOff => Arrivals::OnOff {
            interval: section.required("interval", quantity::duration)?,
            on: section.required("on", quantity::duration)?,
            off: section.required("off", quantity::duration)?,
        },
    };
    section.finish()?;
    Ok(arrivals)
}

impl Flow {
    /// Puts its agents on their hosts. `place` is its place among all flows.
    pub(super) fn start(
        &self,
        world: &mut World,
        place: usize,
        ends: &[(HostId, Vec<IpAddr>); 2],
        checksum: Checksum,
    ) -> RunningFlow {
        let port = FIRST_PORT.wrapping_add(u16::try_from(place).unwrap_or(u16::MAX));
        let start = Time::ZERO + self.start;
        let [(from, local), (to, remote)] = ends;
        match &self.kind {
            FlowKind::Sctp { options, workload } => {
                let endpoint = EndpointOptions {
                    checksum,
                    ..EndpointOptions::default()
                };
                let seed = |end: &str| world.seed(&format!("flow {} {end}", self.name));
                let (client_seed, server_seed) = (seed("client"), seed("server"));
                let options = options.as_ref();
                let client = Sctp::client(
                    local,
                    (remote, port),
                    options.clone(),
                    endpoint.clone(),
                    client_seed,
                );
                let server = Sctp::server(remote, port, options.clone(), endpoint, server_seed);
                let sink = workload.sink();
                let server = Box::new(Program::new(server, sink, Time::ZERO));
                let client = match workload {
                    FlowWorkload::Bulk {
                        message,
                        streams,
                        count,
                    } => {
                        let bulk = match count {
                            None => Bulk::endless(*message, *streams),
                            Some(count) => Bulk::counted(*message, *streams, *count),
                        };
                        world.add_agent(*from, Box::new(Program::new(client, bulk, start)))
                    }
                    FlowWorkload::Messages(outgoing) => {
                        let random = world.random(&format!("flow {} messages", self.name));
                        let messages = Messages::new(outgoing.clone(), random);
                        world.add_agent(*from, Box::new(Program::new(client, messages, start)))
                    }
                };
                RunningFlow {
                    client,
                    server: world.add_agent(*to, server),
                }
            }
            FlowKind::Udp {
                len,
                arrivals,
                lasts,
            } => {
                let unspecified = IpAddr::from([0, 0, 0, 0]);
                let first = |addresses: &[IpAddr]| {
                    SocketAddr::new(addresses.first().copied().unwrap_or(unspecified), port)
                };
                let traffic = Traffic {
                    source: first(local),
                    destination: first(remote),
                    len: *len,
                    arrivals: *arrivals,
                    start,
                    stop: lasts.map_or(Time::MAX, |lasts| start + lasts),
                };
                let random = world.random(&format!("flow {} packets", self.name));
                RunningFlow {
                    client: world.add_agent(*from, Box::new(Source::new(traffic, random))),
                    server: world.add_agent(*to, Box::new(Counter::new(port))),
                }
            }
        }
    }
}

impl FlowWorkload {
    fn sink(&self) -> Sink {
        match self {
            Self::Bulk { count: None, .. } => Sink::counting(Expected::Everything),
            Self::Bulk {
                message,
                count: Some(count),
                ..
            } => Sink::counting(Expected::Bytes(*message as u64 * count)),
            Self::Messages(outgoing) => Sink::with_receipts(Expected::Messages(outgoing.count)),
        }
    }
}
