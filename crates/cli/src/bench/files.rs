//! Many small files sent from one directory to another: `sheave send` compared with rsync.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave_measure::{Goal, Program, Row, Spread, Table};

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

/// Seconds of wall time and of the sender's CPU time of one transfer.
type Cost = [f64; 2];

/// Sends the files in turns, and prints the table.
pub(super) fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let tool = std::env::current_exe().while_doing("cannot find this program")?;
    let top = tempfile::tempdir().while_doing("cannot make a directory")?;
    let from = top.path().join("from");
    session.step(&format!("files: {} are written", args.files))?;
    write_files(&from, args.files).while_doing("cannot write the files")?;
    let mut senders = vec![("sheave send", "sheave")];
    match Command::new("rsync").arg("--version").output() {
        Ok(_) => senders.push(("rsync", "rsync")),
        Err(_) => session.skip("rsync: there is none here (Debian: rsync)"),
    }
    let keys = ["seconds", "sender_cpu_seconds"];
    let describe = |(name, _): &(&str, &str)| (format!("files: {name}"), json!({ "what": name }));
    let costs = session.in_turns("files", &mut senders, keys, describe, |(_, folder)| {
        measured(top.path(), folder, |to| match *folder {
            "rsync" => by_rsync(&from, to),
            _ => by_sheave(&tool, &from, to),
        })
    })?;
    let mut table = Table::new(format!(
        "files: {} files of 0 to {LONGEST} bytes from one process to another on this machine: wall time, and \
         the sender's CPU time, seconds; rsync -a to its daemon over TCP, without checksums of files that are new",
        args.files
    ));
    let mut push = |what: &str, [time, cpu]: [Spread; 2], [of_time, of_cpu]: [Option<Goal>; 2]| {
        let row = Row::new()
            .text("what", "what", what)
            .field("files", args.files);
        let row = row
            .ratio(keys[0], "time", time)
            .goal("seconds_goal", of_time, time.median)
            .ratio(keys[1], "sender's CPU", cpu)
            .goal("sender_cpu_goal", of_cpu, cpu.median);
        table.push(row);
    };
    for ((name, _), costs) in senders.iter().zip(&costs) {
        push(name, [0, 1].map(|at| Spread::of(&costs[at])), [None; 2]);
    }
    if let [ours, theirs] = &costs[..] {
        let ratio = |at: usize| Spread::of_ratios(&ours[at], &theirs[at]);
        push("ratio", [0, 1].map(ratio), GOALS.map(Some));
    }
    session.report.print(&table);
    Ok(())
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
    let server = start(server.args(["--udp-port", "0"]).arg(to))?;
    let listening: Value = server.hear(PATIENCE).while_doing("the receiver")?;
    let port = listening["udp_port"].to_string();
    let mut client = Command::new(tool);
    client.args(["send", "--json", "--local", "127.0.0.1", "--peer-udp-port"]);
    client.arg(port).arg(contents(from)).arg("127.0.0.1");
    timed(&mut client)
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
    let _server = start(server.arg(format!("--config={}", config.display())))?;
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
    let cpu = children_cpu_time().saturating_sub(before);
    let cost = [began.elapsed(), cpu].map(|spent| spent.as_secs_f64());
    match status.success() {
        true => Ok(cost),
        false => Err(Failure::new(format!("a sender failed ({status})"))),
    }
}

/// Starts a receiver, which is killed on drop.
fn start(receiver: &mut Command) -> Result<Program, Failure> {
    Program::start(receiver, Stdio::null()).while_doing("cannot start a receiver")
}
