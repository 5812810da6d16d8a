//! `sheave doctor`: checks SCTP on this machine and to a peer, and suggests remedies.

mod check;
mod here;
mod report;
mod there;

use std::net::IpAddr;
use std::time::Duration;

use clap::Args;
use sheave::Profile;

use crate::failure::{Exit, Failure};
use crate::network::{HostPort, UDP_PORT};
use crate::perf::PERF_PORT;
use crate::screen::{Output, Screen};
use crate::units::parse_duration;
use report::{Detail, Report};
use there::Peer;

/// Finds out why SCTP does not work.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../help/doctor.txt").trim_end())]
pub struct DoctorArgs {
    /// A peer to ask, and its SCTP port if it is not 5201
    #[arg(value_name = "HOST[:PORT]")]
    host: Option<HostPort>,

    /// Also explain good findings
    #[arg(short, long)]
    verbose: bool,

    /// Ask from these local addresses [default: all usable ones]
    #[arg(
        short = 'X',
        long = "local",
        value_name = "ADDR",
        value_delimiter = ',',
        requires = "host"
    )]
    local: Vec<IpAddr>,

    /// The peer's UDP port
    #[arg(long, value_name = "PORT", default_value_t = UDP_PORT)]
    peer_udp_port: u16,

    /// Longest wait for answers, per route
    #[arg(short = 'W', long, value_name = "TIME", default_value = "2", value_parser = parse_duration)]
    timeout: Duration,

    /// The protocol parameters whose timers are checked
    #[arg(long, value_name = "NAME", default_value = "modern")]
    profile: Profile,
}

/// Runs the command.
pub fn run(args: &DoctorArgs, output: Output) -> Result<Exit, Failure> {
    let peer = args.host.as_ref().map(|host| Peer {
        host: host.host.clone(),
        port: host.port.unwrap_or(PERF_PORT),
        udp_port: args.peer_udp_port,
        local: args.local.clone(),
        wait: args.timeout,
        profile: args.profile,
    });
    // Reports an unknown name first.
    let remotes = peer.as_ref().map(Peer::remotes).transpose()?;
    let screen = Screen::new(output);
    let detail = match args.verbose {
        true => Detail::Full,
        false => Detail::Short,
    };
    let mut report = Report::new(&screen, detail);
    report.begin("here", &here::title());
    here::checks(&mut |check| report.add(check));
    if let (Some(peer), Some(remotes)) = (peer, remotes) {
        let title = format!("There: {}, SCTP port {}", peer.host, peer.port);
        report.begin("there", &title);
        peer.checks(&remotes, &mut |check| report.add(check));
    }
    Ok(report.finish())
}
