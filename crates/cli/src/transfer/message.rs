//! The records of a transfer (`docs/transfer-protocol.md`). A message holds one or several records.

mod codec;

use serde::{Deserialize, Serialize};

pub use self::codec::{Malformed, data_header};

/// The payload protocol identifier of all transfer messages ("SHVT").
pub const PPID: u32 = 0x5348_5654;
/// The protocol version of this program.
pub const VERSION: u16 = 4;
/// Most bytes of a file per message.
pub const CHUNK: usize = 128 << 10;
/// Longest hole per record: cheap to send, but the receiver must hash its zeros.
pub const MAX_HOLE: u32 = 1 << 20;
/// Most bytes of a file in a Whole record.
pub const MAX_WHOLE: usize = 32 << 10;
/// Longest message, bytes: a chunk and the records that end its file.
pub const MAX_MESSAGE: usize = CHUNK + 1024;

/// The number of an entry of the manifest: its position, from 0.
pub type EntryId = u32;
/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// The kinds of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    Directory {
        /// Permissions before the umask.
        mode: Permissions,
    },
    /// A symbolic link.
    Link {
        /// The link's target, unchanged.
        target: Vec<u8>,
    },
    /// A hard link to a file sent before.
    HardLink {
        /// The name of the file sent before.
        to: Vec<u8>,
    },
    /// The end of a directory, after its contents are settled.
    DirectoryEnd {
        /// The directory's own entry.
        directory: EntryId,
        /// Permissions before the umask.
        mode: Permissions,
    },
}

/// The nine permission bits, without set-user-ID, set-group-ID and sticky bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16")]
pub struct Permissions(u16);

impl TryFrom<u16> for Permissions {
    type Error = &'static str;

    fn try_from(bits: u16) -> Result<Self, Self::Error> {
        match bits & !Self::MASK {
            0 => Ok(Self(bits)),
            _ => Err("permissions"),
        }
    }
}

impl Permissions {
    /// The nine permission bits.
    const MASK: u16 = 0o777;
    /// Read and write permission for everyone, before the umask.
    pub const SHARED: Self = Self(0o666);

    /// The permission bits of a mode; the others are dropped.
    pub fn from_mode(mode: u32) -> Self {
        Self(u16::try_from(mode & u32::from(Self::MASK)).unwrap_or(0))
    }

    pub fn bits(self) -> u16 {
        self.0
    }

    /// Whether the owner can read, write and enter a directory with these permissions.
    pub fn suits_owner(self) -> bool {
        self.0 & 0o700 == 0o700
    }
}

/// When a file was last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModifiedAt {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

/// An entry of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The entry's number.
    pub id: EntryId,
    /// The entry's name, unchecked.
    pub name: Vec<u8>,
    pub kind: Kind,
    /// Time of the last modification.
    pub modified: ModifiedAt,
}

/// The sender's options for a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Whether anything is written.
    pub run: Run,
    /// The treatment of files that are newer at the receiver.
    pub update: Update,
    /// The properties that are kept of files and directories.
    pub detail: Detail,
}

/// Whether the transfer is a dry run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Run {
    /// Files are sent and written.
    #[default]
    Real,
    /// Nothing is written; the receiver reports what would happen.
    Dry,
}

/// The treatment of files that are newer at the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Update {
    /// Existing files are compared as usual.
    #[default]
    All,
    /// Files at the receiver that are newer stay.
    OlderOnly,
}

/// The metadata that is preserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detail {
    /// Permissions, and modification times of files.
    #[default]
    Usual,
    /// Also modification times of directories, hard links and holes.
    Archive,
}

/// The answer of a sender whose file differs from the receiver's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IfDifferent {
    /// Sends the complete file.
    SendAll,
    /// Only reports the difference.
    SayOnly,
}

/// The outcome of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Written to the directory.
    Written,
    /// An identical file already existed.
    Identical,
    /// Forbidden by the receiver's rules.
    Refused,
    /// Reading or writing failed.
    Failed,
    /// The receiver's file is newer, and the sender asked to keep newer files.
    Newer,
    /// The end of a directory, which is not counted.
    Done,
}

/// A record from the sender. Hello is the first variant in every version, with the version first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToReceiver<'a> {
    /// Opens the session.
    Hello {
        /// The protocol's version.
        version: u16,
    },
    /// Answers Welcome.
    Terms {
        /// The sender's options.
        terms: Terms,
        /// Number of entries to announce.
        entries: u64,
        /// Total size of the files, bytes.
        bytes: u64,
    },
    /// Announces an entry.
    Entry(Entry),
    /// No entry is left, and every entry is settled.
    Finish,
    /// Starts the file's bytes on this stream, from `offset`.
    Begin {
        id: EntryId,
        /// Offset of the first byte to send.
        offset: u64,
    },
    /// Bytes of the file.
    Data {
        id: EntryId,
        /// The offset of the first byte in the file.
        offset: u64,
        bytes: &'a [u8],
    },
    /// A hole of zeros in the file.
    Hole {
        id: EntryId,
        /// The offset of the first zero in the file.
        offset: u64,
        /// The number of zeros, at most [`MAX_HOLE`].
        len: u32,
    },
    /// Completes the file.
    End {
        id: EntryId,
        /// BLAKE3 of the whole file.
        hash: Hash,
    },
    /// A short file in one record.
    Whole {
        id: EntryId,
        /// BLAKE3 of the bytes.
        hash: Hash,
        /// The bytes of the file, at most [`MAX_WHOLE`].
        bytes: &'a [u8],
    },
    /// The file changed after its announcement; the receiver should request it again.
    Changed {
        id: EntryId,
        /// When it was last changed.
        modified: ModifiedAt,
        /// Bytes that it has now.
        size: u64,
    },
    /// The file differs from the receiver's, and nothing was sent, as requested.
    Differs { id: EntryId },
    /// The file cannot be sent, or not completely.
    Gone {
        id: EntryId,
        /// The reason, as text.
        #[serde(serialize_with = "codec::shortened")]
        reason: String,
    },
}

/// A record from the receiver. Welcome is the first variant in every version, with the version first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToSender {
    /// Answers Hello.
    Welcome {
        /// The protocol's version.
        version: u16,
        /// Most announced and unsettled entries.
        window: u32,
        /// The metadata that the receiver wants to preserve.
        detail: Detail,
    },
    /// Asks for a file.
    Want {
        id: EntryId,
        /// The receiver's prefix, if it has one: its size in bytes, and its BLAKE3.
        prefix: Option<(u64, Hash)>,
        /// The sender's answer if the prefix differs.
        if_different: IfDifferent,
    },
    /// Settles an entry.
    Settled {
        id: EntryId,
        outcome: Outcome,
        /// The reason, as text; may be empty.
        #[serde(serialize_with = "codec::shortened")]
        reason: String,
    },
    /// Answers Finish with the receiver's counts.
    Report(Tally),
}

/// The number of entries for each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Files, directories and links that were written.
    pub written: u64,
    /// Entries that existed and were identical.
    pub identical: u64,
    /// Entries that the receiver's rules forbid.
    pub refused: u64,
    /// Entries that could not be written or read.
    pub failed: u64,
    /// Newer files that were kept.
    pub newer: u64,
    /// Total size of the files written, including resumed parts, bytes.
    pub bytes: u64,
}

impl Tally {
    /// Counts an entry.
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

    /// Whether no entry was refused or failed.
    pub fn is_complete(&self) -> bool {
        self.refused == 0 && self.failed == 0
    }
}

/// Most bytes before the file's bytes in a Whole record.
pub const WHOLE_HEADER: usize = 41;

#[cfg(test)]
mod tests;
