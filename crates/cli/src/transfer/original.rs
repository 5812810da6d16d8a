//! A file to send, with a check for changes since its announcement.

use std::fs::{File, Metadata};
use std::io;

use rustix::buffer::spare_capacity;

use super::manifest::Item;
use super::message::{Kind, ModifiedAt};

/// Size and modification time, which identify a file's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Bytes.
    pub size: u64,
    /// When it was last changed.
    pub modified: ModifiedAt,
}

/// An opened, announced file.
pub struct Original {
    file: File,
    announced: State,
}

impl Original {
    /// Opens the file of an entry.
    /// Errors: the entry is not a file, or a system call failed.
    pub fn open(item: &Item) -> io::Result<Self> {
        let Kind::File { size, .. } = item.entry.kind else {
            return Err(io::Error::other("no file"));
        };
        Ok(Self {
            file: File::open(&item.path)?,
            announced: State {
                size,
                modified: item.entry.modified,
            },
        })
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// The announced size, bytes.
    pub fn size(&self) -> u64 {
        self.announced.size
    }

    /// Whether the file occupies less space than its size.
    pub fn has_holes(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;

        let metadata = self.file.metadata()?;
        Ok(metadata.blocks().saturating_mul(512) < metadata.len())
    }

    /// The current state, if it differs from the announced one.
    pub fn change(&self) -> io::Result<Option<State>> {
        let now = State::of(&self.file.metadata()?);
        Ok((now != self.announced).then_some(now))
    }

    /// Appends `len` bytes at `offset` to `into`; fewer at the end of the file.
    pub fn read(&self, into: &mut Vec<u8>, offset: u64, len: usize) -> io::Result<()> {
        let begin = into.len();
        into.reserve(len);
        while into.len() < begin + len {
            let before = into.len();
            let at = offset + (before - begin) as u64;
            rustix::io::retry_on_intr(|| rustix::io::pread(&self.file, spare_capacity(into), at))?;
            if into.len() == before {
                break;
            }
            into.truncate(begin + len);
        }
        Ok(())
    }
}

impl State {
    /// The state at the time of `metadata`.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: metadata
                .modified()
                .map(ModifiedAt::from)
                .unwrap_or_default(),
        }
    }
}
