//! The half of a transfer that gets the files: messages in, messages out, files below one
//! directory; no network. The sender may be hostile.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use super::Fault;
use super::message::{
    Entry, EntryId, Hash, IfDifferent, Kind, Outcome, Tally, ToReceiver, ToSender, VERSION,
};
use super::name::{Name, printable};
use super::part::{Claims, Part};
use super::sender::Notice;
use super::store::{Announced, EXISTS, Have, Policy, Store};
use super::tree::{Existing, Tree};

/// Entries that a sender may announce before they are settled; bounds what it makes us hold.
pub const WINDOW: u32 = 1024;
/// Notices kept for the user; more are only counted.
const MAX_NOTICES: usize = 256;

/// How far a transfer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries settled.
    pub entries: u64,
    /// Entries in all, as the sender says.
    pub entries_announced: u64,
    /// Bytes of files that are here.
    pub bytes: u64,
    /// Bytes of all files, as the sender says.
    pub bytes_announced: u64,
    /// File bytes that came over the network.
    pub received: u64,
}

/// The receiver of a transfer.
pub struct Receiver {
    store: Store,
    phase: Phase,
    next_entry: EntryId,
    open: BTreeMap<EntryId, Open>,
    streams: HashMap<u16, Active>,
    out: VecDeque<Vec<u8>>,
    tally: Tally,
    progress: Progress,
    notices: VecDeque<Notice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    AwaitingHello,
    Running,
    Finished,
}

/// A file that was announced and asked for.
struct Open {
    file: Announced,
    have: Have,
    attempt: Attempt,
    /// Whether a stream carries it now.
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

/// What a stream carries.
enum Active {
    /// A file that is written.
    Writing(Box<Writing>),
    /// A file that stands here already, if its hash is right.
    Comparing(EntryId),
    /// A file that failed; its bytes are dropped until its end.
    Discarding(EntryId),
}

struct Writing {
    id: EntryId,
    part: Part,
    hasher: blake3::Hasher,
    position: u64,
}

impl Receiver {
    /// A receiver that writes below `tree`; `claims` is shared by all sessions of that tree.
    pub fn new(tree: Tree, policy: Policy, claims: Arc<Claims>) -> Self {
        Self {
            store: Store::new(tree, policy, claims),
            phase: Phase::AwaitingHello,
            next_entry: 0,
            open: BTreeMap::new(),
            streams: HashMap::new(),
            out: VecDeque::new(),
            tally: Tally::default(),
            progress: Progress::default(),
            notices: VecDeque::new(),
        }
    }

    /// Takes in a message that came on `stream`.
    ///
    /// # Errors
    /// The sender breaks the protocol; the association should be aborted with that reason.
    pub fn handle_message(&mut self, stream: u16, payload: &[u8]) -> Result<(), Fault> {
        let message = ToReceiver::parse(payload)?;
        match (self.phase, stream, message) {
            (
                Phase::AwaitingHello,
                0,
                ToReceiver::Hello {
                    version,
                    entries,
                    bytes,
                },
            ) => self.on_hello(version, entries, bytes),
            (Phase::Running, 0, ToReceiver::Entry(entry)) => self.on_entry(&entry),
            (Phase::Running, 0, ToReceiver::Finish) => self.on_finish(),
            (_, 0, _) => Err(Fault::Rule("a message came out of turn")),
            (Phase::AwaitingHello, ..) => Err(Fault::Rule("a message came out of turn")),
            (_, _, ToReceiver::Begin { id, offset }) => self.on_begin(stream, id, offset),
            (_, _, ToReceiver::Data { id, offset, bytes }) => {
                self.on_data(stream, id, offset, bytes)
            }
            (_, _, ToReceiver::End { id, hash }) => self.on_end(stream, id, hash),
            (_, _, ToReceiver::Differs { id }) => self.on_differs(stream, id),
            (_, _, ToReceiver::Gone { id, reason }) => self.on_gone(stream, id, &reason),
            _ => Err(Fault::Rule("a message came out of turn")),
        }
    }

    /// The next message for the sender; it goes on stream 0.
    pub fn poll_message(&mut self) -> Option<Vec<u8>> {
        self.out.pop_front()
    }

    /// The next entry that ended badly.
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// How far the transfer is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// How the entries ended.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Whether everything was received and the sender knows.
    pub fn is_finished(&self) -> bool {
        self.phase == Phase::Finished
    }

    fn on_hello(&mut self, version: u16, entries: u64, bytes: u64) -> Result<(), Fault> {
        if version != VERSION {
            return Err(Fault::Version(version));
        }
        self.progress.entries_announced = entries;
        self.progress.bytes_announced = bytes;
        self.phase = Phase::Running;
        self.say(&ToSender::Welcome {
            version: VERSION,
            window: WINDOW,
        });
        Ok(())
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
                self.settle(entry.id, &shown, Outcome::Refused, &why.to_string(), 0);
                return Ok(());
            }
        };
        let id = entry.id;
        let settled = match &entry.kind {
            Kind::Directory => self.store.admit_directory(&name).map(Some),
            Kind::Link { target } => self.store.admit_link(&name, target).map(Some),
            Kind::File { size, mode } => {
                let file = Announced {
                    name: name.clone(),
                    size: *size,
                    mode: *mode,
                    modified: entry.modified,
                };
                let looked = self.store.look_for(&file);
                looked.map(|have| have.map(|have| self.ask(id, file, have)).err())
            }
        };
        match settled {
            Ok(None) => {}
            Ok(Some(verdict)) => {
                self.settle(id, &name.to_string(), verdict.outcome, verdict.reason, 0);
            }
            Err(error) => {
                let reason = error.to_string();
                self.settle(id, &name.to_string(), Outcome::Failed, &reason, 0);
            }
        }
        Ok(())
    }

    /// Asks for a file, with what is here of it.
    fn ask(&mut self, id: EntryId, file: Announced, have: Have) {
        let (offset, prefix, if_different) = match &have {
            Have::Nothing => (0, hash_of_nothing(), IfDifferent::SendAll),
            Have::Same(hash) => {
                let if_different = match self.store.policy().existing {
                    Existing::Keep => IfDifferent::SayOnly,
                    Existing::Overwrite => IfDifferent::SendAll,
                };
                (file.size, *hash, if_different)
            }
            Have::Beginning(beginning) => {
                let hash = *beginning.hasher.finalize().as_bytes();
                (beginning.len, hash, IfDifferent::SendAll)
            }
        };
        let open = Open {
            file,
            have,
            attempt: Attempt::First,
            carried: Carried::No,
        };
        self.open.insert(id, open);
        self.say(&ToSender::Want {
            id,
            offset,
            prefix,
            if_different,
        });
    }

    fn on_begin(&mut self, stream: u16, id: EntryId, offset: u64) -> Result<(), Fault> {
        if self.streams.contains_key(&stream) {
            return Err(Fault::Rule(
                "a file begins on a stream that carries another",
            ));
        }
        let open = self.open.get_mut(&id);
        let open = open.ok_or(Fault::Rule("a file begins that is not open"))?;
        if open.carried == Carried::Yes {
            return Err(Fault::Rule("a file begins on two streams"));
        }
        open.carried = Carried::Yes;
        match self.begin(id, offset)? {
            Ok(active) => {
                self.streams.insert(stream, active);
            }
            Err(error) => {
                self.streams.insert(stream, Active::Discarding(id));
                self.fail(id, &error.to_string());
            }
        }
        Ok(())
    }

    fn begin(&mut self, id: EntryId, offset: u64) -> Result<io::Result<Active>, Fault> {
        let Some(open) = self.open.get_mut(&id) else {
            return Err(Fault::Rule("a file begins that is not open"));
        };
        let writing = match std::mem::replace(&mut open.have, Have::Nothing) {
            Have::Same(hash) if offset == open.file.size => {
                open.have = Have::Same(hash);
                return Ok(Ok(Active::Comparing(id)));
            }
            Have::Beginning(beginning) if offset == beginning.len => {
                self.progress.bytes += offset;
                Ok(Writing {
                    id,
                    part: beginning.part,
                    hasher: beginning.hasher,
                    position: offset,
                })
            }
            _ if offset != 0 => return Err(Fault::Rule("a file begins where nobody asked")),
            _ => self.store.begin(&open.file).map(|part| Writing {
                id,
                part,
                hasher: blake3::Hasher::new(),
                position: 0,
            }),
        };
        Ok(writing.map(|writing| Active::Writing(Box::new(writing))))
    }

    fn on_data(
        &mut self,
        stream: u16,
        id: EntryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        self.progress.received += bytes.len() as u64;
        let writing = match self.streams.get_mut(&stream) {
            Some(Active::Writing(writing)) if writing.id == id => writing,
            Some(Active::Discarding(active)) if *active == id => return Ok(()),
            _ => return Err(Fault::Rule("bytes came of a file that did not begin there")),
        };
        let size = self.open.get(&id).map_or(0, |open| open.file.size);
        let len = bytes.len() as u64;
        if offset != writing.position || len > size.saturating_sub(offset) {
            return Err(Fault::Rule("bytes came that are not the file's next"));
        }
        match writing.part.write(bytes, offset) {
            Ok(()) => {
                writing.hasher.update(bytes);
                writing.position += len;
                self.progress.bytes += len;
            }
            Err(error) => {
                self.streams.insert(stream, Active::Discarding(id));
                self.fail(id, &error.to_string());
            }
        }
        Ok(())
    }

    fn on_end(&mut self, stream: u16, id: EntryId, hash: Hash) -> Result<(), Fault> {
        match self.streams.remove(&stream) {
            Some(Active::Discarding(active)) if active == id => Ok(()),
            Some(Active::Comparing(active)) if active == id => {
                self.end_comparing(id, hash);
                Ok(())
            }
            Some(Active::Writing(writing)) if writing.id == id => {
                self.end_writing(*writing, hash);
                Ok(())
            }
            _ => Err(Fault::Rule("a file ended that did not begin there")),
        }
    }

    fn end_comparing(&mut self, id: EntryId, hash: Hash) {
        let Some(open) = self.open.remove(&id) else {
            return;
        };
        let name = open.file.name.to_string();
        if matches!(open.have, Have::Same(have) if have == hash) {
            self.progress.bytes += open.file.size;
            self.settle(id, &name, Outcome::Identical, "", 0);
        } else {
            self.settle(
                id,
                &name,
                Outcome::Failed,
                "it changed while it was compared",
                0,
            );
        }
    }

    fn end_writing(&mut self, writing: Writing, hash: Hash) {
        let id = writing.id;
        let Some(open) = self.open.get(&id) else {
            return;
        };
        let is_whole = writing.position == open.file.size;
        if !is_whole || *writing.hasher.finalize().as_bytes() != hash {
            self.ask_again(&writing);
            return;
        }
        let Some(open) = self.open.remove(&id) else {
            return;
        };
        let name = open.file.name.to_string();
        match self.store.place(writing.part, &open.file) {
            Ok(()) => self.settle(id, &name, Outcome::Written, "", open.file.size),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.settle(id, &name, Outcome::Refused, EXISTS.reason, 0);
            }
            Err(error) => self.settle(id, &name, Outcome::Failed, &error.to_string(), 0),
        }
    }

    /// What came is not what the sender has: once more from the start, then no more.
    fn ask_again(&mut self, writing: &Writing) {
        let id = writing.id;
        let cut = writing.part.cut(0);
        self.progress.bytes = self.progress.bytes.saturating_sub(writing.position);
        let Some(open) = self.open.get_mut(&id) else {
            return;
        };
        if open.attempt == Attempt::Second || cut.is_err() {
            self.fail(
                id,
                "its hash was wrong twice: does it change while it is sent?",
            );
            return;
        }
        open.attempt = Attempt::Second;
        open.carried = Carried::No;
        open.have = Have::Nothing;
        self.say(&ToSender::Want {
            id,
            offset: 0,
            prefix: hash_of_nothing(),
            if_different: IfDifferent::SendAll,
        });
    }

    fn on_differs(&mut self, stream: u16, id: EntryId) -> Result<(), Fault> {
        if self.streams.contains_key(&stream) {
            return Err(Fault::Rule(
                "a file differs on a stream that carries another",
            ));
        }
        match self.open.get(&id) {
            Some(open) if matches!(open.have, Have::Same(_)) && open.carried == Carried::No => {
                let name = open.file.name.to_string();
                self.open.remove(&id);
                self.settle(id, &name, Outcome::Refused, EXISTS.reason, 0);
                Ok(())
            }
            _ => Err(Fault::Rule("a file differs that was not compared")),
        }
    }

    fn on_gone(&mut self, stream: u16, id: EntryId, reason: &str) -> Result<(), Fault> {
        match self.streams.get(&stream) {
            Some(Active::Discarding(active)) if *active == id => {
                self.streams.remove(&stream);
                return Ok(());
            }
            Some(Active::Writing(writing)) if writing.id == id => {
                self.streams.remove(&stream);
            }
            Some(Active::Comparing(active)) if *active == id => {
                self.streams.remove(&stream);
            }
            Some(_) => return Err(Fault::Rule("a file is gone on a stream of another")),
            None if !self.open.contains_key(&id) => {
                return Err(Fault::Rule("a file is gone that is not open"));
            }
            None => {}
        }
        self.fail(
            id,
            &format!("the sender says: {}", printable(reason.as_bytes())),
        );
        Ok(())
    }

    fn on_finish(&mut self) -> Result<(), Fault> {
        // A stream may still carry the rest of a file that failed: it can be later than stream 0.
        if !self.open.is_empty() {
            return Err(Fault::Rule("the sender finished before all was settled"));
        }
        if u64::from(self.next_entry) != self.progress.entries_announced {
            return Err(Fault::Rule("the sender finished before all was announced"));
        }
        self.phase = Phase::Finished;
        self.store.tidy();
        self.say(&ToSender::Report(self.tally));
        Ok(())
    }

    fn fail(&mut self, id: EntryId, reason: &str) {
        if let Some(open) = self.open.remove(&id) {
            self.settle(id, &open.file.name.to_string(), Outcome::Failed, reason, 0);
        }
    }

    fn settle(&mut self, id: EntryId, name: &str, outcome: Outcome, reason: &str, bytes: u64) {
        self.tally.add(outcome, bytes);
        self.progress.entries += 1;
        let bad = matches!(outcome, Outcome::Refused | Outcome::Failed);
        if bad && self.notices.len() < MAX_NOTICES {
            self.notices.push_back(Notice {
                name: name.to_owned(),
                outcome,
                reason: reason.to_owned(),
            });
        }
        self.say(&ToSender::Settled {
            id,
            outcome,
            reason: reason.to_owned(),
        });
    }

    fn say(&mut self, message: &ToSender) {
        self.out.push_back(message.write());
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.open.clear();
        self.streams.clear();
        self.store.tidy();
    }
}

fn hash_of_nothing() -> Hash {
    *blake3::hash(b"").as_bytes()
}

#[cfg(test)]
mod tests;
