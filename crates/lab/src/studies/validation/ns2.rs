//! Runs in ns-2.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use super::simulated::{cycle, longest_pause};
use super::{
    BULK, CHUNK, DELAY_MS, DYING, GILBERT, SAW_TOOTH, SEGMENT, SEGMENTS, TCP, WARM, dies_at,
};
use crate::{Measured, Run, Settings};

const SCRIPT: &str = include_str!("ns2.tcl");
/// Packets of an unlimited receive window.
const BOUNDLESS: usize = 100_000;
/// The program in Debian's package `ns2`.
const PROGRAM: &str = "ns";

/// Carries out a run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    let words = arguments(run)?;
    let mut child = match start(&words) {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Measured::skipped("there is no ns-2: install ns2"));
        }
        Err(error) => return Err(format!("{PROGRAM}: {error}")),
    };
    let said = listen(&mut child);
    let status = child.wait().map_err(|error| error.to_string())?;
    let said = said?;
    if !status.success() || !said.is_complete {
        return Err(format!("{PROGRAM} broke off ({status})"));
    }
    Ok(said.measure(run))
}

fn start(words: &[String]) -> std::io::Result<Child> {
    Command::new(PROGRAM)
        .arg("/dev/stdin")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
}

/// Passes the script to ns-2 and parses the output.
fn listen(child: &mut Child) -> Result<Said, String> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(format!("{PROGRAM} cannot be spoken to"));
    };
    let script = thread::spawn(move || input.write_all(SCRIPT.as_bytes()));
    let mut said = Said::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.map_err(|error| error.to_string())?;
        // ns-2 prints uninitialised memory between lines.
        said.take(&String::from_utf8_lossy(&line));
    }
    let written = script.join().map_err(|_| "the script was not written")?;
    written.map_err(|error| format!("{PROGRAM} does not take the script: {error}"))?;
    Ok(said)
}

fn arguments(run: &Run) -> Result<Vec<String>, String> {
    let settings = &run.settings;
    let percent = |name: &str| settings.number(name) / 100.0;
    let scene = match run.experiment.as_str() {
        BULK => format!("scene=bulk loss={}", percent("loss_percent")),
        GILBERT => format!("scene=bulk beta={}", percent("beta_percent")),
        SAW_TOOTH => {
            // ns-2's DropTail drops the packet that would fill the queue.
            let queue = settings.number("queue") + 1.0;
            format!("scene=bulk cwnd=1 mbit=10 queue={queue}")
        }
        DYING => {
            let count = settings.number("path_max_retrans");
            let at = dies_at(run.seed);
            format!("scene=dying path_max_retrans={count} dies_at={at}")
        }
        other => return Err(format!("there is no experiment {other}")),
    };
    let window = window(&run.experiment, settings);
    let rest = format!(
        "transport={} seconds={} seed={} delay_ms={DELAY_MS} window={window}",
        settings.text("transport"),
        settings.number("seconds"),
        // ns-2's generator takes 31 bits, and 0 means a seed from the clock.
        run.seed % 0x7fff_fffe + 1,
    );
    let words = scene.split(' ').chain(rest.split(' '));
    Ok(words.map(str::to_owned).collect())
}

fn window(experiment: &str, settings: &Settings) -> usize {
    match (experiment, settings.text("transport")) {
        (SAW_TOOTH, TCP) => BOUNDLESS,
        (SAW_TOOTH, _) => BOUNDLESS * CHUNK,
        (_, TCP) => SEGMENTS,
        // ns-2 also counts the chunk header.
        _ => SEGMENTS * (CHUNK + 16),
    }
}

/// The parsed output of ns-2.
#[derive(Debug, Default)]
pub(super) struct Said {
    is_complete: bool,
    /// Times at which data packets were delivered in order, ascending.
    delivered: Vec<f64>,
    /// The next packet in order.
    next: u64,
    /// Packets received out of order.
    early: BTreeSet<u64>,
    /// The congestion window over time.
    windows: Vec<(f64, f64)>,
}

impl Said {
    /// Parses a line of the trace.
    pub(super) fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["end"] => self.is_complete = true,
            ["r", at, _, _, "tcp", _, _, _, _, _, number, _] => self.arrive(at, number),
            ["r", at, _, _, "sctp", _, flags, _, _, _, _, number, ..] if flags.ends_with('D') => {
                self.arrive(at, number);
            }
            ["time:", at, _, _, _, _, _, _, _, _, "cwnd:", window, ..] => self.grow(at, window),
            [at, _, _, _, _, "cwnd_", window] => self.grow(at, window),
            _ => {}
        }
    }

    fn arrive(&mut self, at: &str, number: &str) {
        let (Ok(at), Ok(number)) = (at.parse(), number.parse::<u64>()) else {
            return;
        };
        // TSNs start at 1; TCP's packet 0 is its SYN.
        self.next = self.next.max(1);
        if number >= self.next {
            self.early.insert(number);
        }
        while self.early.remove(&self.next) {
            self.next += 1;
            self.delivered.push(at);
        }
    }

    fn grow(&mut self, at: &str, window: &str) {
        if let (Ok(at), Ok(window)) = (at.parse(), window.parse()) {
            self.windows.push((at, window));
        }
    }

    fn measure(&self, run: &Run) -> Measured {
        match run.experiment.as_str() {
            SAW_TOOTH => cycle(&self.windows),
            DYING => longest_pause(&self.delivered, dies_at(run.seed)),
            _ => self.goodput(&run.settings),
        }
    }

    pub(super) fn goodput(&self, settings: &Settings) -> Measured {
        let payload = match settings.text("transport") {
            TCP => SEGMENT,
            _ => CHUNK,
        };
        let packets = self.delivered.iter().filter(|at| **at > WARM).count();
        let seconds = settings.number("seconds") - WARM;
        let rate = (packets * payload) as f64 * 8e-6 / seconds;
        Measured::new().with("mbit_per_s", rate)
    }
}
