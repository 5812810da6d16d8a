//! The sending half of a transfer, without network code.

mod file_transfer;
mod whole;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::io;

use self::file_transfer::{Done, FileTransfer};
use super::Fault;
use super::manifest::Manifest;
use super::message::{
    CHUNK, Detail, EntryId, Hash, IfDifferent, Kind, MAX_WHOLE, Outcome, Run, Tally, Terms,
    ToReceiver, ToSender, VERSION, WHOLE_HEADER,
};
use super::name::printable;
use super::original::{Original, State};

/// Most requests for one file: a second one after a wrong hash.
const MAX_WANTS: u8 = 2;
/// Most announced and unsettled entries, regardless of the receiver's limit.
const MAX_WINDOW: u32 = 4096;
/// Bytes of announcements after which a message is sent.
const ANNOUNCEMENTS: usize = 32 << 10;

/// The sender's next step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Send this message on that stream.
    Send(u16, Vec<u8>),
    /// Nothing to send yet, but work goes on: ask again.
    Working,
    /// Nothing before a message comes.
    Idle,
    /// The transfer is over.
    Finished,
}

/// An entry whose end the user is told of.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Notice {
    /// The entry's name, printable.
    pub name: String,
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
}

/// Progress of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries settled.
    pub entries: u64,
    /// Bytes of files that are sent or not needed.
    pub bytes: u64,
    /// File bytes sent over the network.
    pub sent: u64,
}

/// The sender of a transfer.
pub struct Sender {
    manifest: Manifest,
    terms: Terms,
    phase: SendPhase,
    window: u32,
    announced: usize,
    open: BTreeMap<EntryId, OpenFile>,
    /// Files at the receiver to which hard links will be sent.
    linkable: BTreeSet<EntryId>,
    wanted: VecDeque<Want>,
    lanes: Vec<FileStream>,
    /// Bytes of a file per message.
    chunk: usize,
    next_lane: usize,
    control: VecDeque<Vec<u8>>,
    progress: Progress,
    tally: Tally,
    notices: VecDeque<Notice>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SendPhase {
    AwaitingWelcome,
    Running,
    AwaitingReport,
    Finished(Tally),
}

/// An announced, unsettled entry.
#[derive(Default)]
struct OpenFile {
    wants: u8,
    counted: u64,
    stage: OpenStage,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum OpenStage {
    /// Waiting for the receiver's answer.
    #[default]
    Announced,
    /// Requested or being sent.
    Wanted,
}

/// The state of a message being filled.
enum Filled {
    /// The message has content.
    Some,
    /// No content yet, but work remains.
    Working,
    /// Nothing to do until a message or input arrives, or the message is sent.
    Nothing,
}

struct Want {
    id: EntryId,
    offset: u64,
    prefix: Hash,
    if_different: IfDifferent,
}

/// A stream for files, one at a time.
struct FileStream {
    stream: u16,
    job: Option<FileTransfer>,
}

impl Sender {
    /// Creates a sender of a manifest over data streams 1 to `streams`.
    pub fn new(manifest: Manifest, terms: Terms, streams: u16) -> Self {
        let hello = ToReceiver::Hello { version: VERSION };
        let lane = |stream| FileStream { stream, job: None };
        Self {
            manifest,
            terms,
            phase: SendPhase::AwaitingWelcome,
            window: 0,
            announced: 0,
            open: BTreeMap::new(),
            linkable: BTreeSet::new(),
            wanted: VecDeque::new(),
            lanes: (1..=streams.max(1)).map(lane).collect(),
            chunk: CHUNK,
            next_lane: 0,
            control: VecDeque::from([hello.write()]),
            progress: Progress::default(),
            tally: Tally::default(),
            notices: VecDeque::new(),
        }
    }

    /// Limits the bytes of a file per message.
    pub fn limit_chunks(&mut self, len: usize) {
        self.chunk = len.clamp(1, CHUNK);
    }

    /// Handles a message from the receiver.
    /// Errors: the receiver violates the protocol; abort the association with this reason.
    pub fn handle_message(&mut self, payload: &[u8]) -> Result<(), Fault> {
        let mut rest = payload;
        loop {
            self.handle_record(ToSender::read(&mut rest)?)?;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    fn handle_record(&mut self, record: ToSender) -> Result<(), Fault> {
        match (self.phase, record) {
            (SendPhase::AwaitingWelcome, ToSender::Welcome { version, .. })
                if version != VERSION =>
            {
                Err(Fault::Version(version))
            }
            (SendPhase::AwaitingWelcome, ToSender::Welcome { window: 0, .. }) => {
                Err(Fault::Rule("the receiver allows no entry at all"))
            }
            (SendPhase::AwaitingWelcome, ToSender::Welcome { window, detail, .. }) => {
                self.on_welcome(window, detail);
                Ok(())
            }
            (
                SendPhase::Running,
                ToSender::Want {
                    id,
                    prefix,
                    if_different,
                },
            ) => {
                let nothing = || (0, *blake3::hash(b"").as_bytes());
                let (offset, prefix) = prefix.unwrap_or_else(nothing);
                self.on_want(Want {
                    id,
                    offset,
                    prefix,
                    if_different,
                })
            }
            (
                SendPhase::Running,
                ToSender::Settled {
                    id,
                    outcome,
                    reason,
                },
            ) => self.on_settled(id, outcome, &reason),
            (SendPhase::AwaitingReport, ToSender::Report(tally)) if tally != self.tally => {
                Err(Fault::Rule("both ends count different outcomes"))
            }
            (SendPhase::AwaitingReport, ToSender::Report(tally)) => {
                self.phase = SendPhase::Finished(tally);
                Ok(())
            }
            _ => Err(Fault::Rule("a message came out of turn")),
        }
    }

    /// The next step; reads files.
    pub fn poll(&mut self) -> Step {
        if let Some(message) = self.control.pop_front() {
            return Step::Send(0, message);
        }
        match self.phase {
            SendPhase::AwaitingWelcome | SendPhase::AwaitingReport => Step::Idle,
            SendPhase::Finished(_) => Step::Finished,
            SendPhase::Running => self.poll_running(),
        }
    }

    /// The progress of the transfer.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Total number of entries and bytes.
    pub fn total(&self) -> (u64, u64) {
        (self.manifest.items.len() as u64, self.manifest.bytes)
    }

    /// The receiver's report, at the end.
    pub fn report(&self) -> Option<Tally> {
        match self.phase {
            SendPhase::Finished(tally) => Some(tally),
            _ => None,
        }
    }

    /// The next entry that failed or was refused.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    fn on_welcome(&mut self, window: u32, detail: Detail) {
        if detail == Detail::Archive {
            self.terms.detail = Detail::Archive;
        }
        self.manifest.arrange(self.terms.detail);
        self.window = window.min(MAX_WINDOW);
        self.phase = SendPhase::Running;
        let terms = ToReceiver::Terms {
            terms: self.terms,
            entries: self.manifest.items.len() as u64,
            bytes: self.manifest.bytes,
        };
        self.control.push_back(terms.write());
    }

    fn on_want(&mut self, want: Want) -> Result<(), Fault> {
        let open = self.open.get_mut(&want.id);
        let open = open.ok_or(Fault::Rule("a file is wanted that is not open"))?;
        let item = &self.manifest.items[want.id as usize];
        let size = match item.entry.kind {
            Kind::File { size, .. } => size,
            Kind::Pipe => 0,
            _ => return Err(Fault::Rule("an entry is wanted that is no file")),
        };
        if want.offset > size {
            return Err(Fault::Rule("a file is wanted from beyond its end"));
        }
        open.wants += 1;
        if open.wants > MAX_WANTS || open.stage == OpenStage::Wanted {
            return Err(Fault::Rule("a file is wanted again and again"));
        }
        open.stage = OpenStage::Wanted;
        self.wanted.push_back(want);
        Ok(())
    }

    fn on_settled(&mut self, id: EntryId, outcome: Outcome, reason: &str) -> Result<(), Fault> {
        let open = self.open.remove(&id);
        let open = open.ok_or(Fault::Rule("an entry is settled that is not open"))?;
        let entry = &self.manifest.items[id as usize].entry;
        let size = match entry.kind {
            Kind::File { size, .. } => size,
            // The size of a pipe is known only at its end.
            Kind::Pipe => open.counted,
            _ => 0,
        };
        let stands = matches!(outcome, Outcome::Written | Outcome::Identical);
        if stands && self.manifest.has_links(id) {
            self.linkable.insert(id);
        }
        self.progress.entries += 1;
        self.progress.bytes += size.saturating_sub(open.counted);
        self.tally.add(outcome, size);
        let is_news = match outcome {
            Outcome::Refused | Outcome::Failed => true,
            Outcome::Written => self.terms.run == Run::Dry,
            Outcome::Identical | Outcome::Newer | Outcome::Done => false,
        };
        if is_news {
            self.notices.push_back(Notice {
                name: printable(&entry.name),
                outcome,
                reason: printable(reason.as_bytes()),
            });
        }
        Ok(())
    }

    fn poll_running(&mut self) -> Step {
        if let Some(message) = self.announce() {
            return Step::Send(0, message);
        }
        let mut worked = false;
        for _ in 0..self.lanes.len() {
            let lane = self.next_lane;
            self.next_lane = (lane + 1) % self.lanes.len();
            match self.poll_lane(lane) {
                Step::Idle => {}
                Step::Working => worked = true,
                step => return step,
            }
        }
        if worked {
            return Step::Working;
        }
        if self.open.is_empty() && self.announced == self.manifest.items.len() {
            self.phase = SendPhase::AwaitingReport;
            return Step::Send(0, ToReceiver::Finish.write());
        }
        Step::Idle
    }

    /// Creates a message of announcements.
    fn announce(&mut self) -> Option<Vec<u8>> {
        let mut message = Vec::new();
        while message.len() < ANNOUNCEMENTS
            && let Some(id) = self.next_announcement()
        {
            let entry = &self.manifest.items.get(id as usize)?.entry;
            ToReceiver::Entry(entry.clone()).append(&mut message);
        }
        (!message.is_empty()).then_some(message)
    }

    /// The next entry to announce, which becomes open.
    fn next_announcement(&mut self) -> Option<EntryId> {
        if self.open.len() >= self.window as usize {
            return None;
        }
        let item = self.manifest.items.get(self.announced)?;
        let id = item.entry.id;
        if matches!(item.entry.kind, Kind::DirectoryEnd { .. }) {
            // Waits until every entry inside the directory is settled.
            let is_file = |id: &EntryId| !self.manifest.is_directory_end(*id);
            if self.open.keys().next().is_some_and(is_file) {
                return None;
            }
        }
        if let Some(first) = item.link_to {
            if self.open.contains_key(&first) {
                return None;
            }
            if self.linkable.contains(&first) {
                self.manifest.make_link(id, first);
            }
        }
        self.announced += 1;
        self.open.insert(id, OpenFile::default());
        Some(id)
    }

    /// Whether the sender waits for standard input, which no message announces.
    pub fn awaits_input(&self) -> bool {
        let is_pipe = |lane: &FileStream| lane.job.as_ref().is_some_and(FileTransfer::is_pipe);
        self.lanes.iter().any(is_pipe)
    }

    /// Fills a message for a stream: part of a long file, or several short ones.
    fn poll_lane(&mut self, index: usize) -> Step {
        let mut message = Vec::new();
        let mut pause = Step::Idle;
        while message.len() < self.chunk {
            match self.fill(index, &mut message) {
                Filled::Some => {}
                Filled::Nothing => break,
                Filled::Working => {
                    pause = Step::Working;
                    break;
                }
            }
        }
        match message.is_empty() {
            true => pause,
            false => Step::Send(self.lanes[index].stream, message),
        }
    }

    fn fill(&mut self, index: usize, message: &mut Vec<u8>) -> Filled {
        let Some(mut job) = self.lanes[index].job.take() else {
            return self.start(index, message);
        };
        let id = job.id();
        if !self.open.contains_key(&id) {
            self.give_up(id, "settled while it was being sent", message);
            return Filled::Some;
        }
        let room = self.chunk.saturating_sub(message.len());
        let done = job.poll(message, room);
        if matches!(
            done,
            Ok(Done::Nothing | Done::Read | Done::Sent(_) | Done::Skipped(_))
        ) {
            self.lanes[index].job = Some(job);
        }
        self.on_done(id, done, message)
    }

    /// Starts the next requested file on an idle stream; a short file is sent at once.
    fn start(&mut self, index: usize, message: &mut Vec<u8>) -> Filled {
        let Some(want) = self.wanted.front() else {
            return Filled::Nothing;
        };
        let id = want.id;
        let item = &self.manifest.items[id as usize];
        let short = match item.entry.kind {
            Kind::File { size, .. } => usize::try_from(size).ok(),
            _ => None,
        };
        let short = short.filter(|&size| size <= MAX_WHOLE.min(self.chunk));
        let end = short.map_or(0, |size| message.len() + WHOLE_HEADER + size);
        if end > self.chunk && !message.is_empty() {
            return Filled::Nothing;
        }
        let (Some(want), Some(open)) = (self.wanted.pop_front(), self.open.get(&id)) else {
            // The entry was settled after the request.
            return Filled::Working;
        };
        if item.entry.kind == Kind::Pipe {
            if open.wants > 1 {
                self.give_up(id, "standard input cannot be read twice", message);
                return Filled::Some;
            }
            self.lanes[index].job = Some(FileTransfer::of_input(want, self.chunk));
            return Filled::Working;
        }
        let detail = self.terms.detail;
        let done = Original::open(item).and_then(|original| {
            if let Some(change) = original.change()? {
                return Ok(Done::Changed(change));
            }
            if short.is_some() && (detail == Detail::Usual || !original.has_holes()?) {
                return whole::append(&original, &want, message);
            }
            self.lanes[index].job = Some(FileTransfer::of_file(original, want, detail));
            Ok(Done::Read)
        });
        if let Ok(Done::Sent(_) | Done::Skipped(_)) = done {
            self.on_over(id);
        }
        self.on_done(id, done, message)
    }

    /// Counts a step of a file, and finishes complete files.
    fn on_done(&mut self, id: EntryId, done: io::Result<Done>, message: &mut Vec<u8>) -> Filled {
        match done {
            Ok(Done::Nothing) => return Filled::Nothing,
            Ok(Done::Read) => return Filled::Working,
            Ok(Done::Sent(bytes)) => {
                self.count(id, bytes);
                self.progress.sent += bytes;
            }
            Ok(Done::Skipped(bytes)) => self.count(id, bytes),
            Ok(Done::Over) => self.on_over(id),
            Ok(Done::Changed(state)) => self.on_changed(id, state, message),
            Err(error) => self.give_up(id, &error.to_string(), message),
        }
        Filled::Some
    }

    fn give_up(&mut self, id: EntryId, reason: &str, message: &mut Vec<u8>) {
        self.on_over(id);
        let reason = reason.to_owned();
        ToReceiver::Gone { id, reason }.append(message);
    }

    /// Waits for the receiver's answer.
    fn on_over(&mut self, id: EntryId) {
        if let Some(open) = self.open.get_mut(&id) {
            open.stage = OpenStage::Announced;
        }
    }

    /// Announces a changed file again.
    fn on_changed(&mut self, id: EntryId, state: State, message: &mut Vec<u8>) {
        self.on_over(id);
        self.manifest.change(id, state);
        let State { modified, size } = state;
        ToReceiver::Changed { id, modified, size }.append(message);
    }

    fn count(&mut self, id: EntryId, bytes: u64) {
        let size = match self.manifest.items[id as usize].entry.kind {
            Kind::File { size, .. } => size,
            Kind::Pipe => u64::MAX,
            _ => return,
        };
        if let Some(open) = self.open.get_mut(&id) {
            let more = bytes.min(size.saturating_sub(open.counted));
            open.counted += more;
            self.progress.bytes += more;
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome {
            Outcome::Written => return write!(f, "would send {}", self.name),
            Outcome::Refused => "refused",
            _ => "failed",
        };
        write!(f, "{}: {outcome}: {}", self.name, self.reason)
    }
}

#[cfg(test)]
mod tests;
