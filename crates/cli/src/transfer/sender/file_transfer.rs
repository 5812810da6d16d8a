//! A file on its way: what the receiver has is compared, then the rest is read and sent.

use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;

use rustix::buffer::spare_capacity;

use super::Want;
use crate::transfer::hole::{Extent, extent_at, hash_zeros};
use crate::transfer::manifest::Item;
use crate::transfer::message::{
    CHUNK, DATA_HEADER, Detail, EntryId, IfDifferent, Kind, MAX_HOLE, ToReceiver, write_data_header,
};

/// Chunks of a pipe that are read ahead.
const READ_AHEAD: usize = 16;

/// A file on its way.
pub(super) struct FileTransfer {
    want: Want,
    source: Source,
    hasher: blake3::Hasher,
    position: u64,
    /// Bytes of a message.
    chunk: usize,
    stage: FileStage,
}

enum Source {
    /// A file of that many bytes.
    File {
        file: File,
        size: u64,
        detail: Detail,
        /// The run of data or the hole at the position.
        extent: Extent,
    },
    /// Standard input, read by a thread of its own, which may wait.
    Pipe(mpsc::Receiver<io::Result<Vec<u8>>>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileStage {
    /// Reading what the receiver says it has.
    Prefix,
    /// Sending.
    Body,
}

/// The result of a step of the job.
pub(super) enum Done {
    /// Nothing: no input has come.
    Nothing,
    /// Some of the file was read, nothing is to be said yet.
    Read,
    /// A message with that many bytes of the file.
    Message(Vec<u8>, u64),
    /// A message that stands for that many zeros.
    Skipped(Vec<u8>, u64),
    /// The file goes on after that many bytes.
    Resume(Vec<u8>, u64),
    /// The last message of the job.
    Over(Vec<u8>),
}

impl FileTransfer {
    /// Opens what is wanted.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn open(item: &Item, want: Want, detail: Detail, chunk: usize) -> io::Result<Self> {
        let source = match item.entry.kind {
            Kind::File { size, .. } => Source::File {
                file: File::open(&item.path)?,
                size,
                detail,
                extent: Extent::Data(0),
            },
            Kind::Pipe => Source::Pipe(read_ahead(want.id, chunk)),
            _ => return Err(io::Error::other("no file")),
        };
        Ok(Self {
            want,
            source,
            hasher: blake3::Hasher::new(),
            position: 0,
            chunk,
            stage: FileStage::Prefix,
        })
    }

    /// The entry that is sent.
    pub(super) fn id(&self) -> EntryId {
        self.want.id
    }

    /// Whether it may have to wait for input.
    pub(super) fn is_pipe(&self) -> bool {
        matches!(self.source, Source::Pipe(_))
    }

    /// Does the next step.
    ///
    /// # Errors
    /// The file became shorter, or what the system says.
    pub(super) fn poll(&mut self) -> io::Result<Done> {
        match self.stage {
            FileStage::Prefix if self.position < self.want.offset => self.read_prefix(),
            FileStage::Prefix => Ok(self.compare()),
            FileStage::Body => self.next(),
        }
    }

    fn read_prefix(&mut self) -> io::Result<Done> {
        let len = (self.want.offset - self.position).min(8 * CHUNK as u64);
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(CHUNK));
        self.read(&mut bytes, len)?;
        self.hasher.update(&bytes);
        Ok(Done::Read)
    }

    fn compare(&mut self) -> Done {
        self.stage = FileStage::Body;
        let id = self.want.id;
        if *self.hasher.finalize().as_bytes() == self.want.prefix {
            let offset = self.position;
            return Done::Resume(ToReceiver::Begin { id, offset }.write(), offset);
        }
        if self.want.if_different == IfDifferent::SayOnly {
            return Done::Over(ToReceiver::Differs { id }.write());
        }
        self.hasher.reset();
        self.position = 0;
        Done::Message(ToReceiver::Begin { id, offset: 0 }.write(), 0)
    }

    fn next(&mut self) -> io::Result<Done> {
        let (offset, id) = (self.position, self.want.id);
        match &mut self.source {
            Source::Pipe(input) => match input.try_recv() {
                Ok(message) => Ok(self.pass_on(message?)),
                Err(TryRecvError::Empty) => Ok(Done::Nothing),
                Err(TryRecvError::Disconnected) => Ok(Done::Over(self.end())),
            },
            Source::File { size, .. } if offset >= *size => Ok(Done::Over(self.end())),
            Source::File {
                file,
                size,
                detail: Detail::Archive,
                extent,
            } => {
                if let Extent::Data(end) | Extent::Hole(end) = *extent
                    && end <= offset
                {
                    *extent = extent_at(file, offset, *size);
                }
                match *extent {
                    Extent::Data(end) => self.read_chunk(end - offset),
                    Extent::Hole(end) => {
                        let left = u32::try_from(end - offset).unwrap_or(MAX_HOLE);
                        let len = left.min(MAX_HOLE);
                        hash_zeros(&mut self.hasher, len.into());
                        self.position += u64::from(len);
                        let message = ToReceiver::Hole { id, offset, len }.write();
                        Ok(Done::Skipped(message, len.into()))
                    }
                }
            }
            Source::File { size, .. } => {
                let left = *size - offset;
                self.read_chunk(left)
            }
        }
    }

    /// Sends what came through the pipe; it stands behind the room for the header.
    fn pass_on(&mut self, mut message: Vec<u8>) -> Done {
        let mut header = Vec::with_capacity(DATA_HEADER);
        write_data_header(&mut header, self.want.id, self.position);
        message[..DATA_HEADER].copy_from_slice(&header);
        let bytes = &message[DATA_HEADER..];
        self.hasher.update(bytes);
        let len = bytes.len() as u64;
        self.position += len;
        Done::Message(message, len)
    }

    fn read_chunk(&mut self, at_most: u64) -> io::Result<Done> {
        let len = at_most.min(self.chunk as u64);
        let room = usize::try_from(len).unwrap_or(CHUNK);
        let mut message = Vec::with_capacity(DATA_HEADER + room);
        write_data_header(&mut message, self.want.id, self.position);
        self.read(&mut message, len)?;
        self.hasher.update(&message[DATA_HEADER..]);
        Ok(Done::Message(message, len))
    }

    fn read(&mut self, into: &mut Vec<u8>, len: u64) -> io::Result<()> {
        let Source::File { file, .. } = &self.source else {
            return Err(io::Error::other("standard input cannot be read twice"));
        };
        let end = into.len() + usize::try_from(len).unwrap_or(usize::MAX);
        while into.len() < end {
            let before = into.len();
            let at = self.position;
            rustix::io::retry_on_intr(|| rustix::io::pread(file, spare_capacity(into), at))?;
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

/// Reads standard input, from a thread of its own, into messages whose header is still empty.
fn read_ahead(id: EntryId, chunk: usize) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (to_job, input) = mpsc::sync_channel(READ_AHEAD);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut message = Vec::with_capacity(DATA_HEADER + chunk);
            write_data_header(&mut message, id, 0);
            message.resize(DATA_HEADER + chunk, 0);
            let read = match stdin.read(&mut message[DATA_HEADER..]) {
                Ok(0) => return,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let _ = to_job.send(Err(error));
                    return;
                }
            };
            message.truncate(DATA_HEADER + read);
            if to_job.send(Ok(message)).is_err() {
                return;
            }
        }
    });
    input
}
