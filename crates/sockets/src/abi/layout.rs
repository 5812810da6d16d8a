//! Struct layouts as tables of fields.

use core::net::SocketAddr;

use super::{Abi, System};
use crate::{AssocId32, Errno};

/// A struct exchanged with programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Struct {
    InitMsg,
    SndRcvInfo,
    SndInfo,
    RcvInfo,
    NxtInfo,
    PrInfo,
    AuthInfo,
    AuthKey,
    AuthKeyId,
    AuthChunks,
    RtoInfo,
    AssocParams,
    Primary,
    PeerAddrParams,
    SackInfo,
    AssocValue,
    StreamValue,
    PeerAddrInfo,
    Status,
    PeerAddrThresholds,
    PeerAddrThresholdsV2,
    PrStatus,
    DefaultPrInfo,
    ResetStreams,
    AddStreams,
    Event,
    UdpEncaps,
    ProbeInterval,
    AssocStats,
    PlainEvent,
    AssocChange,
    PeerAddrChange,
    RemoteError,
    SendFailed,
    SendFailedEvent,
    ShutdownEvent,
    AdaptationEvent,
    PartialDeliveryEvent,
    AuthKeyEvent,
    SenderDryEvent,
    StreamResetEvent,
    AssocResetEvent,
    StreamChangeEvent,
}

/// A field, named by meaning; its C name depends on the struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Assoc,
    Address,
    Stream,
    Ssn,
    Flags,
    Ppid,
    Context,
    TimeToLive,
    Tsn,
    CumulativeTsn,
    LocalTsn,
    RemoteTsn,
    Length,
    Type,
    State,
    Error,
    OutboundStreams,
    InboundStreams,
    Attempts,
    Timeout,
    Initial,
    Max,
    Min,
    MaxRetrans,
    Destinations,
    PeerRwnd,
    LocalRwnd,
    CookieLife,
    Interval,
    PathMtu,
    SackDelay,
    SackFrequency,
    FlowLabel,
    Dscp,
    Value,
    Policy,
    Key,
    Unacknowledged,
    Pending,
    FragmentationPoint,
    Cwnd,
    Srtt,
    Rto,
    PotentiallyFailed,
    Switchover,
    Unsent,
    Sent,
    Count,
    Port,
    On,
    Indication,
    SacksReceived,
    SacksSent,
    PacketsSent,
    PacketsReceived,
    Retransmissions,
    Duplicates,
    DataSent,
    DataReceived,
    Early,
    Gaps,
    UnorderedSent,
    UnorderedReceived,
    ControlSent,
    ControlReceived,
}

/// Size of a struct, and offset and width of its fields, bytes.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) size: usize,
    pub(crate) fields: &'static [(Field, usize, usize)],
}

impl Layout {
    pub(crate) fn place(&self, wanted: Field) -> Option<(usize, usize)> {
        let mut fields = self.fields.iter();
        let (_, offset, width) = fields.find(|(field, ..)| *field == wanted)?;
        Some((*offset, *width))
    }
}

/// Defines the function that maps structs to layouts; unlisted structs use the layouts of `$other`.
macro_rules! layouts {
    (
        $(_ => $other:path;)?
        $($name:ident $size:literal { $($field:ident $offset:literal $width:literal),* $(,)? })+
    ) => {
        pub(super) fn layout(wanted: Struct) -> &'static Layout {
            match wanted {
                $(Struct::$name => {
                    static LAYOUT: Layout = Layout {
                        size: $size,
                        fields: &[$(($crate::abi::Field::$field, $offset, $width)),*],
                    };
                    &LAYOUT
                })+
                $(rest => $other(rest),)?
            }
        }
    };
}

pub(super) use layouts;

/// A struct under construction.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    abi: Abi,
    layout: &'static Layout,
    bytes: Vec<u8>,
}

impl Record {
    /// A zeroed struct.
    pub(crate) fn new(abi: Abi, wanted: Struct) -> Self {
        let layout = abi.layout(wanted);
        Self {
            abi,
            layout,
            bytes: vec![0; layout.size],
        }
    }

    /// A struct of an association.
    pub(crate) fn of(abi: Abi, wanted: Struct, assoc: AssocId32) -> Self {
        Self::new(abi, wanted).set_signed(Field::Assoc, assoc)
    }

    /// Sets an integer, truncated to the width of its field.
    pub(crate) fn set(mut self, field: Field, value: impl Into<u64>) -> Self {
        let value: u64 = value.into();
        self.lay(field, &value.to_le_bytes());
        self
    }

    /// Sets a signed integer.
    pub(crate) fn set_signed(mut self, field: Field, value: i32) -> Self {
        self.lay(field, &i64::from(value).to_le_bytes());
        self
    }

    /// Copies bytes unchanged, such as those in network byte order.
    pub(crate) fn set_bytes(mut self, field: Field, value: &[u8]) -> Self {
        if let Some(target) = self.room(field)
            && let Some(target) = target.get_mut(..value.len())
        {
            target.copy_from_slice(value);
        }
        self
    }

    pub(crate) fn set_address(self, field: Field, address: SocketAddr) -> Self {
        let bytes = self.abi.address_bytes(address);
        self.set_bytes(field, &bytes)
    }

    /// Copies another struct into this one.
    pub(crate) fn with(mut self, at: usize, inner: &Self) -> Self {
        if let Some(target) = self.bytes.get_mut(at..at + inner.bytes.len()) {
            target.copy_from_slice(&inner.bytes);
        }
        self
    }

    /// Size of the struct, bytes.
    pub(crate) const fn size(&self) -> usize {
        self.layout.size
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn room(&mut self, field: Field) -> Option<&mut [u8]> {
        let (offset, width) = self.layout.place(field)?;
        self.bytes.get_mut(offset..offset + width)
    }

    fn lay(&mut self, field: Field, little: &[u8; 8]) {
        if let Some(target) = self.room(field) {
            for (to, from) in target.iter_mut().zip(little) {
                *to = *from;
            }
            if cfg!(target_endian = "big") {
                target.reverse();
            }
        }
    }
}

/// A struct passed by a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    abi: Abi,
    layout: &'static Layout,
    bytes: &'a [u8],
}

impl<'a> View<'a> {
    /// Views a complete struct; further bytes are ignored.
    ///
    /// # Errors
    /// `EINVAL` if the bytes are too few.
    pub(crate) fn new(abi: Abi, wanted: Struct, bytes: &'a [u8]) -> Result<Self, Errno> {
        let layout = abi.layout(wanted);
        let bytes = bytes.get(..layout.size).ok_or(Errno::EINVAL)?;
        Ok(Self { abi, layout, bytes })
    }

    /// Views a struct of exactly its size; FreeBSD ignores further bytes.
    ///
    /// # Errors
    /// `EINVAL` for another size.
    pub(crate) fn exactly(abi: Abi, wanted: Struct, bytes: &'a [u8]) -> Result<Self, Errno> {
        if bytes.len() == abi.layout(wanted).size || abi.system() == System::FreeBsd {
            Self::new(abi, wanted, bytes)
        } else {
            Err(Errno::EINVAL)
        }
    }

    /// Views a struct whose last fields may be missing, as in older releases.
    pub(crate) fn partial(abi: Abi, wanted: Struct, bytes: &'a [u8]) -> Self {
        Self {
            abi,
            layout: abi.layout(wanted),
            bytes,
        }
    }

    /// An integer; 0 if the field is missing.
    pub(crate) fn get(&self, field: Field) -> u64 {
        let mut little = [0; 8];
        if let Some(bytes) = self.bytes(field) {
            let ordered: Box<dyn Iterator<Item = &u8>> = if cfg!(target_endian = "big") {
                Box::new(bytes.iter().rev())
            } else {
                Box::new(bytes.iter())
            };
            for (to, from) in little.iter_mut().zip(ordered) {
                *to = *from;
            }
        }
        u64::from_le_bytes(little)
    }

    pub(crate) fn u16(&self, field: Field) -> u16 {
        u16::try_from(self.get(field) & 0xffff).unwrap_or(0)
    }

    pub(crate) fn u32(&self, field: Field) -> u32 {
        u32::try_from(self.get(field) & 0xffff_ffff).unwrap_or(0)
    }

    pub(crate) fn assoc(&self) -> i32 {
        self.u32(Field::Assoc).cast_signed()
    }

    /// The raw bytes of a field.
    pub(crate) fn bytes(&self, field: Field) -> Option<&'a [u8]> {
        let (offset, width) = self.layout.place(field)?;
        self.bytes.get(offset..offset + width)
    }

    /// A socket address; `None` for an unknown family, such as 0.
    pub(crate) fn address(&self, field: Field) -> Option<SocketAddr> {
        self.abi.address(self.bytes(field)?).ok()
    }
}
