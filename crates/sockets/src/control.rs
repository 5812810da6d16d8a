//! Ancillary data (RFC 6458 §5).

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::time::Duration;

use sheave_engine::KeyId;

use crate::abi::{Abi, ControlType, Field, Record, SocketOption, Struct, View};
use crate::settings::{DefaultSend, InitMsg};
use crate::timestamps::TimestampForm;
use crate::{AssocId32, Errno};

/// Bytes of `cmsghdr` on a 64-bit machine: length, level and type.
const HEADER: usize = 16;

/// The ancillary data of a `sendmsg` call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    pub(crate) init: Option<InitMsg>,
    /// `SCTP_SNDRCV` or `SCTP_SNDINFO`.
    pub(crate) send: Option<SendInfo>,
    pub(crate) policy: Option<(u16, u32)>,
    /// The shared key that authenticates the message.
    pub(crate) key: Option<KeyId>,
    /// Further addresses of a new peer, or why one is invalid; ignored for a known peer.
    pub(crate) destinations: Vec<Result<IpAddr, Errno>>,
}

/// The `SCTP_SNDRCV` or `SCTP_SNDINFO` of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendInfo {
    pub(crate) values: DefaultSend,
    pub(crate) assoc: AssocId32,
    pub(crate) generation: Generation,
}

impl SendInfo {
    /// Merges two generations as Linux does: the newer one with the time to live of the older one.
    const fn beside(self, other: Self) -> Self {
        let (older, mut newer) = match self.generation {
            Generation::SndRcv => (self, other),
            Generation::SndInfo => (other, self),
        };
        newer.values.time_to_live = older.values.time_to_live;
        newer.generation = Generation::SndRcv;
        newer
    }
}

/// The version of the struct that describes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// `SCTP_SNDRCV`, which includes a time to live.
    SndRcv,
    /// `SCTP_SNDINFO`, which `SCTP_PRINFO` may accompany.
    SndInfo,
}

impl Controls {
    /// The flags of the message; 0 without a description.
    pub(crate) fn send_flags(&self) -> u16 {
        self.send.map_or(0, |send| send.values.flags)
    }

    /// Parses `msg_control`.
    ///
    /// # Errors
    /// `EINVAL` for an unknown length, type or flag.
    pub(crate) fn parse(abi: Abi, bytes: &[u8]) -> Result<Self, Errno> {
        let mut found = Self::default();
        let mut rest = bytes;
        while rest.len() >= HEADER {
            let length = usize::try_from(number(rest, 0, 8)).map_err(|_| Errno::EINVAL)?;
            if length < HEADER || length > rest.len() {
                return Err(Errno::EINVAL);
            }
            let level = i32::from_ne_bytes(four(rest, 8));
            let body = rest.get(HEADER..length).unwrap_or_default();
            if level == abi.levels().sctp {
                let number = i32::from_ne_bytes(four(rest, 12));
                let kind = abi.control_type(number).ok_or(Errno::EINVAL)?;
                found.take(abi, kind, body)?;
            }
            rest = rest.get(length.next_multiple_of(8)..).unwrap_or_default();
        }
        Ok(found)
    }

    fn take(&mut self, abi: Abi, kind: ControlType, body: &[u8]) -> Result<(), Errno> {
        match kind {
            ControlType::Init => {
                self.init = Some(init_msg(&View::exactly(abi, Struct::InitMsg, body)?));
            }
            ControlType::SndRcv => {
                let view = View::exactly(abi, Struct::SndRcvInfo, body)?;
                let time_to_live = view.u32(Field::TimeToLive);
                self.take_send(abi, &view, time_to_live, Generation::SndRcv)?;
            }
            ControlType::SndInfo => {
                let view = View::exactly(abi, Struct::SndInfo, body)?;
                self.take_send(abi, &view, 0, Generation::SndInfo)?;
            }
            ControlType::PrInfo => {
                let view = View::exactly(abi, Struct::PrInfo, body)?;
                let policy = view.u16(Field::Policy);
                if policy & !abi.send_flags().policies != 0 {
                    return Err(Errno::EINVAL);
                }
                self.policy = Some((policy, view.u32(Field::Value)));
            }
            ControlType::AuthInfo => {
                let view = View::exactly(abi, Struct::AuthInfo, body)?;
                self.key = Some(KeyId(view.u16(Field::Key)));
            }
            ControlType::DestinationV4 => {
                let octets = body.first_chunk::<4>();
                let ip = octets.map(|octets| Ipv4Addr::from(*octets).into());
                self.destinations.push(ip.ok_or(Errno::EINVAL));
            }
            ControlType::DestinationV6 => {
                let octets = body.first_chunk::<16>();
                let ip = octets.map(|octets| Ipv6Addr::from(*octets).into());
                self.destinations.push(ip.ok_or(Errno::EINVAL));
            }
            ControlType::RcvInfo | ControlType::NxtInfo => return Err(Errno::EINVAL),
        }
        Ok(())
    }

    fn take_send(
        &mut self,
        abi: Abi,
        view: &View<'_>,
        time_to_live: u32,
        generation: Generation,
    ) -> Result<(), Errno> {
        let values = DefaultSend {
            time_to_live,
            ..send_values(view)
        };
        let flags = abi.send_flags();
        let known = flags.unordered
            | flags.address_override
            | flags.abort
            | flags.sack_immediately
            | flags.send_all
            | flags.end
            | flags.end_of_record
            | flags.policies;
        if values.flags & !known != 0 {
            return Err(Errno::EINVAL);
        }
        let given = SendInfo {
            values,
            assoc: view.assoc(),
            generation,
        };
        self.send = Some(match self.send {
            Some(other) if other.generation != generation => given.beside(other),
            _ => given,
        });
        Ok(())
    }
}

/// Reads the stream, flags, payload protocol and context of a message.
pub(crate) fn send_values(view: &View<'_>) -> DefaultSend {
    let ppid = view
        .bytes(Field::Ppid)
        .and_then(|bytes| bytes.try_into().ok());
    DefaultSend {
        stream: view.u16(Field::Stream),
        flags: view.u16(Field::Flags),
        ppid: ppid.unwrap_or_default(),
        context: view.u32(Field::Context),
        time_to_live: view.u32(Field::TimeToLive),
    }
}

pub(crate) fn init_msg(view: &View<'_>) -> InitMsg {
    InitMsg {
        outbound_streams: view.u16(Field::OutboundStreams),
        inbound_streams: view.u16(Field::InboundStreams),
        attempts: view.u16(Field::Attempts),
        timeout: view.u16(Field::Timeout),
    }
}

/// Builds ancillary data of at most `room` bytes.
pub(crate) struct ControlWriter {
    abi: Abi,
    room: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) cut: Cut,
}

/// Whether data was truncated (`MSG_CTRUNC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Nothing,
    Some,
}

impl ControlWriter {
    pub(crate) const fn new(abi: Abi, room: usize) -> Self {
        Self {
            abi,
            room,
            bytes: Vec::new(),
            cut: Cut::Nothing,
        }
    }

    pub(crate) fn push(&mut self, kind: ControlType, record: Record) {
        let name = (self.abi.levels().sctp, self.abi.control_number(kind));
        self.push_bytes(name, &record.into_bytes());
    }

    /// Pushes a timestamp, given as time since the Unix epoch.
    pub(crate) fn push_timestamp(&mut self, form: TimestampForm, since_epoch: Duration) {
        let option = SocketOption::Timestamp(form);
        let name = (
            self.abi.levels().socket,
            self.abi.socket_option_number(option),
        );
        self.push_bytes(name, &form.body(since_epoch));
    }

    fn push_bytes(&mut self, (level, kind): (i32, i32), body: &[u8]) {
        let length = HEADER + body.len();
        let start = self.bytes.len().next_multiple_of(8);
        let room = self.room.saturating_sub(start);
        let length = if length > room {
            self.cut = Cut::Some;
            room
        } else {
            length
        };
        // Like Linux: truncates data that does not fit and omits it if the header does not fit.
        if length < HEADER {
            return;
        }
        self.bytes.resize(start, 0);
        self.bytes.extend((length as u64).to_ne_bytes());
        self.bytes.extend(level.to_ne_bytes());
        self.bytes.extend(kind.to_ne_bytes());
        self.bytes.extend(body.iter().take(length - HEADER));
        let padded = self.bytes.len().next_multiple_of(8).min(self.room);
        self.bytes.resize(padded, 0);
    }
}

fn four(bytes: &[u8], at: usize) -> [u8; 4] {
    let found = bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok());
    found.unwrap_or_default()
}

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let found = bytes
        .get(at..at + width)
        .and_then(|bytes| bytes.try_into().ok());
    u64::from_ne_bytes(found.unwrap_or_default())
}
