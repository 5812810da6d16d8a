//! Notifications as programs read them (RFC 6458 §6).

use core::net::SocketAddr;

use bytes::Bytes;
use sheave_engine::{Delivery, Message, PathChange, SendFailure};
use sheave_wire::{ChunkType, StreamId, Tsn};

use crate::AssocId32;
use crate::abi::{Abi, CauseOrder, Field, Record, Struct, System};
use crate::settings::{DefaultSend, EventType};

/// A change of an association's state (RFC 6458 §6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssocState {
    Up,
    Lost,
    Restarted,
    ShutdownComplete,
    CannotStart,
}

/// The content of `sac_error` and `sac_info` (RFC 6458 §6.1.1).
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChangeDetail<'a> {
    None,
    /// Numbers of the extensions that both ends support.
    Supports(&'a [u8]),
    /// The error code of an ABORT that this end sent or would have sent.
    Own(u16),
    /// A received ABORT: the code of its first error cause, if any, and the bytes of all causes.
    Abort(Option<u16>, &'a [u8]),
}

impl ChangeDetail<'_> {
    /// The error code; 0 if there is none.
    fn code(self) -> u16 {
        match self {
            Self::None | Self::Supports(_) | Self::Abort(None, _) => 0,
            Self::Own(code) | Self::Abort(Some(code), _) => code,
        }
    }

    /// The bytes of `sac_info`. For a received ABORT, FreeBSD includes the chunk header, as RFC
    /// 6458 §6.1.1 says; Linux does not.
    fn info(self, system: System) -> Vec<u8> {
        match (self, system) {
            (Self::None | Self::Own(_), _) => Vec::new(),
            (Self::Supports(numbers), _) => numbers.to_vec(),
            (Self::Abort(_, causes), System::Linux) => causes.to_vec(),
            (Self::Abort(_, causes), System::FreeBsd) => chunk_bytes(ChunkType::ABORT, causes),
        }
    }
}

/// A notification of one type, with its association.
pub(crate) struct Notice {
    abi: Abi,
    assoc: AssocId32,
    record: Record,
}

impl Notice {
    pub(crate) fn new(abi: Abi, assoc: AssocId32, kind: EventType) -> Self {
        let layout = match kind {
            EventType::AssocChange => Struct::AssocChange,
            EventType::PeerAddrChange => Struct::PeerAddrChange,
            EventType::SendFailed => Struct::SendFailed,
            EventType::RemoteError => Struct::RemoteError,
            EventType::DataIo | EventType::Shutdown => Struct::ShutdownEvent,
            EventType::PartialDelivery => Struct::PartialDeliveryEvent,
            EventType::Adaptation => Struct::AdaptationEvent,
            EventType::Authentication => Struct::AuthKeyEvent,
            EventType::SenderDry => Struct::SenderDryEvent,
            EventType::StreamReset => Struct::StreamResetEvent,
            EventType::AssocReset => Struct::AssocResetEvent,
            EventType::StreamChange => Struct::StreamChangeEvent,
            EventType::SendFailedEvent => Struct::SendFailedEvent,
            EventType::NotificationsStopped => Struct::PlainEvent,
        };
        let record = Record::new(abi, layout)
            .set(Field::Type, abi.event_number(kind))
            .set_signed(Field::Assoc, assoc);
        Self { abi, assoc, record }
    }

    fn set(self, field: Field, value: impl Into<u64>) -> Self {
        Self {
            record: self.record.set(field, value),
            ..self
        }
    }

    fn set_bytes(self, field: Field, value: &[u8]) -> Self {
        Self {
            record: self.record.set_bytes(field, value),
            ..self
        }
    }

    /// The bytes, with those that follow the struct.
    fn followed_by(self, tail: &[u8]) -> Bytes {
        let length = u64::try_from(self.record.size() + tail.len()).unwrap_or(0);
        let mut bytes = self.record.set(Field::Length, length).into_bytes();
        bytes.extend_from_slice(tail);
        bytes.into()
    }

    /// The first of the ABI's numbers for states and reasons.
    fn first(&self) -> u64 {
        self.abi.notifications().first
    }

    pub(crate) fn plain(self) -> Bytes {
        self.followed_by(&[])
    }

    pub(crate) fn assoc_change(
        self,
        state: AssocState,
        (outbound, inbound): (u16, u16),
        detail: ChangeDetail<'_>,
    ) -> Bytes {
        let (tail, first) = (detail.info(self.abi.system()), self.first());
        let error = cause_code(self.abi, detail.code());
        self.set(Field::State, first + state as u64)
            .set_bytes(Field::Error, &error)
            .set(Field::OutboundStreams, outbound)
            .set(Field::InboundStreams, inbound)
            .followed_by(&tail)
    }

    pub(crate) fn address_change(self, address: SocketAddr, change: PathChange) -> Bytes {
        let state = match change {
            PathChange::Up => 0_u64,
            PathChange::Down => 1,
            PathChange::Removed => 2,
            PathChange::Added => 3,
            PathChange::Primary => 4,
            PathChange::Confirmed => 5,
            PathChange::PotentiallyFailed => 6,
        };
        let (first, address) = (self.first(), self.abi.address_bytes(address));
        self.set_bytes(Field::Address, &address)
            .set(Field::State, first + state)
            .plain()
    }

    /// An error reported by the peer: FreeBSD includes the ERROR chunk, as RFC 6458 §6.1.3 says;
    /// Linux only the body of the cause.
    pub(crate) fn remote_error(self, cause: u16, body: &[u8]) -> Bytes {
        let tail = match self.abi.system() {
            System::Linux => body.to_vec(),
            System::FreeBsd => chunk_bytes(ChunkType::ERROR, &cause_bytes(cause, body)),
        };
        let error = cause_code(self.abi, cause);
        self.set_bytes(Field::Error, &error).followed_by(&tail)
    }

    pub(crate) fn send_failed(self, failed: &Failed<'_>) -> Bytes {
        let inner = Record::new(self.abi, Struct::SndRcvInfo)
            .set(Field::TimeToLive, failed.description.time_to_live);
        self.failed(failed, inner)
    }

    pub(crate) fn send_failed_event(self, failed: &Failed<'_>) -> Bytes {
        let inner = Record::new(self.abi, Struct::SndInfo);
        self.failed(failed, inner)
    }

    fn failed(self, failed: &Failed<'_>, inner: Record) -> Bytes {
        let inner = describe(inner, &failed.values(), self.assoc).into_bytes();
        let (first, error) = (self.first(), cause_code(self.abi, failed.cause));
        self.set(Field::Flags, first + failed.flags())
            .set_bytes(Field::Error, &error)
            .set_bytes(Field::Value, &inner)
            .followed_by(&failed.part.payload)
    }

    pub(crate) fn adaptation(self, indication: u32) -> Bytes {
        self.set(Field::Indication, indication).plain()
    }

    pub(crate) fn partial_delivery_aborted(self, stream: u16, ssn: u32) -> Bytes {
        let first = self.first();
        self.set(Field::Indication, first)
            .set(Field::Stream, stream)
            .set(Field::Ssn, ssn)
            .plain()
    }

    /// A key event: `indication` says what happened to `key` (RFC 6458 §6.1.8).
    pub(crate) fn authentication(self, key: u16, indication: u32) -> Bytes {
        self.set(Field::Key, key)
            .set(Field::Indication, indication)
            .plain()
    }

    pub(crate) fn stream_reset(self, flags: u16, streams: &[StreamId]) -> Bytes {
        let numbers = streams.iter().flat_map(|stream| stream.0.to_ne_bytes());
        let tail: Vec<u8> = numbers.collect();
        self.set(Field::Flags, flags).followed_by(&tail)
    }

    /// A reset of all streams and TSNs (RFC 6525 §6.1.2): the next TSNs of this end and the peer,
    /// or the flags that say why the TSNs did not change.
    pub(crate) fn assoc_reset(self, outcome: Result<(Tsn, Tsn), u16>) -> Bytes {
        let (local, remote) = outcome.map_or((0, 0), |(local, remote)| (local.0, remote.0));
        self.set(Field::Flags, outcome.err().unwrap_or(0))
            .set(Field::LocalTsn, local)
            .set(Field::RemoteTsn, remote)
            .plain()
    }

    /// The numbers of streams after a request to add streams.
    pub(crate) fn stream_change(self, flags: u16, (outbound, inbound): (u16, u16)) -> Bytes {
        self.set(Field::Flags, flags)
            .set(Field::InboundStreams, inbound)
            .set(Field::OutboundStreams, outbound)
            .plain()
    }
}

/// The code of an error cause in the byte order of the ABI.
fn cause_code(abi: Abi, code: u16) -> [u8; 2] {
    match abi.notifications().causes {
        CauseOrder::AsInPackets => code.to_be_bytes(),
        CauseOrder::OfTheMachine => code.to_ne_bytes(),
    }
}

/// A chunk of error causes as on the wire, with flags 0.
fn chunk_bytes(kind: ChunkType, causes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(causes.len() + 4).unwrap_or(u16::MAX);
    let [high, low] = length.to_be_bytes();
    [&[kind.0, 0, high, low][..], causes].concat()
}

/// An error cause as on the wire (RFC 9260 §3.3.10).
fn cause_bytes(code: u16, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 4).unwrap_or(u16::MAX);
    let mut bytes = code.to_be_bytes().to_vec();
    bytes.extend(length.to_be_bytes());
    bytes.extend_from_slice(body);
    bytes
}

/// An undelivered message that the engine has returned.
#[derive(Clone)]
pub(crate) struct Failed<'a> {
    pub(crate) message: &'a Message,
    pub(crate) part: Returned,
    pub(crate) description: Description,
    pub(crate) failure: SendFailure,
    /// Code of the error cause that ended the association, or 0 (RFC 6458 §6.1.4).
    pub(crate) cause: u16,
}

/// Sender-only fields of a message, which the engine carries as an opaque number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) context: u32,
    /// The value of the partial-reliability policy, such as a lifetime in milliseconds; 0 without a
    /// policy.
    pub(crate) time_to_live: u32,
}

impl Description {
    /// Packs the fields into the number that the engine carries with the message.
    pub(crate) fn pack(self) -> u64 {
        u64::from(self.time_to_live) << 32 | u64::from(self.context)
    }

    pub(crate) fn unpack(number: u64) -> Self {
        let half = |number: u64| u32::try_from(number & 0xffff_ffff).unwrap_or(0);
        Self {
            context: half(number),
            time_to_live: half(number >> 32),
        }
    }
}

/// The returned part of a message: the whole message (`SCTP_DATA_NOT_FRAG`, RFC 6458 §6.1.4) or the
/// payload of one chunk.
#[derive(Clone, Debug)]
pub(crate) struct Returned {
    pub(crate) payload: Bytes,
    /// Flags of a DATA chunk (RFC 9260 §3.3.1).
    flags: u16,
}

impl Returned {
    const LAST: u16 = 1;
    const FIRST: u16 = 2;
    const UNORDERED: u16 = 4;

    /// Splits a message into parts of at most `most` bytes.
    pub(crate) fn parts(message: &Message, most: usize) -> impl Iterator<Item = Self> {
        let (payload, most) = (message.payload.clone(), most.max(1));
        let unordered = match message.delivery {
            Delivery::Ordered => 0,
            Delivery::Unordered => Self::UNORDERED,
        };
        let count = payload.len().div_ceil(most).max(1);
        (0..count).map(move |at| {
            let end = payload.len().min((at + 1) * most);
            let first = if at == 0 { Self::FIRST } else { 0 };
            let last = if at + 1 == count { Self::LAST } else { 0 };
            Self {
                payload: payload.slice(at * most..end),
                flags: unordered | first | last,
            }
        })
    }
}

impl Failed<'_> {
    fn flags(&self) -> u64 {
        (self.failure == SendFailure::Unacknowledged).into()
    }

    /// The fields of the message as in `SCTP_SNDINFO`.
    fn values(&self) -> DefaultSend {
        DefaultSend {
            stream: self.message.stream.0,
            flags: self.part.flags,
            ppid: self.message.ppid.0.to_be_bytes(),
            context: self.description.context,
            time_to_live: self.description.time_to_live,
        }
    }
}

pub(crate) fn message_flags(abi: Abi, delivery: Delivery) -> u16 {
    match delivery {
        Delivery::Ordered => 0,
        Delivery::Unordered => abi.send_flags().unordered,
    }
}

/// Fills the fields common to all structs that describe a message.
pub(crate) fn describe(record: Record, values: &DefaultSend, assoc: AssocId32) -> Record {
    record
        .set(Field::Stream, values.stream)
        .set(Field::Flags, values.flags)
        .set_bytes(Field::Ppid, &values.ppid)
        .set(Field::Context, values.context)
        .set_signed(Field::Assoc, assoc)
}
