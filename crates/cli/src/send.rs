//! `sheave send`: sends files and directories to `sheave recv`.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};
use sheave::error::{ReceiveError, SendError};
use sheave::{Association, Message, Ppid, StreamId};

use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{HostPort, NetworkArgs, PeerArgs, Role};
use crate::paths::{self, PathReport};
use crate::recv::TRANSFER_PORT;
use crate::screen::{Output, Screen};
use crate::transfer::exclude::Pattern;
use crate::transfer::manifest::{LinkPolicy, Manifest, Selection};
use crate::transfer::message::{Detail, MAX_MESSAGE, Outcome, PPID, Run, Tally, Terms, Update};
use crate::transfer::pace::Pace;
use crate::transfer::sender::{Sender, Step};
use crate::units::{byte_rate, bytes, parse_byte_rate};

/// Most queued control messages from the receiver; further ones fill its window.
const CONTROL_QUEUE: usize = 1024;
/// Longest wait before the progress is updated.
const IDLE: Duration = Duration::from_millis(100);
/// Interval of polling an empty standard input.
const INPUT_POLL: Duration = Duration::from_millis(2);
/// Longest wait for the association to close after the report.
const CLOSING: Duration = Duration::from_secs(10);

/// Sends files and directories.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "sheave send [OPTIONS] PATH... HOST[:PORT]")]
#[command(after_help = include_str!("../help/send.txt").trim_end())]
pub struct SendArgs {
    /// Files and directories to send, - for standard input, and then the receiver, a name or
    /// address
    #[arg(required = true, num_args = 1.., value_name = "PATH... HOST")]
    words: Vec<PathBuf>,

    /// The receiver's SCTP port, where HOST has none
    #[arg(short, long, value_name = "PORT", default_value_t = TRANSFER_PORT)]
    port: u16,

    /// Streams that files are spread over
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    streams: u16,

    /// Treatment of symbolic links
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    links: LinkPolicy,

    /// Send nothing; print what would be sent
    #[arg(short = 'n', long)]
    dry_run: bool,

    /// Exclude files and directories with this name; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<Pattern>,

    /// Keep files that are newer at the receiver (which replaces older files only with --overwrite)
    #[arg(short, long)]
    update: bool,

    /// Also keep directory times, hard links and holes
    #[arg(short, long)]
    archive: bool,

    /// Bytes of files per second at most, as in 10M; a bare number counts KiB, as rsync's, and 0 is
    /// no limit
    #[arg(long, value_name = "RATE", value_parser = parse_byte_rate)]
    bwlimit: Option<u64>,

    /// Name that the receiver gives to standard input
    #[arg(long, value_name = "NAME", default_value = "stdin")]
    name: String,

    #[command(flatten)]
    network: NetworkArgs,

    #[command(flatten)]
    peer: PeerArgs,
}

/// Runs the command.
/// Errors: nothing can be sent, the receiver does not answer, or the association is lost.
pub fn run(args: &SendArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let (host, paths) = split_words(&args.words)?;
    let screen = Screen::new(output);
    let selection = Selection {
        links: args.links,
        exclude: args.exclude.clone(),
        input_name: args.name.clone(),
    };
    let manifest = Manifest::collect(&paths, &selection).map_err(Failure::new)?;
    for (path, why) in &manifest.skipped {
        screen.warn(&format!("{}: left out: {why}", path.display()));
    }
    for (path, why) in &manifest.unreadable {
        screen.warn(&format!("{}: not sent: {why}", path.display()));
    }
    let left_out = manifest.skipped.len();
    let unreadable = manifest.unreadable.len();
    let endpoint = args.network.bind(Role::Client)?;
    let mut options = args.network.options();
    options.outbound_streams = args.streams + 1;
    let port = host.port.unwrap_or(args.port);
    let association = args
        .peer
        .connect((&args.network, &endpoint), &host.host, port, options)?;
    let aborted = association.clone();
    interrupts.on_interrupt(move || aborted.abort("interrupted by the user"));
    paths::watch(&association, &screen, &host.host);
    let streams = args
        .streams
        .min(association.outbound_streams().saturating_sub(1));
    if streams == 0 {
        association.abort("two streams are needed");
        return Err(Failure::new(
            "the receiver grants a single stream; two are needed",
        ));
    }
    let fields = json!({ "host": host.host, "port": port, "streams": streams });
    screen.event("connected", fields, || {
        format!(
            "connected to {} port {port}, files on {streams} streams",
            host.host
        )
    });
    let mut sender = Sender::new(manifest, args.terms(), streams);
    let pace = args.bwlimit.filter(|rate| *rate > 0).map(Pace::new);
    if let Some(pace) = &pace {
        sender.limit_chunks(pace.chunk());
    }
    let mut session = SendSession::new(sender, association, screen);
    session.pace = pace;
    let tally = session.run()?;
    session.report(tally, left_out, unreadable, args.dry_run);
    Ok(if tally.is_complete() && unreadable == 0 {
        Exit::Success
    } else {
        Exit::Failure
    })
}

impl SendArgs {
    fn terms(&self) -> Terms {
        let mut terms = Terms::default();
        if self.dry_run {
            terms.run = Run::Dry;
        }
        if self.update {
            terms.update = Update::OlderOnly;
        }
        if self.archive {
            terms.detail = Detail::Archive;
        }
        terms
    }
}

/// A transfer over an association.
pub struct SendSession {
    sender: Sender,
    /// The rate limit of --bwlimit.
    pace: Option<Pace>,
    association: Association,
    screen: Screen,
    began: Instant,
}

/// A message of the receiver, or the end of the association.
enum Incoming {
    Message(Message),
    Ended(String),
}

impl SendSession {
    /// Creates a transfer without a limit on its rate.
    pub fn new(sender: Sender, association: Association, screen: Screen) -> Self {
        Self {
            sender,
            pace: None,
            association,
            screen,
            began: Instant::now(),
        }
    }

    /// Sends everything; returns the receiver's report.
    /// Errors: the association is lost, or the receiver breaks the protocol.
    pub fn run(&mut self) -> Result<Tally, Failure> {
        let incoming = listen(&self.association);
        self.screen = self.screen.clone().with_bar(self.sender.total().1);
        let outcome = self.exchange(&incoming);
        self.screen.clear();
        outcome
    }

    fn exchange(&mut self, incoming: &Receiver<Incoming>) -> Result<Tally, Failure> {
        loop {
            while let Ok(incoming) = incoming.try_recv() {
                self.handle(incoming)?;
            }
            self.show();
            if let Some(wait) = self.wait_for_turn() {
                self.wait(wait.min(IDLE), incoming)?;
                continue;
            }
            match self.sender.poll() {
                Step::Send(stream, payload) => self.send(stream, payload, incoming)?,
                Step::Working => {}
                Step::Idle if self.sender.awaits_input() => self.wait(INPUT_POLL, incoming)?,
                Step::Idle => self.wait(IDLE, incoming)?,
                Step::Finished => return Ok(self.sender.report().unwrap_or_default()),
            }
        }
    }

    /// Remaining wait for the rate limit.
    fn wait_for_turn(&mut self) -> Option<Duration> {
        let sent = self.sender.progress().sent;
        self.pace.as_mut().and_then(|pace| pace.wait(sent))
    }

    /// Waits at most `time` for the receiver's next message.
    fn wait(&mut self, time: Duration, incoming: &Receiver<Incoming>) -> Result<(), Failure> {
        match incoming.recv_timeout(time) {
            Ok(incoming) => self.handle(incoming),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(lost("it is closed")),
        }
    }

    fn send(
        &self,
        stream: u16,
        payload: Vec<u8>,
        incoming: &Receiver<Incoming>,
    ) -> Result<(), Failure> {
        let message = Message::new(StreamId(stream), payload).with_ppid(Ppid(PPID));
        self.association.send(message).map_err(|error| {
            // The receiver's last message explains more than the failed call.
            let words = incoming.iter().find_map(|incoming| match incoming {
                Incoming::Ended(why) => Some(why),
                Incoming::Message(_) => None,
            });
            match (error, words) {
                (SendError::Closed(_) | SendError::ShuttingDown, Some(why)) => lost(&why),
                (error, _) => lost(&error.to_string()),
            }
        })
    }

    fn handle(&mut self, incoming: Incoming) -> Result<(), Failure> {
        match incoming {
            Incoming::Ended(why) => Err(lost(&why)),
            Incoming::Message(message) => {
                let handled = self.sender.handle_message(&message.payload);
                handled.map_err(|fault| {
                    self.association.abort(fault.to_string());
                    Failure::new(format!("the receiver breaks the protocol: {fault}"))
                })
            }
        }
    }

    fn show(&mut self) {
        while let Some(notice) = self.sender.poll_notice() {
            match notice.outcome {
                Outcome::Written => {
                    let text = notice.to_string();
                    self.screen.event("would_send", json!(notice), || text);
                }
                _ => {
                    let text = notice.to_string();
                    self.screen.trouble("notice", json!(notice), &text);
                }
            }
        }
        let (progress, (_, total)) = (self.sender.progress(), self.sender.total());
        self.screen
            .progress(progress.bytes, total, progress.entries);
    }

    fn report(&mut self, tally: Tally, left_out: usize, unreadable: usize, dry_run: bool) {
        let took = self.began.elapsed();
        let paths = PathReport::of(&self.association);
        let stats = self.association.stats();
        let retransmissions = stats.map_or(0, |stats| stats.retransmissions);
        if let Err(reason) = self.association.shutdown_timeout(CLOSING) {
            let error = ReceiveError::Closed(reason);
            self.screen
                .warn(&format!("everything was reported, but {error}"));
        }
        let sent = self.sender.progress().sent;
        let mut fields = tally_fields(tally, took, sent);
        fields["left_out"] = left_out.into();
        fields["unreadable"] = unreadable.into();
        fields["dry_run"] = dry_run.into();
        fields["sent_bytes"] = sent.into();
        fields["retransmissions"] = retransmissions.into();
        fields["paths"] = json!(paths);
        self.screen.event("summary", fields, || {
            if dry_run {
                let text = tally_text(tally).replace("written", "to be written");
                return format!("nothing was sent; {} in {text}", bytes(tally.bytes));
            }
            let text = format!(
                "sent {} in {:.2} s, {}; {}; {retransmissions} chunks retransmitted",
                bytes(sent),
                took.as_secs_f64(),
                byte_rate(sent, took),
                tally_text(tally),
            );
            text + &PathReport::lines(&paths)
        });
    }
}

/// The outcomes of the entries and the rate of `carried` bytes as JSON.
pub fn tally_fields(tally: Tally, took: Duration, carried: u64) -> Value {
    let mut fields = json!(tally);
    fields["seconds"] = took.as_secs_f64().into();
    fields["bytes_per_second"] = (carried as f64 / took.as_secs_f64().max(1e-9)).into();
    fields
}

/// The outcomes of the entries as text.
pub fn tally_text(tally: Tally) -> String {
    let newer = match tally.newer {
        0 => String::new(),
        newer => format!(", {newer} newer there"),
    };
    format!(
        "{} entries written, {} there already{newer}, {} refused, {} failed",
        tally.written, tally.identical, tally.refused, tally.failed
    )
}

/// Receives messages on a separate thread, because sending blocks and must not delay the receiver's
/// answers.
fn listen(association: &Association) -> Receiver<Incoming> {
    let (to_session, incoming) = mpsc::sync_channel(CONTROL_QUEUE);
    let association = association.clone();
    thread::spawn(move || {
        loop {
            let next = match association.receive_whole(MAX_MESSAGE) {
                Ok(Some(message)) if message.stream == StreamId(0) => Incoming::Message(message),
                Ok(Some(_)) => Incoming::Ended("the receiver sent on a stream of files".into()),
                Ok(None) => Incoming::Ended("the receiver closed the association".into()),
                Err(error) => Incoming::Ended(error.to_string()),
            };
            let ended = matches!(next, Incoming::Ended(_));
            if to_session.send(next).is_err() || ended {
                return;
            }
        }
    });
    incoming
}

fn lost(why: &str) -> Failure {
    Failure::new(format!("the transfer was cut short: {why}"))
        .fix("run the same command again: it goes on where it stopped")
}

fn split_words(words: &[PathBuf]) -> Result<(HostPort, Vec<PathBuf>), Failure> {
    let usage = "give what to send and then the receiver: sheave send PATH... HOST[:PORT]";
    let Some((host, paths)) = words.split_last().filter(|(_, paths)| !paths.is_empty()) else {
        return Err(Failure::usage("PATH or HOST is missing").fix(usage));
    };
    let host = host
        .to_str()
        .ok_or_else(|| Failure::usage("HOST is not text").fix(usage))?;
    let host = host
        .parse()
        .map_err(|error| Failure::usage(format!("HOST \"{host}\": {error}")).fix(usage))?;
    Ok((host, paths.to_vec()))
}
