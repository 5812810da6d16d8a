//! The records of a transfer, as `docs/transfer-protocol.md` describes them. A message holds one or
//! several.

mod codec;

pub use self::codec::{hash_of_nothing, write_data_header, write_whole_header};

/// The payload protocol identifier of all transfer messages ("SHVT").
pub const PPID: u32 = 0x5348_5654;
/// The version of the protocol that this program speaks.
pub const VERSION: u16 = 3;
/// User bytes of a file in one message at most.
pub const CHUNK: usize = 128 << 10;
/// Bytes of a hole in one message at most: they cost a few bytes to send and a hash to receive.
pub const MAX_HOLE: u32 = 1 << 20;
/// Bytes of a file in a Whole record at most.
pub const MAX_WHOLE: usize = 32 << 10;
/// A message of a transfer is never longer, bytes: a chunk, and the records that end its file.
pub const MAX_MESSAGE: usize = CHUNK + 1024;

/// The number of an entry of the manifest: its position, from 0.
pub type EntryId = u32;
/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// The kinds of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// Bytes.
        size: u64,
        /// Permissions before the umask.
        mode: Permissions,
    },
    /// A file of unknown length, read from standard input.
    Pipe,
    /// A directory.
    Directory {
        /// Permissions before the umask.
        mode: Permissions,
    },
    /// A symbolic link.
    Link {
        /// The path it points to, as its owner wrote it.
        target: Vec<u8>,
    },
    /// Another name of a file that was sent before.
    HardLink {
        /// The name that the file was sent under.
        to: Vec<u8>,
    },
    /// The end of a directory: all below it is settled.
    DirectoryEnd {
        /// The directory's own entry.
        directory: EntryId,
        /// Permissions before the umask.
        mode: Permissions,
    },
}

/// The nine permission bits of a file or directory: no set-user-ID, set-group-ID or sticky bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permissions(u16);

impl Permissions {
    /// All nine bits.
    const MASK: u16 = 0o777;
    /// Read and write for everybody, before the umask.
    pub const SHARED: Self = Self(0o666);

    /// The permission bits of a mode; the others are dropped.
    pub fn from_mode(mode: u32) -> Self {
        Self(u16::try_from(mode & u32::from(Self::MASK)).unwrap_or(0))
    }

    /// The bits.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Whether its owner can read, write and enter a directory of these permissions.
    pub fn suits_owner(self) -> bool {
        self.0 & 0o700 == 0o700
    }
}

/// When a file was last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModifiedAt {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds of that second.
    pub nanos: u32,
}

/// A line of the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entry's number.
    pub id: EntryId,
    /// The entry's name, unchecked.
    pub name: Vec<u8>,
    /// The kind.
    pub kind: Kind,
    /// When it was last changed.
    pub modified: ModifiedAt,
}

/// The sender's wishes for a whole transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether anything is written.
    pub run: Run,
    /// The treatment of files that are newer at the receiver.
    pub update: Update,
    /// The properties that are kept of files and directories.
    pub detail: Detail,
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// Files are sent and written.
    #[default]
    Real,
    /// Nothing is written; the receiver says what would happen.
    Dry,
}

/// The treatment of files that are newer at the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// Files that exist are compared like all others.
    #[default]
    All,
    /// Files that are no older are left alone.
    OlderOnly,
}

/// The properties that are kept of files and directories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Permissions of all, times of files.
    #[default]
    Usual,
    /// Also times of directories, hard links and holes.
    Archive,
}

/// The sender's answer when its file does not begin with the bytes that the receiver has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfDifferent {
    /// Sends the file from its first byte.
    SendAll,
    /// Sends nothing and says so.
    SayOnly,
}

/// The outcome of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The entry was written to the directory.
    Written,
    /// The same file stood there before.
    Identical,
    /// The receiver's rules forbid it.
    Refused,
    /// The entry could not be written or read.
    Failed,
    /// A newer one stands there, and the sender wanted only older ones replaced.
    Newer,
    /// Nothing to count: the end of a directory.
    Done,
}

/// A record from the end that has the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToReceiver<'a> {
    /// Opens the talk.
    Hello {
        /// The protocol's version.
        version: u16,
    },
    /// Answers Welcome.
    Terms {
        /// The sender's wishes.
        terms: Terms,
        /// Entries that will be announced.
        entries: u64,
        /// Bytes of all files together.
        bytes: u64,
    },
    /// Announces an entry.
    Entry(Entry),
    /// No entry is left; every one is settled.
    Finish,
    /// The file's bytes follow on this stream, from `offset` on.
    Begin {
        /// The file.
        id: EntryId,
        /// First byte that will come.
        offset: u64,
    },
    /// Bytes of the file.
    Data {
        /// The file.
        id: EntryId,
        /// The offset of the first byte in the file.
        offset: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Zeros of the file that take no space.
    Hole {
        /// The file.
        id: EntryId,
        /// The offset of the first zero in the file.
        offset: u64,
        /// The number of zeros, at most [`MAX_HOLE`].
        len: u32,
    },
    /// The file is complete.
    End {
        /// The file.
        id: EntryId,
        /// BLAKE3 of the whole file.
        hash: Hash,
    },
    /// A short file in one record.
    Whole {
        /// The file.
        id: EntryId,
        /// BLAKE3 of the bytes.
        hash: Hash,
        /// All bytes of the file, at most [`MAX_WHOLE`].
        bytes: &'a [u8],
    },
    /// The file changed after it was announced, or as it was read; it is to be asked for once more.
    Changed {
        /// The file.
        id: EntryId,
        /// When it was last changed.
        modified: ModifiedAt,
        /// Bytes that it has now.
        size: u64,
    },
    /// The file is not what the receiver has, and nothing was sent, as asked.
    Differs {
        /// The file.
        id: EntryId,
    },
    /// The file cannot be sent (any further).
    Gone {
        /// The file.
        id: EntryId,
        /// Why, for people.
        reason: String,
    },
}

/// A record from the end that gets the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToSender {
    /// Answers Hello.
    Welcome {
        /// The protocol's version.
        version: u16,
        /// Entries that may be announced and not yet settled.
        window: u32,
        /// The properties that the receiver wishes to be kept.
        detail: Detail,
    },
    /// Asks for a file.
    Want {
        /// The file.
        id: EntryId,
        /// Bytes that the receiver has.
        offset: u64,
        /// BLAKE3 of those bytes.
        prefix: Hash,
        /// The sender's answer if its file begins with others.
        if_different: IfDifferent,
    },
    /// Closes an entry.
    Settled {
        /// The entry.
        id: EntryId,
        /// The outcome.
        outcome: Outcome,
        /// Why, for people; empty where it needs none.
        reason: String,
    },
    /// Answers Finish: what this end counted.
    Report(Tally),
}

/// The number of entries for each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Files, directories and links that were written.
    pub written: u64,
    /// Entries that stood there before, the same.
    pub identical: u64,
    /// Entries that the receiver's rules forbid.
    pub refused: u64,
    /// Entries that could not be written or read.
    pub failed: u64,
    /// Files that are newer there and were to be left alone.
    pub newer: u64,
    /// Bytes of the files that were written, resumed parts included.
    pub bytes: u64,
}

impl Tally {
    /// Counts one more entry.
    pub fn add(&mut self, outcome: Outcome, bytes: u64) {
        match outcome {
            Outcome::Written => {
                self.written += 1;
                self.bytes += bytes;
            }
            Outcome::Identical => self.identical += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Newer => self.newer += 1,
            Outcome::Done => {}
        }
    }

    /// Whether every entry stands in the directory.
    pub fn is_complete(&self) -> bool {
        self.refused == 0 && self.failed == 0
    }
}

/// Bytes in front of the file's bytes in a Data record.
pub const DATA_HEADER: usize = 17;
/// Bytes in front of the file's bytes in a Whole record.
pub const WHOLE_HEADER: usize = 41;

#[cfg(test)]
mod tests;
