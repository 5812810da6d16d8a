//! `sheave emulate`: applies the simulator's links to real sockets.

mod counters;
mod link;

use std::fs;
use std::io::IsTerminal;
use std::iter::successors;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use sheave_emulate::{EmulateError, Emulator, Report, Until};
use sheave_sim::scenario::{Scenario, read_network};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::{Output, Screen};
use crate::units::parse_duration;
use link::LinkArgs;

/// Emulates a network.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/emulate.txt").trim_end())]
pub struct EmulateArgs {
    /// A scenario, or the keys of a link, in TOML
    file: Option<PathBuf>,

    /// Address that clients send to; repeat for further links
    #[arg(short, long, value_name = "HOST:PORT", value_parser = parse_address)]
    #[arg(required_unless_present = "tun")]
    listen: Vec<SocketAddr>,

    /// Destination of their datagrams; once for each --listen
    #[arg(short, long, value_name = "HOST:PORT", value_parser = parse_address)]
    to: Vec<SocketAddr>,

    /// Two TUN devices instead of UDP
    #[arg(long, num_args = 2, value_names = ["NEAR", "FAR"], conflicts_with_all = ["listen", "to"])]
    tun: Vec<String>,

    #[command(flatten)]
    link: LinkArgs,

    /// Seed of the random generator
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Duration; without it, until Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    duration: Option<Duration>,

    /// Time between two counter events of --json
    #[arg(short, long, value_name = "TIME", default_value = "1", value_parser = parse_duration)]
    interval: Duration,
}

/// Refresh interval of the counter line on a terminal.
const GLANCE: Duration = Duration::from_millis(250);

/// Runs the command.
/// Errors: the network description is invalid, or an address or a TUN device cannot be used.
pub fn run(args: &EmulateArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    if args.listen.len() != args.to.len() {
        let what = "each --listen needs its --to";
        return Err(Failure::usage(what).fix("give as many of the one as of the other"));
    }
    if let Some(listen) = args.listen.iter().find(|listen| args.is_loop(**listen)) {
        let what = format!("--listen {listen}: its datagrams come back to it");
        return Err(Failure::usage(what).fix("--to takes the address of the server"));
    }
    let screen = Screen::new(output);
    let mut emulator = Emulator::new(&args.network()?, args.seed).map_err(|e| failure(&e))?;
    args.open(&mut emulator, &screen)?;
    let stop = Arc::new(AtomicBool::new(false));
    let sign = Arc::clone(&stop);
    interrupts.on_interrupt(move || sign.store(true, Ordering::Relaxed));
    let until = Until {
        stop: &stop,
        limit: args.duration,
    };
    let line = line(output);
    let pulse = match output {
        Output::Human => GLANCE,
        Output::Json => args.interval.max(Duration::from_millis(10)),
    };
    let mut last = Report::default();
    let ended = emulator.run(until, pulse, |report| {
        match output {
            Output::Human => line.set_message(counters::line(report, &last)),
            Output::Json => screen.event("counters", counters::to_json(report), String::new),
        }
        last = report.clone();
    });
    line.finish_and_clear();
    let report = ended.while_doing("the emulation broke off")?;
    screen.event("totals", counters::to_json(&report), || {
        counters::table(&report)
    });
    Ok(Exit::Success)
}

impl EmulateArgs {
    /// Whether datagrams to `listen` come back to an address that forwards them, again and again.
    fn is_loop(&self, listen: SocketAddr) -> bool {
        let next = |at: &SocketAddr| {
            let mut ways = self.listen.iter().zip(&self.to);
            Some(*ways.find(|(listen, _)| reaches(*at, **listen))?.1)
        };
        let hops = successors(next(&listen), next);
        hops.take(self.listen.len() + 1).count() > self.listen.len()
    }

    /// The network from the file, or from the options.
    fn network(&self) -> Result<Scenario, Failure> {
        let Some(file) = &self.file else {
            return read_network(&self.link.toml()?)
                .map_err(|error| Failure::usage(link::complaint(error)));
        };
        if !self.link.is_empty() {
            return Err(Failure::usage("a file or options for a link, not both")
                .fix(format!("put them into {}", file.display())));
        }
        let shown = file.display();
        let text = fs::read_to_string(file).while_doing(format!("cannot read {shown}"))?;
        read_network(&text).map_err(|error| Failure::usage(format!("{shown}: {error}")))
    }

    fn open(&self, emulator: &mut Emulator, screen: &Screen) -> Result<(), Failure> {
        for (&listen, &to) in self.listen.iter().zip(&self.to) {
            let at = emulator
                .add_relay(listen, to)
                .map_err(|error| failure(&error))?;
            let fields = json!({ "listen": at, "to": to });
            screen.event("relaying", fields, || format!("from {at} to {to}"));
        }
        if let [near, far] = &self.tun[..] {
            let opened = emulator.add_tunnel([near, far]);
            opened.map_err(|error| failure(&error))?;
            let fields = json!({ "near": near, "far": far });
            screen.event("tunnelling", fields, || format!("between {near} and {far}"));
        }
        Ok(())
    }
}

/// Whether a socket bound to `listen` receives datagrams to `at`.
fn reaches(at: SocketAddr, listen: SocketAddr) -> bool {
    let is_wildcard = listen.ip().is_unspecified() && at.ip().is_loopback();
    at == listen || is_wildcard && at.port() == listen.port()
}

fn failure(error: &EmulateError) -> Failure {
    let failure = Failure::new(error);
    match error {
        EmulateError::Network(_) => Failure::usage(error),
        EmulateError::NoWay { .. } => Failure::usage(error)
            .fix("each --listen needs a link of its own at the first host and at the second"),
        EmulateError::Listen { .. } => failure.fix("choose another with --listen"),
        EmulateError::Tunnel { .. } => {
            failure.fix("it needs root or CAP_NET_ADMIN, or a device made for this user")
        }
    }
}

/// A status line, if the output is a terminal.
fn line(output: Output) -> ProgressBar {
    match output {
        Output::Human if std::io::stderr().is_terminal() => ProgressBar::new_spinner(),
        _ => ProgressBar::hidden(),
    }
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs();
    let first = found
        .map_err(|error| format!("{error}; give HOST:PORT"))?
        .next();
    first.ok_or_else(|| "no address".to_owned())
}
