//! Live runs, from the side of the laboratory.

mod block;
pub(super) mod claims;
pub(super) mod exhibits;
mod part;
pub(super) mod plan;
mod sctp_ends;
mod tcp_ends;
mod variant;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(super) use self::part::take;
use self::part::{Carry, Load, Network, Outcome, PATIENCE, Part, Processors, Role};
use self::plan::{BLOCK, LOSSES, PATH_LENGTH, THROUGHPUT};
use super::NAME;
use crate::live::{Process, Segmentation, Stage, UNFIT, all_programs};
use crate::{Measured, Run, Settings};

/// Attempts at a sample before the run is skipped.
const TRIES: usize = 3;
/// Metric: number of samples discarded before the valid one.
pub(super) const THROWN_OUT: &str = "thrown_out";
/// Most CPU time that other programs may use during a sample, per cent of a processor. Our choice:
/// above it, a transport that waits is slowed down differently from one that is always busy.
const OTHERS_MAX: f64 = 20.0;
/// Metric: CPU time of other programs, per cent of a processor.
const OTHERS: &str = "others_percent";
/// Length of a 1500-byte packet with its link header, rounded up, bytes.
const LONGEST: f64 = 1600.0;

/// Time from the first message to the start of the measurement.
const WARM_UP: Duration = Duration::from_millis(30);

/// Numbers of messages in the two runs whose difference gives the path length.
const MESSAGES: [u64; 2] = [100, 500];
/// Numbers of messages for TCP, for which callgrind counts few instructions per message, and for
/// messages small enough to share a packet.
const MANY_MESSAGES: [u64; 2] = [4000, 20_000];
/// Size from which messages no longer share a packet, bytes.
const LARGE_MESSAGE: f64 = 1000.0;

pub(super) fn is_live(run: &Run) -> bool {
    [THROUGHPUT, LOSSES, PATH_LENGTH, BLOCK].contains(&run.experiment.as_str())
}

/// The approximate duration of a live run.
pub(super) fn time(run: &Run) -> Duration {
    /// Time to start and end the processes, in addition to the sample.
    const AROUND: Duration = Duration::from_millis(200);
    match run.experiment.as_str() {
        THROUGHPUT | LOSSES => AROUND + Duration::from_secs_f64(run.settings.number("duration_s")),
        // Four processes, slowed down by callgrind.
        PATH_LENGTH => Duration::from_secs(10),
        _ => AROUND,
    }
}

/// Carries out a live run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    match run.experiment.as_str() {
        THROUGHPUT | LOSSES => sound(&run.settings),
        PATH_LENGTH => path_length(&run.settings),
        _ => block(),
    }
}

/// The load described by settings.
fn load(settings: &Settings) -> Load {
    let whole = |name| settings.whole::<usize>(name).max(1);
    let small = |name| u16::try_from(whole(name)).unwrap_or(1);
    Load {
        variant: settings.text("variant").to_owned(),
        message: whole("message_bytes"),
        connections: small("connections"),
        streams: small("streams"),
        buffer: whole("buffer_kib") << 10,
        count: None,
        processors: match settings.text("processors") {
            "one each" => Processors::One,
            _ => Processors::All,
        },
    }
}

/// Takes at most `TRIES` samples until one is undisturbed and plausible; rejected samples are
/// counted.
fn sound(settings: &Settings) -> Result<Measured, String> {
    let stage = Stage::best();
    if let Some(reason) = stage.shortcoming() {
        return Ok(Measured::skipped(reason));
    }
    let mut broken = Vec::new();
    while broken.len() < TRIES {
        let measured = match throughput(&stage, settings) {
            Err(error) if error.contains(UNFIT) => return Ok(Measured::skipped(error)),
            measured => measured?,
        };
        let segmentation = load(settings).variant()?.segmentation;
        let reason = disturbance(&measured).or_else(|| contradiction(&measured, segmentation));
        match reason {
            None => return Ok(measured.with(THROWN_OUT, broken.len() as f64)),
            Some(reason) => broken.push(reason),
        }
    }
    Ok(Measured::skipped(format!(
        "{TRIES} samples in a row were disturbed or contradicted themselves: {}",
        broken.join("; ")
    )))
}

/// Describes the disturbance if other programs were too busy during a sample.
fn disturbance(measured: &Measured) -> Option<String> {
    let others = *measured.metrics.get(OTHERS)?;
    (others > OTHERS_MAX).then(|| format!("other programs took {others:.0} % of a processor"))
}

/// Describes why a sample is impossible, if it is.
fn contradiction(measured: &Measured, segmentation: Segmentation) -> Option<String> {
    let cores = thread::available_parallelism().map_or(1.0, |cores| usize::from(cores) as f64);
    for end in ["send", "receive"] {
        let of = |what: &str| measured.metrics.get(&format!("{end}_{what}")).copied();
        let (rate, cpu) = (of("mbit_per_s")?, of("cpu_percent")?);
        if rate <= 0.0 {
            return Some(format!("{end}: nothing went through"));
        }
        // Ten per cent of tolerance, since the clocks are read one after the other.
        if cpu <= 0.0 || cpu > 110.0 * cores {
            return Some(format!("{end}: {cpu:.0} % of {cores} processors"));
        }
    }
    let longest = measured
        .metrics
        .get("interface_bytes_per_packet")
        .copied()?;
    let whole = segmentation == Segmentation::Off && longest > LONGEST;
    whole.then(|| format!("packets of {longest:.0} bytes crossed the interface"))
}

/// Sends for a fixed time and measures both ends.
fn throughput(stage: &Stage, settings: &Settings) -> Result<Measured, String> {
    let load = load(settings);
    let loss = settings.value("loss_percent");
    let network = Network {
        segmentation: load.variant()?.segmentation,
        loss_percent: loss.map(|_| settings.number("loss_percent")),
    };
    let mut ends = Ends::start(stage, network, &load, &[])?;
    thread::sleep(WARM_UP);
    let time = Duration::from_secs_f64(settings.number("duration_s"));
    let before = all_programs();
    let began = Instant::now();
    ends.tell(&json!("begin"))?;
    thread::sleep(time);
    ends.tell(&json!("stop"))?;
    let programs = all_programs().zip(before);
    let took = began.elapsed().as_secs_f64();
    let [sent, received] = ends.hear()?;
    ends.end();
    let mut measured = Measured::new().with_note("network", stage.to_string());
    let mut own = 0.0;
    for (end, value) in [("send", sent), ("receive", received)] {
        let counters = match value["missing_counters"].as_str() {
            Some(missing) => missing.to_owned(),
            None => "counted by the processor, program and kernel".to_owned(),
        };
        let outcome: Outcome = serde_json::from_value(value).map_err(|error| error.to_string())?;
        own += outcome.cost.user_seconds;
        measured = add(measured, end, &outcome, load.message).with_note("instructions", counters);
    }
    Ok(match programs {
        Some((after, before)) => measured.with(OTHERS, 100.0 * (after - before - own) / took),
        None => measured,
    })
}

/// Adds the CPU use of one end, in the papers' metrics.
fn add(measured: Measured, end: &str, outcome: &Outcome, message: usize) -> Measured {
    let Outcome {
        bytes,
        cost,
        carried,
    } = *outcome;
    let bytes = bytes as f64;
    let name = |what: &str| format!("{end}_{what}");
    let mut measured = measured
        .with(&name("mbit_per_s"), bytes * 8e-6 / cost.seconds)
        .with(
            &name("cpu_percent"),
            100.0 * cost.cpu_seconds / cost.seconds,
        )
        .with(&name("cpu_ns_per_byte"), cost.cpu_seconds * 1e9 / bytes);
    if let Some(counted) = cost.counted {
        let instructions = counted.instructions as f64;
        measured = measured
            .with(&name("path_length"), instructions * message as f64 / bytes)
            .with(&name("cpi"), counted.cycles as f64 / instructions);
    }
    match carried {
        Some((bytes, packets)) => {
            measured.with("interface_bytes_per_packet", bytes as f64 / packets as f64)
        }
        None => measured,
    }
}

/// Measures the instructions per message at both ends with callgrind, which sees the program but
/// not the kernel.
fn path_length(settings: &Settings) -> Result<Measured, String> {
    if !is_there("valgrind") {
        return Ok(Measured::skipped(
            "there is no valgrind to count instructions with",
        ));
    }
    let folder = env::temp_dir().join(format!("sheave-lab-{}", process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_tcp = settings.text("variant").starts_with("tcp");
    let messages = match is_tcp || settings.number("message_bytes") < LARGE_MESSAGE {
        true => MANY_MESSAGES,
        false => MESSAGES,
    };
    let counts = messages.map(|messages| counted(settings, &folder, messages));
    // Leftover files are useless.
    let _ = fs::remove_dir_all(&folder);
    let [few, many] = counts;
    let (few, many) = (few?, many?);
    let senders = settings.number("connections") * settings.number("streams");
    let more = (messages[1] - messages[0]) as f64 * senders;
    Ok(Measured::new()
        .with_note("instructions", "callgrind: the program without the kernel")
        .with("send_path_length", (many[0] - few[0]) / more)
        .with("receive_path_length", (many[1] - few[1]) / more))
}

/// Counts the instructions of both ends in a run with that many messages.
fn counted(settings: &Settings, folder: &Path, messages: u64) -> Result<[f64; 2], String> {
    let stage = Stage::best();
    let load = Load {
        count: Some(messages),
        ..load(settings)
    };
    let file = |end| folder.join(format!("{end}-{messages}.callgrind"));
    let prefix = |end| {
        vec![
            "valgrind".to_owned(),
            "--tool=callgrind".to_owned(),
            "--quiet".to_owned(),
            format!("--callgrind-out-file={}", file(end).display()),
        ]
    };
    let network = Network {
        segmentation: load.variant()?.segmentation,
        loss_percent: None,
    };
    let by = [prefix("send"), prefix("receive")];
    let mut ends = Ends::start(&stage, network, &load, &by)?;
    ends.hear()?;
    ends.end();
    let read = |end| {
        let text = fs::read_to_string(file(end));
        let text = text.map_err(|error| format!("callgrind wrote nothing: {error}"))?;
        let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
        total
            .and_then(|total| total.trim().parse::<f64>().ok())
            .ok_or_else(|| "callgrind wrote no total".to_owned())
    };
    Ok([read("send")?, read("receive")?])
}

/// Measures the memory of an association, and of a kernel TCP connection.
fn block() -> Result<Measured, String> {
    let part = serde_json::to_value(Part::Weigh).map_err(|error| error.to_string())?;
    let mut process = Process::part(NAME, &part)?;
    let said = process.hear(PATIENCE)?;
    process.end();
    let weight = said["block_bytes"].as_f64();
    let weight = weight.ok_or("the resident memory of a process is not told here")?;
    let measured = Measured::new().with("block_bytes", weight);
    Ok(match block::tcp_bytes() {
        Ok(bytes) => measured.with("tcp_block_bytes", bytes),
        Err(reason) => measured.with_note("tcp_block", reason),
    })
}

/// The two processes of a run.
struct Ends {
    sender: Process,
    receiver: Process,
}

impl Ends {
    /// Starts both processes, each through its command in `by` if not empty, and waits until
    /// messages flow.
    fn start(
        stage: &Stage,
        network: Network,
        load: &Load,
        by: &[Vec<String>],
    ) -> Result<Self, String> {
        let part = |role, stage| {
            let load = load.clone();
            let part = Part::Carry(Carry { role, load, stage });
            serde_json::to_value(part).map_err(|error| error.to_string())
        };
        let own = stage.is_own();
        let receive = part(Role::Receive, own.then_some(network))?;
        let by = |at: usize| by.get(at).map_or(&[][..], Vec::as_slice);
        let mut receiver = stage.first(NAME, &receive, by(1))?;
        let listening = receiver.hear(PATIENCE)?;
        let addresses = serde_json::from_value(listening["listening"].clone());
        let addresses = addresses.map_err(|error| error.to_string())?;
        let send = part(Role::Send(addresses), None)?;
        let mut sender = stage.beside(&receiver, NAME, &send, by(0))?;
        sender.hear(PATIENCE)?;
        Ok(Self { sender, receiver })
    }

    fn tell(&mut self, word: &Value) -> Result<(), String> {
        self.sender.tell(word)?;
        self.receiver.tell(word)
    }

    /// Receives the reports of the sender and the receiver.
    fn hear(&mut self) -> Result<[Value; 2], String> {
        Ok([self.sender.hear(PATIENCE)?, self.receiver.hear(PATIENCE)?])
    }

    fn end(self) {
        self.sender.end();
        self.receiver.end();
    }
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests;
