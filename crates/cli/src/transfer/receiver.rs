//! The receiving half of a transfer, without network code: writes files below one directory. The
//! sender may be hostile.

mod streams;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::io;
use std::sync::Arc;

use self::streams::Active;
use super::Fault;
use super::message::{
    Entry, EntryId, IfDifferent, Kind, Outcome, Permissions, Run, Tally, Terms, ToReceiver,
    ToSender, VERSION,
};
use super::name::{Name, printable};
use super::part::Claims;
use super::sender::Notice;
use super::store::{Announced, Have, Policy, Size, Store, Verdict};
use super::tree::{Existing, Tree};

/// Most announced and unsettled entries; bounds memory.
pub const WINDOW: u32 = 1024;
/// Bytes of answers after which a message is sent.
const ANSWERS: usize = 64 << 10;
/// Most notices kept for the user; more are only counted.
const MAX_NOTICES: usize = 256;

/// Progress of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries settled.
    pub entries: u64,
    /// Total number of entries, according to the sender.
    pub entries_announced: u64,
    /// Bytes of files received or already present.
    pub bytes: u64,
    /// Total size of the files, according to the sender.
    pub bytes_announced: u64,
    /// File bytes received over the network.
    pub received: u64,
}

/// The receiver of a transfer.
pub struct Receiver {
    store: Store,
    phase: ReceivePhase,
    next_entry: EntryId,
    open: BTreeMap<EntryId, PartialFile>,
    streams: HashMap<u16, Active>,
    out: VecDeque<Vec<u8>>,
    tally: Tally,
    progress: Progress,
    notices: VecDeque<Notice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReceivePhase {
    AwaitingHello,
    AwaitingTerms,
    Running,
    Finished,
}

/// An announced and requested file.
struct PartialFile {
    file: Announced,
    have: Have,
    attempt: Attempt,
    /// Whether a stream currently carries the file.
    carried: Carried,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    No,
    Yes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Second,
}

impl Receiver {
    /// Creates a receiver that writes below `tree`; `claims` is shared by every session of the
    /// tree.
    pub fn new(tree: Tree, policy: Policy, claims: Arc<Claims>) -> Self {
        Self {
            store: Store::new(tree, policy, claims),
            phase: ReceivePhase::AwaitingHello,
            next_entry: 0,
            open: BTreeMap::new(),
            streams: HashMap::new(),
            out: VecDeque::new(),
            tally: Tally::default(),
            progress: Progress::default(),
            notices: VecDeque::new(),
        }
    }

    /// Handles a message received on `stream`.
    /// Errors: the sender violates the protocol; abort the association with this reason.
    pub fn handle_message(&mut self, stream: u16, payload: &[u8]) -> Result<(), Fault> {
        let mut rest = payload;
        loop {
            self.handle_record(stream, ToReceiver::read(&mut rest)?)?;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    fn handle_record(&mut self, stream: u16, record: ToReceiver<'_>) -> Result<(), Fault> {
        match (self.phase, stream, record) {
            (ReceivePhase::AwaitingHello, 0, ToReceiver::Hello { version }) => {
                self.on_hello(version)
            }
            (
                ReceivePhase::AwaitingTerms,
                0,
                ToReceiver::Terms {
                    terms,
                    entries,
                    bytes,
                },
            ) => {
                self.on_terms(terms, entries, bytes);
                Ok(())
            }
            (ReceivePhase::Running, 0, ToReceiver::Entry(entry)) => self.on_entry(&entry),
            (ReceivePhase::Running, 0, ToReceiver::Finish) => self.on_finish(),
            (_, 0, _) => Err(Fault::Rule("a message came out of turn")),
            (ReceivePhase::AwaitingHello | ReceivePhase::AwaitingTerms, ..) => {
                Err(Fault::Rule("a message came out of turn"))
            }
            (_, _, ToReceiver::Begin { id, offset }) => self.on_begin(stream, id, offset),
            (_, _, ToReceiver::Data { id, offset, bytes }) => {
                self.on_data(stream, id, offset, bytes)
            }
            (_, _, ToReceiver::Hole { id, offset, len }) => {
                self.on_hole(stream, id, offset, len.into())
            }
            (_, _, ToReceiver::End { id, hash }) => self.on_end(stream, id, hash),
            (_, _, ToReceiver::Whole { id, hash, bytes }) => self.on_whole(stream, id, hash, bytes),
            (_, _, ToReceiver::Changed { id, modified, size }) => {
                self.on_changed(stream, id, modified, size)
            }
            (_, _, ToReceiver::Differs { id }) => self.on_differs(stream, id),
            (_, _, ToReceiver::Gone { id, reason }) => self.on_gone(stream, id, &reason),
            _ => Err(Fault::Rule("a message came out of turn")),
        }
    }

    /// The next message for the sender, on stream 0.
    pub fn poll_message(&mut self) -> Option<Vec<u8>> {
        self.out.pop_front()
    }

    /// The next entry that failed or was refused.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// The progress of the transfer.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The outcomes of the entries.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Whether everything was received and the sender was told.
    pub fn is_finished(&self) -> bool {
        self.phase == ReceivePhase::Finished
    }

    fn on_hello(&mut self, version: u16) -> Result<(), Fault> {
        if version != VERSION {
            return Err(Fault::Version(version));
        }
        self.phase = ReceivePhase::AwaitingTerms;
        self.say(&ToSender::Welcome {
            version: VERSION,
            window: WINDOW,
            detail: self.store.policy().detail,
        });
        Ok(())
    }

    fn on_terms(&mut self, terms: Terms, entries: u64, bytes: u64) {
        self.progress.entries_announced = entries;
        self.progress.bytes_announced = bytes;
        self.store.agree(terms);
        self.phase = ReceivePhase::Running;
    }

    fn on_entry(&mut self, entry: &Entry) -> Result<(), Fault> {
        if entry.id != self.next_entry {
            return Err(Fault::Rule("entries are not numbered in order"));
        }
        if self.open.len() >= WINDOW as usize {
            return Err(Fault::Rule("more entries are open than the window allows"));
        }
        self.next_entry = entry
            .id
            .checked_add(1)
            .ok_or(Fault::Rule("too many entries"))?;
        let name = match Name::parse(&entry.name, self.store.policy().names) {
            Ok(name) => name,
            Err(why) => {
                let shown = printable(&entry.name);
                self.settle(entry.id, &shown, Outcome::Refused, why.to_string(), 0);
                return Ok(());
            }
        };
        match self.admit(entry, &name) {
            Ok(None) => {}
            Ok(Some(verdict)) => {
                // A dry run reports how much would be written.
                let bytes = match (verdict.outcome, &entry.kind) {
                    (Outcome::Written, Kind::File { size, .. }) => *size,
                    _ => 0,
                };
                self.settle(entry.id, &name, verdict.outcome, verdict.reason, bytes);
            }
            Err(error) => {
                self.settle(entry.id, &name, Outcome::Failed, reason_of(&error), 0);
            }
        }
        Ok(())
    }

    /// The verdict on an entry that is settled at once; `None` if its bytes are requested.
    fn admit(&mut self, entry: &Entry, name: &Name) -> io::Result<Option<Verdict>> {
        let (store, id) = (&mut self.store, entry.id);
        let (size, mode) = match &entry.kind {
            Kind::Directory { mode } => return store.admit_directory(id, name, *mode).map(Some),
            Kind::DirectoryEnd { directory, mode } => {
                let ended = store.end_directory(*directory, name, *mode, entry.modified);
                return ended.map(Some);
            }
            Kind::Link { target } => return store.admit_link(name, target).map(Some),
            Kind::HardLink { to } => {
                return store.admit_hard_link(name, to, entry.modified).map(Some);
            }
            Kind::File { size, mode } => (Size::Known(*size), *mode),
            Kind::Pipe => (Size::Unknown, Permissions::SHARED),
        };
        let file = Announced {
            name: name.clone(),
            size,
            mode,
            modified: entry.modified,
        };
        let looked = store.look_for(&file)?;
        Ok(looked.map(|have| self.ask(id, file, have)).err())
    }

    /// Requests a file, starting after the existing part.
    fn ask(&mut self, id: EntryId, file: Announced, have: Have) {
        let (prefix, if_different) = match &have {
            Have::Nothing => (None, IfDifferent::SendAll),
            Have::Same(hash) => {
                let if_different = match (self.store.policy().existing, self.store.terms().run) {
                    (Existing::Keep, _) | (_, Run::Dry) => IfDifferent::SayOnly,
                    (Existing::Overwrite, Run::Real) => IfDifferent::SendAll,
                };
                (Some((file.size.most(), *hash)), if_different)
            }
            Have::Beginning(beginning) => {
                let hash = *beginning.hasher.finalize().as_bytes();
                (Some((beginning.len, hash)), IfDifferent::SendAll)
            }
        };
        let open = PartialFile {
            file,
            have,
            attempt: Attempt::First,
            carried: Carried::No,
        };
        self.open.insert(id, open);
        self.say(&ToSender::Want {
            id,
            prefix,
            if_different,
        });
    }

    fn on_finish(&mut self) -> Result<(), Fault> {
        // Another stream, later than stream 0, may still carry the rest of a failed file.
        if !self.open.is_empty() {
            return Err(Fault::Rule("the sender finished before all was settled"));
        }
        if u64::from(self.next_entry) != self.progress.entries_announced {
            return Err(Fault::Rule("the sender finished before all was announced"));
        }
        self.phase = ReceivePhase::Finished;
        self.store.tidy();
        self.say(&ToSender::Report(self.tally));
        Ok(())
    }

    fn fail(&mut self, id: EntryId, reason: impl Into<String>) {
        if let Some(open) = self.open.remove(&id) {
            self.settle(id, &open.file.name, Outcome::Failed, reason, 0);
        }
    }

    fn settle(
        &mut self,
        id: EntryId,
        name: &dyn fmt::Display,
        outcome: Outcome,
        reason: impl Into<String>,
        bytes: u64,
    ) {
        let reason = reason.into();
        self.tally.add(outcome, bytes);
        self.progress.entries += 1;
        let bad = matches!(outcome, Outcome::Refused | Outcome::Failed);
        if bad && self.notices.len() < MAX_NOTICES {
            self.notices.push_back(Notice {
                name: name.to_string(),
                outcome,
                reason: reason.clone(),
            });
        }
        self.say(&ToSender::Settled {
            id,
            outcome,
            reason,
        });
    }

    /// Adds an answer to the current message.
    fn say(&mut self, record: &ToSender) {
        match self.out.back_mut() {
            Some(message) if message.len() < ANSWERS => record.append(message),
            _ => self.out.push_back(record.write()),
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.open.clear();
        for (_, active) in std::mem::take(&mut self.streams) {
            self.abandon(active);
        }
        self.store.tidy();
    }
}

/// Explains a write error and names the end, since the sender also shows it to its user.
fn reason_of(error: &io::Error) -> String {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};

    match error.kind() {
        StorageFull => "the receiver's disk is full".to_owned(),
        QuotaExceeded => "the receiver's disk quota is used up".to_owned(),
        ReadOnlyFilesystem => "the receiver's file system is read-only".to_owned(),
        PermissionDenied => format!("the receiver may not write there: {error}"),
        _ => format!("at the receiver: {error}"),
    }
}

#[cfg(test)]
mod tests;
