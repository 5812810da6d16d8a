//! The streams that carry files: their bytes, holes, ends and failures.

use std::io;

use super::super::Fault;
use super::super::hole::hash_zeros;
use super::super::message::{EntryId, Hash, IfDifferent, Outcome, ToSender};
use super::super::name::printable;
use super::super::part::Part;
use super::super::store::{EXISTS, Have, Size};
use super::super::tree::Existing;
use super::{Attempt, Carried, Receiver, hash_of_nothing, reason_of};

/// The contents of a stream.
pub(super) enum Active {
    /// A file that is written.
    Writing(Box<Writing>),
    /// A file that stands here already, if its hash is right.
    Comparing(EntryId),
    /// A file that failed; its bytes are dropped until its end.
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
                self.fail(id, &reason_of(&error));
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
            _ if offset != 0 => return Err(Fault::Rule("a file begins where nobody asked")),
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
                if let Some(active) = self.streams.insert(stream, Active::Discarding(id)) {
                    self.abandon(active);
                }
                self.fail(id, &reason_of(&error));
            }
        }
        Ok(())
    }

    /// Nothing is written: the next bytes, or the file's end, leave the hole behind.
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

    /// The file that the stream carries, if these are its next bytes; `None` if they are dropped.
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

    /// An unfinished file is not gone on with in this session.
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
        let name = open.file.name.to_string();
        if matches!(open.have, Have::Same(have) if have == hash) {
            self.progress.bytes += open.file.size.most();
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
        let (name, len) = (open.file.name.to_string(), writing.position);
        // A hole at the end has left no bytes behind.
        let filled = writing.part.cut(len);
        match filled.and_then(|()| self.store.place(writing.part, &open.file)) {
            Ok(()) => self.settle(id, &name, Outcome::Written, "", len),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.settle(id, &name, Outcome::Refused, EXISTS.reason, 0);
            }
            Err(error) => self.settle(id, &name, Outcome::Failed, &reason_of(&error), 0),
        }
    }

    /// Asks once more for a file whose hash is wrong, from its start; the second time the file
    /// fails.
    fn ask_again(&mut self, writing: Writing) {
        let id = writing.id;
        let cut = writing.part.cut(0);
        self.progress.bytes = self.progress.bytes.saturating_sub(writing.position);
        self.abandon(Active::Writing(Box::new(writing)));
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

    pub(super) fn on_differs(&mut self, stream: u16, id: EntryId) -> Result<(), Fault> {
        if self.streams.contains_key(&stream) {
            return Err(Fault::Rule(
                "a file differs on a stream that carries another",
            ));
        }
        match self.open.get(&id) {
            Some(open) if matches!(open.have, Have::Same(_)) && open.carried == Carried::No => {
                let (name, bytes) = (open.file.name.to_string(), open.file.size.most());
                self.open.remove(&id);
                match self.store.policy().existing {
                    Existing::Keep => self.settle(id, &name, Outcome::Refused, EXISTS.reason, 0),
                    // Asked only to say so, because this is a trial.
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
            &format!("at the sender: {}", printable(reason.as_bytes())),
        );
        Ok(())
    }
}
