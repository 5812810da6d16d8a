mod abort;
mod asconf;
mod auth;
mod checked_data;
mod chunk_type;
mod cookie_echo;
mod corruption;
mod cwr;
mod data;
mod ecn_echo;
mod error;
mod forward_tsn;
mod heartbeat;
mod i_data;
mod i_forward_tsn;
mod init;
mod nr_sack;
mod packet_drop;
mod pad;
mod raw;
mod re_config;
mod sack;
mod shutdown;
mod shutdown_complete;

use alloc::vec::Vec;
use core::fmt;

pub use abort::{Abort, TagReflection};
pub use asconf::{Asconf, AsconfAck, AsconfOutcome, AsconfRequest};
pub use auth::Auth;
pub use checked_data::CheckedData;
pub use chunk_type::ChunkType;
pub use cookie_echo::CookieEcho;
pub use corruption::{Corruption, CorruptionEvent};
pub use cwr::Cwr;
pub use data::{Data, DataFlags};
pub use ecn_echo::EcnEcho;
pub use error::ErrorChunk;
pub use forward_tsn::{ForwardTsn, SkippedStream};
pub use heartbeat::Heartbeat;
pub use i_data::IData;
pub use i_forward_tsn::{IForwardTsn, MessageOrder, SkippedMessages};
pub use init::Init;
pub use nr_sack::NrSack;
pub use packet_drop::{PacketDrop, PacketDropFlags};
pub use pad::Pad;
pub use raw::RawChunk;
pub use re_config::{ReConfig, ReConfigParameter, ReConfigResult};
pub use sack::{GapBlock, Sack};
pub use shutdown::Shutdown;
pub use shutdown_complete::ShutdownComplete;

use crate::tlv::{self, HEADER_LEN, Tlv};

/// One chunk of a packet (RFC 9260 §3.2).
///
/// ```text
/// 0       8       16              31
/// +-------+-------+---------------+
/// | type  | flags |    length     |   length: type to the end of value, without padding
/// +-------+-------+---------------+
/// | value, padded to four bytes   |
/// +-------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// User data (§3.3.1).
    Data(Data<'a>),
    /// The wish to begin an association (§3.3.2).
    Init(Init<'a>),
    /// The answer to INIT, with the State Cookie among its parameters (§3.3.3).
    InitAck(Init<'a>),
    /// What was received (§3.3.4).
    Sack(Sack<'a>),
    /// A probe of one path (§3.3.5).
    Heartbeat(Heartbeat<'a>),
    /// The probe's answer (§3.3.6).
    HeartbeatAck(Heartbeat<'a>),
    /// The end of the association at once (§3.3.7).
    Abort(Abort<'a>),
    /// The wish to end the association in order (§3.3.8).
    Shutdown(Shutdown),
    /// The answer to SHUTDOWN (§3.3.9): the four header bytes.
    ShutdownAck,
    /// Something the peer should know, which does not end the association (§3.3.10).
    Error(ErrorChunk<'a>),
    /// The State Cookie on its way back (§3.3.11).
    CookieEcho(CookieEcho<'a>),
    /// The answer to COOKIE ECHO (§3.3.12): the four header bytes.
    CookieAck,
    /// The answer to SHUTDOWN ACK (§3.3.13).
    ShutdownComplete(ShutdownComplete),
    /// A type that is not known here; [`ChunkType::unknown_action`] says what to do.
    Unknown(RawChunk<'a>),
}

impl<'a> Chunk<'a> {
    /// The type, which is written in the first byte.
    #[must_use]
    pub const fn chunk_type(&self) -> ChunkType {
        match self {
            Self::Data(_) => ChunkType::DATA,
            Self::Init(_) => ChunkType::INIT,
            Self::InitAck(_) => ChunkType::INIT_ACK,
            Self::Sack(_) => ChunkType::SACK,
            Self::Heartbeat(_) => ChunkType::HEARTBEAT,
            Self::HeartbeatAck(_) => ChunkType::HEARTBEAT_ACK,
            Self::Abort(_) => ChunkType::ABORT,
            Self::Shutdown(_) => ChunkType::SHUTDOWN,
            Self::ShutdownAck => ChunkType::SHUTDOWN_ACK,
            Self::Error(_) => ChunkType::ERROR,
            Self::CookieEcho(_) => ChunkType::COOKIE_ECHO,
            Self::CookieAck => ChunkType::COOKIE_ACK,
            Self::ShutdownComplete(_) => ChunkType::SHUTDOWN_COMPLETE,
            Self::Unknown(raw) => raw.chunk_type,
        }
    }

    /// Bytes on the wire, header included, padding not.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        match self {
            Self::Data(data) => data.encoded_len(),
            Self::Init(init) | Self::InitAck(init) => init.encoded_len(),
            Self::Sack(sack) => sack.encoded_len(),
            Self::Heartbeat(heartbeat) | Self::HeartbeatAck(heartbeat) => heartbeat.encoded_len(),
            Self::Abort(abort) => abort.encoded_len(),
            Self::Shutdown(_) => Shutdown::LEN,
            Self::Error(error) => error.encoded_len(),
            Self::CookieEcho(echo) => echo.encoded_len(),
            Self::ShutdownAck | Self::CookieAck | Self::ShutdownComplete(_) => HEADER_LEN,
            Self::Unknown(raw) => raw.bytes().len(),
        }
    }

    #[inline]
    pub(crate) fn from_tlv(tlv: &Tlv<'a>) -> Result<Self, &'static str> {
        let [chunk_type, flags] = tlv.head;
        let value = tlv.value;
        match ChunkType(chunk_type) {
            ChunkType::DATA => Data::from_wire(flags, value)
                .map(Self::Data)
                .ok_or("DATA below 16 bytes"),
            ChunkType::SACK => Sack::from_wire(flags, value)
                .map(Self::Sack)
                .ok_or("SACK whose counts belie its length"),
            _ => Self::from_control(tlv, flags),
        }
    }

    /// The chunks that are rare, out of the way of DATA and SACK.
    fn from_control(tlv: &Tlv<'a>, flags: u8) -> Result<Self, &'static str> {
        let [chunk_type, _] = tlv.head;
        let value = tlv.value;
        match ChunkType(chunk_type) {
            ChunkType::INIT => Init::from_wire(value)
                .map(Self::Init)
                .ok_or("INIT below 20 bytes"),
            ChunkType::INIT_ACK => Init::from_wire(value)
                .map(Self::InitAck)
                .ok_or("INIT ACK below 20 bytes"),
            ChunkType::HEARTBEAT => Heartbeat::from_wire(value).map(Self::Heartbeat),
            ChunkType::HEARTBEAT_ACK => Heartbeat::from_wire(value).map(Self::HeartbeatAck),
            ChunkType::ABORT => Ok(Self::Abort(Abort::from_wire(flags, value))),
            ChunkType::SHUTDOWN => Shutdown::from_wire(value)
                .map(Self::Shutdown)
                .ok_or("SHUTDOWN not of 8 bytes"),
            ChunkType::SHUTDOWN_ACK => {
                empty(value, Self::ShutdownAck).ok_or("SHUTDOWN ACK with a value")
            }
            ChunkType::ERROR => Ok(Self::Error(ErrorChunk::from_wire(value))),
            ChunkType::COOKIE_ECHO => Ok(Self::CookieEcho(CookieEcho { cookie: value })),
            ChunkType::COOKIE_ACK => empty(value, Self::CookieAck).ok_or("COOKIE ACK with a value"),
            ChunkType::SHUTDOWN_COMPLETE => {
                let complete = ShutdownComplete::from_wire(flags);
                empty(value, Self::ShutdownComplete(complete))
                    .ok_or("SHUTDOWN COMPLETE with a value")
            }
            _ => Ok(Self::Unknown(RawChunk::from_tlv(tlv))),
        }
    }

    /// Appends the chunk without padding.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Data(data) => data.write(out),
            Self::Init(init) => init.write(ChunkType::INIT, out),
            Self::InitAck(init) => init.write(ChunkType::INIT_ACK, out),
            Self::Sack(sack) => sack.write(out),
            Self::Heartbeat(heartbeat) => heartbeat.write(ChunkType::HEARTBEAT, out),
            Self::HeartbeatAck(heartbeat) => heartbeat.write(ChunkType::HEARTBEAT_ACK, out),
            Self::Abort(abort) => abort.write(out),
            Self::Shutdown(shutdown) => shutdown.write(out),
            Self::ShutdownAck => {
                out.extend_from_slice(&header(ChunkType::SHUTDOWN_ACK, 0, HEADER_LEN));
            }
            Self::Error(error) => error.write(out),
            Self::CookieEcho(echo) => echo.write(out),
            Self::CookieAck => out.extend_from_slice(&header(ChunkType::COOKIE_ACK, 0, HEADER_LEN)),
            Self::ShutdownComplete(complete) => complete.write(out),
            Self::Unknown(raw) => out.extend_from_slice(raw.bytes()),
        }
    }
}

/// The chunk on one line.
impl fmt::Display for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chunk_type().fmt(f)?;
        match self {
            Self::Data(data) => write!(f, " {data}"),
            Self::Init(init) | Self::InitAck(init) => write!(f, " {init}"),
            Self::Sack(sack) => write!(f, " {sack}"),
            Self::Heartbeat(heartbeat) | Self::HeartbeatAck(heartbeat) => write!(f, " {heartbeat}"),
            Self::Abort(abort) => write!(f, " {abort}"),
            Self::Shutdown(shutdown) => write!(f, " {shutdown}"),
            Self::Error(error) => write!(f, " {error}"),
            Self::CookieEcho(echo) => write!(f, " {echo}"),
            Self::ShutdownComplete(complete) => write!(f, "{}", complete.reflected),
            Self::ShutdownAck | Self::CookieAck => Ok(()),
            Self::Unknown(raw) => write!(f, " {raw}"),
        }
    }
}

fn empty<'a>(value: &[u8], chunk: Chunk<'a>) -> Option<Chunk<'a>> {
    value.is_empty().then_some(chunk)
}

/// The four bytes before the value of a chunk of `len` bytes.
#[inline]
fn header(chunk_type: ChunkType, flags: u8, len: usize) -> [u8; HEADER_LEN] {
    let [high, low] = tlv::length_field(len);
    [chunk_type.0, flags, high, low]
}

#[cfg(test)]
mod tests;
