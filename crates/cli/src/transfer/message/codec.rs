//! Serializes records, and parses them with a bounded reader.

use super::{
    CHUNK, Detail, Entry, EntryId, Hash, IfDifferent, Kind, MAX_HOLE, MAX_WHOLE, ModifiedAt,
    Outcome, Permissions, Run, Tally, Terms, ToReceiver, ToSender, Update, VERSION,
};
use crate::transfer::name::MAX_NAME;
use crate::transfer::reader::{Malformed, Reader};
use crate::units::char_boundary;

/// Longest reason, bytes.
const MAX_REASON: usize = 512;
const MAGIC: &[u8; 8] = b"sheave-t";

/// Writes the header of a Data record, before `len` bytes of the file.
pub fn write_data_header(out: &mut Vec<u8>, id: EntryId, offset: u64, len: usize) {
    out.push(kind::DATA);
    out.extend(id.to_be_bytes());
    out.extend(offset.to_be_bytes());
    out.extend(len_of(len));
}

/// Writes the header of a Whole record, before `len` bytes of the file.
pub fn write_whole_header(out: &mut Vec<u8>, id: EntryId, hash: &Hash, len: usize) {
    out.push(kind::WHOLE);
    out.extend(id.to_be_bytes());
    out.extend(hash);
    out.extend(len_of(len));
}

fn len_of(len: usize) -> [u8; 4] {
    u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes()
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
    pub(super) const TERMS: u8 = 9;
    pub(super) const HOLE: u8 = 10;
    pub(super) const WHOLE: u8 = 11;
    pub(super) const CHANGED: u8 = 12;
    pub(super) const WELCOME: u8 = 65;
    pub(super) const WANT: u8 = 66;
    pub(super) const SETTLED: u8 = 67;
    pub(super) const REPORT: u8 = 68;
}

mod entry_kind {
    pub(super) const FILE: u8 = 0;
    pub(super) const PIPE: u8 = 1;
    pub(super) const DIRECTORY: u8 = 2;
    pub(super) const LINK: u8 = 3;
    pub(super) const HARD_LINK: u8 = 4;
    pub(super) const DIRECTORY_END: u8 = 5;
}

impl ToReceiver<'_> {
    /// A message with only this record.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(&mut out);
        out
    }

    /// Appends the record to a message.
    pub fn append(&self, out: &mut Vec<u8>) {
        match self {
            Self::Hello { version } => {
                out.push(kind::HELLO);
                out.extend(MAGIC);
                out.extend(version.to_be_bytes());
                // A receiver of version 1 expects two counts before it reports its version.
                out.extend([0; 16]);
            }
            Self::Terms {
                terms,
                entries,
                bytes,
            } => {
                out.push(kind::TERMS);
                out.push(terms.bits());
                out.extend(entries.to_be_bytes());
                out.extend(bytes.to_be_bytes());
            }
            Self::Entry(entry) => write_entry(out, entry),
            Self::Finish => out.push(kind::FINISH),
            Self::Begin { id, offset } => {
                out.push(kind::BEGIN);
                out.extend(id.to_be_bytes());
                out.extend(offset.to_be_bytes());
            }
            Self::Data { id, offset, bytes } => {
                write_data_header(out, *id, *offset, bytes.len());
                out.extend(*bytes);
            }
            Self::Whole { id, hash, bytes } => {
                write_whole_header(out, *id, hash, bytes.len());
                out.extend(*bytes);
            }
            Self::Changed { id, modified, size } => {
                out.push(kind::CHANGED);
                out.extend(id.to_be_bytes());
                write_modified(out, *modified);
                out.extend(size.to_be_bytes());
            }
            Self::Hole { id, offset, len } => {
                out.push(kind::HOLE);
                out.extend(id.to_be_bytes());
                out.extend(offset.to_be_bytes());
                out.extend(len.to_be_bytes());
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
                write_text(out, reason);
            }
        }
    }
}

impl<'a> ToReceiver<'a> {
    /// Parses the next record of a message.
    ///
    /// # Errors
    /// The first field that is missing, too long or out of range.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match reader.u8("kind")? {
            kind::HELLO => {
                if reader.take(MAGIC.len(), "magic")? != MAGIC {
                    return Err(Malformed { field: "magic" });
                }
                let version = reader.u16("version")?;
                if version == VERSION {
                    reader.take(16, "reserved")?;
                } else {
                    // Ignores the rest of a message of another version.
                    reader.rest();
                }
                Self::Hello { version }
            }
            kind::TERMS => Self::Terms {
                terms: Terms::from_bits(reader.u8("terms")?)?,
                entries: reader.u64("entries")?,
                bytes: reader.u64("bytes")?,
            },
            kind::ENTRY => Self::Entry(parse_entry(reader)?),
            kind::FINISH => Self::Finish,
            kind::BEGIN => Self::Begin {
                id: reader.u32("id")?,
                offset: reader.u64("offset")?,
            },
            kind::DATA => {
                let (id, offset) = (reader.u32("id")?, reader.u64("offset")?);
                let bytes = reader.bytes(CHUNK, "data")?;
                if bytes.is_empty() {
                    return Err(Malformed { field: "data" });
                }
                Self::Data { id, offset, bytes }
            }
            kind::WHOLE => Self::Whole {
                id: reader.u32("id")?,
                hash: reader.hash()?,
                bytes: reader.bytes(MAX_WHOLE, "data")?,
            },
            kind::CHANGED => Self::Changed {
                id: reader.u32("id")?,
                modified: parse_modified(reader)?,
                size: reader.u64("size")?,
            },
            kind::HOLE => Self::Hole {
                id: reader.u32("id")?,
                offset: reader.u64("offset")?,
                len: match reader.u32("length")? {
                    len @ 1..=MAX_HOLE => len,
                    _ => return Err(Malformed { field: "length" }),
                },
            },
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
        })
    }
}

impl ToSender {
    /// A message with only this record.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(&mut out);
        out
    }

    /// Appends the record to a message.
    pub fn append(&self, out: &mut Vec<u8>) {
        match self {
            Self::Welcome {
                version,
                window,
                detail,
            } => {
                out.push(kind::WELCOME);
                out.extend(version.to_be_bytes());
                out.extend(window.to_be_bytes());
                out.push(u8::from(*detail == Detail::Archive));
            }
            Self::Want {
                id,
                offset,
                prefix,
                if_different,
            } => {
                out.push(kind::WANT);
                out.extend(id.to_be_bytes());
                out.push(match if_different {
                    IfDifferent::SendAll => 0,
                    IfDifferent::SayOnly => 1,
                });
                out.extend(offset.to_be_bytes());
                // An empty prefix has no hash.
                if *offset > 0 {
                    out.extend(prefix);
                }
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
                    Outcome::Newer => 4,
                    Outcome::Done => 5,
                });
                write_text(out, reason);
            }
            Self::Report(tally) => {
                out.push(kind::REPORT);
                for count in [
                    tally.written,
                    tally.identical,
                    tally.refused,
                    tally.failed,
                    tally.newer,
                    tally.bytes,
                ] {
                    out.extend(count.to_be_bytes());
                }
            }
        }
    }

    /// Parses the next record of a message.
    ///
    /// # Errors
    /// The first field that is missing, too long or out of range.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match reader.u8("kind")? {
            kind::WELCOME => {
                let version = reader.u16("version")?;
                if version != VERSION {
                    // Ignores the rest of a message of another version.
                    reader.rest();
                    return Ok(Self::Welcome {
                        version,
                        window: 0,
                        detail: Detail::Usual,
                    });
                }
                Self::Welcome {
                    version,
                    window: reader.u32("window")?,
                    detail: match reader.u8("detail")? {
                        0 => Detail::Usual,
                        1 => Detail::Archive,
                        _ => return Err(Malformed { field: "detail" }),
                    },
                }
            }
            kind::WANT => {
                let id = reader.u32("id")?;
                let if_different = match reader.u8("if_different")? {
                    0 => IfDifferent::SendAll,
                    1 => IfDifferent::SayOnly,
                    _ => {
                        return Err(Malformed {
                            field: "if_different",
                        });
                    }
                };
                let offset = reader.u64("offset")?;
                let prefix = match offset {
                    0 => hash_of_nothing(),
                    _ => reader.hash()?,
                };
                Self::Want {
                    id,
                    offset,
                    prefix,
                    if_different,
                }
            }
            kind::SETTLED => Self::Settled {
                id: reader.u32("id")?,
                outcome: match reader.u8("outcome")? {
                    0 => Outcome::Written,
                    1 => Outcome::Identical,
                    2 => Outcome::Refused,
                    3 => Outcome::Failed,
                    4 => Outcome::Newer,
                    5 => Outcome::Done,
                    _ => return Err(Malformed { field: "outcome" }),
                },
                reason: reader.text(MAX_REASON)?,
            },
            kind::REPORT => Self::Report(Tally {
                written: reader.u64("written")?,
                identical: reader.u64("identical")?,
                refused: reader.u64("refused")?,
                failed: reader.u64("failed")?,
                newer: reader.u64("newer")?,
                bytes: reader.u64("bytes")?,
            }),
            _ => return Err(Malformed { field: "kind" }),
        })
    }
}

fn write_entry(out: &mut Vec<u8>, entry: &Entry) {
    out.push(kind::ENTRY);
    out.extend(entry.id.to_be_bytes());
    write_modified(out, entry.modified);
    write_block(out, &entry.name);
    match &entry.kind {
        Kind::File { size, mode } => {
            out.push(entry_kind::FILE);
            out.extend(mode.bits().to_be_bytes());
            out.extend(size.to_be_bytes());
        }
        Kind::Pipe => out.push(entry_kind::PIPE),
        Kind::Directory { mode } => {
            out.push(entry_kind::DIRECTORY);
            out.extend(mode.bits().to_be_bytes());
        }
        Kind::Link { target } => {
            out.push(entry_kind::LINK);
            write_block(out, target);
        }
        Kind::HardLink { to } => {
            out.push(entry_kind::HARD_LINK);
            write_block(out, to);
        }
        Kind::DirectoryEnd { directory, mode } => {
            out.push(entry_kind::DIRECTORY_END);
            out.extend(directory.to_be_bytes());
            out.extend(mode.bits().to_be_bytes());
        }
    }
}

fn parse_entry(reader: &mut Reader<'_>) -> Result<Entry, Malformed> {
    let id = reader.u32("id")?;
    let modified = parse_modified(reader)?;
    let name = reader.block(MAX_NAME, "name")?.to_vec();
    let kind = match reader.u8("entry kind")? {
        entry_kind::FILE => Kind::File {
            mode: parse_permissions(reader)?,
            size: reader.u64("size")?,
        },
        entry_kind::PIPE => Kind::Pipe,
        entry_kind::DIRECTORY => Kind::Directory {
            mode: parse_permissions(reader)?,
        },
        entry_kind::LINK => Kind::Link {
            target: reader.block(MAX_NAME, "target")?.to_vec(),
        },
        entry_kind::HARD_LINK => Kind::HardLink {
            to: reader.block(MAX_NAME, "target")?.to_vec(),
        },
        entry_kind::DIRECTORY_END => Kind::DirectoryEnd {
            directory: reader.u32("directory")?,
            mode: parse_permissions(reader)?,
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
        modified,
    })
}

fn write_modified(out: &mut Vec<u8>, modified: ModifiedAt) {
    out.extend(modified.seconds.to_be_bytes());
    out.extend(modified.nanos.to_be_bytes());
}

fn parse_modified(reader: &mut Reader<'_>) -> Result<ModifiedAt, Malformed> {
    let seconds = reader.u64("modified")?.cast_signed();
    match reader.u32("modified")? {
        nanos @ 0..1_000_000_000 => Ok(ModifiedAt { seconds, nanos }),
        _ => Err(Malformed { field: "modified" }),
    }
}

/// The hash of an empty file.
pub fn hash_of_nothing() -> Hash {
    *blake3::hash(b"").as_bytes()
}

fn parse_permissions(reader: &mut Reader<'_>) -> Result<Permissions, Malformed> {
    match reader.u16("permissions")? {
        bits @ 0..=Permissions::MASK => Ok(Permissions(bits)),
        _ => Err(Malformed {
            field: "permissions",
        }),
    }
}

impl Terms {
    const DRY: u8 = 1;
    const UPDATE: u8 = 2;
    const ARCHIVE: u8 = 4;

    fn bits(self) -> u8 {
        let dry = u8::from(self.run == Run::Dry) * Self::DRY;
        let update = u8::from(self.update == Update::OlderOnly) * Self::UPDATE;
        let archive = u8::from(self.detail == Detail::Archive) * Self::ARCHIVE;
        dry | update | archive
    }

    fn from_bits(bits: u8) -> Result<Self, Malformed> {
        if bits & !(Self::DRY | Self::UPDATE | Self::ARCHIVE) != 0 {
            return Err(Malformed { field: "terms" });
        }
        let mut terms = Self::default();
        if bits & Self::DRY != 0 {
            terms.run = Run::Dry;
        }
        if bits & Self::UPDATE != 0 {
            terms.update = Update::OlderOnly;
        }
        if bits & Self::ARCHIVE != 0 {
            terms.detail = Detail::Archive;
        }
        Ok(terms)
    }
}

/// Writes a 16-bit length and the bytes, truncated if longer.
fn write_block(out: &mut Vec<u8>, bytes: &[u8]) {
    let len = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    out.extend(len.to_be_bytes());
    out.extend(&bytes[..usize::from(len)]);
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    let end = char_boundary(text, MAX_REASON);
    write_block(out, &text.as_bytes()[..end]);
}
