//! Streams with file data: bytes, holes, ends and failures.

use std::io;

use super::super::Fault;
use super::super::hole::hash_zeros;
use super::super::message::{EntryId, Hash, IfDifferent, ModifiedAt, Outcome, ToSender};
use super::super::name::{Name, PARTIAL_DIRECTORY, printable};
use super::super::part::Part;
use super::super::store::{EXISTS, Have, Size};
use super::super::tree::Existing;
use super::{Attempt, Carried, PartialFile, Receiver, reason_of};
use crate::units;

/// The reason for a file whose hash was wrong twice.
const WRONG_TWICE: &str = "its hash was wrong twice: does it change while it is sent?";

/// The file of a stream.
pub(super) enum Active {
    /// Being written.
    Writing(Box<Writing>),
    /// An existing file, to be kept if its hash matches.
    Comparing(EntryId),
    /// Failed; the remaining bytes are dropped.
    Discarding(EntryId),
}

pub(super) struct Writing {
    id: EntryId,
    size: Size,
    part: Part,
    hasher: blake3::Hasher,
    position: u64,
}

impl Receiver {
    pub(super) fn on_begin(&mut self, stream: u16, id: EntryId, offset: u64) -> Result<(), Fault> {
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
                self.fail(id, reason_of(&error));
            }
        }
        Ok(())
    }

    fn begin(&mut self, id: EntryId, offset: u64) -> Result<io::Result<Active>, Fault> {
        let Some(open) = self.open.get_mut(&id) else {
            return Err(Fault::Rule("a file begins that is not open"));
        };
        let writing = match std::mem::replace(&mut open.have, Have::Nothing) {
            Have::Same(hash) if Size::Known(offset) == open.file.size => {
                open.have = Have::Same(hash);
                return Ok(Ok(Active::Comparing(id)));
            }
            Have::Beginning(beginning) if offset == beginning.len => {
                self.progress.bytes += offset;
                Ok(Writing {
                    id,
                    size: open.file.size,
                    part: beginning.part,
                    hasher: beginning.hasher,
                    position: offset,
                })
            }
            _ if offset != 0 => {
                return Err(Fault::Rule(
                    "a file begins at an offset that was not requested",
                ));
            }
            _ => self.store.begin(&open.file).map(|part| Writing {
                id,
                size: open.file.size,
                part,
                hasher: blake3::Hasher::new(),
                position: 0,
            }),
        };
        Ok(writing.map(|writing| Active::Writing(Box::new(writing))))
    }

    pub(super) fn on_data(
        &mut self,
        stream: u16,
        id: EntryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        self.progress.received += bytes.len() as u64;
        let Some(writing) = self.next_of(stream, id, offset, bytes.len() as u64)? else {
            return Ok(());
        };
        match writing.part.write(bytes, offset) {
            Ok(()) => {
                writing.hasher.update(bytes);
                writing.position += bytes.len() as u64;
                self.progress.bytes += bytes.len() as u64;
            }
            Err(error) => {
                let mut reason = reason_of(&error);
                if let Some(Active::Writing(writing)) =
                    self.streams.insert(stream, Active::Discarding(id))
                {
                    reason.push_str(&writing.remainder(&error));
                    self.abandon(Active::Writing(writing));
                }
                self.fail(id, reason);
            }
        }
        Ok(())
    }

    /// Writes nothing: the next bytes, or the file's end, create the hole.
    pub(super) fn on_hole(
        &mut self,
        stream: u16,
        id: EntryId,
        offset: u64,
        len: u64,
    ) -> Result<(), Fault> {
        if let Some(writing) = self.next_of(stream, id, offset, len)? {
            hash_zeros(&mut writing.hasher, len);
            writing.position += len;
            self.progress.bytes += len;
        }
        Ok(())
    }

    /// The stream's file, if these are its next bytes; `None` if they are dropped.
    fn next_of(
        &mut self,
        stream: u16,
        id: EntryId,
        offset: u64,
        len: u64,
    ) -> Result<Option<&mut Writing>, Fault> {
        let writing = match self.streams.get_mut(&stream) {
            Some(Active::Writing(writing)) if writing.id == id => writing,
            Some(Active::Discarding(active)) if *active == id => return Ok(None),
            _ => return Err(Fault::Rule("bytes came of a file that did not begin there")),
        };
        let size = self.open.get(&id).map_or(0, |open| open.file.size.most());
        if offset != writing.position || len > size.saturating_sub(offset) {
            return Err(Fault::Rule("bytes came that are not the file's next"));
        }
        Ok(Some(writing))
    }

    /// Stops writing an unfinished file in this session.
    pub(super) fn abandon(&mut self, active: Active) {
        if let Active::Writing(writing) = active
            && writing.size == Size::Unknown
        {
            self.store.discard(writing.part);
        }
    }

    pub(super) fn on_end(&mut self, stream: u16, id: EntryId, hash: Hash) -> Result<(), Fault> {
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
        let name = open.file.name;
        if matches!(open.have, Have::Same(have) if have == hash) {
            self.progress.bytes += open.file.size.most();
            self.settle(id, &name, Outcome::Identical, "", 0);
        } else {
            let reason = "it changed while it was compared";
            self.settle(id, &name, Outcome::Failed, reason, 0);
        }
    }

    fn end_writing(&mut self, writing: Writing, hash: Hash) {
        let id = writing.id;
        let Some(open) = self.open.get(&id) else {
            return;
        };
        let is_whole = match open.file.size {
            Size::Known(size) => writing.position == size,
            Size::Unknown => true,
        };
        if !is_whole || *writing.hasher.finalize().as_bytes() != hash {
            self.ask_again(writing);
            return;
        }
        let Some(open) = self.open.remove(&id) else {
            return;
        };
        let len = writing.position;
        // A hole at the end needs the file extended.
        let filled = writing.part.cut(len);
        let placed = filled.and_then(|()| self.store.place(writing.part, &open.file));
        self.settle_placed(id, &open.file.name, placed, len);
    }

    /// Settles a file after the attempt to move it to its name.
    fn settle_placed(&mut self, id: EntryId, name: &Name, placed: io::Result<()>, len: u64) {
        match placed {
            Ok(()) => self.settle(id, name, Outcome::Written, "", len),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.settle(id, name, Outcome::Refused, EXISTS.reason, 0);
            }
            Err(error) => self.settle(id, name, Outcome::Failed, reason_of(&error), 0),
        }
    }

    /// A short file, written only after its hash was checked.
    pub(super) fn on_whole(
        &mut self,
        stream: u16,
        id: EntryId,
        hash: Hash,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        let len = bytes.len() as u64;
        let Some(open) = self.asked_for(stream, id) else {
            return Err(Fault::Rule(
                "a file arrived that was not requested on this stream",
            ));
        };
        if open.file.size != Size::Known(len) {
            return Err(Fault::Rule("a file came with another size"));
        }
        self.progress.received += len;
        if *blake3::hash(bytes).as_bytes() != hash {
            self.ask_once_more(id, WRONG_TWICE);
            return Ok(());
        }
        let Some(open) = self.open.remove(&id) else {
            return Ok(());
        };
        self.progress.bytes += len;
        if matches!(open.have, Have::Same(have) if have == hash) {
            self.settle(id, &open.file.name, Outcome::Identical, "", 0);
            return Ok(());
        }
        let placed = self.store.put(&open.file, bytes);
        self.settle_placed(id, &open.file.name, placed, len);
        Ok(())
    }

    /// The requested file, if it is not yet being received and the stream is idle.
    fn asked_for(&mut self, stream: u16, id: EntryId) -> Option<&mut PartialFile> {
        let is_idle = !self.streams.contains_key(&stream);
        let open = self.open.get_mut(&id).filter(|_| is_idle)?;
        (open.carried == Carried::No).then_some(open)
    }

    /// Handles a file that changed at the sender after its announcement.
    pub(super) fn on_changed(
        &mut self,
        stream: u16,
        id: EntryId,
        modified: ModifiedAt,
        size: u64,
    ) -> Result<(), Fault> {
        match self.streams.remove(&stream) {
            Some(Active::Discarding(active)) if active == id => return Ok(()),
            Some(Active::Comparing(active)) if active == id => {}
            Some(Active::Writing(writing)) if writing.id == id => {
                self.progress.bytes = self.progress.bytes.saturating_sub(writing.position);
                self.store.discard(writing.part);
            }
            None if self.asked_for(stream, id).is_some() => {}
            _ => return Err(Fault::Rule("a file changed that is not on that stream")),
        }
        let Some(open) = self.open.get_mut(&id) else {
            return Ok(());
        };
        if open.file.size == Size::Unknown {
            return Err(Fault::Rule("a file of unknown length changed"));
        }
        open.file.size = Size::Known(size);
        open.file.modified = modified;
        if let Have::Beginning(beginning) = std::mem::replace(&mut open.have, Have::Nothing) {
            self.store.discard(beginning.part);
        }
        self.ask_once_more(id, "it changed as it was read");
        Ok(())
    }

    /// Requests a file again after a wrong hash.
    fn ask_again(&mut self, writing: Writing) {
        let id = writing.id;
        let cut = writing.part.cut(0);
        self.progress.bytes = self.progress.bytes.saturating_sub(writing.position);
        self.abandon(Active::Writing(Box::new(writing)));
        match cut {
            Ok(()) => self.ask_once_more(id, WRONG_TWICE),
            Err(error) => self.fail(id, reason_of(&error)),
        }
    }

    /// Requests a file again from its start; fails with `reason` the second time.
    fn ask_once_more(&mut self, id: EntryId, reason: &str) {
        let Some(open) = self.open.get_mut(&id) else {
            return;
        };
        if open.attempt == Attempt::Second {
            self.fail(id, reason);
            return;
        }
        open.attempt = Attempt::Second;
        open.carried = Carried::No;
        open.have = Have::Nothing;
        self.say(&ToSender::Want {
            id,
            prefix: None,
            if_different: IfDifferent::SendAll,
        });
    }

    pub(super) fn on_differs(&mut self, stream: u16, id: EntryId) -> Result<(), Fault> {
        if self.streams.contains_key(&stream) {
            return Err(Fault::Rule(
                "a file differs on a stream that carries another",
            ));
        }
        match self.open.get(&id) {
            Some(open) if matches!(open.have, Have::Same(_)) && open.carried == Carried::No => {
                let (name, bytes) = (open.file.name.clone(), open.file.size.most());
                self.open.remove(&id);
                match self.store.policy().existing {
                    Existing::Keep => self.settle(id, &name, Outcome::Refused, EXISTS.reason, 0),
                    // In a dry run, the request only served the comparison.
                    Existing::Overwrite => self.settle(id, &name, Outcome::Written, "", bytes),
                }
                Ok(())
            }
            _ => Err(Fault::Rule("a file differs that was not compared")),
        }
    }

    pub(super) fn on_gone(&mut self, stream: u16, id: EntryId, reason: &str) -> Result<(), Fault> {
        match self.streams.get(&stream) {
            Some(Active::Discarding(active)) if *active == id => {
                self.streams.remove(&stream);
                return Ok(());
            }
            Some(Active::Writing(writing)) if writing.id == id => {
                if let Some(active) = self.streams.remove(&stream) {
                    self.abandon(active);
                }
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
            format!("at the sender: {}", printable(reason.as_bytes())),
        );
        Ok(())
    }
}

impl Writing {
    /// A hint about partial files left on a full disk.
    fn remainder(&self, error: &io::Error) -> String {
        let is_full = matches!(
            error.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        );
        if !is_full || self.size == Size::Unknown {
            return String::new();
        }
        format!(
            "; {} of it stay in {PARTIAL_DIRECTORY} there: make room and send it again, which goes on behind \
             them, or remove them",
            units::bytes(self.position)
        )
    }
}
