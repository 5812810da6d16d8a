//! Parses targets and options.

use std::net::IpAddr;
use std::str::FromStr;

use sheave::options::{PathTuning, UNLIMITED};
use sheave::{Options, PeerAddress, Target};

use crate::border::Outcome;
use crate::failure::Failure;
use crate::status::Status;

/// The registered UDP port (RFC 6951 §5.1).
const USUAL_UDP_PORT: u16 = 9899;

/// Whether an endpoint reaches its peers over UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    OverUdp,
    OverIp,
}

/// Parses options of an association; an empty text means the defaults.
pub(crate) fn options(text: &str) -> Outcome<Options> {
    Ok(text.parse::<Options>()?)
}

/// Parses a target: `remote=192.0.2.7,remote=198.51.100.7,udp_port=9899,port=5001`.
pub(crate) fn target(text: &str, options: Options, reach: Reach) -> Outcome<Target> {
    let mut remote = Vec::new();
    let mut udp_port = None;
    let mut port = None;
    let mut target = Target::new([], 0).with_options(options);
    for (key, value) in pairs(text) {
        match key {
            "remote" => remote.push(read(key, value, "an IP address")?),
            "port" => port = Some(read(key, value, "an SCTP port, 1 to 65535")?),
            "udp_port" => udp_port = Some(read(key, value, "a UDP port, 1 to 65535")?),
            "local" => target.local.push(read(key, value, "an IP address")?),
            "local_port" => {
                target.local_port = Some(read(key, value, "an SCTP port, 1 to 65535")?);
            }
            _ => {
                let keys = "a target has remote, port, udp_port, local and local_port";
                return Err(Failure::option(key, value, keys));
            }
        }
    }
    target.port = port.ok_or_else(|| missing("port"))?;
    target.remote = match (reach, udp_port) {
        (Reach::OverUdp, port) => {
            let port = port.unwrap_or(USUAL_UDP_PORT);
            let encapsulated = |ip| PeerAddress::encapsulated(ip, port);
            remote.into_iter().map(encapsulated).collect()
        }
        (Reach::OverIp, None) => remote.into_iter().map(PeerAddress::native).collect(),
        (Reach::OverIp, Some(port)) => {
            let reason = "the endpoint speaks SCTP over plain IP";
            return Err(Failure::option("udp_port", &port.to_string(), reason));
        }
    };
    match target.remote.is_empty() {
        true => Err(missing("remote")),
        false => Ok(target),
    }
}

/// Keys and values of `KEY=VALUE,KEY=VALUE`.
pub(crate) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let items = text.split(',').filter(|item| !item.trim().is_empty());
    items.map(|item| {
        let (key, value) = item.split_once('=').unwrap_or((item, ""));
        (key.trim(), value.trim())
    })
}

/// Parses addresses to listen on: `local=192.0.2.7,local=198.51.100.7`; an empty text means every
/// address.
pub(crate) fn local(text: &str) -> Outcome<Vec<IpAddr>> {
    let addresses = pairs(text).map(|(key, value)| match key {
        "local" => read(key, value, "an IP address"),
        _ => Err(Failure::option(
            key,
            value,
            "there is local and nothing else",
        )),
    });
    addresses.collect()
}

/// Parses options of one path, and `pmtu`.
pub(crate) fn path_tuning(text: &str) -> Outcome<PathTuning> {
    let mut tuning = PathTuning::default();
    let mut read_as = Options::default();
    for (key, value) in pairs(text) {
        if key == "pmtu" {
            tuning.pmtu = Some(read(key, value, "a number of bytes, at most 65535")?);
            continue;
        }
        read_as.set(key, value)?;
        match key {
            "heartbeats" => tuning.heartbeats = Some(read_as.heartbeats),
            "path_max_retrans" => tuning.max_retrans = Some(read_as.path_max_retrans),
            "potentially_failed_max_retrans" => {
                let most = read_as.potentially_failed_max_retrans;
                tuning.potentially_failed_max_retrans = most.or(Some(UNLIMITED));
            }
            "primary_switchover_max_retrans" => {
                let most = read_as.primary_switchover_max_retrans;
                tuning.primary_switchover_max_retrans = most.or(Some(UNLIMITED));
            }
            "dscp" => tuning.dscp = Some(read_as.dscp),
            "flow_label" => tuning.flow_label = Some(read_as.flow_label),
            _ => {
                let reason = "a path has no setting of its own for it";
                return Err(Failure::option(key, value, reason));
            }
        }
    }
    Ok(tuning)
}

fn missing(key: &str) -> Failure {
    Failure::new(Status::InvalidOption, format_args!("a target needs {key}"))
}

fn read<T: FromStr>(key: &str, value: &str, range: &str) -> Outcome<T> {
    let wrong = |_| Failure::option(key, value, format_args!("must be {range}"));
    value.parse().map_err(wrong)
}

/// Parses an IP address.
pub(crate) fn ip(text: &str) -> Outcome<IpAddr> {
    let wrong = |_| Failure::new(Status::Address, format_args!("{text} is no IP address"));
    text.trim().parse().map_err(wrong)
}
