//! Serializes records with postcard, and checks what it parses.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::{
    CHUNK, Detail, Entry, EntryId, Kind, MAX_HOLE, MAX_WHOLE, ModifiedAt, ToReceiver, ToSender,
    VERSION,
};
use crate::transfer::name::MAX_NAME;
use crate::units::char_boundary;

/// Longest reason, bytes.
const MAX_REASON: usize = 512;
/// Index of Data among the records of a sender.
const DATA: u8 = 5;

/// An invalid record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The invalid field, or "record" if the record cannot be parsed.
    pub field: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed message: {}", self.field)
    }
}

impl std::error::Error for Malformed {}

/// Appends a Data record without its `len` bytes of the file, which follow.
pub fn data_header(out: &mut Vec<u8>, id: EntryId, offset: u64, len: usize) {
    append(out, &(DATA, id, offset, len));
}

/// Serializes a reason, cut at its longest.
pub(super) fn shortened<S: Serializer>(reason: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let end = char_boundary(reason, MAX_REASON);
    serializer.serialize_str(reason.get(..end).unwrap_or_default())
}

fn append(out: &mut Vec<u8>, record: &impl Serialize) {
    if let Ok(longer) = postcard::to_extend(record, std::mem::take(out)) {
        *out = longer;
    }
}

fn next<'a, T: Deserialize<'a>>(rest: &mut &'a [u8]) -> Result<T, Malformed> {
    let (record, unread) =
        postcard::take_from_bytes(rest).map_err(|_| Malformed { field: "record" })?;
    *rest = unread;
    Ok(record)
}

/// Fails with the field unless a record has none that is out of range.
fn checked<T>(record: T, fault: impl Fn(&T) -> Option<&'static str>) -> Result<T, Malformed> {
    match fault(&record) {
        Some(field) => Err(Malformed { field }),
        None => Ok(record),
    }
}

impl<'a> ToReceiver<'a> {
    /// A message with only this record.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(&mut out);
        out
    }

    /// Appends the record to a message.
    pub fn append(&self, out: &mut Vec<u8>) {
        append(out, self);
    }

    /// Parses the next record of a message.
    /// Errors: the first field that is missing, too long or out of range.
    pub fn read(rest: &mut &'a [u8]) -> Result<Self, Malformed> {
        checked(next(rest)?, |record| match record {
            Self::Entry(entry) => fault_of(entry),
            Self::Changed { modified, .. } => is_late(*modified).then_some("modified"),
            Self::Data { bytes, .. } => (!(1..=CHUNK).contains(&bytes.len())).then_some("data"),
            Self::Whole { bytes, .. } => (bytes.len() > MAX_WHOLE).then_some("data"),
            Self::Hole { len, .. } => (!(1..=MAX_HOLE).contains(len)).then_some("length"),
            Self::Gone { reason, .. } => (reason.len() > MAX_REASON).then_some("reason"),
            _ => None,
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
        append(out, self);
    }

    /// Parses the next record of a message. Of a Welcome of another version only that is read.
    /// Errors: the first field that is missing, too long or out of range.
    pub fn read(rest: &mut &[u8]) -> Result<Self, Malformed> {
        if let Ok(((0_u8, version), _)) = postcard::take_from_bytes(rest)
            && version != VERSION
        {
            *rest = &[];
            let (window, detail) = (0, Detail::Usual);
            return Ok(Self::Welcome {
                version,
                window,
                detail,
            });
        }
        checked(next(rest)?, |record| match record {
            Self::Settled { reason, .. } => (reason.len() > MAX_REASON).then_some("reason"),
            _ => None,
        })
    }
}

/// The first field of an entry that is out of range.
fn fault_of(entry: &Entry) -> Option<&'static str> {
    let target = match &entry.kind {
        Kind::Link { target } | Kind::HardLink { to: target } => target.len(),
        _ => 0,
    };
    match entry {
        entry if entry.name.len() > MAX_NAME => Some("name"),
        entry if is_late(entry.modified) => Some("modified"),
        _ => (target > MAX_NAME).then_some("target"),
    }
}

/// Whether a time has more nanoseconds than a second.
fn is_late(modified: ModifiedAt) -> bool {
    modified.nanos >= 1_000_000_000
}
