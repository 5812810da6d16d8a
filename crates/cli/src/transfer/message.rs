//! The messages of a transfer, as `docs/transfer-protocol.md` describes them.

use super::name::MAX_NAME;
use super::reader::{Malformed, Reader};

/// The payload protocol identifier of all transfer messages ("SHVT").
pub const PPID: u32 = 0x5348_5654;
/// The version of the protocol that this program speaks.
pub const VERSION: u16 = 1;
/// User bytes of a file in one message at most.
pub const CHUNK: usize = 128 << 10;
/// A message of a transfer is never longer, bytes.
pub const MAX_MESSAGE: usize = CHUNK + 64;
/// Longest text of a reason, bytes.
const MAX_REASON: usize = 512;
const MAGIC: &[u8; 8] = b"sheave-t";

/// The number of an entry of the manifest: its position, from 0.
pub type EntryId = u32;
/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// Bytes.
        size: u64,
        /// Whether its owner may execute it.
        mode: FileMode,
    },
    /// A directory.
    Directory,
    /// A symbolic link.
    Link {
        /// Where it points, as its owner wrote it.
        target: Vec<u8>,
    },
}

/// Whether a file is a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileMode {
    /// Nobody executes it.
    Plain,
    /// Its owner may execute it.
    Executable,
}

/// When a file was last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModifiedAt {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds of that second.
    pub nanos: u32,
}

/// One line of the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub id: EntryId,
    /// Its name, unchecked.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// When it was last changed.
    pub modified: ModifiedAt,
}

/// What the sender does when its file does not begin with the bytes that the receiver has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfDifferent {
    /// Sends the file from its first byte.
    SendAll,
    /// Sends nothing and says so.
    SayOnly,
}

/// How an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It stands in the directory now.
    Written,
    /// It stood there before, the same.
    Identical,
    /// The receiver's rules forbid it.
    Refused,
    /// It could not be written or read.
    Failed,
}

/// From the one who has the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToReceiver<'a> {
    /// Opens the talk.
    Hello {
        /// The protocol's version.
        version: u16,
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
        /// Where the bytes stand.
        offset: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The file is complete.
    End {
        /// The file.
        id: EntryId,
        /// BLAKE3 of the whole file.
        hash: Hash,
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

/// From the one who gets the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToSender {
    /// Answers Hello.
    Welcome {
        /// The protocol's version.
        version: u16,
        /// Entries that may be announced and not yet settled.
        window: u32,
    },
    /// Asks for a file.
    Want {
        /// The file.
        id: EntryId,
        /// Bytes that the receiver has.
        offset: u64,
        /// BLAKE3 of those bytes.
        prefix: Hash,
        /// What to do if the sender's file begins with others.
        if_different: IfDifferent,
    },
    /// Closes an entry.
    Settled {
        /// The entry.
        id: EntryId,
        /// How it ended.
        outcome: Outcome,
        /// Why, for people; empty where it needs none.
        reason: String,
    },
    /// Answers Finish: what this end counted.
    Report(Tally),
}

/// How many entries ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Files, directories and links that were written.
    pub written: u64,
    /// Those that stood there before, the same.
    pub identical: u64,
    /// Those that the receiver's rules forbid.
    pub refused: u64,
    /// Those that could not be written or read.
    pub failed: u64,
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
        }
    }

    /// Whether every entry stands in the directory.
    pub fn is_complete(&self) -> bool {
        self.refused == 0 && self.failed == 0
    }
}

/// Bytes in front of the file's bytes in a Data message.
pub const DATA_HEADER: usize = 13;

/// The first bytes of a Data message; the file's bytes are appended to it.
pub fn write_data_header(out: &mut Vec<u8>, id: EntryId, offset: u64) {
    out.push(kind::DATA);
    out.extend(id.to_be_bytes());
    out.extend(offset.to_be_bytes());
}

mod kind {
    pub(super) const HELLO: u8 = 1;
    pub(super) const ENTRY: u8 = 2;
    pub(super) const FINISH: u8 = 3;
    pub(super) const BEGIN: u8 = 4;
    pub(super) const DATA: u8 = 5;
    pub(super) const END: u8 = 6;
    pub(super) const DIFFERS: u8 = 7;
    pub(super) const GONE: u8 = 8;
    pub(super) const WELCOME: u8 = 65;
    pub(super) const WANT: u8 = 66;
    pub(super) const SETTLED: u8 = 67;
    pub(super) const REPORT: u8 = 68;
}

impl ToReceiver<'_> {
    /// Writes the message.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Hello {
                version,
                entries,
                bytes,
            } => {
                out.push(kind::HELLO);
                out.extend(MAGIC);
                out.extend(version.to_be_bytes());
                out.extend(entries.to_be_bytes());
                out.extend(bytes.to_be_bytes());
            }
            Self::Entry(entry) => write_entry(&mut out, entry),
            Self::Finish => out.push(kind::FINISH),
            Self::Begin { id, offset } => {
                out.push(kind::BEGIN);
                out.extend(id.to_be_bytes());
                out.extend(offset.to_be_bytes());
            }
            Self::Data { id, offset, bytes } => {
                write_data_header(&mut out, *id, *offset);
                out.extend(*bytes);
            }
            Self::End { id, hash } => {
                out.push(kind::END);
                out.extend(id.to_be_bytes());
                out.extend(hash);
            }
            Self::Differs { id } => {
                out.push(kind::DIFFERS);
                out.extend(id.to_be_bytes());
            }
            Self::Gone { id, reason } => {
                out.push(kind::GONE);
                out.extend(id.to_be_bytes());
                write_text(&mut out, reason);
            }
        }
        out
    }
}

impl<'a> ToReceiver<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// The first field that is missing, too long or out of range.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let message = match reader.u8("kind")? {
            kind::HELLO => {
                if reader.take(MAGIC.len(), "magic")? != MAGIC {
                    return Err(Malformed { field: "magic" });
                }
                Self::Hello {
                    version: reader.u16("version")?,
                    entries: reader.u64("entries")?,
                    bytes: reader.u64("bytes")?,
                }
            }
            kind::ENTRY => Self::Entry(parse_entry(&mut reader)?),
            kind::FINISH => Self::Finish,
            kind::BEGIN => Self::Begin {
                id: reader.u32("id")?,
                offset: reader.u64("offset")?,
            },
            kind::DATA => {
                let (id, offset) = (reader.u32("id")?, reader.u64("offset")?);
                let bytes = reader.rest();
                if bytes.is_empty() || bytes.len() > CHUNK {
                    return Err(Malformed { field: "data" });
                }
                Self::Data { id, offset, bytes }
            }
            kind::END => Self::End {
                id: reader.u32("id")?,
                hash: reader.hash()?,
            },
            kind::DIFFERS => Self::Differs {
                id: reader.u32("id")?,
            },
            kind::GONE => Self::Gone {
                id: reader.u32("id")?,
                reason: reader.text(MAX_REASON)?,
            },
            _ => return Err(Malformed { field: "kind" }),
        };
        reader.finish(message)
    }
}

impl ToSender {
    /// Writes the message.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Welcome { version, window } => {
                out.push(kind::WELCOME);
                out.extend(version.to_be_bytes());
                out.extend(window.to_be_bytes());
            }
            Self::Want {
                id,
                offset,
                prefix,
                if_different,
            } => {
                out.push(kind::WANT);
                out.extend(id.to_be_bytes());
                out.extend(offset.to_be_bytes());
                out.extend(prefix);
                out.push(match if_different {
                    IfDifferent::SendAll => 0,
                    IfDifferent::SayOnly => 1,
                });
            }
            Self::Settled {
                id,
                outcome,
                reason,
            } => {
                out.push(kind::SETTLED);
                out.extend(id.to_be_bytes());
                out.push(match outcome {
                    Outcome::Written => 0,
                    Outcome::Identical => 1,
                    Outcome::Refused => 2,
                    Outcome::Failed => 3,
                });
                write_text(&mut out, reason);
            }
            Self::Report(tally) => {
                out.push(kind::REPORT);
                for count in [
                    tally.written,
                    tally.identical,
                    tally.refused,
                    tally.failed,
                    tally.bytes,
                ] {
                    out.extend(count.to_be_bytes());
                }
            }
        }
        out
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The first field that is missing, too long or out of range.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let message = match reader.u8("kind")? {
            kind::WELCOME => Self::Welcome {
                version: reader.u16("version")?,
                window: reader.u32("window")?,
            },
            kind::WANT => Self::Want {
                id: reader.u32("id")?,
                offset: reader.u64("offset")?,
                prefix: reader.hash()?,
                if_different: match reader.u8("if_different")? {
                    0 => IfDifferent::SendAll,
                    1 => IfDifferent::SayOnly,
                    _ => {
                        return Err(Malformed {
                            field: "if_different",
                        });
                    }
                },
            },
            kind::SETTLED => Self::Settled {
                id: reader.u32("id")?,
                outcome: match reader.u8("outcome")? {
                    0 => Outcome::Written,
                    1 => Outcome::Identical,
                    2 => Outcome::Refused,
                    3 => Outcome::Failed,
                    _ => return Err(Malformed { field: "outcome" }),
                },
                reason: reader.text(MAX_REASON)?,
            },
            kind::REPORT => Self::Report(Tally {
                written: reader.u64("written")?,
                identical: reader.u64("identical")?,
                refused: reader.u64("refused")?,
                failed: reader.u64("failed")?,
                bytes: reader.u64("bytes")?,
            }),
            _ => return Err(Malformed { field: "kind" }),
        };
        reader.finish(message)
    }
}

fn write_entry(out: &mut Vec<u8>, entry: &Entry) {
    out.push(kind::ENTRY);
    out.extend(entry.id.to_be_bytes());
    out.extend(entry.modified.seconds.to_be_bytes());
    out.extend(entry.modified.nanos.to_be_bytes());
    write_block(out, &entry.name);
    match &entry.kind {
        Kind::File { size, mode } => {
            out.push(match mode {
                FileMode::Plain => 0,
                FileMode::Executable => 1,
            });
            out.extend(size.to_be_bytes());
        }
        Kind::Directory => out.push(2),
        Kind::Link { target } => {
            out.push(3);
            write_block(out, target);
        }
    }
}

fn parse_entry(reader: &mut Reader<'_>) -> Result<Entry, Malformed> {
    let id = reader.u32("id")?;
    let seconds = reader.u64("modified")?.cast_signed();
    let nanos = reader.u32("modified")?;
    if nanos >= 1_000_000_000 {
        return Err(Malformed { field: "modified" });
    }
    let name = reader.block(MAX_NAME, "name")?.to_vec();
    let kind = match reader.u8("entry kind")? {
        mode @ (0 | 1) => Kind::File {
            size: reader.u64("size")?,
            mode: [FileMode::Plain, FileMode::Executable][usize::from(mode)],
        },
        2 => Kind::Directory,
        3 => Kind::Link {
            target: reader.block(MAX_NAME, "target")?.to_vec(),
        },
        _ => {
            return Err(Malformed {
                field: "entry kind",
            });
        }
    };
    Ok(Entry {
        id,
        name,
        kind,
        modified: ModifiedAt { seconds, nanos },
    })
}

/// A length in two bytes, then the bytes; longer ones are cut.
fn write_block(out: &mut Vec<u8>, bytes: &[u8]) {
    let len = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    out.extend(len.to_be_bytes());
    out.extend(&bytes[..usize::from(len)]);
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    let end = text.floor_char_boundary(MAX_REASON);
    write_block(out, &text.as_bytes()[..end]);
}

#[cfg(test)]
mod tests;
