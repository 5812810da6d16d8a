//! Parts of the JSON document that do not change during the test.

use serde_json::{Value, json};

use super::abandoned::Abandoned;
use super::control::{Cpu, Tally};
use super::flags::MSS_HEADERS;
use super::flow::Flow;

/// The settings of an association that iperf3 reports for a socket.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The congestion control, by Linux's name.
    pub congestion: String,
    /// The send buffer, bytes.
    pub send_buffer: usize,
    /// The receive buffer, bytes.
    pub receive_buffer: usize,
    /// The segment size that --set-mss sets, bytes.
    pub segment: u16,
}

impl Settings {
    /// The settings of a flow's association; defaults once it is closed.
    pub fn of(flow: &Flow) -> Self {
        let Some(options) = flow.association.options() else {
            return Self::default();
        };
        let congestion = options.get("congestion").unwrap_or_default();
        let paths = flow.association.path_stats();
        let pmtu = paths.iter().map(|path| path.pmtu).min().unwrap_or(0);
        Self {
            congestion: match congestion.as_str() {
                "new-reno" => "reno".to_owned(),
                _ => congestion,
            },
            send_buffer: options.send_buffer,
            receive_buffer: options.receive_buffer,
            segment: pmtu.saturating_sub(MSS_HEADERS),
        }
    }
}

/// CPU time of both ends.
pub fn cpu_keys(own: &Cpu, other: &Cpu) -> Value {
    json!({
        "host_total": own.total,
        "host_user": own.user,
        "host_system": own.system,
        "remote_total": other.total,
        "remote_user": other.user,
        "remote_system": other.system,
    })
}

/// Keys beyond iperf3's, for each association and both ends.
pub fn sctp_keys(own: &Tally, other: &Tally) -> Value {
    let associations = (1..).zip(own.paths.iter().zip(&own.abandoned));
    let associations: Vec<Value> = associations
        .map(|(id, (paths, abandoned))| {
            json!({ "socket": id, "paths": paths, "abandoned": abandoned })
        })
        .collect();
    let [host, remote] = [own, other].map(|end| end.abandoned.iter().sum::<Abandoned>());
    json!({
        "associations": associations,
        "abandoned": { "host": host, "remote": remote },
    })
}

/// The addresses of an association.
pub fn ends(id: usize, flow: &Flow) -> Value {
    let paths = flow.association.path_stats();
    let primary = paths.iter().find(|path| path.primary).or(paths.first());
    let stats = flow.association.stats();
    json!({
        "socket": id,
        "local_host": primary.map(|path| path.local),
        "local_port": stats.as_ref().map(|stats| stats.local_port),
        "remote_host": primary.map(|path| path.remote),
        "remote_port": stats.as_ref().map(|stats| stats.remote_port),
    })
}

/// The operating system of this end.
pub fn system_info() -> String {
    let name = rustix::system::uname();
    let texts = [name.sysname(), name.release(), name.machine()];
    texts
        .map(|text| text.to_string_lossy().into_owned())
        .join(" ")
}
