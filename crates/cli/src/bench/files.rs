//! Many small files sent from one directory to another: `sheave send` compared with rsync.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave_measure::{Goal, Row, Spread, Table};

use super::{BenchArgs, Session};
use crate::failure::{Failure, While};
use crate::sys::children_cpu_time;

/// Files per directory.
const OF_A_DIRECTORY: u32 = 100;
/// Size of the longest file, bytes; sizes vary down to 0.
const LONGEST: usize = 2048;
/// Maximum start time of a server.
const PATIENCE: Duration = Duration::from_secs(20);

/// Maximum ratios to rsync: of the time, and of the sender's CPU time.
const GOALS: [Goal; 2] = [Goal::AtMost(1.0), Goal::AtMost(2.0)];

/// Figures of one transfer.
struct Cost {
    seconds: f64,
    /// CPU time of the sender, seconds.
    cpu: f64,
}

/// Sends the files in turns, and prints the table.
pub(super) fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let tool = std::env::current_exe().while_doing("cannot find this program")?;
    let top = tempfile::tempdir().while_doing("cannot make a directory")?;
    let from = top.path().join("from");
    session.step(&format!("files: {} are written", args.files))?;
    write_files(&from, args.files).while_doing("cannot write the files")?;
    let has_rsync = Command::new("rsync").arg("--version").output().is_ok();
    if !has_rsync {
        let text = "rsync: there is none here (Debian: rsync)";
        session.report.note("skipped", text);
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 1..=args.rounds {
        session.step(&format!("files: sheave send, round {round}"))?;
        ours.push(measured(top.path(), "sheave", |to| {
            by_sheave(&tool, &from, to)
        })?);
        if has_rsync {
            session.step(&format!("files: rsync, round {round}"))?;
            theirs.push(measured(top.path(), "rsync", |to| by_rsync(&from, to))?);
        }
        for (name, costs) in [("sheave send", &ours), ("rsync", &theirs)] {
            let Some(cost) = costs.last() else { continue };
            let sample = json!({ "what": name, "round": round, "seconds": cost.seconds, "sender_cpu_seconds": cost.cpu });
            session.report.sample("files", sample)?;
        }
    }
    print(args, session, &ours, &theirs);
    Ok(())
}

fn print(args: &BenchArgs, session: &Session<'_>, ours: &[Cost], theirs: &[Cost]) {
    let title = format!(
        "files: {} files of 0 to {LONGEST} bytes from one process to another on this machine: wall time, and \
         the sender's CPU time, seconds; rsync -a to its daemon over TCP, without checksums of files that are new",
        args.files
    );
    let mut table = Table::new(title);
    let seconds = |costs: &[Cost]| costs.iter().map(|cost| cost.seconds).collect::<Vec<_>>();
    let cpu = |costs: &[Cost]| costs.iter().map(|cost| cost.cpu).collect::<Vec<_>>();
    let row = |what, time: Spread, cpu: Spread, [of_time, of_cpu]: [Option<Goal>; 2]| {
        Row::new()
            .text("what", "what", what)
            .field("files", args.files)
            .ratio("seconds", "time", time)
            .goal("seconds_goal", of_time, time.median)
            .ratio("sender_cpu_seconds", "sender's CPU", cpu)
            .goal("sender_cpu_goal", of_cpu, cpu.median)
    };
    for (name, costs) in [("sheave send", ours), ("rsync", theirs)] {
        if !costs.is_empty() {
            let (time, cpu) = (Spread::of(seconds(costs)), Spread::of(cpu(costs)));
            table.push(row(name, time, cpu, [None; 2]));
        }
    }
    if !theirs.is_empty() {
        let time = Spread::of_ratios(&seconds(ours), &seconds(theirs));
        let cpu = Spread::of_ratios(&cpu(ours), &cpu(theirs));
        table.push(row("ratio", time, cpu, GOALS.map(Some)));
    }
    session.report.print(&table);
}

/// Writes files of varying size, a hundred per directory.
fn write_files(top: &Path, count: u32) -> std::io::Result<()> {
    let noise: Vec<u8> = (0..LONGEST)
        .map(|at| (at * at / 7).to_le_bytes()[0])
        .collect();
    for number in 0..count {
        let directory = top.join(format!("d{}", number / OF_A_DIRECTORY));
        if number % OF_A_DIRECTORY == 0 {
            fs::create_dir_all(&directory)?;
        }
        let len = usize::try_from(number).unwrap_or(0).wrapping_mul(397) % (LONGEST + 1);
        fs::write(directory.join(format!("f{number}")), &noise[..len])?;
    }
    Ok(())
}

/// Measures a transfer to a temporary directory.
fn measured(
    top: &Path,
    name: &str,
    transfer: impl FnOnce(&Path) -> Result<Cost, Failure>,
) -> Result<Cost, Failure> {
    let to = top.join(name);
    fs::create_dir_all(&to).while_doing("cannot make a directory")?;
    let cost = transfer(&to);
    fs::remove_dir_all(&to).while_doing("cannot remove a directory")?;
    cost
}

fn by_sheave(tool: &Path, from: &Path, to: &Path) -> Result<Cost, Failure> {
    let mut server = Command::new(tool);
    server.args(["recv", "--json", "--once", "--local", "127.0.0.1"]);
    server
        .args(["--udp-port", "0"])
        .arg(to)
        .stdout(Stdio::piped());
    let mut server = Server::start(&mut server)?;
    let stdout = server.0.stdout.take();
    let stdout = stdout.ok_or_else(|| Failure::new("a process without output"))?;
    let mut lines = BufReader::new(stdout).lines();
    let listening = lines.next().and_then(Result::ok).unwrap_or_default();
    let listening: serde_json::Value =
        serde_json::from_str(&listening).while_doing("the receiver")?;
    let port = listening["udp_port"].to_string();
    let mut client = Command::new(tool);
    client.args(["send", "--json", "--local", "127.0.0.1", "--peer-udp-port"]);
    client.arg(port).arg(contents(from)).arg("127.0.0.1");
    let cost = timed(&mut client);
    drop(lines);
    cost
}

fn by_rsync(from: &Path, to: &Path) -> Result<Cost, Failure> {
    let probe = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let address = probe.while_doing("cannot find a free port")?;
    let config = to.with_extension("conf");
    let text = format!(
        "use chroot = no\naddress = 127.0.0.1\n[to]\npath = {}\nread only = no\nuid = {}\ngid = {}\n",
        to.display(),
        rustix::process::getuid().as_raw(),
        rustix::process::getgid().as_raw(),
    );
    fs::write(&config, text).while_doing("cannot write a file")?;
    let mut server = Command::new("rsync");
    server.args([
        "--daemon",
        "--no-detach",
        "--port",
        &address.port().to_string(),
    ]);
    let _server = Server::start(server.arg(format!("--config={}", config.display())))?;
    let began = Instant::now();
    while TcpStream::connect(address).is_err() {
        if began.elapsed() > PATIENCE {
            return Err(Failure::new("the daemon of rsync does not start"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    let mut client = Command::new("rsync");
    client.arg("-a").arg(contents(from));
    timed(client.arg(format!("rsync://{address}/to/")))
}

/// Path that both programs understand as a directory's contents.
fn contents(directory: &Path) -> PathBuf {
    directory.join("")
}

/// Runs a sender to completion and measures it.
fn timed(client: &mut Command) -> Result<Cost, Failure> {
    client.stdin(Stdio::null()).stdout(Stdio::null());
    let (began, before) = (Instant::now(), children_cpu_time());
    let status = client.status().while_doing("cannot start a sender")?;
    let cost = Cost {
        seconds: began.elapsed().as_secs_f64(),
        cpu: children_cpu_time().saturating_sub(before).as_secs_f64(),
    };
    match status.success() {
        true => Ok(cost),
        false => Err(Failure::new(format!("a sender failed ({status})"))),
    }
}

/// A receiver, killed on drop.
struct Server(Child);

impl Server {
    fn start(command: &mut Command) -> Result<Self, Failure> {
        let child = command.stdin(Stdio::null()).spawn();
        Ok(Self(child.while_doing("cannot start a receiver")?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
