use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use sheave_engine::{
    Checksum, EndpointOptions, Options, PartialReliability, Protection, Reliability, Time,
};
use toml::{Table, Value};

use super::file_flow::{self, FileProtocol};
use super::section::Section;
use super::{
    CustomAlgorithms, RunningFlow, ScenarioError, Watching, conflict, quantity, sctp, tcp_options,
};
use crate::tcp::{self, Tcp};
use crate::workload::URGENT_STREAM;
use crate::{
    Agent, Arrivals, Bulk, Counter, CustomKeys, CustomTransport, Expected, Files, HostId, Messages,
    NewTransport, Outgoing, Program, Sctp, Sink, Source, Traffic, Transport, UrgentAndBulk,
    UrgentBesideBulk, World,
};

/// First port; each flow uses a different one. Wireshark assigns no other protocol to these ports.
const FIRST_PORT: u16 = 51_000;

/// Age at which keys are replaced, unless another is given.
const REKEY: Duration = Duration::from_secs(3600);

/// A flow between two hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The name of the flow.
    pub name: String,
    /// The host that starts or sends.
    pub from: String,
    /// The receiving host.
    pub to: String,
    /// Start time, or the earliest one.
    pub start: Duration,
    /// The start is later by a random part of this time.
    pub start_spread: Duration,
    /// The protocol of the flow and its traffic.
    pub kind: FlowKind,
}

/// The protocol between two hosts, and the traffic.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowKind {
    /// Over an SCTP association of the engine, using all interfaces of both hosts.
    Sctp {
        /// The protocol parameters of both ends.
        options: Box<Options>,
        /// Limits of both endpoints; checksums are computed if a link can flip bits.
        endpoint: Box<EndpointOptions>,
        /// The reliability of messages, for both ends.
        reliability: Reliability,
        /// The keys of a protected association.
        keys: Option<FlowKeys>,
        /// The traffic.
        workload: FlowWorkload,
    },
    /// Over a TCP connection between the first interfaces of both hosts, with a single stream.
    Tcp {
        /// The parameters of both ends.
        options: Box<tcp::Options>,
        /// The traffic.
        workload: FlowWorkload,
    },
    /// Over a transport of another crate between the first interfaces of both hosts.
    Custom {
        /// The transport of both ends.
        transport: CustomTransport,
        /// The traffic.
        workload: FlowWorkload,
    },
    /// Files, between the first interfaces of both hosts; over SCTP, between all.
    Files {
        /// The files.
        files: Files,
        /// The protocol that carries the files.
        protocol: FileProtocol,
    },
    /// Unanswered UDP packets between the first interfaces of both hosts.
    Udp {
        /// Length of each IP packet, bytes.
        len: u16,
        /// When the packets are sent.
        arrivals: Arrivals,
        /// Duration of the traffic.
        lasts: Option<Duration>,
    },
}

/// The keys of both ends of a protected association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowKeys {
    /// Their source.
    pub source: CustomKeys,
    /// Age at which they are replaced.
    pub rekey: Duration,
}

/// Traffic over a transport.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowWorkload {
    /// Bulk data: as much as the transport accepts, as messages of fixed size on a number of
    /// streams, endless or limited.
    Bulk {
        /// Bytes of each message.
        message: usize,
        /// Number of streams, used in turn.
        streams: u16,
        /// Number of messages.
        count: Option<u64>,
    },
    /// Messages whose delay is measured.
    Messages(Outgoing),
    /// Bulk data on one stream, and messages whose delay is measured.
    UrgentAndBulk(UrgentAndBulk),
}

pub(super) fn flow(
    path: &str,
    table: &Table,
    hosts: &[String],
    own: &CustomAlgorithms,
) -> Result<Flow, ScenarioError> {
    let mut section = Section::new(path, table);
    let end = |section: &mut Section<'_>, key| {
        let name = section.required(key, Section::text)?;
        if hosts.contains(&name) {
            return Ok(name);
        }
        let problem = format!("there is no host `{name}`");
        Err(conflict(&section.at(key), &problem))
    };
    let (from, to) = (end(&mut section, "from")?, end(&mut section, "to")?);
    if from == to {
        let problem = format!("`{from}` is the other end, too");
        return Err(conflict(&section.at("to"), &problem));
    }
    let (start, start_spread) = start(&mut section)?;
    let names = own.transports.iter().map(|custom| custom.name);
    let names: Vec<_> = names.chain(BUILT_IN).map(|name| (name, name)).collect();
    let name = section.choice("transport", &names, "sctp")?;
    let kind = match own.transports.iter().find(|custom| custom.name == name) {
        Some(transport) => FlowKind::Custom {
            transport: *transport,
            workload: section.required_table("workload", workload)?,
        },
        None => built_in(name, &mut section, own)?,
    };
    section.finish()?;
    let name = path.rsplit('.').next().unwrap_or(path).to_owned();
    Ok(Flow {
        name,
        from,
        to,
        start,
        start_spread,
        kind,
    })
}

/// The transports of this crate, by name.
const BUILT_IN: [&str; 6] = ["sctp", "tcp", "udp", "ftp", "http", "files"];

/// Reads the earliest start, and the time within which the start is random.
fn start(section: &mut Section<'_>) -> Result<(Duration, Duration), ScenarioError> {
    if !matches!(section.value("start"), Some(Value::Table(_))) {
        let start = section.or("start", quantity::duration, Duration::ZERO)?;
        return Ok((start, Duration::ZERO));
    }
    section.required_table("start", |section| {
        let from = section.required("from", quantity::duration)?;
        let to: Duration = section.required("to", quantity::duration)?;
        let spread = to.checked_sub(from);
        let spread = spread.ok_or_else(|| conflict(&section.at("to"), &"is before `from`"))?;
        Ok((from, spread))
    })
}

fn built_in(
    name: &str,
    section: &mut Section<'_>,
    own: &CustomAlgorithms,
) -> Result<FlowKind, ScenarioError> {
    Ok(match name {
        "sctp" => {
            let options = section.table("sctp", |table| sctp::options(table, &own.policies))?;
            let mut options = options.unwrap_or_default();
            let reliability = sctp::reliability(section)?;
            if reliability != Reliability::Reliable {
                options.partial_reliability = PartialReliability::On;
            }
            let endpoint = section.table("endpoint", sctp::limits)?;
            FlowKind::Sctp {
                keys: keys(section, &options, own.keys)?,
                options: Box::new(options),
                endpoint: Box::new(endpoint.unwrap_or_default()),
                reliability,
                workload: section.required_table("workload", workload)?,
            }
        }
        "tcp" => FlowKind::Tcp {
            options: Box::new(
                section
                    .table("tcp", tcp_options::options)?
                    .unwrap_or_default(),
            ),
            workload: section.required_table("workload", workload)?,
        },
        "udp" => FlowKind::Udp {
            len: section.required("packet", quantity::bytes)?,
            arrivals: section.required_table("arrivals", arrivals)?,
            lasts: section.optional("lasts", quantity::duration)?,
        },
        "ftp" => file_flow::ftp(section)?,
        "http" => file_flow::http(section)?,
        _ => file_flow::sheave(section, own)?,
    })
}

/// Reads the keys of an association: `rekey`, their age, if the options protect its packets.
pub(super) fn keys(
    section: &mut Section<'_>,
    options: &Options,
    source: Option<CustomKeys>,
) -> Result<Option<FlowKeys>, ScenarioError> {
    let rekey = section.optional("rekey", quantity::duration)?;
    if rekey == Some(Duration::ZERO) {
        return Err(conflict(&section.at("rekey"), &"must be above zero"));
    }
    if options.protection == Protection::Off {
        let needless = rekey.map(|_| conflict(&section.at("rekey"), &"needs sctp.protection"));
        return needless.map_or(Ok(None), Err);
    }
    let none = "needs keys, which the laboratory has, and the simulator alone has not";
    let source = source.ok_or_else(|| conflict(&section.at("sctp.protection"), &none))?;
    let rekey = rekey.unwrap_or(REKEY);
    Ok(Some(FlowKeys { source, rekey }))
}

fn workload(section: &mut Section<'_>) -> Result<FlowWorkload, ScenarioError> {
    let kind = section.kind(&["bulk", "messages", "urgent-and-bulk"])?;
    let message = section.required("message", quantity::bytes)?;
    Ok(match kind {
        "bulk" => FlowWorkload::Bulk {
            message,
            streams: section.or("streams", quantity::count, 1)?,
            count: section.optional("count", quantity::count)?,
        },
        "messages" => {
            let streams = section.or("streams", quantity::count, 1)?;
            FlowWorkload::Messages(outgoing(section, message, streams)?)
        }
        _ => FlowWorkload::UrgentAndBulk(UrgentAndBulk {
            urgent: outgoing(section, message, 1)?,
            bulk: section.required("bulk", quantity::bytes)?,
            depth: section.required("depth", quantity::bytes)?,
        }),
    })
}

fn outgoing(
    section: &mut Section<'_>,
    len: usize,
    streams: u16,
) -> Result<Outgoing, ScenarioError> {
    Ok(Outgoing {
        len,
        count: section.required("count", quantity::count)?,
        streams,
        arrivals: section.table("arrivals", arrivals)?,
    })
}

fn arrivals(section: &mut Section<'_>) -> Result<Arrivals, ScenarioError> {
    Ok(match section.kind(&["constant", "poisson", "on-off"])? {
        "constant" => Arrivals::Constant {
            interval: section.required("interval", quantity::duration)?,
        },
        "poisson" => Arrivals::Poisson {
            mean: section.required("mean", quantity::duration)?,
        },
        _ => Arrivals::OnOff {
            interval: section.required("interval", quantity::duration)?,
            on: section.required("on", quantity::duration)?,
            off: section.required("off", quantity::duration)?,
        },
    })
}

/// An end of a flow: its host and addresses.
pub(super) type End = (HostId, Vec<IpAddr>);

impl Flow {
    /// Adds the flow's agents to their hosts. `place` is the flow's index.
    pub(super) fn start(
        &self,
        world: &mut World,
        place: usize,
        ends: &[End; 2],
        (checksum, watching): (Checksum, Watching),
    ) -> RunningFlow {
        let port = FIRST_PORT.wrapping_add(u16::try_from(place).unwrap_or(u16::MAX));
        let [(_, local), (_, remote)] = ends;
        let seed = |end: &str| world.seed(&format!("flow {} {end}", self.name));
        let seeds = (seed("client"), seed("server"));
        match &self.kind {
            FlowKind::Sctp {
                options,
                endpoint,
                reliability,
                keys,
                workload,
            } => {
                let endpoint = EndpointOptions {
                    checksum,
                    ..endpoint.as_ref().clone()
                };
                let options = options.as_ref().clone();
                let client = Sctp::client(
                    local,
                    (remote, port),
                    options.clone(),
                    endpoint.clone(),
                    seeds.0,
                );
                let server = Sctp::server(remote, port, options, endpoint, seeds.1);
                let finished = |sctp: Sctp| {
                    let sctp = sctp.with_reliability(*reliability);
                    FlowKeys::protect(*keys, sctp)
                };
                let (client, server) = (finished(client), finished(server));
                let both = (watching.over(client), watching.over(server));
                let both = match (watching, workload.has_stamps()) {
                    (Watching::Off, _) | (_, false) => both,
                    (_, true) => (both.0.with_first_sends(), both.1),
                };
                self.employ(world, ends, both, workload)
            }
            FlowKind::Tcp { options, workload } => {
                let options = options.as_ref().clone();
                let (local, remote) = (first(local), first(remote));
                let client = Tcp::client(local, (remote, port), options.clone(), seeds.0);
                let server = Tcp::server(port, options, seeds.1);
                let both = (
                    client.with_checksum(checksum),
                    server.with_checksum(checksum),
                );
                self.employ(world, ends, both, workload)
            }
            FlowKind::Custom {
                transport,
                workload,
            } => {
                let [client, server] = [local, remote].map(|end| SocketAddr::new(first(end), port));
                let make = |local, remote, seed| {
                    (transport.make)(NewTransport {
                        local,
                        remote,
                        seed,
                    })
                };
                let both = (
                    make(client, Some(server), seeds.0),
                    make(server, None, seeds.1),
                );
                self.employ(world, ends, both, workload)
            }
            FlowKind::Files { files, protocol } => {
                let start = self.begins(world);
                let how = (checksum, watching);
                let client = protocol.client(*files, (local, (remote, port)), start, how, seeds.0);
                let server = protocol.server(*files, (remote, port), how, seeds.1);
                RunningFlow {
                    client: world.add_agent(ends[0].0, client),
                    server: world.add_agent(ends[1].0, server),
                }
            }
            FlowKind::Udp {
                len,
                arrivals,
                lasts,
            } => {
                let start = self.begins(world);
                let traffic = Traffic {
                    source: SocketAddr::new(first(local), port),
                    destination: SocketAddr::new(first(remote), port),
                    len: *len,
                    arrivals: *arrivals,
                    start,
                    stop: lasts.map_or(Time::MAX, |lasts| start + lasts),
                };
                self.flood(world, [ends[0].0, ends[1].0], traffic)
            }
        }
    }

    /// When the flow starts.
    fn begins(&self, world: &World) -> Time {
        let mut random = world.random(&format!("flow {} start", self.name));
        Time::ZERO + self.start + self.start_spread.mul_f64(random.unit())
    }

    /// Sends cross traffic between the hosts.
    fn flood(&self, world: &mut World, hosts: [HostId; 2], traffic: Traffic) -> RunningFlow {
        let counter = Counter::new(traffic.destination.port());
        let random = world.random(&format!("flow {} packets", self.name));
        let source = Source::new(traffic, random);
        RunningFlow {
            client: world.add_agent(hosts[0], Box::new(source)),
            server: world.add_agent(hosts[1], Box::new(counter)),
        }
    }

    /// Adds the workload's programs to both transports.
    fn employ<T: Transport>(
        &self,
        world: &mut World,
        ends: &[End; 2],
        (client, server): (T, T),
        workload: &FlowWorkload,
    ) -> RunningFlow {
        let start = self.begins(world);
        let client: Box<dyn Agent> = match workload {
            FlowWorkload::Bulk {
                message,
                streams,
                count,
            } => {
                let bulk = match count {
                    None => Bulk::endless(*message, *streams),
                    Some(count) => Bulk::counted(*message, *streams, *count),
                };
                Box::new(Program::new(client, bulk, start))
            }
            FlowWorkload::Messages(outgoing) => {
                let random = world.random(&format!("flow {} messages", self.name));
                let messages = Messages::new(outgoing.clone(), random);
                Box::new(Program::new(client, messages, start))
            }
            FlowWorkload::UrgentAndBulk(both) => {
                let random = world.random(&format!("flow {} messages", self.name));
                let both = UrgentBesideBulk::new(both, random);
                Box::new(Program::new(client, both, start))
            }
        };
        let server = Program::new(server, workload.sink(), Time::ZERO);
        RunningFlow {
            client: world.add_agent(ends[0].0, client),
            server: world.add_agent(ends[1].0, Box::new(server)),
        }
    }
}

impl FlowKeys {
    /// Protects an end of a flow that has keys.
    pub(super) fn protect(keys: Option<Self>, sctp: Sctp) -> Sctp {
        match keys {
            Some(keys) => sctp.with_keys((keys.source.make)(keys.rekey)),
            None => sctp,
        }
    }
}

/// First address of an end; an end without addresses reaches no peer.
pub(super) fn first(addresses: &[IpAddr]) -> IpAddr {
    let unspecified = IpAddr::from([0, 0, 0, 0]);
    addresses.first().copied().unwrap_or(unspecified)
}

impl FlowWorkload {
    /// Whether any messages carry their number.
    fn has_stamps(&self) -> bool {
        matches!(self, Self::Messages(_) | Self::UrgentAndBulk(_))
    }

    fn sink(&self) -> Sink {
        match self {
            Self::Bulk { count: None, .. } => Sink::counting(Expected::Everything),
            Self::Bulk {
                message,
                count: Some(count),
                ..
            } => Sink::counting(Expected::Bytes(*message as u64 * count)),
            Self::UrgentAndBulk(_) => Sink::with_receipts_of(URGENT_STREAM, Expected::Everything),
            Self::Messages(outgoing) => Sink::with_receipts(Expected::Messages(outgoing.count)),
        }
    }
}
