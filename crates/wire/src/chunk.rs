mod abort;
mod asconf;
mod auth;
mod checked_data;
mod chunk_type;
mod cookie_echo;
mod corruption;
mod cwr;
mod data;
mod dtls;
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
pub use dtls::{Dtls, DtlsContext};
pub use ecn_echo::EcnEcho;
pub use error::ErrorChunk;
pub use forward_tsn::{Forward, ForwardTsn, Skipped, SkippedStream};
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

use crate::Malformed;
use crate::tlv::{self, HEADER_LEN};

/// A chunk of a packet (RFC 9260 §3.2).
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
    /// A request to start an association (§3.3.2).
    Init(Init<'a>),
    /// The answer to INIT, with the State Cookie as a parameter (§3.3.3).
    InitAck(Init<'a>),
    /// SACK: the received TSNs (§3.3.4).
    Sack(Sack<'a>),
    /// A probe of one path (§3.3.5).
    Heartbeat(Heartbeat<'a>),
    /// The probe's answer (§3.3.6).
    HeartbeatAck(Heartbeat<'a>),
    /// An immediate end of the association (§3.3.7).
    Abort(Abort<'a>),
    /// A request for a graceful shutdown (§3.3.8).
    Shutdown(Shutdown),
    /// The answer to SHUTDOWN (§3.3.9): a chunk header only.
    ShutdownAck,
    /// An error that does not end the association (§3.3.10).
    Error(ErrorChunk<'a>),
    /// The State Cookie, returned to its creator (§3.3.11).
    CookieEcho(CookieEcho<'a>),
    /// The answer to COOKIE ECHO (§3.3.12): a chunk header only.
    CookieAck,
    /// The answer to SHUTDOWN ACK (§3.3.13).
    ShutdownComplete(ShutdownComplete),
    /// User data with a header checksum; private type, from the paper "chunk checksum".
    CheckedData(CheckedData<'a>),
    /// A report of damaged chunks; private type, from the paper "chunk checksum".
    Corruption(Corruption<'a>),
    /// User data whose messages may be interleaved (RFC 8260).
    IData(IData<'a>),
    /// NR-SACK: the received TSNs, some of them non-renegable (draft-natarajan-tsvwg-sctp-nrsack).
    NrSack(NrSack<'a>),
    /// TSNs that the sender has abandoned (RFC 3758).
    ForwardTsn(ForwardTsn<'a>),
    /// Messages that the sender has abandoned, with I-DATA in use (RFC 8260).
    IForwardTsn(IForwardTsn<'a>),
    /// Requests to reset or add streams, and answers to them (RFC 6525).
    ReConfig(ReConfig<'a>),
    /// Authentication of the chunks that follow it (RFC 4895).
    Auth(Auth<'a>),
    /// A change of the sender's addresses (RFC 5061).
    Asconf(Asconf<'a>),
    /// The answer to an address change (RFC 5061).
    AsconfAck(AsconfAck<'a>),
    /// ECNE: a packet arrived with a congestion mark (RFC 4960 Appendix A).
    EcnEcho(EcnEcho),
    /// CWR: the answer to ECNE (RFC 4960 Appendix A).
    Cwr(Cwr),
    /// A packet that was lost or damaged (draft-stewart-sctp-pktdrprep).
    PacketDrop(PacketDrop<'a>),
    /// Padding (RFC 4820 §3).
    Pad(Pad),
    /// The chunks of a packet, encrypted (draft-ietf-tsvwg-sctp-dtls-chunk).
    Dtls(Dtls<'a>),
    /// A chunk of an unknown type; [`ChunkType::unknown_action`] says how to treat it. Written
    /// unchanged, whatever its type.
    Unknown(RawChunk<'a>),
}

impl<'a> Chunk<'a> {
    /// Parses the first chunk in `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if the length is less than four or exceeds the input, or if the type is known
    /// and the body violates its format.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Self::from_raw(&RawChunk::parse(bytes)?)
    }

    /// Parses the body of a chunk whose type the receiver supports.
    ///
    /// # Errors
    /// [`Malformed`] if the type is known and the body violates its format.
    #[inline]
    pub fn from_raw(raw: &RawChunk<'a>) -> Result<Self, Malformed> {
        Self::read(raw).map_err(|what| Malformed { at: 0, what })
    }

    /// The chunk type: the first byte on the wire.
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
            Self::CheckedData(_) => ChunkType::CHECKED_DATA,
            Self::Corruption(_) => ChunkType::CORRUPTION,
            Self::IData(_) => ChunkType::I_DATA,
            Self::NrSack(_) => ChunkType::NR_SACK,
            Self::ForwardTsn(_) => ChunkType::FORWARD_TSN,
            Self::IForwardTsn(_) => ChunkType::I_FORWARD_TSN,
            Self::ReConfig(_) => ChunkType::RE_CONFIG,
            Self::Auth(_) => ChunkType::AUTH,
            Self::Asconf(_) => ChunkType::ASCONF,
            Self::AsconfAck(_) => ChunkType::ASCONF_ACK,
            Self::EcnEcho(_) => ChunkType::ECNE,
            Self::Cwr(_) => ChunkType::CWR,
            Self::PacketDrop(_) => ChunkType::PACKET_DROP,
            Self::Pad(_) => ChunkType::PAD,
            Self::Dtls(_) => ChunkType::DTLS,
            Self::Unknown(raw) => raw.chunk_type,
        }
    }

    /// Length on the wire in bytes: header included, padding excluded.
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
            Self::CheckedData(data) => data.encoded_len(),
            Self::Corruption(corruption) => corruption.encoded_len(),
            Self::IData(data) => data.encoded_len(),
            Self::NrSack(sack) => sack.encoded_len(),
            Self::ForwardTsn(forward) => forward.encoded_len(),
            Self::IForwardTsn(forward) => forward.encoded_len(),
            Self::ReConfig(re_config) => re_config.encoded_len(),
            Self::Auth(auth) => auth.encoded_len(),
            Self::Asconf(asconf) => asconf.encoded_len(),
            Self::AsconfAck(ack) => ack.encoded_len(),
            Self::EcnEcho(_) => EcnEcho::LEN,
            Self::Cwr(_) => Cwr::LEN,
            Self::PacketDrop(drop) => drop.encoded_len(),
            Self::Pad(pad) => pad.encoded_len(),
            Self::Dtls(dtls) => dtls.encoded_len(),
            Self::Unknown(raw) => raw.bytes().len(),
        }
    }

    /// Parses the body; the error describes the violation.
    #[inline]
    pub(crate) fn read(raw: &RawChunk<'a>) -> Result<Self, &'static str> {
        let value = raw.value;
        match raw.chunk_type {
            ChunkType::DATA => Data::from_wire(raw.flags, value)
                .map(Self::Data)
                .ok_or("DATA below 16 bytes"),
            ChunkType::SACK => Sack::from_wire(raw.flags, value)
                .map(Self::Sack)
                .ok_or("SACK whose counts belie its length"),
            ChunkType::I_DATA => IData::from_wire(raw.flags, value)
                .map(Self::IData)
                .ok_or("I-DATA below 20 bytes"),
            _ => Self::read_control(raw),
        }
    }

    /// Parses rare chunk types, apart from user data and SACK.
    fn read_control(raw: &RawChunk<'a>) -> Result<Self, &'static str> {
        let (flags, value) = (raw.flags, raw.value);
        match raw.chunk_type {
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
            _ => Self::read_extension(raw),
        }
    }

    /// Parses chunk types that RFC 9260 does not define.
    fn read_extension(raw: &RawChunk<'a>) -> Result<Self, &'static str> {
        let (flags, value) = (raw.flags, raw.value);
        match raw.chunk_type {
            ChunkType::CHECKED_DATA => CheckedData::from_wire(flags, value)
                .map(Self::CheckedData)
                .ok_or("CHECKED DATA below 20 bytes"),
            ChunkType::CORRUPTION => Corruption::from_wire(value)
                .map(Self::Corruption)
                .ok_or("CORRUPTION with part of an event"),
            ChunkType::NR_SACK => NrSack::from_wire(value)
                .map(Self::NrSack)
                .ok_or("NR-SACK whose counts belie its length"),
            ChunkType::FORWARD_TSN => ForwardTsn::from_wire(value)
                .map(Self::ForwardTsn)
                .ok_or("FORWARD TSN without a TSN and whole streams"),
            ChunkType::I_FORWARD_TSN => IForwardTsn::from_wire(value)
                .map(Self::IForwardTsn)
                .ok_or("I-FORWARD-TSN without a TSN and whole streams"),
            ChunkType::RE_CONFIG => Ok(Self::ReConfig(ReConfig::from_wire(value))),
            ChunkType::AUTH => Auth::from_wire(value)
                .map(Self::Auth)
                .ok_or("AUTH below 8 bytes"),
            ChunkType::ASCONF => Asconf::from_wire(value)
                .map(Self::Asconf)
                .ok_or("ASCONF without a serial number and an address"),
            ChunkType::ASCONF_ACK => AsconfAck::from_wire(value)
                .map(Self::AsconfAck)
                .ok_or("ASCONF ACK below 8 bytes"),
            ChunkType::ECNE => EcnEcho::from_wire(value)
                .map(Self::EcnEcho)
                .ok_or("ECNE below 8 bytes"),
            ChunkType::CWR => Cwr::from_wire(value)
                .map(Self::Cwr)
                .ok_or("CWR below 8 bytes"),
            ChunkType::PACKET_DROP => PacketDrop::from_wire(flags, value)
                .map(Self::PacketDrop)
                .ok_or("PACKET DROP below 16 bytes"),
            ChunkType::PAD => Pad::from_wire(value)
                .map(Self::Pad)
                .ok_or("PAD beyond 65535 bytes"),
            ChunkType::DTLS => Dtls::from_wire(flags, value)
                .map(Self::Dtls)
                .ok_or("DTLS below 5 bytes"),
            _ => Ok(Self::Unknown(*raw)),
        }
    }

    /// Appends the chunk without padding; a chunk longer than 65535 bytes is not representable.
    pub fn write(&self, out: &mut Vec<u8>) {
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
            Self::CheckedData(data) => data.write(out),
            Self::Corruption(corruption) => corruption.write(out),
            Self::IData(data) => data.write(out),
            Self::NrSack(sack) => sack.write(out),
            Self::ForwardTsn(forward) => forward.write(out),
            Self::IForwardTsn(forward) => forward.write(out),
            Self::ReConfig(re_config) => re_config.write(out),
            Self::Auth(auth) => auth.write(out),
            Self::Asconf(asconf) => asconf.write(out),
            Self::AsconfAck(ack) => ack.write(out),
            Self::EcnEcho(echo) => echo.write(out),
            Self::Cwr(cwr) => cwr.write(out),
            Self::PacketDrop(drop) => drop.write(out),
            Self::Pad(pad) => pad.write(out),
            Self::Dtls(dtls) => dtls.write(out),
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
            Self::CheckedData(data) => write!(f, " {data}"),
            Self::Corruption(corruption) => write!(f, " {corruption}"),
            Self::IData(data) => write!(f, " {data}"),
            Self::NrSack(sack) => write!(f, " {sack}"),
            Self::ForwardTsn(forward) => write!(f, " {forward}"),
            Self::IForwardTsn(forward) => write!(f, " {forward}"),
            Self::ReConfig(re_config) => write!(f, " {re_config}"),
            Self::Auth(auth) => write!(f, " {auth}"),
            Self::Asconf(asconf) => write!(f, " {asconf}"),
            Self::AsconfAck(ack) => write!(f, " {ack}"),
            Self::EcnEcho(echo) => write!(f, " {echo}"),
            Self::Cwr(cwr) => write!(f, " {cwr}"),
            Self::PacketDrop(drop) => write!(f, " {drop}"),
            Self::Pad(pad) => write!(f, " {pad}"),
            Self::Dtls(dtls) => write!(f, " {dtls}"),
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
