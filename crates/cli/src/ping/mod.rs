//! `sheave ping`: measures the round trip to an SCTP peer, with ping's output and exit codes.

mod echo;
mod handover;
mod heartbeat;
mod init;
pub mod serve;
mod statistics;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{Carrier, HostPort, NetworkArgs, PeerArgs, resolve};
use crate::perf::PERF_PORT;
use crate::screen::{Output, Screen};
use crate::units::{millis, parse_duration};
use statistics::Statistics;

/// Largest message to echo, bytes.
pub const MAX_ECHO: u32 = 1 << 20;

/// The kinds of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// INIT, answered by INIT ACK; no association is established.
    #[default]
    Init,
    /// Heartbeats on all paths of an association.
    Heartbeat,
    /// Messages that `sheave perf -s` or `sheave ping --serve` sends back.
    Echo,
}

/// Asks whether an SCTP answers.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/ping.txt").trim_end())]
pub struct PingArgs {
    /// Host to ask, and its SCTP port if not --port
    #[arg(required_unless_present = "serve", value_name = "HOST[:PORT]")]
    host: Option<HostPort>,

    /// Answer the questions of other hosts instead
    #[arg(long, conflicts_with = "host")]
    serve: bool,

    /// Take over the associations of the server at this socket, and wait there for a successor
    #[arg(long, value_name = "SOCKET", requires = "serve")]
    handover: Option<PathBuf>,

    /// Kind of question
    #[arg(short, long, value_enum, default_value_t, value_name = "HOW")]
    mode: Mode,

    /// The SCTP port
    #[arg(short, long, value_name = "PORT", default_value_t = PERF_PORT)]
    port: u16,

    /// Number of questions; with --deadline, number of answers to wait for
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,

    /// Time between two questions, at least 2ms
    #[arg(short, long, value_name = "TIME", default_value = "1", value_parser = parse_duration)]
    interval: Duration,

    /// Wait for the first answer after the last question; once an answer has arrived, the wait is twice
    /// the longest round trip, at least --interval
    #[arg(short = 'W', long, value_name = "TIME", default_value = "2", value_parser = parse_duration)]
    timeout: Duration,

    /// End after this time regardless of answers; 0 is no limit
    #[arg(short = 'w', long, value_name = "TIME", default_value = "0", value_parser = parse_duration)]
    #[arg(hide_default_value = true)]
    deadline: Duration,

    /// Size of a message of --mode echo, bytes [default: 56]
    #[arg(short, long, value_name = "BYTES")]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=i64::from(MAX_ECHO)))]
    size: Option<u32>,

    /// Print only the summary
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    network: NetworkArgs,

    #[command(flatten)]
    peer: PeerArgs,
}

/// A kind of question.
trait Probe {
    /// Sends questions and returns their number; 0 while every path awaits an answer.
    fn send(&mut self, seq: u64) -> Result<u64, Failure>;

    /// The next answer, if one arrives within `wait`.
    fn receive(&mut self, wait: Duration) -> Result<Option<Answer>, Failure>;
}

/// The answer to a probe.
struct Answer {
    from: String,
    seq: u64,
    outcome: PingOutcome,
}

enum PingOutcome {
    /// A reply of `bytes` after `rtt`.
    Reply { bytes: usize, rtt: Duration },
    /// An error, described in words.
    Error(String),
}

/// Runs the command.
/// Errors: the host is unknown, or no question can be sent; the exit code is 2.
pub fn run(args: &PingArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let outcome = if args.serve {
        serve::serve(args, output, interrupts)
    } else {
        ask(args, output, interrupts)
    };
    outcome.map_err(|failure| Failure {
        exit: Exit::Usage,
        ..failure
    })
}

fn ask(args: &PingArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let Some(host) = &args.host else {
        return Err(Failure::usage("HOST is missing"));
    };
    if args.interval < Duration::from_millis(2) {
        return Err(Failure::usage("--interval: must be at least 2ms"));
    }
    if args.size.is_some() && args.mode != Mode::Echo {
        let what = "--size: only the messages of --mode echo have a size";
        return Err(Failure::usage(what).fix("add --mode echo, or leave --size out"));
    }
    if args.network.has_dtls() && args.mode == Mode::Init {
        let what = "--dtls: an INIT alone is sent in the clear";
        return Err(Failure::usage(what).fix("ask with --mode heartbeat or --mode echo"));
    }
    if args.network.is_secure() && args.mode == Mode::Init {
        let what = "--secure: an INIT alone shows nothing of protection";
        return Err(Failure::usage(what).fix("ask with --mode heartbeat or --mode echo"));
    }
    let (port, ip) = (host.port.unwrap_or(args.port), resolve(&host.host)?);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    interrupts.on_interrupt(move || stopped.store(true, Ordering::Relaxed));
    let screen = Screen::new(output);
    let mode = match args.mode {
        Mode::Init => "init",
        Mode::Heartbeat => "heartbeat",
        Mode::Echo => "echo",
    };
    let over = match args.network.carrier {
        Carrier::Udp => format!(" over UDP port {}", args.peer.peer_udp_port),
        Carrier::Raw => String::new(),
    };
    let fields = json!({ "host": host.host, "address": ip, "port": port, "mode": mode });
    screen.event("start", fields, || {
        format!("PING {} ({ip}) SCTP port {port}{over}, {mode}", host.host)
    });
    let probe: Result<Box<dyn Probe>, Failure> = match args.mode {
        Mode::Init => init::Init::new(args, ip, port).map(|probe| Box::new(probe) as _),
        Mode::Heartbeat => {
            heartbeat::Heartbeat::new(args, &host.host, port).map(|probe| Box::new(probe) as _)
        }
        Mode::Echo => echo::Echo::new(args, &host.host, port).map(|probe| Box::new(probe) as _),
    };
    let mut probe = probe?;
    let mut session = PingSession {
        args,
        screen,
        statistics: Statistics::default(),
        began: Instant::now(),
    };
    let outcome = session.run(probe.as_mut(), &stop);
    session.report(&host.host);
    outcome?;
    let received = session.statistics.received;
    let is_short = !args.deadline.is_zero() && args.count.is_some_and(|count| received < count);
    Ok(match received {
        0 => Exit::Failure,
        _ if is_short => Exit::Failure,
        _ => Exit::Success,
    })
}

struct PingSession<'a> {
    args: &'a PingArgs,
    screen: Screen,
    statistics: Statistics,
    began: Instant,
}

impl PingSession<'_> {
    fn run(&mut self, probe: &mut dyn Probe, stop: &AtomicBool) -> Result<(), Failure> {
        let count = self.args.count.unwrap_or(u64::MAX);
        let end = Some(self.args.deadline).filter(|deadline| !deadline.is_zero());
        let end = end.map(|deadline| self.began + deadline);
        let is_over =
            || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let (mut seq, mut next) = (0, Instant::now());
        loop {
            let left = probe.send(seq + 1)?;
            self.statistics.transmitted += left;
            seq += u64::from(left > 0);
            let asked = Instant::now();
            next += self.args.interval;
            // With a deadline, lost questions are replaced.
            let is_last = end.is_none() && seq >= count;
            while !is_over() && Instant::now() < self.wait_until(asked, next, is_last) {
                let has_all = match end {
                    None => is_last && self.statistics.is_complete(),
                    Some(_) => self.statistics.received >= count,
                };
                if has_all {
                    return Ok(());
                }
                let until = self.wait_until(asked, next, is_last);
                let rest = until.saturating_duration_since(Instant::now());
                if let Some(answer) = probe.receive(rest.min(Duration::from_millis(100)))? {
                    self.take(&answer);
                }
            }
            if is_last || is_over() {
                return Ok(());
            }
        }
    }

    /// The end of the wait for answers to the last question: when the next question is due, or
    /// after ping's final wait.
    fn wait_until(&self, asked: Instant, next: Instant, is_last: bool) -> Instant {
        match self.statistics.times() {
            _ if !is_last => next,
            None => asked + self.args.timeout,
            Some(times) => asked + (times.max * 2).max(self.args.interval),
        }
    }

    fn take(&mut self, answer: &Answer) {
        let Answer { from, seq, outcome } = answer;
        match outcome {
            PingOutcome::Reply { bytes, rtt } => {
                self.statistics.add(*rtt);
                if self.args.quiet {
                    return;
                }
                let time = millis(*rtt);
                let fields = json!({
                    "from": from, "seq": seq, "bytes": bytes, "time_ms": rtt.as_secs_f64() * 1e3,
                });
                self.screen.event("reply", fields, || {
                    format!("{bytes} bytes from {from}: seq={seq} time={time} ms")
                });
            }
            PingOutcome::Error(why) => {
                self.statistics.errors += 1;
                if self.args.quiet {
                    return;
                }
                let fields = json!({ "from": from, "seq": seq, "error": why });
                self.screen
                    .event("error", fields, || format!("From {from}: seq={seq} {why}"));
            }
        }
    }

    fn report(&self, host: &str) {
        let took = self.began.elapsed();
        let statistics = &self.statistics;
        let times = statistics.times();
        let fields = json!({
            "transmitted": statistics.transmitted,
            "received": statistics.received,
            "errors": statistics.errors,
            "loss_percent": statistics.loss_percent(),
            "time_ms": took.as_secs_f64() * 1e3,
            "rtt_min_ms": times.map(|times| times.min.as_secs_f64() * 1e3),
            "rtt_avg_ms": times.map(|times| times.mean.as_secs_f64() * 1e3),
            "rtt_max_ms": times.map(|times| times.max.as_secs_f64() * 1e3),
            "rtt_mdev_ms": times.map(|times| times.deviation.as_secs_f64() * 1e3),
        });
        self.screen.event("summary", fields, || {
            let errors = match statistics.errors {
                0 => String::new(),
                count => format!("+{count} errors, "),
            };
            let mut text = format!(
                "\n--- {host} ping statistics ---\n\
                 {} packets transmitted, {} received, {errors}{}% packet loss, time {}ms",
                statistics.transmitted,
                statistics.received,
                statistics.loss_percent(),
                took.as_millis(),
            );
            if let Some(times) = times {
                text.push_str(&format!(
                    "\nrtt min/avg/max/mdev = {}/{}/{}/{} ms",
                    millis(times.min),
                    millis(times.mean),
                    millis(times.max),
                    millis(times.deviation),
                ));
            }
            text
        });
    }
}
