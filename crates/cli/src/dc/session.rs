//! A connection with its channels.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave_datachannel::{ChannelConfig, ChannelEvent, ChannelId, Kind, Message, SendError};
use sheave_webrtc::{ConnectionEvent, DriverWaker, EndReason, PeerConnection, UdpDriver};

use super::file::{Arrival, Departure};
use super::load::{Counter, Load};
use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::Screen;

/// Longest wait per turn.
const TURN: Duration = Duration::from_millis(500);

/// Timeout for establishing the connection.
const SET_UP: Duration = Duration::from_secs(30);

/// Time without connectivity after which the session ends.
const SILENCE: Duration = Duration::from_secs(30);

/// Longest wait for the last messages to arrive.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Buffered bytes of a channel below which more are sent.
pub const LOW_WATER: usize = 1 << 20;

/// The label of the chat channel.
const CHAT: &str = "chat";

/// The end that opens the chat channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tasks {
    /// This one.
    Initiator,
    /// The other one.
    Responder,
}

/// The tasks of a connection.
#[derive(Clone, Debug)]
pub struct Work {
    /// The role of this end.
    pub tasks: Tasks,
    /// Files to send.
    pub files: Vec<PathBuf>,
    /// The directory for received files.
    pub directory: Option<PathBuf>,
    /// Duration of the throughput test.
    pub load: Option<Duration>,
    /// Message size of the throughput test, bytes.
    pub size: usize,
    /// Whether messages on unknown channels are echoed.
    pub echo: bool,
}

/// The use of a channel.
enum Use {
    Chat,
    Departure(Departure),
    Arrival(Arrival),
    Load(Load),
    Counter(Counter),
    Echo(Vec<Message>),
    Ignored,
}

/// A connection with its sockets and channels.
pub struct Session {
    driver: UdpDriver,
    connection: PeerConnection,
    work: Work,
    screen: Screen,
    uses: BTreeMap<ChannelId, Use>,
    input: Option<Receiver<String>>,
    /// Lines typed before the chat channel was open.
    unsent: Vec<String>,
    /// Number of unfinished files and tests.
    open_tasks: usize,
    failures: usize,
    connected: bool,
    lost_since: Option<Instant>,
}

impl Session {
    /// Creates a session.
    pub fn new(driver: UdpDriver, connection: PeerConnection, work: Work, screen: Screen) -> Self {
        let open_tasks = work.files.len() + usize::from(work.load.is_some());
        Self {
            driver,
            connection,
            work,
            screen,
            uses: BTreeMap::new(),
            input: None,
            unsent: Vec::new(),
            open_tasks,
            failures: 0,
            connected: false,
            lost_since: None,
        }
    }

    /// A handle that interrupts the session's waits.
    pub fn waker(&self) -> DriverWaker {
        self.driver.waker()
    }

    /// Sends lines of standard input as chat.
    pub fn read_input(&mut self) {
        let (sender, lines) = mpsc::sync_channel(64);
        let waker = self.waker();
        thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
                waker.wake();
            }
            drop(sender);
            waker.wake();
        });
        self.input = Some(lines);
    }

    /// Runs the session.
    /// Errors: the connection cannot be established, is lost, or a task fails.
    pub fn run(mut self, interrupts: &Interrupts) -> Result<Exit, Failure> {
        let begun = Instant::now();
        loop {
            if let Some(exit) = interrupts.exit() {
                self.part();
                return Ok(exit);
            }
            self.driver
                .turn(&mut self.connection, TURN)
                .while_doing("waiting for datagrams")?;
            let now = Instant::now();
            while let Some(event) = self.connection.poll_event(now) {
                if let ConnectionEvent::Ended(reason) = event {
                    return self.ended(&reason);
                }
                self.on_event(now, event)?;
            }
            self.pump(now)?;
            self.driver.flush(&mut self.connection);
            if !self.connected && begun.elapsed() > SET_UP {
                let fix = "both ends must reach each other's UDP ports: see --local and --udp-port";
                return Err(Failure::new("no connection after 30 s").fix(fix));
            }
            if self
                .lost_since
                .is_some_and(|since| since.elapsed() > SILENCE)
            {
                return Err(Failure::new("the peer was not heard for 30 s"));
            }
            if self.is_done() {
                self.part();
                return self.outcome();
            }
        }
    }

    fn on_event(&mut self, now: Instant, event: ConnectionEvent) -> Result<(), Failure> {
        match event {
            ConnectionEvent::Route { local, remote } => {
                self.lost_since = None;
                let fields = json!({ "local": local, "remote": remote });
                self.screen
                    .event("route", fields, || format!("found {remote}"));
            }
            ConnectionEvent::Unreachable => {
                self.lost_since = Some(now);
                self.screen
                    .trouble("unreachable", json!({}), "the peer is not heard any more");
            }
            ConnectionEvent::Secured | ConnectionEvent::Ended(_) => {}
            ConnectionEvent::Connected => self.on_connected(now)?,
            ConnectionEvent::Channel(event) => self.on_channel(now, event),
        }
        Ok(())
    }

    fn on_connected(&mut self, now: Instant) -> Result<(), Failure> {
        self.connected = true;
        self.screen
            .event("connected", json!({}), || "connected".to_owned());
        if self.work.tasks == Tasks::Initiator {
            self.open(now, ChannelConfig::new(CHAT), Use::Chat)?;
        }
        for path in std::mem::take(&mut self.work.files) {
            let departure = Departure::open(&path).while_doing(path.display())?;
            self.open(now, departure.channel(), Use::Departure(departure))?;
        }
        if let Some(time) = self.work.load.take() {
            let load = Load::new(time, self.work.size);
            self.open(now, Load::channel(), Use::Load(load))?;
        }
        Ok(())
    }

    fn open(&mut self, now: Instant, config: ChannelConfig, usage: Use) -> Result<(), Failure> {
        let label = config.label.clone();
        let channel = self.connection.open(now, config);
        let channel = channel.while_doing(format!("channel {label}"))?;
        self.connection.set_low_water(channel, LOW_WATER);
        self.uses.insert(channel, usage);
        Ok(())
    }

    fn on_channel(&mut self, now: Instant, event: ChannelEvent) {
        match event {
            ChannelEvent::Incoming { channel } => self.on_incoming(channel),
            ChannelEvent::Opened { channel } => match self.uses.get_mut(&channel) {
                Some(Use::Load(load)) => load.start(now),
                Some(Use::Departure(departure)) => departure.start(),
                _ => {}
            },
            ChannelEvent::Message { channel, message } => self.on_message(now, channel, message),
            ChannelEvent::Closed { channel, .. } => self.on_closed(channel),
            _ => {}
        }
    }

    fn on_incoming(&mut self, channel: ChannelId) {
        let Some(found) = self.connection.channel(channel) else {
            return;
        };
        let (label, protocol) = (found.label().to_owned(), found.protocol().to_owned());
        let fields = json!({ "id": channel.stream().0, "label": label, "protocol": protocol });
        let usage = match (label.as_str(), protocol.as_str()) {
            (CHAT, _) => Use::Chat,
            (Load::LABEL, _) => Use::Counter(Counter::default()),
            (_, Departure::PROTOCOL) => Use::Arrival(Arrival::new(self.work.directory.as_deref())),
            _ if self.work.echo => Use::Echo(Vec::new()),
            _ => Use::Ignored,
        };
        if matches!(usage, Use::Ignored) {
            let advice = "sent back if started with --echo";
            self.screen.trouble(
                "ignored",
                fields,
                &format!("channel {label:?} is ignored; {advice}"),
            );
        } else {
            self.screen
                .event("channel", fields, || format!("the peer opened {label:?}"));
        }
        self.connection.set_low_water(channel, LOW_WATER);
        self.uses.insert(channel, usage);
    }

    fn on_message(&mut self, now: Instant, channel: ChannelId, message: Message) {
        let mut reply = None;
        match self.uses.get_mut(&channel) {
            Some(Use::Chat) => {
                let text = String::from_utf8_lossy(&message.payload);
                let fields = json!({ "text": text });
                self.screen
                    .event("chat", fields, || format!("> {}", printable(&text)));
            }
            Some(Use::Departure(departure)) => match departure.on_receipt(&message) {
                Ok(fields) => {
                    self.open_tasks -= 1;
                    let name = departure.name().to_owned();
                    self.screen.event("sent", fields, || format!("sent {name}"));
                    self.connection.close_channel(now, channel);
                }
                Err(what) => {
                    self.screen
                        .trouble("refused", json!({ "error": what }), &what);
                    self.connection.close_channel(now, channel);
                }
            },
            Some(Use::Arrival(arrival)) => match arrival.on_message(now, &message) {
                Ok(None) => {}
                Ok(Some((receipt, fields, text))) => {
                    self.screen.event("received", fields, || text);
                    reply = Some(receipt);
                }
                Err(what) => {
                    self.screen
                        .trouble("refused", json!({ "error": what }), &what);
                    reply = Some(json!({ "error": what }).to_string());
                    self.uses.insert(channel, Use::Ignored);
                }
            },
            Some(Use::Counter(counter)) => reply = counter.on_message(now, &message),
            Some(Use::Load(load)) => {
                if let Some((fields, text)) = load.on_report(&message) {
                    self.open_tasks -= 1;
                    self.screen.event("load", fields, || text);
                    self.connection.close_channel(now, channel);
                }
            }
            Some(Use::Echo(waiting)) => waiting.push(message),
            Some(Use::Ignored) | None => {}
        }
        if let Some(reply) = reply {
            // A short text always fits, unless the peer does not read.
            let _ = self.connection.send(now, channel, Message::text(reply));
        }
    }

    fn on_closed(&mut self, channel: ChannelId) {
        match self.uses.remove(&channel) {
            Some(Use::Departure(departure)) if !departure.is_done() => {
                self.open_tasks -= 1;
                self.failures += 1;
                let what = format!("{} was not taken", departure.name());
                self.screen
                    .trouble("failed", json!({ "file": departure.name() }), &what);
            }
            Some(Use::Load(load)) if !load.is_done() => {
                self.open_tasks -= 1;
                self.failures += 1;
                self.screen.trouble(
                    "failed",
                    json!({ "load": true }),
                    "the load was not counted",
                );
            }
            Some(Use::Arrival(arrival)) if arrival.is_under_way() => {
                self.failures += 1;
                let what = "a file broke off";
                self.screen
                    .trouble("failed", json!({ "error": what }), what);
            }
            _ => {}
        }
    }

    /// Sends while there is room.
    fn pump(&mut self, now: Instant) -> Result<(), Failure> {
        self.take_lines(now);
        let connection = &mut self.connection;
        for (&channel, usage) in &mut self.uses {
            match usage {
                Use::Departure(departure) => {
                    let name = departure.name().to_owned();
                    let mut send = |message| send(connection, now, channel, message);
                    departure.pump(&mut send).while_doing(name)?;
                }
                Use::Load(load) => {
                    load.pump(now, &mut |message| send(connection, now, channel, message));
                }
                Use::Echo(waiting) => {
                    while let Some(message) = waiting.first().cloned()
                        && send(connection, now, channel, message)
                    {
                        waiting.remove(0);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take_lines(&mut self, now: Instant) {
        if let Some(lines) = &self.input {
            loop {
                match lines.try_recv() {
                    Ok(line) => self.unsent.push(line),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => {
                        self.input = None;
                        break;
                    }
                }
            }
        }
        let chat = self
            .uses
            .iter()
            .find(|(_, usage)| matches!(usage, Use::Chat));
        let Some((&chat, _)) = chat else {
            return;
        };
        while let Some(line) = self.unsent.first().cloned()
            && send(&mut self.connection, now, chat, Message::text(line))
        {
            self.unsent.remove(0);
        }
    }

    fn is_done(&self) -> bool {
        let speaks = self.work.tasks == Tasks::Initiator && self.input.is_none();
        self.connected && speaks && self.open_tasks == 0 && self.unsent.is_empty()
    }

    /// Waits for the last messages to arrive and closes the connection.
    fn part(&mut self) {
        let end = Instant::now() + LAST_WORDS;
        while self.connected && !self.connection.is_drained() && Instant::now() < end {
            if self.driver.turn(&mut self.connection, TURN).is_err() {
                break;
            }
        }
        self.connection.close(Instant::now());
        self.driver.flush(&mut self.connection);
    }

    fn ended(mut self, reason: &EndReason) -> Result<Exit, Failure> {
        self.driver.flush(&mut self.connection);
        let text = reason.to_string();
        if !self.connected {
            return Err(Failure::new(text));
        }
        let fields = json!({ "reason": text });
        self.screen
            .event("ended", fields, || format!("ended: {text}"));
        let channels: Vec<ChannelId> = self.uses.keys().copied().collect();
        for channel in channels {
            self.on_closed(channel);
        }
        self.outcome()
    }

    fn outcome(&self) -> Result<Exit, Failure> {
        match self.failures {
            0 => Ok(Exit::Success),
            _ => Ok(Exit::Failure),
        }
    }
}

/// Sends a message if there is room.
fn send(
    connection: &mut PeerConnection,
    now: Instant,
    channel: ChannelId,
    message: Message,
) -> bool {
    if connection.buffered(channel) > 2 * LOW_WATER {
        return false;
    }
    match connection.send(now, channel, message) {
        Ok(()) => true,
        Err(SendError::BufferFull(_) | SendError::NotReady(_)) => false,
        // The channel is closed; its end is reported elsewhere.
        Err(_) => true,
    }
}

/// Removes characters that could control a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|it| if it.is_control() { '\u{fffd}' } else { it })
        .collect()
}

/// Parses a text message as JSON.
pub fn json_of(message: &Message) -> Option<serde_json::Value> {
    match message.kind {
        Kind::Text => serde_json::from_slice(&message.payload).ok(),
        Kind::Binary => None,
    }
}
