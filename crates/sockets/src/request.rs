//! The reading of `sendmsg` calls (RFC 6458 §3.1.4, §4.1.8, §5.3).

mod target;

use core::net::IpAddr;
use core::time::Duration;

use bytes::Bytes;
use sheave_engine::{Acknowledgement, Delivery, Message, Reliability, SendOptions};
use sheave_wire::{Ppid, StreamId};

pub(crate) use self::target::Target;
use crate::abi::{Refusal, System};
use crate::association::Farewell;
use crate::control::{Controls, Generation};
use crate::lookup::Lookup;
use crate::notification::Description;
use crate::profile::Profile;
use crate::settings::DefaultSend;
use crate::socket::{Half, Kind, Socket};
use crate::{Abi, Errno, SendCall};

/// A call with its arguments parsed.
pub(crate) struct Request {
    pub(crate) controls: Controls,
    pub(crate) target: Target,
    /// The address from the call.
    destination: Option<IpAddr>,
    values: DefaultSend,
    policy: (u16, u32),
}

/// Whether a call ends its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Here,
    Later,
    /// A complete message for many associations.
    Alone,
}

impl Request {
    /// Reads a call, in the order in which the system checks its arguments.
    pub(crate) fn read(
        lookup: Lookup<'_>,
        profile: &Profile,
        call: &SendCall<'_>,
    ) -> Result<Self, Errno> {
        let (abi, system) = (profile.abi, profile.system());
        let (controls, target) = match system {
            System::Linux => read_as_linux(lookup, call)?,
            System::FreeBsd => read_as_free_bsd(lookup, profile, call)?,
        };
        let flags = abi.send_flags();
        let settings = match &target {
            Target::Known(number) => lookup
                .associations
                .get(*number)
                .map(|found| &found.settings),
            _ => None,
        };
        let settings = settings.unwrap_or(&lookup.socket.defaults);
        let mut values = controls.send.map_or(settings.send, |send| send.values);
        // On Linux, default flags do not end the association.
        if controls.send.is_none() && system == System::Linux {
            values.flags &= !(flags.end | flags.abort);
        }
        let default_life = settings.send.time_to_live;
        let mut policy = (settings.pr_policy, settings.pr_value);
        if let Some(send) = controls.send
            && send.generation == Generation::SndRcv
        {
            policy = (values.flags & flags.policies, values.time_to_live);
            // A lifetime without a policy means timed reliability (RFC 6458 §5.3.2).
            if policy.0 == 0 && policy.1 != 0 {
                policy.0 = flags.timed;
            }
        } else if controls.send.is_none() && default_life != 0 {
            policy = (flags.timed, default_life);
        }
        policy = controls.policy.unwrap_or(policy);
        values.flags &= !flags.policies;
        let request = Self {
            controls,
            target,
            destination: call.destination.map(|address| address.ip().to_canonical()),
            values,
            policy,
        };
        if !ends(abi, &request.controls) {
            request.check_message(lookup, call.payload.len())?;
        }
        Ok(request)
    }

    fn check_message(&self, lookup: Lookup<'_>, length: usize) -> Result<(), Errno> {
        let socket = lookup.socket;
        let streams = match &self.target {
            Target::Known(number) => lookup
                .associations
                .get(*number)
                .map(|found| found.outbound_streams),
            Target::New(_) => Some(
                self.controls
                    .init
                    .map(|init| init.outbound_streams)
                    .filter(|streams| *streams > 0)
                    .unwrap_or(socket.defaults.init.outbound_streams),
            ),
            Target::All(_) => None,
        };
        if streams.is_some_and(|streams| self.values.stream >= streams) {
            return Err(Errno::EINVAL);
        }
        // A new association uses the keys of its socket.
        if let (Target::New(_), Some(key)) = (&self.target, self.controls.key)
            && socket.defaults.auth_supported != 0
            && !socket
                .defaults
                .auth()
                .keys
                .iter()
                .any(|own| own.id() == key)
        {
            return Err(Errno::EINVAL);
        }
        // RFC 6458 §8.1.11
        if socket.own.disable_fragments != 0
            && let Target::Known(number) = self.target
            && length > lookup.fragmentation_point(number)
        {
            return Err(Errno::EMSGSIZE);
        }
        Ok(())
    }

    /// The end of its associations that a call asks for (RFC 6458 §5.3.4).
    pub(crate) const fn farewell(&self, abi: Abi) -> Option<Farewell> {
        let flags = abi.send_flags();
        match self.values.flags & (flags.end | flags.abort) {
            0 => None,
            ends if ends & flags.abort != 0 => Some(Farewell::Abortive),
            _ => Some(Farewell::Graceful),
        }
    }

    /// Whether a call ends its message; it does unless the program marks ends explicitly.
    pub(crate) fn ending(&self, abi: Abi, socket: &Socket, flags: i32) -> Ending {
        let marks = socket.own.explicit_eor != 0;
        let is_marked = self.values.flags & abi.send_flags().end_of_record != 0
            || flags & abi.message_flags().end_of_record != 0;
        match (&self.target, marks && !is_marked) {
            (Target::All(_), _) => Ending::Alone,
            (_, true) => Ending::Later,
            (_, false) => Ending::Here,
        }
    }

    pub(crate) fn message(&self, abi: Abi, payload: Bytes) -> Message {
        let unordered = self.values.flags & abi.send_flags().unordered != 0;
        Message {
            stream: StreamId(self.values.stream),
            ppid: Ppid(u32::from_be_bytes(self.values.ppid)),
            delivery: if unordered {
                Delivery::Unordered
            } else {
                Delivery::Ordered
            },
            payload,
        }
    }

    pub(crate) fn options(&self, abi: Abi) -> SendOptions {
        let flags = abi.send_flags();
        let (policy, value) = self.policy;
        let reliability = if policy == flags.timed && value > 0 {
            Reliability::Timed(Duration::from_millis(value.into()))
        } else if policy == flags.retransmissions {
            Reliability::Retransmissions(u8::try_from(value).unwrap_or(u8::MAX))
        } else if policy == flags.priority {
            Reliability::Priority(value)
        } else {
            Reliability::Reliable
        };
        let acknowledgement = if self.values.flags & flags.sack_immediately != 0 {
            Acknowledgement::Immediate
        } else {
            Acknowledgement::Delayed
        };
        // RFC 6458 §5.3.2: sends to an address other than the primary one.
        let over = self.values.flags & flags.address_override != 0;
        let destination = self.destination.filter(|_| over);
        let description = Description {
            context: self.values.context,
            time_to_live: value,
        };
        SendOptions {
            context: description.pack(),
            acknowledgement,
            reliability,
            destination,
            key: self.controls.key,
            ..SendOptions::default()
        }
    }
}

/// Checks the ancillary data and the receiver in Linux's order.
fn read_as_linux(lookup: Lookup<'_>, call: &SendCall<'_>) -> Result<(Controls, Target), Errno> {
    let (abi, socket) = (lookup.abi, lookup.socket);
    if socket.only_listens() {
        return Err(Errno::EPIPE);
    }
    // Linux's smallest send buffer is 4608 bytes.
    let room = socket.own.send_buffer.map(|bytes| bytes.max(4608));
    if room.is_some_and(|room| call.payload.len() > room as usize) {
        return Err(Errno::EMSGSIZE);
    }
    let controls = Controls::parse(abi, call.control)?;
    if misfits(abi, &controls, call.payload.len()) {
        return Err(Errno::EINVAL);
    }
    // RFC 6458 §4.1.6: a one-to-one socket is closed instead.
    let closes = socket.kind == Kind::OneToOne && ends(abi, &controls);
    let overrides = controls.send_flags() & abi.send_flags().address_override != 0;
    if closes || overrides && call.destination.is_none() {
        return Err(Errno::EINVAL);
    }
    let target = lookup.target(call, &controls)?;
    if socket.writing == Half::Shut && !socket.sends_on(abi.system()) {
        return Err(Errno::EPIPE);
    }
    if let Target::New(addresses) = &target {
        lookup.check_connect(addresses)?;
    }
    Ok((controls, target))
}

/// Checks the ancillary data and the receiver in FreeBSD's order.
fn read_as_free_bsd(
    lookup: Lookup<'_>,
    profile: &Profile,
    call: &SendCall<'_>,
) -> Result<(Controls, Target), Errno> {
    let abi = lookup.abi;
    if lookup.socket.only_listens() {
        return Err(abi.refusal(Refusal::SendWhereListening));
    }
    let controls = Controls::parse(abi, call.control)?;
    let target = lookup.target_of_free_bsd(call, &controls)?;
    if misfits(abi, &controls, call.payload.len()) {
        return Err(Errno::EINVAL);
    }
    if call.payload.len() > profile.send_buffer(lookup.socket) {
        return Err(Errno::EMSGSIZE);
    }
    Ok((controls, target))
}

/// Whether a message ends its association (RFC 6458 §5.3.4).
fn ends(abi: Abi, controls: &Controls) -> bool {
    let flags = abi.send_flags();
    controls.send_flags() & (flags.end | flags.abort) != 0
}

/// Whether the length contradicts the flags: only a message that ends its association may be empty,
/// and a graceful end must be.
fn misfits(abi: Abi, controls: &Controls, length: usize) -> bool {
    let is_graceful = controls.send_flags() & abi.send_flags().end != 0;
    is_graceful && length > 0 || length == 0 && !ends(abi, controls)
}
