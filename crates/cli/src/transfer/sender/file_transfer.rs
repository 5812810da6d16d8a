//! Sends a file: compares the receiver's prefix, then reads and sends the rest.

use std::io::{self, Read};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;

use super::Want;
use crate::transfer::hole::{Extent, extent_at, hash_zeros};
use crate::transfer::message::{
    CHUNK, Detail, EntryId, IfDifferent, MAX_HOLE, ToReceiver, data_header,
};
use crate::transfer::original::{Original, State};

/// Chunks read ahead from a pipe.
const READ_AHEAD: usize = 16;

/// A file being sent.
pub(super) struct FileTransfer {
    want: Want,
    source: Source,
    hasher: blake3::Hasher,
    position: u64,
    stage: FileStage,
}

enum Source {
    /// A file of a known size.
    File {
        original: Original,
        detail: Detail,
        /// The data run or hole at the current position.
        extent: Extent,
    },
    /// Standard input.
    Pipe {
        /// Chunks from a reader thread, which may block.
        input: mpsc::Receiver<io::Result<Vec<u8>>>,
        /// The chunk to send next.
        piece: Vec<u8>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileStage {
    /// Hashing the prefix that the receiver claims to have.
    Prefix,
    /// Sending.
    Body,
}

/// The result of one step.
pub(super) enum Done {
    /// No input is available.
    Nothing,
    /// Part of the file was read; nothing to send yet.
    Read,
    /// The message contains this many bytes of the file.
    Sent(u64),
    /// This many zeros are sent as a hole.
    Skipped(u64),
    /// The message contains the last record of the file.
    Over,
    /// The file has changed since its announcement.
    Changed(State),
}

impl FileTransfer {
    /// Creates a transfer of an open file.
    pub(super) fn of_file(original: Original, want: Want, detail: Detail) -> Self {
        Self::new(
            want,
            Source::File {
                original,
                detail,
                extent: Extent::Data(0),
            },
        )
    }

    /// Creates a transfer of standard input in chunks of at most `chunk` bytes.
    pub(super) fn of_input(want: Want, chunk: usize) -> Self {
        let input = read_ahead(chunk);
        let piece = Vec::new();
        Self::new(want, Source::Pipe { input, piece })
    }

    fn new(want: Want, source: Source) -> Self {
        Self {
            want,
            source,
            hasher: blake3::Hasher::new(),
            position: 0,
            stage: FileStage::Prefix,
        }
    }

    /// The entry that is sent.
    pub(super) fn id(&self) -> EntryId {
        self.want.id
    }

    /// Whether the transfer may have to wait for input.
    pub(super) fn is_pipe(&self) -> bool {
        matches!(self.source, Source::Pipe { .. })
    }

    /// Performs the next step; appends records with about `room` bytes of the file to `message`.
    pub(super) fn poll(&mut self, message: &mut Vec<u8>, room: usize) -> io::Result<Done> {
        match self.stage {
            FileStage::Prefix if self.position < self.want.offset => self.read_prefix(),
            FileStage::Prefix => Ok(self.compare(message)),
            FileStage::Body => self.next(message, room),
        }
    }

    fn read_prefix(&mut self) -> io::Result<Done> {
        let len = (self.want.offset - self.position).min(8 * CHUNK as u64);
        let mut bytes = Vec::new();
        if let Some(change) = self.read(&mut bytes, usize::try_from(len).unwrap_or(CHUNK))? {
            return Ok(Done::Changed(change));
        }
        self.advance(&bytes);
        Ok(Done::Read)
    }

    fn compare(&mut self, message: &mut Vec<u8>) -> Done {
        self.stage = FileStage::Body;
        let id = self.want.id;
        let is_same = *self.hasher.finalize().as_bytes() == self.want.prefix;
        if !is_same && self.want.if_different == IfDifferent::SayOnly {
            ToReceiver::Differs { id }.append(message);
            return Done::Over;
        }
        if !is_same {
            self.hasher.reset();
            self.position = 0;
        }
        let offset = self.position;
        ToReceiver::Begin { id, offset }.append(message);
        Done::Skipped(offset)
    }

    fn next(&mut self, message: &mut Vec<u8>, room: usize) -> io::Result<Done> {
        let (offset, id) = (self.position, self.want.id);
        let Source::File {
            original,
            detail,
            extent,
        } = &mut self.source
        else {
            return self.pass_on(message, room);
        };
        let left = original.size() - offset;
        if left == 0 {
            return Ok(match original.change()? {
                Some(change) => Done::Changed(change),
                None => self.end(message),
            });
        }
        if *detail == Detail::Usual {
            return self.read_data(message, left, room);
        }
        if let Extent::Data(end) | Extent::Hole(end) = *extent
            && end <= offset
        {
            *extent = extent_at(original.file(), offset, original.size());
        }
        match *extent {
            Extent::Data(end) => self.read_data(message, end - offset, room),
            Extent::Hole(end) => {
                let left = u32::try_from(end - offset).unwrap_or(MAX_HOLE);
                let len = left.min(MAX_HOLE);
                hash_zeros(&mut self.hasher, len.into());
                self.position += u64::from(len);
                ToReceiver::Hole { id, offset, len }.append(message);
                Ok(Done::Skipped(len.into()))
            }
        }
    }

    /// Sends input from the pipe.
    fn pass_on(&mut self, message: &mut Vec<u8>, room: usize) -> io::Result<Done> {
        let Source::Pipe { input, piece } = &mut self.source else {
            return Ok(Done::Nothing);
        };
        if piece.is_empty() {
            match input.try_recv() {
                Ok(next) => *piece = next?,
                Err(TryRecvError::Empty) => return Ok(Done::Nothing),
                Err(TryRecvError::Disconnected) => return Ok(self.end(message)),
            }
        }
        let bytes: Vec<u8> = piece.drain(..piece.len().min(room)).collect();
        data_header(message, self.want.id, self.position, bytes.len());
        message.extend(&bytes);
        self.advance(&bytes);
        Ok(Done::Sent(bytes.len() as u64))
    }

    fn read_data(&mut self, message: &mut Vec<u8>, left: u64, room: usize) -> io::Result<Done> {
        let len = usize::try_from(left).map_or(room, |left| left.min(room));
        let before = message.len();
        data_header(message, self.want.id, self.position, len);
        let begin = message.len();
        match self.read(message, len) {
            Ok(None) => {
                self.advance(message.get(begin..).unwrap_or_default());
                Ok(Done::Sent(len as u64))
            }
            other => {
                message.truncate(before);
                other.map(|change| change.map_or(Done::Read, Done::Changed))
            }
        }
    }

    fn advance(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.position += bytes.len() as u64;
    }

    /// Appends the file's next bytes to `into`; returns the new state if the file has shrunk.
    fn read(&self, into: &mut Vec<u8>, len: usize) -> io::Result<Option<State>> {
        let Source::File { original, .. } = &self.source else {
            return Err(io::Error::other("standard input cannot be read twice"));
        };
        let before = into.len();
        original.read(into, self.position, len)?;
        if into.len() - before < len {
            let shorter = || io::Error::other("the file is shorter than the system says");
            return original.change()?.ok_or_else(shorter).map(Some);
        }
        Ok(None)
    }

    fn end(&self, message: &mut Vec<u8>) -> Done {
        let (id, hash) = (self.want.id, *self.hasher.finalize().as_bytes());
        ToReceiver::End { id, hash }.append(message);
        Done::Over
    }
}

/// Reads standard input on a separate thread.
fn read_ahead(chunk: usize) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (to_job, input) = mpsc::sync_channel(READ_AHEAD);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut bytes = vec![0; chunk];
            let read = match stdin.read(&mut bytes) {
                Ok(0) => return,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let _ = to_job.send(Err(error));
                    return;
                }
            };
            bytes.truncate(read);
            if to_job.send(Ok(bytes)).is_err() {
                return;
            }
        }
    });
    input
}
