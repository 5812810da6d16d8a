use core::net::IpAddr;

use sheave_engine::{Checksum, Datagram, Node, Time, Transmit};

use super::lines::Lines;
use super::{FileReceipts, Files};
use crate::tcp::{ConnectionId, Event, Options, Stack};
use crate::{Agent, Progress, Protocol};

/// Downloads files over FTP (RFC 959) in passive mode: one control connection with one command at a
/// time, and a data connection per file, whose end marks the end of the file.
#[derive(Debug)]
pub struct FtpClient {
    stack: Stack,
    local: IpAddr,
    server: (IpAddr, u16),
    options: Options,
    start: Time,
    stage: FtpStage,
    control: Option<ConnectionId>,
    replies: Lines,
    /// The current or next file.
    number: u32,
    retrieval: Option<Retrieval>,
    receipts: FileReceipts,
}

/// The event that an [`FtpClient`] is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FtpStage {
    /// The client's start time.
    Before,
    /// The server's greeting, 220.
    Greeting,
    /// The answer to USER, 331.
    User,
    /// The answer to PASS, 230.
    Password,
    /// The answer to TYPE, 200.
    Type,
    /// The answer to PASV, 227.
    Passive,
    /// The data connection.
    Data,
    /// The end of the file, and reply 226.
    File,
    /// The answer to QUIT, 221.
    Quit,
    /// Nothing: the transfer has ended, successfully or not.
    Over,
}

/// A file being downloaded.
#[derive(Debug)]
struct Retrieval {
    connection: ConnectionId,
    bytes: u64,
    file: Part,
    reply: Part,
}

/// Whether one of the two conditions for a complete download has arrived: the file, or its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Awaited,
    There,
}

impl FtpClient {
    /// A client at `local` that starts to download `files` from a server at `start`. `seed`
    /// determines its sequence numbers; see [`World::seed`](crate::World::seed).
    #[must_use]
    pub fn new(
        (local, server): (IpAddr, (IpAddr, u16)),
        files: Files,
        options: Options,
        start: Time,
        seed: [u8; 32],
    ) -> Self {
        Self {
            stack: Stack::seeded(seed),
            local,
            server,
            options,
            start,
            stage: FtpStage::Before,
            control: None,
            replies: Lines::default(),
            number: 0,
            retrieval: None,
            receipts: FileReceipts::new(files),
        }
    }

    /// Sets whether checksums are computed or left to the carrier.
    #[must_use]
    pub fn with_checksum(mut self, checksum: Checksum) -> Self {
        self.stack = self.stack.with_checksum(checksum);
        self
    }

    /// The files received.
    pub const fn receipts(&self) -> &FileReceipts {
        &self.receipts
    }

    /// The event that the client waits for.
    pub const fn stage(&self) -> FtpStage {
        self.stage
    }

    /// The TCP stack, for statistics.
    pub const fn stack(&self) -> &Stack {
        &self.stack
    }

    fn take_events(&mut self, now: Time) {
        while let Some(event) = self.stack.poll_event() {
            match event {
                Event::Connected(id) if Some(id) != self.control => self.on_data_connection(),
                Event::Readable(id) if Some(id) == self.control => self.read_replies(),
                Event::Readable(id) => self.read_file(id),
                Event::PeerFinished(id) if self.is_of_file(id) => self.on_end_of_file(now, id),
                Event::PeerFinished(id) if Some(id) == self.control => self.leave(),
                Event::Closed { id, .. } if Some(id) == self.control || self.is_of_file(id) => {
                    self.on_loss(id);
                }
                _ => {}
            }
        }
    }

    fn is_of_file(&self, id: ConnectionId) -> bool {
        let retrieval = self.retrieval.as_ref();
        retrieval.is_some_and(|retrieval| retrieval.connection == id)
    }

    fn read_replies(&mut self) {
        let mut bytes = Vec::new();
        if let Some(mut control) = self.control.and_then(|id| self.stack.connection(id)) {
            control.receive(&mut bytes, usize::MAX);
        }
        self.replies.push(&bytes);
        while let Some(reply) = self.replies.poll_line() {
            self.on_reply(&reply);
        }
    }

    fn on_reply(&mut self, reply: &str) {
        let code = reply.get(..3).unwrap_or_default();
        match (self.stage, code) {
            (FtpStage::Greeting, "220") => self.say(FtpStage::User, "USER anonymous"),
            (FtpStage::User, "331") => self.say(FtpStage::Password, "PASS guest@example.org"),
            (FtpStage::Password, "230") => self.say(FtpStage::Type, "TYPE I"),
            (FtpStage::Type, "200") => self.go_on(),
            (FtpStage::Passive, "227") => self.open_data_connection(reply),
            (FtpStage::File, "150") => {}
            (FtpStage::File, "226") => {
                if let Some(retrieval) = &mut self.retrieval {
                    retrieval.reply = Part::There;
                }
                self.finish_file();
            }
            (FtpStage::Quit, "221") => self.leave(),
            _ => self.fail(),
        }
    }

    fn say(&mut self, stage: FtpStage, command: &str) {
        self.stage = stage;
        if let Some(mut control) = self.control.and_then(|id| self.stack.connection(id)) {
            // A refusal ends the connection.
            let _ = control.send(format!("{command}\r\n").as_bytes());
        }
    }

    fn go_on(&mut self) {
        if self.receipts.is_complete() {
            self.say(FtpStage::Quit, "QUIT");
        } else {
            self.say(FtpStage::Passive, "PASV");
        }
    }

    fn open_data_connection(&mut self, reply: &str) {
        let Some(port) = passive_port(reply) else {
            return self.fail();
        };
        let remote = (self.server.0, port);
        let Ok(connection) = self.stack.connect(self.local, remote, &self.options) else {
            return self.fail();
        };
        self.stage = FtpStage::Data;
        self.retrieval = Some(Retrieval {
            connection,
            bytes: 0,
            file: Part::Awaited,
            reply: Part::Awaited,
        });
    }

    fn on_data_connection(&mut self) {
        let command = format!("RETR {}", Files::name(self.number));
        self.say(FtpStage::File, &command);
    }

    fn read_file(&mut self, id: ConnectionId) {
        let count = self
            .stack
            .connection(id)
            .map_or(0, |mut connection| connection.discard(usize::MAX));
        if let Some(retrieval) = self.retrieval.as_mut().filter(|of| of.connection == id) {
            retrieval.bytes += count as u64;
        }
    }

    fn on_end_of_file(&mut self, now: Time, id: ConnectionId) {
        self.read_file(id);
        if let Some(mut connection) = self.stack.connection(id) {
            connection.shutdown();
        }
        if let Some(retrieval) = &mut self.retrieval {
            retrieval.file = Part::There;
            self.receipts.on_file(now, self.number, retrieval.bytes);
        }
        self.finish_file();
    }

    /// Requests the next file once this one and its reply have arrived.
    fn finish_file(&mut self) {
        let whole = |of: &Retrieval| of.file == Part::There && of.reply == Part::There;
        if self.retrieval.as_ref().is_some_and(whole) {
            self.retrieval = None;
            self.number += 1;
            self.go_on();
        }
    }

    /// A connection has ended, as expected for a complete file's data connection.
    fn on_loss(&mut self, id: ConnectionId) {
        let file = self.retrieval.as_ref().filter(|of| of.connection == id);
        if file.is_none_or(|retrieval| retrieval.file == Part::Awaited) {
            self.fail();
        }
    }

    fn fail(&mut self) {
        self.receipts.on_failure();
        self.leave();
    }

    fn leave(&mut self) {
        self.stage = FtpStage::Over;
        if !self.receipts.is_complete() {
            self.receipts.on_failure();
        }
        if let Some(mut control) = self.control.and_then(|id| self.stack.connection(id)) {
            control.shutdown();
        }
    }
}

/// The port in a PASV reply, from the last two of six numbers (RFC 959 §4.1.2). The address is
/// always the server's own.
fn passive_port(reply: &str) -> Option<u16> {
    let (_, numbers) = reply.split_once('(')?;
    let (numbers, _) = numbers.split_once(')')?;
    let mut numbers = numbers.rsplit(',').map(|number| number.trim().parse().ok());
    let (low, high): (Option<u8>, Option<u8>) = (numbers.next()?, numbers.next()?);
    Some(u16::from_be_bytes([high?, low?]))
}

impl Node for FtpClient {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.stack.handle_datagram(now, datagram);
        self.take_events(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.stage == FtpStage::Before && self.start <= now {
            self.stage = FtpStage::Greeting;
            let connected = self.stack.connect(self.local, self.server, &self.options);
            self.control = connected.ok();
        }
        self.stack.handle_timeout(now);
        self.take_events(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        self.stack.poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self.stage {
            FtpStage::Before => Some(self.start),
            _ => self.stack.poll_timeout(),
        }
    }
}

impl Agent for FtpClient {
    fn protocol(&self) -> Protocol {
        Protocol::Tcp
    }

    fn owns_port(&self, port: u16) -> bool {
        self.stack.owns_port(port)
    }

    fn progress(&self) -> Progress {
        self.receipts.progress()
    }
}
