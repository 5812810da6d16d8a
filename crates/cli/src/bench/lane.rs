//! What is compared over the loopback interface: a program for both ends, and where it runs.

use std::env;
use std::process::{Child, Command, Stdio};

use clap::ValueEnum;
use sheave::{Config, Endpoint};

use super::end::{Over, Work};
use super::stage::{Offloads, Stage};
use super::{BenchArgs, Job};
use crate::failure::{Failure, While};

/// What the two ends do.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// One way, or to and fro.
    pub work: Work,
    /// Bytes of a message.
    pub size: usize,
    /// Connections at the same time.
    pub connections: u16,
    /// How long to send, milliseconds; round trips, for echoes.
    pub amount: u32,
}

/// One of those that are compared.
pub struct Lane {
    /// Its name in the tables.
    pub name: String,
    /// Where it runs.
    pub stage: Stage,
    /// The words that start an end of it.
    words: Vec<String>,
}

impl Lane {
    /// Ends of our own on this machine's network.
    pub fn here(over: Over) -> Self {
        let name = match over {
            Over::Tcp => "TCP of the kernel",
            Over::Sctp => "sheave, UDP with GSO",
            Over::SctpWithoutGso => "sheave, UDP without",
            Over::SctpRaw => "sheave, raw IP",
        };
        Self::of(name, over, Stage::Here)
    }

    fn of(name: &str, over: Over, stage: Stage) -> Self {
        // Without itself nothing can be started, which is said then.
        let program = env::current_exe().unwrap_or_default();
        let words = [
            program.display().to_string(),
            "bench-end".into(),
            "--over".into(),
            word(&over),
        ];
        Self {
            name: name.into(),
            stage,
            words: words.into(),
        }
    }

    /// Starts an end: the server, or the client of the server at that port.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(&self, load: Load, port: Option<u16>) -> Result<Child, Failure> {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command
            .args(words)
            .args(["--work", &word(&load.work)])
            .args(["--size", &load.size.to_string()])
            .args(["--connections", &load.connections.to_string()])
            .args(["--amount", &load.amount.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        if let Some(port) = port {
            command.args(["--port", &port.to_string()]);
        }
        command.spawn().while_doing("cannot start a process")
    }
}

/// Whatever can be compared here; says what cannot.
///
/// # Errors
/// A program beside ours that is not `NAME=COMMAND`.
pub fn lanes(args: &BenchArgs, job: &Job<'_>) -> Result<Vec<Lane>, Failure> {
    let mut lanes: Vec<Lane> = [Over::Tcp, Over::Sctp, Over::SctpWithoutGso]
        .map(Lane::here)
        .into();
    let skip = |what: &str, why: String| job.report.note("skipped", &format!("{what}: {why}"));
    match Endpoint::bind(Config::raw_ip([std::net::Ipv4Addr::LOCALHOST.into()])) {
        Ok(_) => lanes.push(Lane::here(Over::SctpRaw)),
        Err(error) => skip("raw IP", error.to_string()),
    }
    let kernel = [
        ("TCP, MTU 1500", Offloads::On),
        ("TCP, MTU 1500, no offloads", Offloads::Off),
    ];
    for (name, offloads) in kernel {
        match Stage::with_ethernet_mtu(offloads) {
            Ok(stage) => lanes.push(Lane::of(name, Over::Tcp, stage)),
            Err(error) => skip(name, format!("{error} (needs root, `ip` and `ethtool`)")),
        }
    }
    for beside in &args.beside {
        let parts = beside.split_once('=');
        let (name, command) = parts.ok_or_else(|| Failure::usage("--beside NAME=COMMAND"))?;
        lanes.push(Lane {
            name: name.into(),
            stage: Stage::Here,
            words: command.split_whitespace().map(str::to_owned).collect(),
        });
    }
    Ok(lanes)
}

/// A choice as the command line names it.
fn word(choice: &impl ValueEnum) -> String {
    choice
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}
