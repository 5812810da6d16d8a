//! The half of a transfer that has the files: messages in, messages out, no network.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::File;
use std::io;

use rustix::buffer::spare_capacity;

use super::Fault;
use super::manifest::{Item, Manifest};
use super::message::{
    CHUNK, DATA_HEADER, EntryId, Hash, IfDifferent, Kind, Outcome, Tally, ToReceiver, ToSender,
    VERSION, write_data_header,
};
use super::name::printable;

/// Times that a receiver may ask for one file: once, and once more if its hash was wrong.
const MAX_WANTS: u8 = 2;
/// Entries announced and not settled at most, whatever the receiver allows.
const MAX_WINDOW: u32 = 4096;

/// What the sender wants to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Send this message on that stream.
    Send(u16, Vec<u8>),
    /// Nothing to send yet, but work goes on: ask again.
    Working,
    /// Nothing before a message comes.
    Idle,
    /// All is over.
    Finished,
}

/// An entry that ended badly.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Notice {
    /// Its name, printable.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
}

/// How far a transfer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries settled.
    pub entries: u64,
    /// Bytes of files that need not be sent any more.
    pub bytes: u64,
    /// File bytes that went over the network.
    pub sent: u64,
}

/// The sender of a transfer.
pub struct Sender {
    manifest: Manifest,
    phase: Phase,
    window: u32,
    announced: usize,
    open: BTreeMap<EntryId, Open>,
    wanted: VecDeque<Want>,
    lanes: Vec<Lane>,
    next_lane: usize,
    control: VecDeque<Vec<u8>>,
    progress: Progress,
    tally: Tally,
    notices: VecDeque<Notice>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    AwaitingWelcome,
    Running,
    AwaitingReport,
    Finished(Tally),
}

/// An entry that was announced and is not settled.
#[derive(Default)]
struct Open {
    wants: u8,
    counted: u64,
}

struct Want {
    id: EntryId,
    offset: u64,
    prefix: Hash,
    if_different: IfDifferent,
}

/// One stream for files; it carries one at a time.
struct Lane {
    stream: u16,
    job: Option<Job>,
}

struct Job {
    want: Want,
    file: File,
    size: u64,
    hasher: blake3::Hasher,
    position: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Reading what the receiver says it has.
    Prefix,
    /// Sending.
    Body,
}

impl Sender {
    /// A sender of that manifest over data streams 1 to `streams`.
    pub fn new(manifest: Manifest, streams: u16) -> Self {
        let hello = ToReceiver::Hello {
            version: VERSION,
            entries: manifest.items.len() as u64,
            bytes: manifest.bytes,
        };
        let lane = |stream| Lane { stream, job: None };
        Self {
            manifest,
            phase: Phase::AwaitingWelcome,
            window: 0,
            announced: 0,
            open: BTreeMap::new(),
            wanted: VecDeque::new(),
            lanes: (1..=streams.max(1)).map(lane).collect(),
            next_lane: 0,
            control: VecDeque::from([hello.write()]),
            progress: Progress::default(),
            tally: Tally::default(),
            notices: VecDeque::new(),
        }
    }

    /// Takes in a message of the receiver.
    ///
    /// # Errors
    /// The receiver breaks the protocol; the association should be aborted with that reason.
    pub fn handle_message(&mut self, payload: &[u8]) -> Result<(), Fault> {
        match (self.phase, ToSender::parse(payload)?) {
            (Phase::AwaitingWelcome, ToSender::Welcome { version, window }) => {
                if version != VERSION {
                    return Err(Fault::Version(version));
                }
                if window == 0 {
                    return Err(Fault::Rule("the receiver allows no entry at all"));
                }
                self.window = window.min(MAX_WINDOW);
                self.phase = Phase::Running;
                Ok(())
            }
            (
                Phase::Running,
                ToSender::Want {
                    id,
                    offset,
                    prefix,
                    if_different,
                },
            ) => self.on_want(Want {
                id,
                offset,
                prefix,
                if_different,
            }),
            (
                Phase::Running,
                ToSender::Settled {
                    id,
                    outcome,
                    reason,
                },
            ) => self.on_settled(id, outcome, &reason),
            (Phase::AwaitingReport, ToSender::Report(tally)) if tally != self.tally => {
                Err(Fault::Rule("both ends count different outcomes"))
            }
            (Phase::AwaitingReport, ToSender::Report(tally)) => {
                self.phase = Phase::Finished(tally);
                Ok(())
            }
            _ => Err(Fault::Rule("a message came out of turn")),
        }
    }

    /// What to do next. Reads files.
    pub fn poll(&mut self) -> Step {
        if let Some(message) = self.control.pop_front() {
            return Step::Send(0, message);
        }
        match self.phase {
            Phase::AwaitingWelcome | Phase::AwaitingReport => Step::Idle,
            Phase::Finished(_) => Step::Finished,
            Phase::Running => self.poll_running(),
        }
    }

    /// How far the transfer is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Entries and bytes in all.
    pub fn total(&self) -> (u64, u64) {
        (self.manifest.items.len() as u64, self.manifest.bytes)
    }

    /// What the receiver counted, once all is over.
    pub fn report(&self) -> Option<Tally> {
        match self.phase {
            Phase::Finished(tally) => Some(tally),
            _ => None,
        }
    }

    /// The next entry that ended badly.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    fn on_want(&mut self, want: Want) -> Result<(), Fault> {
        let open = self.open.get_mut(&want.id);
        let open = open.ok_or(Fault::Rule("a file is wanted that is not open"))?;
        let item = &self.manifest.items[want.id as usize];
        let Kind::File { size, .. } = item.entry.kind else {
            return Err(Fault::Rule("an entry is wanted that is no file"));
        };
        if want.offset > size {
            return Err(Fault::Rule("a file is wanted from beyond its end"));
        }
        open.wants += 1;
        if open.wants > MAX_WANTS || self.is_busy_with(want.id) {
            return Err(Fault::Rule("a file is wanted again and again"));
        }
        self.wanted.push_back(want);
        Ok(())
    }

    fn is_busy_with(&self, id: EntryId) -> bool {
        let in_lane = |lane: &Lane| lane.job.as_ref().is_some_and(|job| job.want.id == id);
        self.lanes.iter().any(in_lane) || self.wanted.iter().any(|want| want.id == id)
    }

    fn on_settled(&mut self, id: EntryId, outcome: Outcome, reason: &str) -> Result<(), Fault> {
        let open = self.open.remove(&id);
        let open = open.ok_or(Fault::Rule("an entry is settled that is not open"))?;
        self.wanted.retain(|want| want.id != id);
        let entry = &self.manifest.items[id as usize].entry;
        let size = match entry.kind {
            Kind::File { size, .. } => size,
            Kind::Directory | Kind::Link { .. } => 0,
        };
        self.progress.entries += 1;
        self.progress.bytes += size.saturating_sub(open.counted);
        self.tally.add(outcome, size);
        if matches!(outcome, Outcome::Refused | Outcome::Failed) {
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
            self.phase = Phase::AwaitingReport;
            return Step::Send(0, ToReceiver::Finish.write());
        }
        Step::Idle
    }

    fn announce(&mut self) -> Option<Vec<u8>> {
        if self.open.len() >= self.window as usize {
            return None;
        }
        let entry = &self.manifest.items.get(self.announced)?.entry;
        self.announced += 1;
        self.open.insert(entry.id, Open::default());
        Some(ToReceiver::Entry(entry.clone()).write())
    }

    fn poll_lane(&mut self, index: usize) -> Step {
        let lane = &mut self.lanes[index];
        let stream = lane.stream;
        let Some(job) = lane.job.as_mut() else {
            return self.start(index);
        };
        let id = job.want.id;
        if !self.open.contains_key(&id) {
            let reason = "settled while it was being sent".to_owned();
            lane.job = None;
            return Step::Send(stream, ToReceiver::Gone { id, reason }.write());
        }
        let done = match job.poll() {
            Ok(done) => done,
            Err(error) => {
                lane.job = None;
                let reason = error.to_string();
                return Step::Send(stream, ToReceiver::Gone { id, reason }.write());
            }
        };
        match done {
            Done::Read => Step::Working,
            Done::Message(message, bytes) => {
                self.count(id, bytes);
                self.progress.sent += bytes;
                Step::Send(stream, message)
            }
            Done::Resume(message, offset) => {
                self.count(id, offset);
                Step::Send(stream, message)
            }
            Done::Over(message) => {
                lane.job = None;
                Step::Send(stream, message)
            }
        }
    }

    fn count(&mut self, id: EntryId, bytes: u64) {
        if let Some(open) = self.open.get_mut(&id)
            && let Kind::File { size, .. } = self.manifest.items[id as usize].entry.kind
        {
            let more = bytes.min(size.saturating_sub(open.counted));
            open.counted += more;
            self.progress.bytes += more;
        }
    }

    /// Begins the next wanted file on a lane that has none.
    fn start(&mut self, index: usize) -> Step {
        let Some(want) = self.wanted.pop_front() else {
            return Step::Idle;
        };
        let id = want.id;
        let lane = &mut self.lanes[index];
        match Job::open(&self.manifest.items[id as usize], want) {
            Ok(job) => {
                lane.job = Some(job);
                Step::Working
            }
            Err(error) => {
                let reason = error.to_string();
                Step::Send(lane.stream, ToReceiver::Gone { id, reason }.write())
            }
        }
    }
}

enum Done {
    /// Some of the file was read, nothing is to be said yet.
    Read,
    /// A message with that many bytes of the file.
    Message(Vec<u8>, u64),
    /// The file goes on after that many bytes.
    Resume(Vec<u8>, u64),
    /// The last message of the job.
    Over(Vec<u8>),
}

impl Job {
    fn open(item: &Item, want: Want) -> io::Result<Self> {
        let Kind::File { size, .. } = item.entry.kind else {
            return Err(io::Error::other("no file"));
        };
        Ok(Self {
            want,
            file: File::open(&item.path)?,
            size,
            hasher: blake3::Hasher::new(),
            position: 0,
            stage: Stage::Prefix,
        })
    }

    fn poll(&mut self) -> io::Result<Done> {
        match self.stage {
            Stage::Prefix if self.position < self.want.offset => self.read_prefix(),
            Stage::Prefix => self.compare(),
            Stage::Body if self.position < self.size => self.read_chunk(),
            Stage::Body => Ok(Done::Over(self.end())),
        }
    }

    fn read_prefix(&mut self) -> io::Result<Done> {
        let len = (self.want.offset - self.position).min(8 * CHUNK as u64);
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(CHUNK));
        self.read(&mut bytes, len)?;
        self.hasher.update(&bytes);
        Ok(Done::Read)
    }

    fn compare(&mut self) -> io::Result<Done> {
        self.stage = Stage::Body;
        let id = self.want.id;
        if *self.hasher.finalize().as_bytes() == self.want.prefix {
            let offset = self.position;
            return Ok(Done::Resume(
                ToReceiver::Begin { id, offset }.write(),
                offset,
            ));
        }
        if self.want.if_different == IfDifferent::SayOnly {
            return Ok(Done::Over(ToReceiver::Differs { id }.write()));
        }
        self.hasher.reset();
        self.position = 0;
        Ok(Done::Message(
            ToReceiver::Begin { id, offset: 0 }.write(),
            0,
        ))
    }

    fn read_chunk(&mut self) -> io::Result<Done> {
        let len = (self.size - self.position).min(CHUNK as u64);
        let room = usize::try_from(len).unwrap_or(CHUNK);
        let mut message = Vec::with_capacity(DATA_HEADER + room);
        write_data_header(&mut message, self.want.id, self.position);
        self.read(&mut message, len)?;
        self.hasher.update(&message[DATA_HEADER..]);
        Ok(Done::Message(message, len))
    }

    fn read(&mut self, into: &mut Vec<u8>, len: u64) -> io::Result<()> {
        let end = into.len() + usize::try_from(len).unwrap_or(usize::MAX);
        while into.len() < end {
            let before = into.len();
            let at = self.position;
            rustix::io::retry_on_intr(|| rustix::io::pread(&self.file, spare_capacity(into), at))?;
            if into.len() == before {
                return Err(io::Error::other(
                    "the file became shorter while it was sent",
                ));
            }
            into.truncate(end);
            self.position += (into.len() - before) as u64;
        }
        Ok(())
    }

    fn end(&self) -> Vec<u8> {
        let hash = *self.hasher.finalize().as_bytes();
        ToReceiver::End {
            id: self.want.id,
            hash,
        }
        .write()
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome {
            Outcome::Refused => "refused",
            _ => "failed",
        };
        write!(f, "{}: {outcome}: {}", self.name, self.reason)
    }
}

#[cfg(test)]
mod tests;
