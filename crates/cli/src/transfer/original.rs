//! A file at the sender, and whether it is still the one that was announced.

use std::fs::{File, Metadata};
use std::io;

use rustix::buffer::spare_capacity;

use super::manifest::Item;
use super::message::{Kind, ModifiedAt};

/// The size and the time of change that tell one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Bytes.
    pub size: u64,
    /// When it was last changed.
    pub modified: ModifiedAt,
}

/// An open file that was announced.
pub struct Original {
    file: File,
    announced: State,
}

impl Original {
    /// Opens the file of an entry.
    ///
    /// # Errors
    /// The entry is no file, or what the system says.
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

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The number of bytes that were announced.
    pub fn size(&self) -> u64 {
        self.announced.size
    }

    /// Whether it takes less room than it has bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn has_holes(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;

        let metadata = self.file.metadata()?;
        Ok(metadata.blocks().saturating_mul(512) < metadata.len())
    }

    /// The present state, if it is not the announced one.
    ///
    /// # Errors
    /// What the system says.
    pub fn change(&self) -> io::Result<Option<State>> {
        let now = State::of(&self.file.metadata()?);
        Ok((now != self.announced).then_some(now))
    }

    /// Appends the `len` bytes at `offset` to `into`; fewer where the file ends before.
    ///
    /// # Errors
    /// What the system says.
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
    /// The state in which the file was then.
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
