use core::time::Duration;
use std::net::SocketAddr;

use serde_json::{Value, json};

use super::part::{Part, Work};
use crate::live::{FAR, Namespaces, Process};
use crate::studies::versus::NAME;

/// Time limit for a process to start.
const SOON: Duration = Duration::from_secs(20);
/// Time limit for a transfer.
pub(super) const LONGEST: Duration = Duration::from_secs(300);

/// A transfer from one process to another.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    side: String,
    work: Work,
    /// Congestion control of a TCP connection, by the kernel's name.
    pub(super) congestion: &'static str,
    /// Delay before the transfer starts.
    pub(super) start: Duration,
}

impl Transfer {
    /// Creates a transfer; a TCP connection uses the congestion control of today's Linux.
    pub(super) fn new(side: &str, work: Work) -> Self {
        Self {
            side: side.to_owned(),
            work,
            congestion: "cubic",
            start: Duration::ZERO,
        }
    }

    fn part(&self, to: Option<SocketAddr>) -> Value {
        json!(Part {
            side: self.side.clone(),
            work: self.work,
            congestion: self.congestion.to_owned(),
            start: self.start,
            to,
        })
    }
}

/// Carries out parallel transfers; returns the rate of each, Mbit/s.
pub(super) fn rates(spaces: &Namespaces, transfers: &[Transfer]) -> Result<Vec<f64>, String> {
    let [near, far] = spaces.names();
    let (mut servers, mut clients) = (Vec::new(), Vec::new());
    for transfer in transfers {
        let mut server = Namespaces::part(far, NAME, &transfer.part(None))?;
        let port = server.hear_port(SOON)?;
        servers.push((server, SocketAddr::new(FAR.into(), port)));
    }
    for (transfer, (_, to)) in transfers.iter().zip(&servers) {
        clients.push(Namespaces::part(near, NAME, &transfer.part(Some(*to)))?);
    }
    let rates = servers.iter_mut().map(|(server, _)| rate(server));
    rates.collect()
}

fn rate(server: &mut Process) -> Result<f64, String> {
    let heard = server.hear(LONGEST)?;
    match (heard["bytes"].as_f64(), heard["seconds"].as_f64()) {
        (Some(bytes), Some(seconds)) => Ok(bytes * 8e-6 / seconds),
        _ => Err(format!("the server does not count: {heard}")),
    }
}
