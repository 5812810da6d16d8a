//! Sending messages (RFC 6458 §3.1.4, §4.1.8, §5.3).

mod target;

use core::net::IpAddr;
use core::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    Acknowledgement, Delivery, Message, Reliability, SendError, SendOptions, Time,
};
use sheave_wire::{Ppid, StreamId};

use self::target::Target;
use super::Stack;
use super::close::Farewell;
use super::open::Ending;
use crate::abi::{Refusal, System};
use crate::control::{Controls, Generation};
use crate::notification::Description;
use crate::settings::DefaultSend;
use crate::socket::{Half, Kind, Room, Stage};
use crate::{Abi, AssocId32, Errno, SendCall, SocketId};

/// FreeBSD's limit for the reason in an ABORT, bytes.
const LONGEST_REASON: usize = 1448;

/// A call with its arguments parsed.
struct Request {
    controls: Controls,
    target: Target,
    /// The address from the call.
    destination: Option<IpAddr>,
    values: DefaultSend,
    policy: (u16, u32),
}

impl Stack {
    /// The error that [`send`](Self::send) would return now; `EAGAIN` if it would block.
    ///
    /// # Errors
    /// The errors of `sendmsg`.
    pub fn check_send(
        &mut self,
        now: Time,
        id: SocketId,
        call: &SendCall<'_>,
    ) -> Result<usize, Errno> {
        let request = self.read_call(id, call)?;
        let flags = self.abi.send_flags();
        let length = call.payload.len();
        if request.values.flags & (flags.end | flags.abort) != 0 {
            self.check_end(now, &request, request.target.associations(), length)?;
            return Ok(0);
        }
        let message = request.message(self, call.payload.clone());
        match request.target {
            Target::Known(number) => {
                let options = self.send_options(&request);
                let part = (message, options);
                if self.ending(id, call.flags, &request)? == Ending::Later {
                    self.check_part(now, id, number, &part)?;
                } else {
                    let (message, options) = self.with_open_parts(id, number, part)?;
                    self.check_one(now, number, &message, &options)?;
                }
            }
            Target::New(_) => {}
            Target::All(numbers) if numbers.is_empty() => return Ok(0),
            Target::All(numbers) => {
                let options = SendOptions {
                    key: request.controls.key,
                    ..SendOptions::default()
                };
                let mut checks = numbers.into_iter();
                checks.try_for_each(|number| self.check_one(now, number, &message, &options))?;
            }
        }
        Ok(length)
    }

    /// Sends a message, or ends associations if its flags say so (RFC 6458 §3.1.4, §5.3.4). Returns
    /// the bytes taken. `EPIPE` calls for SIGPIPE, unless the call had `MSG_NOSIGNAL`.
    ///
    /// # Errors
    /// The errors of `sendmsg`; `EAGAIN` if the call would block.
    pub fn send(&mut self, now: Time, id: SocketId, call: SendCall<'_>) -> Result<usize, Errno> {
        let request = self.read_call(id, &call)?;
        let flags = self.abi.send_flags();
        let numbers = match &request.target {
            Target::New(addresses) => {
                let init = request.controls.init;
                vec![self.begin(now, id, addresses, init)?]
            }
            target => target.associations().to_vec(),
        };
        if request.values.flags & (flags.end | flags.abort) != 0 {
            self.check_end(now, &request, &numbers, call.payload.len())?;
            let farewell = if request.values.flags & flags.abort != 0 {
                Farewell::Abortive
            } else {
                Farewell::Graceful
            };
            for number in numbers {
                self.end(now, number, farewell, call.payload.clone());
            }
            return Ok(0);
        }
        let length = if numbers.is_empty() {
            0
        } else {
            call.payload.len()
        };
        let ending = self.ending(id, call.flags, &request)?;
        let message = request.message(self, call.payload);
        let options = self.send_options(&request);
        for number in numbers {
            let part = (message.clone(), options);
            match ending {
                Ending::Later => {
                    self.check_part(now, id, number, &part)?;
                    self.keep_part(now, number, part);
                }
                Ending::Here => {
                    let (message, options) = self.with_open_parts(id, number, part)?;
                    let stream = message.stream;
                    self.check_one(now, number, &message, &options)?;
                    self.send_one(now, number, message, options)?;
                    self.close_message(number, stream);
                }
                Ending::Alone => {
                    let (message, options) = part;
                    self.check_one(now, number, &message, &options)?;
                    self.send_one(now, number, message, options)?;
                }
            }
        }
        self.digest(now);
        Ok(length)
    }

    /// Whether a call ends its message; it does unless the program marks ends explicitly.
    fn ending(&self, id: SocketId, flags: i32, request: &Request) -> Result<Ending, Errno> {
        let marks = self.find(id)?.own.explicit_eor != 0;
        let is_marked = request.values.flags & self.abi.send_flags().end_of_record != 0
            || flags & self.abi.message_flags().end_of_record != 0;
        Ok(match (&request.target, marks && !is_marked) {
            (Target::All(_), _) => Ending::Alone,
            (_, true) => Ending::Later,
            (_, false) => Ending::Here,
        })
    }

    fn read_call(&mut self, id: SocketId, call: &SendCall<'_>) -> Result<Request, Errno> {
        let (controls, target) = match self.abi.system() {
            System::Linux => self.read_as_linux(id, call)?,
            System::FreeBsd => self.read_as_free_bsd(id, call)?,
        };
        let flags = self.abi.send_flags();
        let settings = match &target {
            Target::Known(number) => self.assocs.get(number).map(|found| &found.settings),
            _ => None,
        };
        let settings = settings.unwrap_or(&self.find(id)?.defaults);
        let mut values = controls.send.map_or(settings.send, |send| send.values);
        // On Linux, default flags do not end the association.
        if controls.send.is_none() && self.abi.system() == System::Linux {
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
        let request = Request {
            controls,
            target,
            destination: call.destination.map(|address| address.ip().to_canonical()),
            values,
            policy,
        };
        if !self.ends(&request.controls) {
            self.check_message(id, &request, call.payload.len())?;
        }
        Ok(request)
    }

    /// Checks the ancillary data and the receiver in Linux's order.
    fn read_as_linux(
        &mut self,
        id: SocketId,
        call: &SendCall<'_>,
    ) -> Result<(Controls, Target), Errno> {
        let socket = self.find(id)?;
        if socket.only_listens() {
            return Err(self.broken(id));
        }
        // Linux's smallest send buffer is 4608 bytes.
        let room = socket.own.send_buffer.map(|bytes| bytes.max(4608));
        if room.is_some_and(|room| call.payload.len() > room as usize) {
            return Err(Errno::EMSGSIZE);
        }
        let controls = Controls::parse(self.abi, call.control)?;
        if self.misfits(&controls, call.payload.len()) {
            return Err(Errno::EINVAL);
        }
        // RFC 6458 §4.1.6: a one-to-one socket is closed instead.
        let closes = socket.kind == Kind::OneToOne && self.ends(&controls);
        let overrides = controls.send_flags() & self.abi.send_flags().address_override != 0;
        if closes || overrides && call.destination.is_none() {
            return Err(Errno::EINVAL);
        }
        let is_shut = socket.writing == Half::Shut;
        let target = match self.target(id, call, &controls) {
            Err(Errno::EPIPE) => return Err(self.broken(id)),
            other => other?,
        };
        if is_shut {
            return Err(self.broken(id));
        }
        if let Target::New(addresses) = &target {
            self.check_connect(id, addresses)?;
        }
        Ok((controls, target))
    }

    /// Checks the ancillary data and the receiver in FreeBSD's order.
    fn read_as_free_bsd(
        &self,
        id: SocketId,
        call: &SendCall<'_>,
    ) -> Result<(Controls, Target), Errno> {
        if self.find(id)?.only_listens() {
            return Err(self.abi.refusal(Refusal::SendWhereListening));
        }
        let controls = Controls::parse(self.abi, call.control)?;
        let target = self.target_of_free_bsd(id, call, &controls)?;
        if self.misfits(&controls, call.payload.len()) {
            return Err(Errno::EINVAL);
        }
        if call.payload.len() > self.send_limit(id) {
            return Err(Errno::EMSGSIZE);
        }
        Ok((controls, target))
    }

    /// Whether a message ends its association (RFC 6458 §5.3.4).
    fn ends(&self, controls: &Controls) -> bool {
        let flags = self.abi.send_flags();
        controls.send_flags() & (flags.end | flags.abort) != 0
    }

    /// Whether the length contradicts the flags: only a message that ends its association may be
    /// empty, and a graceful end must be.
    fn misfits(&self, controls: &Controls, length: usize) -> bool {
        let is_graceful = controls.send_flags() & self.abi.send_flags().end != 0;
        is_graceful && length > 0 || length == 0 && !self.ends(controls)
    }

    /// Size of the largest message that fits the empty send buffer, bytes.
    pub(super) fn send_limit(&self, id: SocketId) -> usize {
        let own = self.find(id).ok().and_then(|socket| socket.own.send_buffer);
        own.map_or(self.defaults.send_buffer, |bytes| bytes as usize)
    }

    fn check_message(&self, id: SocketId, request: &Request, length: usize) -> Result<(), Errno> {
        let socket = self.find(id)?;
        let streams = match &request.target {
            Target::Known(number) => self.assocs.get(number).map(|found| found.outbound_streams),
            Target::New(_) => Some(
                request
                    .controls
                    .init
                    .map(|init| init.outbound_streams)
                    .filter(|streams| *streams > 0)
                    .unwrap_or(socket.defaults.init.outbound_streams),
            ),
            Target::All(_) => None,
        };
        if streams.is_some_and(|streams| request.values.stream >= streams) {
            return Err(Errno::EINVAL);
        }
        // A new association uses the keys of its socket.
        if let (Target::New(_), Some(key)) = (&request.target, request.controls.key)
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
            && let Target::Known(number) = request.target
            && length > self.fragmentation_point(number)
        {
            return Err(Errno::EMSGSIZE);
        }
        Ok(())
    }

    /// Whether FreeBSD lets a message's flags end these associations.
    fn check_end(
        &mut self,
        now: Time,
        request: &Request,
        numbers: &[AssocId32],
        length: usize,
    ) -> Result<(), Errno> {
        if self.abi.system() != System::FreeBsd {
            return Ok(());
        }
        let aborts = request.values.flags & self.abi.send_flags().abort != 0;
        if aborts && length > LONGEST_REASON {
            return Err(Errno::EMSGSIZE);
        }
        let options = SendOptions::default();
        let message = request.message(self, Bytes::from_static(&[0]));
        for number in numbers {
            if aborts && !self.is_up(*number) {
                return Err(Errno::EINVAL);
            }
            let shuts = self.check_one(now, *number, &message, &options);
            let is_late = shuts == Err(self.abi.refusal(Refusal::SendWhileShuttingDown));
            if is_late && !aborts {
                return shuts;
            }
        }
        Ok(())
    }

    /// Returns the pending error in place of `EPIPE`, as Linux does.
    fn broken(&mut self, id: SocketId) -> Errno {
        let error = self
            .sockets
            .get_mut(&id)
            .and_then(|socket| socket.error.take());
        error.unwrap_or(Errno::EPIPE)
    }

    fn send_options(&self, request: &Request) -> SendOptions {
        let flags = self.abi.send_flags();
        let (policy, value) = request.policy;
        let reliability = if policy == flags.timed && value > 0 {
            Reliability::Timed(Duration::from_millis(value.into()))
        } else if policy == flags.retransmissions {
            Reliability::Retransmissions(u8::try_from(value).unwrap_or(u8::MAX))
        } else if policy == flags.priority {
            Reliability::Priority(value)
        } else {
            Reliability::Reliable
        };
        let acknowledgement = if request.values.flags & flags.sack_immediately != 0 {
            Acknowledgement::Immediate
        } else {
            Acknowledgement::Delayed
        };
        // RFC 6458 §5.3.2: sends to an address other than the primary one.
        let over = request.values.flags & flags.address_override != 0;
        let destination = request.destination.filter(|_| over);
        let description = Description {
            context: request.values.context,
            time_to_live: value,
        };
        SendOptions {
            context: description.pack(),
            acknowledgement,
            reliability,
            destination,
            key: request.controls.key,
            ..SendOptions::default()
        }
    }

    pub(super) fn check_one(
        &mut self,
        now: Time,
        number: AssocId32,
        message: &Message,
        options: &SendOptions,
    ) -> Result<(), Errno> {
        let association = self.assocs.get_mut(&number).ok_or(Errno::EPIPE)?;
        let mut assoc = self
            .endpoint
            .assoc(association.engine)
            .ok_or(Errno::EPIPE)?;
        let outcome = assoc.check_send(now, message, options);
        // A message refused again does not change readiness, which would make the caller retry
        // endlessly.
        if let Err(SendError::BufferFull(_)) = outcome
            && association.room == Room::Free
        {
            association.room = Room::Full;
            if let Some(owner) = association.owner {
                self.touch(owner);
            }
        }
        let abi = self.abi;
        outcome.map_err(|error| errno(abi, &error))
    }

    fn send_one(
        &mut self,
        now: Time,
        number: AssocId32,
        message: Message,
        options: SendOptions,
    ) -> Result<(), Errno> {
        let abi = self.abi;
        let length = message.payload.len();
        let association = self.assocs.get_mut(&number).ok_or(Errno::EPIPE)?;
        association.used_at = now;
        let mut assoc = self
            .endpoint
            .assoc(association.engine)
            .ok_or(Errno::EPIPE)?;
        assoc
            .send(now, message, options)
            .map_err(|error| errno(abi, &error))?;
        // On Linux, a socket is writable if the next message is accepted, whatever its size.
        if abi.system() == System::Linux && !assoc.has_room(length) {
            association.room = Room::Full;
            if let Some(owner) = association.owner {
                self.touch(owner);
            }
        }
        Ok(())
    }

    /// The largest message that fits into one packet, bytes (RFC 6458 §8.1.16, §8.2.1).
    pub(super) fn fragmentation_point(&self, number: AssocId32) -> usize {
        let Some(association) = self.assocs.get(&number) else {
            return usize::MAX;
        };
        let paths = self.endpoint.paths_of(association.engine);
        let least = paths.iter().map(|path| path.pmtu).min().unwrap_or(1500);
        let ip = if association.peer.is_ipv4() { 20 } else { 40 };
        let udp = if association.settings.encapsulation == 0 {
            0
        } else {
            8
        };
        // The common header and the chunk header.
        let whole = usize::from(least).saturating_sub(ip + udp + 12 + association.data_header);
        match usize::try_from(association.settings.max_seg) {
            Ok(0) | Err(_) => whole,
            Ok(most) => whole.min(most),
        }
    }

    /// Whether an association is up.
    pub(super) fn is_up(&self, number: AssocId32) -> bool {
        self.assocs
            .get(&number)
            .is_some_and(|found| found.stage == Stage::Up)
    }
}

impl Request {
    fn message(&self, stack: &Stack, payload: Bytes) -> Message {
        let unordered = self.values.flags & stack.abi.send_flags().unordered != 0;
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
}

fn errno(abi: Abi, error: &SendError) -> Errno {
    match error {
        SendError::BufferFull(_) => Errno::EAGAIN,
        SendError::InvalidStream | SendError::Empty | SendError::Key(_) => Errno::EINVAL,
        SendError::TooLarge => Errno::EMSGSIZE,
        SendError::ShuttingDown => abi.refusal(Refusal::SendWhileShuttingDown),
    }
}
