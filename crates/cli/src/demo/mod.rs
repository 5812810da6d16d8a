//! `sheave demo`: a transfer between two processes over two paths, one of which fails half-way.

mod ports;
mod processes;
mod relay;
mod tree;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::{Output, Screen};
use crate::units::{byte_rate, bytes, parse_bytes};
use ports::find_ports;
use processes::{Line, Processes};
use relay::{Cut, Layout, Relay};
use tree::Count;

/// Longest duration of a transfer.
const PATIENCE: Duration = Duration::from_secs(300);
const SENDER: [IpAddr; 2] = [ip(1), ip(2)];
const RECEIVER: [IpAddr; 2] = [ip(3), ip(4)];
/// The SCTP port; any, since the UDP ports are private.
const PORT: &str = "5910";

const fn ip(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))
}

/// Shows failover.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  sheave demo                          1,200 files of 500 MB together
  sheave demo --from ~/photos          a directory of yours
  sheave demo --size 50M --files 100   less

Makes a directory tree in the temporary directory ($TMPDIR), starts `sheave recv` and `sheave \
send` as two processes, with two paths between them (127.0.0.1 - 127.0.0.3 and 127.0.0.2 - \
127.0.0.4) through a relay on UDP sockets that this process owns, and unplugs the first path when \
half of the bytes have gone. Then it compares every file byte for byte, and removes what it made.

Exit codes: 0 every byte arrived over the remaining path; 1 not so; 130 Ctrl-C.")]
pub struct DemoArgs {
    /// Demonstration to show; there is one
    #[arg(value_enum, default_value_t, hide = true)]
    what: What,

    /// Send this directory instead of a generated one
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Total size of the generated files, bytes
    #[arg(long, value_name = "SIZE", default_value = "500000000", value_parser = parse_bytes)]
    size: u64,

    /// Number of generated files
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    files: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum What {
    #[default]
    Transfer,
}

/// Runs the command.
///
/// # Errors
/// The demonstration cannot be set up, or bytes are missing at the end.
pub fn run(args: &DemoArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let What::Transfer = args.what;
    let screen = Screen::new(output);
    let place = tempfile::Builder::new()
        .prefix("sheave-demo-")
        .tempdir()
        .while_doing("cannot make a temporary directory")?;
    let outcome = Demo {
        args,
        screen,
        place: place.path().to_owned(),
        processes: Processes::default(),
    }
    .run(interrupts);
    // Closed explicitly: the directory is large, and an error must be reported.
    let path = place.path().to_owned();
    if let Err(error) = place.close() {
        eprintln!("sheave: {} is left over: {error}", path.display());
    }
    outcome.map(|()| Exit::Success)
}

struct Demo<'a> {
    args: &'a DemoArgs,
    screen: Screen,
    place: PathBuf,
    processes: Processes,
}

/// Events of the demonstration with their times.
struct Course {
    began: Instant,
    ended: Instant,
    cut: Option<Cut>,
    /// Time from the cut to the report that the first path is down.
    down_after: Option<Duration>,
    total: u64,
    summary: Value,
}

impl Demo<'_> {
    fn run(&self, interrupts: &Interrupts) -> Result<(), Failure> {
        let processes = self.processes.clone();
        interrupts.on_interrupt(move || processes.kill());
        let (source, size) = self.source(interrupts)?;
        let target = self.place.join("received");
        let layout = find_ports()?;
        let relay = Relay::start(layout, size / 2).while_doing("cannot start the relay")?;
        let (to_here, lines) = mpsc::channel();
        self.say(json!({}), "paths", || {
            format!(
                "two paths: {} - {} and {} - {}, over UDP through a relay of this process",
                SENDER[0], RECEIVER[0], SENDER[1], RECEIVER[1]
            )
        });
        self.processes
            .start("recv", &recv_args(&target, layout), &to_here)?;
        await_listening(&lines)?;
        self.processes
            .start("send", &send_args(&source, layout), &to_here)?;
        drop(to_here);
        let course = self.follow(&relay, &lines)?;
        let count = self.verify(&source, &target)?;
        self.report(&relay, &course, count)
    }

    /// The directory to send, with a trailing slash (only its contents), and its size in bytes.
    fn source(&self, interrupts: &Interrupts) -> Result<(PathBuf, u64), Failure> {
        let began = Instant::now();
        let (source, count) = match &self.args.from {
            Some(directory) => {
                let count = tree::count(directory).while_doing(directory.display())?;
                self.check_space(count.bytes)?;
                (directory.clone(), count)
            }
            None => {
                self.check_space(2 * self.args.size)?;
                let directory = self.place.join("sent");
                let made = tree::make(&directory, self.args.files, self.args.size);
                (directory, made.while_doing("cannot make the files")?)
            }
        };
        if interrupts.exit().is_some() {
            return Err(Failure::new("stopped"));
        }
        let fields = json!({
            "files": count.files, "directories": count.directories, "bytes": count.bytes,
        });
        self.say(fields, "tree", || {
            format!(
                "{} files in {} directories, {} ({:.1} s to prepare)",
                count.files,
                count.directories,
                bytes(count.bytes),
                began.elapsed().as_secs_f64(),
            )
        });
        let contents = PathBuf::from(format!("{}/", source.display()));
        Ok((contents, count.bytes))
    }

    fn check_space(&self, needed: u64) -> Result<(), Failure> {
        let found = rustix::fs::statvfs(&self.place);
        let space = found.while_doing("cannot look at the temporary directory")?;
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        if free < needed {
            let place = self.place.parent().unwrap_or(&self.place).display();
            return Err(Failure::new(format!(
                "{place} has {} free, {} are needed",
                bytes(free),
                bytes(needed)
            ))
            .fix("set TMPDIR to a directory with more room, or ask for less with --size"));
        }
        Ok(())
    }

    /// Follows both processes until they end.
    fn follow(&self, relay: &Relay, lines: &Receiver<Line>) -> Result<Course, Failure> {
        let mut course = Course {
            began: Instant::now(),
            ended: Instant::now(),
            cut: None,
            down_after: None,
            total: 0,
            summary: Value::Null,
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(rest) {
                Ok(line) => self.take(&line, relay, &mut course),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.processes.kill();
                    return Err(Failure::new("the transfer takes too long"));
                }
            }
        }
        if !self.processes.wait() {
            return Err(Failure::new("a process failed, see above"));
        }
        Ok(course)
    }

    fn take(&self, line: &Line, relay: &Relay, course: &mut Course) {
        if course.cut.is_none()
            && let Some(cut) = relay.cut()
        {
            course.cut = Some(cut);
            self.tell_cut(cut, course);
        }
        let Some(value) = &line.value else {
            if line.process == "send" && course.summary.is_null() {
                // The sender has reported its failure; the receiver would wait for another sender.
                self.processes.kill();
            }
            return;
        };
        match (line.process, value["event"].as_str()) {
            ("send", Some("connected")) => course.began = Instant::now(),
            ("send", Some("progress")) => {
                course.total = value["total_bytes"].as_u64().unwrap_or(0);
            }
            ("send", Some("path")) => {
                let change = value["change"].as_str().unwrap_or("?");
                let remote = value["remote"].as_str().unwrap_or("?");
                if change == "down"
                    && let Some(cut) = course.cut
                {
                    course.down_after.get_or_insert(cut.at.elapsed());
                }
                let at = course.began.elapsed();
                let fields = json!({ "remote": remote, "change": change });
                self.say(fields, "path", || {
                    format!(
                        "{:6.2} s  sender: path to {remote} is {change}",
                        at.as_secs_f64()
                    )
                });
            }
            ("send", Some("summary")) => {
                course.ended = Instant::now();
                course.summary = value.clone();
            }
            _ => {}
        }
    }

    fn tell_cut(&self, cut: Cut, course: &Course) {
        let (sent, took) = (cut.passed[0], cut.at - course.began);
        let rate = byte_rate(sent, took);
        let fields = json!({ "bytes": sent, "seconds": took.as_secs_f64() });
        self.say(fields, "cut", || {
            format!(
                "{:6.2} s  CUT: {} - {} is unplugged after {} ({rate})",
                took.as_secs_f64(),
                SENDER[0],
                RECEIVER[0],
                bytes(sent)
            )
        });
    }

    fn verify(&self, source: &Path, target: &Path) -> Result<Count, Failure> {
        tree::compare(source, target)
            .map_err(|difference| Failure::new(format!("NOT the same: {difference}")))
    }

    fn report(&self, relay: &Relay, course: &Course, count: Count) -> Result<(), Failure> {
        let Some(cut) = course.cut else {
            return Err(
                Failure::new("the transfer was over before the path could be cut")
                    .fix("send more: --size 500M"),
            );
        };
        let passed = relay.passed();
        let took = course.ended - course.began;
        let (sent, before) = (cut.passed[0], cut.at - course.began);
        let gap = relay.gap().unwrap_or_default();
        let after = (course.ended - cut.at).saturating_sub(gap);
        let rest = course.total.saturating_sub(sent);
        let retransmissions = course.summary["retransmissions"].as_u64().unwrap_or(0);
        let rate = |count: u64, over: Duration| count as f64 / over.as_secs_f64().max(1e-9);
        let fields = json!({
            "files": count.files,
            "bytes": count.bytes,
            "seconds": took.as_secs_f64(),
            "bytes_per_second_before": rate(sent, before),
            "bytes_per_second_after": rate(rest, after),
            "gap_ms": gap.as_secs_f64() * 1e3,
            "path_down_after_ms": course.down_after.map(|down| down.as_secs_f64() * 1e3),
            "relayed_before": cut.passed,
            "relayed": passed,
            "dropped_at_cut": relay.dropped(),
            "retransmissions": retransmissions,
            "identical": true,
        });
        self.say(fields, "summary", || {
            let down = match course.down_after {
                Some(down) => format!("{:.0} ms", down.as_secs_f64() * 1e3),
                None => "not needed".to_owned(),
            };
            format!(
                "\nbefore the cut   {} in {:.2} s: {}\n\
                 failover         file bytes flow on the other path after {:.0} ms; the first \
                 path is declared down after {down}\n\
                 after it         {} in {:.2} s: {}\n\
                 in all           {} in {:.2} s: {}; {retransmissions} chunks retransmitted\n\
                 verified         {} files, {}: every byte is the same",
                bytes(sent),
                before.as_secs_f64(),
                byte_rate(sent, before),
                gap.as_secs_f64() * 1e3,
                bytes(rest),
                after.as_secs_f64(),
                byte_rate(rest, after),
                bytes(course.total),
                took.as_secs_f64(),
                byte_rate(course.total, took),
                count.files,
                bytes(count.bytes),
            )
        });
        Ok(())
    }

    fn say(&self, fields: Value, event: &str, text: impl FnOnce() -> String) {
        self.screen.event(event, fields, text);
    }
}

impl Drop for Demo<'_> {
    fn drop(&mut self) {
        self.processes.kill();
        self.processes.wait();
    }
}

fn await_listening(lines: &Receiver<Line>) -> Result<(), Failure> {
    match lines.recv_timeout(Duration::from_secs(20)) {
        Ok(Line {
            value: Some(value), ..
        }) if value["event"] == "listening" => Ok(()),
        _ => Err(Failure::new("sheave recv did not start, see above")),
    }
}

fn recv_args(target: &Path, layout: Layout) -> Vec<String> {
    let mut args = vec![
        "recv".to_owned(),
        target.display().to_string(),
        "--once".to_owned(),
    ];
    args.extend(network_args(RECEIVER, layout.receiver_port));
    args
}

fn send_args(source: &Path, layout: Layout) -> Vec<String> {
    let mut args = vec!["send".to_owned()];
    args.extend(network_args(SENDER, layout.sender_port));
    args.extend(["--peer-udp-port".to_owned(), layout.port.to_string()]);
    args.extend(["--remote".to_owned(), RECEIVER[1].to_string()]);
    args.extend([source.display().to_string(), RECEIVER[0].to_string()]);
    args
}

fn network_args(local: [IpAddr; 2], udp_port: u16) -> Vec<String> {
    let local = local.map(|ip| ip.to_string()).join(",");
    let udp_port = udp_port.to_string();
    let words = [
        "--json",
        "--local",
        &local,
        "--udp-port",
        &udp_port,
        "--port",
        PORT,
        "--path-max-retrans",
        "2",
    ];
    words.map(str::to_owned).to_vec()
}
