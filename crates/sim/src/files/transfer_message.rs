use bytes::{BufMut, Bytes, BytesMut};

use super::Files;

/// Bytes of Hello: kind, magic, version, entries, bytes.
const HELLO: usize = 27;
/// Bytes of Welcome: kind, version, window.
const WELCOME: usize = 7;
/// Bytes of Entry without the name: kind, id, modification time, name length, entry kind, size.
const ENTRY: usize = 28;
/// Bytes of Want: kind, id, offset, and the hash of the prefix.
const WANT: usize = 46;
/// Bytes of Begin: kind, id, offset.
const BEGIN: usize = 13;
/// Bytes of Data without the file's bytes: kind, id, offset.
const DATA: usize = 13;
/// Bytes of End: kind, id, hash.
const END: usize = 37;
/// Bytes of Settled: kind, id, outcome, no reason.
const SETTLED: usize = 8;
/// Bytes of Finish: kind.
const FINISH: usize = 1;
/// Bytes of Report: kind, five counts.
const REPORT: usize = 41;

/// A message of the transfer protocol (`docs/transfer-protocol.md`), with realistic length. Fields
/// without effect in the simulation are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferMessage {
    /// The sender's first message.
    Hello,
    /// The receiver's answer.
    Welcome,
    /// Announcement of a file.
    Entry(u32),
    /// Request for a file.
    Want(u32),
    /// Start of a file.
    Begin(u32),
    /// Bytes of a file.
    Data(u32, u64),
    /// End of a file.
    End(u32),
    /// Confirmation that a file has arrived.
    Settled(u32),
    /// No further files.
    Finish,
    /// The receiver's final counts.
    Report,
}

impl TransferMessage {
    /// The type byte on the wire.
    const fn kind(self) -> u8 {
        match self {
            Self::Hello => 1,
            Self::Entry(_) => 2,
            Self::Finish => 3,
            Self::Begin(_) => 4,
            Self::Data(..) => 5,
            Self::End(_) => 6,
            Self::Welcome => 65,
            Self::Want(_) => 66,
            Self::Settled(_) => 67,
            Self::Report => 68,
        }
    }

    const fn id(self) -> Option<u32> {
        match self {
            Self::Entry(id)
            | Self::Want(id)
            | Self::Begin(id)
            | Self::Data(id, _)
            | Self::End(id)
            | Self::Settled(id) => Some(id),
            Self::Hello | Self::Welcome | Self::Finish | Self::Report => None,
        }
    }

    /// Length in bytes on the wire.
    fn len(self) -> usize {
        match self {
            Self::Hello => HELLO,
            Self::Welcome => WELCOME,
            Self::Entry(id) => ENTRY + Files::name(id).len(),
            Self::Want(_) => WANT,
            Self::Begin(_) => BEGIN,
            Self::Data(_, bytes) => DATA + usize::try_from(bytes).unwrap_or(0),
            Self::End(_) => END,
            Self::Settled(_) => SETTLED,
            Self::Finish => FINISH,
            Self::Report => REPORT,
        }
    }

    /// The message in wire format.
    #[must_use]
    pub fn write(self) -> Bytes {
        let len = self.len();
        let mut out = BytesMut::with_capacity(len);
        out.put_u8(self.kind());
        if let Some(id) = self.id() {
            out.put_u32(id);
        }
        out.resize(len, 0);
        out.freeze()
    }

    /// Parses a message; `None` if invalid.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let id = || rest.first_chunk().map(|id| u32::from_be_bytes(*id));
        Some(match kind {
            1 => Self::Hello,
            2 => Self::Entry(id()?),
            3 => Self::Finish,
            4 => Self::Begin(id()?),
            5 => Self::Data(id()?, bytes.len().checked_sub(DATA)? as u64),
            6 => Self::End(id()?),
            65 => Self::Welcome,
            66 => Self::Want(id()?),
            67 => Self::Settled(id()?),
            68 => Self::Report,
            _ => return None,
        })
    }
}
