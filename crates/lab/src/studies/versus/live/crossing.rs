//! Transfers between real processes over an emulated network.

use core::time::Duration;
use std::fs;
use std::net::SocketAddr;

use sheave_emulate::{Emulator, Report, Running};
use sheave_sim::scenario::Scenario;

use super::part::{Part, Work};
use crate::Measured;
use crate::live::{FAR, Namespaces, Process, UNFIT};
use crate::studies::network;
use crate::studies::versus::NAME;
use crate::studies::versus::alone::LOST;
use crate::studies::versus::grid::Network;

/// Time that a process gets to become ready.
const SOON: Duration = Duration::from_secs(20);
/// Time that a transfer gets.
const LONGEST: Duration = Duration::from_secs(300);

/// A transfer from one process to another.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    side: String,
    work: Work,
    /// The congestion control of a connection, by the kernel's name.
    pub(super) congestion: &'static str,
    /// The time after which it begins.
    pub(super) start: Duration,
}

impl Transfer {
    pub(super) fn new(side: &str, work: Work) -> Self {
        Self {
            side: side.to_owned(),
            work,
            congestion: CUBIC,
            start: Duration::ZERO,
        }
    }

    fn part(&self, to: Option<SocketAddr>) -> Part {
        Part {
            side: self.side.clone(),
            work: self.work,
            congestion: self.congestion.to_owned(),
            start: self.start,
            to,
        }
    }
}

/// The congestion control of Linux today.
const CUBIC: &str = "cubic";

/// What became of transfers.
pub(super) enum Crossing {
    Crossed(Crossed),
    /// This machine cannot carry them, for this reason.
    Impossible(String),
}

/// Transfers that are over.
pub(super) struct Crossed {
    /// User data of each, megabits a second.
    pub(super) rates: Vec<f64>,
    pub(super) report: Report,
}

impl Crossed {
    /// The losses, and the kernel.
    pub(super) fn measured(&self) -> Measured {
        let links = self.report.links.iter();
        let lost: u64 = links.map(|link| link.there.lost() + link.back.lost()).sum();
        let losses = self.report.losses;
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Measured::new()
            .with(LOST, lost as f64)
            .with("emulator_losses", (losses.unsent + losses.refused) as f64)
            .with_note("kernel", kernel.trim())
    }
}

/// Carries out transfers, all over that network.
pub(super) fn cross(over: Network, seed: u64, transfers: &[Transfer]) -> Result<Crossing, String> {
    let mut scenario = network::scenario("live", LONGEST);
    let (there, back) = (over.there(), over.back());
    scenario.links = vec![network::links("link", ["A", "B"], there, back)];
    let mut emulator = emulator(&scenario, seed)?;
    let spaces = Namespaces::new();
    let impossible = |error: &str| Ok(Crossing::Impossible(Namespaces::missing(error)));
    if let Err(error) = emulator.add_tunnel(spaces.names()) {
        return impossible(&error.to_string());
    }
    let running = Running::start(emulator).map_err(|error| error.to_string())?;
    if let Err(error) = spaces.make() {
        return impossible(&error);
    }
    let rates = match between(&spaces, transfers) {
        Err(error) if error.contains(UNFIT) => return impossible(&error),
        rates => rates?,
    };
    let report = running.end().map_err(|error| error.to_string())?;
    Ok(Crossing::Crossed(Crossed { rates, report }))
}

fn emulator(scenario: &Scenario, seed: u64) -> Result<Emulator, String> {
    Emulator::new(scenario, seed).map_err(|error| error.to_string())
}

/// The rates of transfers between two namespaces, megabits a second.
fn between(spaces: &Namespaces, transfers: &[Transfer]) -> Result<Vec<f64>, String> {
    let [near, far] = spaces.names();
    let (mut servers, mut clients) = (Vec::new(), Vec::new());
    for transfer in transfers {
        let part = transfer.part(None).to_json();
        let mut server = Namespaces::part(far, NAME, &part)?;
        let heard = server.hear(SOON)?;
        let port = heard["port"].as_u64().and_then(|port| port.try_into().ok());
        let port: u16 = port.ok_or_else(|| format!("the server names no port: {heard}"))?;
        servers.push((server, SocketAddr::new(FAR.into(), port)));
    }
    for (transfer, (_, to)) in transfers.iter().zip(&servers) {
        let part = transfer.part(Some(*to)).to_json();
        clients.push(Namespaces::part(near, NAME, &part)?);
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
