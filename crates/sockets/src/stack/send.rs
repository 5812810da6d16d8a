//! Sending messages (RFC 6458 §3.1.4, §4.1.8, §5.3).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use bytes::Bytes;
use sheave_engine::{
    Acknowledgement, Delivery, Message, Reliability, SendError, SendOptions, Time,
};
use sheave_wire::{Ppid, StreamId};

use super::Stack;
use super::close::Farewell;
use crate::abi::System;
use crate::control::{Controls, Generation};
use crate::notification::Description;
use crate::settings::DefaultSend;
use crate::socket::{Half, Kind, Room, Stage};
use crate::{AssocId32, Errno, SendCall, SocketId};

/// A call whose arguments were read.
struct Request {
    controls: Controls,
    target: Target,
    /// The address that was given.
    destination: Option<IpAddr>,
    values: DefaultSend,
    policy: (u16, u32),
}

/// The receiver of a message.
enum Target {
    Known(AssocId32),
    /// A peer that the message itself begins an association with (RFC 6458 §3.4).
    New(Vec<SocketAddr>),
    /// All associations of a one-to-many socket.
    All(Vec<AssocId32>),
}

impl Stack {
    /// The error that [`send`](Self::send) would return now; `EAGAIN` where it would have to wait.
    ///
    /// # Errors
    /// As `sendmsg`.
    pub fn check_send(
        &mut self,
        now: Time,
        id: SocketId,
        call: &SendCall<'_>,
    ) -> Result<(), Errno> {
        let request = self.read_call(id, call)?;
        let flags = self.abi.send_flags();
        if request.values.flags & (flags.end | flags.abort) != 0 {
            return Ok(());
        }
        let message = request.message(self, call.payload.clone());
        match request.target {
            Target::Known(number) => {
                let options = self.send_options(&request);
                self.check_one(now, number, &message, &options)
            }
            Target::New(_) => Ok(()),
            Target::All(numbers) => {
                let options = SendOptions::default();
                let mut checks = numbers.into_iter();
                checks.try_for_each(|number| self.check_one(now, number, &message, &options))
            }
        }
    }

    /// Sends a message, or does what its flags say instead (RFC 6458 §3.1.4, §5.3.4). Returns the
    /// bytes taken. `EPIPE` asks for a SIGPIPE unless the call had `MSG_NOSIGNAL`.
    ///
    /// # Errors
    /// As `sendmsg`; `EAGAIN` where it would have to wait.
    pub fn send(&mut self, now: Time, id: SocketId, call: SendCall<'_>) -> Result<usize, Errno> {
        let request = self.read_call(id, &call)?;
        let flags = self.abi.send_flags();
        let numbers = match &request.target {
            Target::Known(number) => vec![*number],
            Target::All(numbers) => numbers.clone(),
            Target::New(addresses) => {
                let init = request.controls.init;
                vec![self.begin(now, id, addresses, init)?]
            }
        };
        if request.values.flags & (flags.end | flags.abort) != 0 {
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
        let length = call.payload.len();
        let message = request.message(self, call.payload);
        let options = self.send_options(&request);
        for number in numbers {
            self.check_one(now, number, &message, &options)?;
            self.send_one(now, number, message.clone(), options)?;
        }
        self.digest(now);
        Ok(length)
    }

    fn read_call(&mut self, id: SocketId, call: &SendCall<'_>) -> Result<Request, Errno> {
        let controls = Controls::parse(self.abi, call.control)?;
        let flags = self.abi.send_flags();
        let said = controls.send.map_or(0, |send| send.values.flags);
        let ends = said & (flags.end | flags.abort) != 0;
        if said & flags.end != 0 && !call.payload.is_empty() || !ends && call.payload.is_empty() {
            return Err(Errno::EINVAL);
        }
        let socket = self.find(id)?;
        if socket.kind == Kind::OneToOne && socket.backlog.is_some() {
            return Err(Errno::EPIPE);
        }
        // RFC 6458 §4.1.6: such a socket is closed instead.
        let refuses = self.abi.system() == System::Linux;
        if refuses && socket.kind == Kind::OneToOne && ends {
            return Err(Errno::EINVAL);
        }
        if socket.writing == Half::Shut {
            return Err(self.broken(id));
        }
        let target = match self.target(id, call, &controls) {
            Err(Errno::EPIPE) => return Err(self.broken(id)),
            other => other?,
        };
        let settings = match &target {
            Target::Known(number) => self.assocs.get(number).map(|found| &found.settings),
            _ => None,
        };
        let settings = settings.unwrap_or(&self.find(id)?.defaults);
        let mut values = controls.send.map_or(settings.send, |send| send.values);
        let default_life = settings.send.time_to_live;
        let mut policy = (settings.pr_policy, settings.pr_value);
        if let Some(send) = controls.send
            && send.generation == Generation::SndRcv
        {
            policy = (values.flags & flags.policies, values.time_to_live);
            // A time to live without a policy is one (RFC 6458 §5.3.2).
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
        if !ends {
            self.check_message(id, &request, call.payload.len())?;
        }
        Ok(request)
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
        // RFC 6458 §8.1.11
        if socket.own.disable_fragments != 0
            && let Target::Known(number) = request.target
            && length > self.fragmentation_point(number)
        {
            return Err(Errno::EMSGSIZE);
        }
        Ok(())
    }

    fn target(
        &self,
        id: SocketId,
        call: &SendCall<'_>,
        controls: &Controls,
    ) -> Result<Target, Errno> {
        let socket = self.find(id)?;
        let flags = self.abi.send_flags();
        let said = controls.send.map_or(0, |send| send.values.flags);
        if socket.kind == Kind::OneToMany
            && said & flags.send_all != 0
            && call.destination.is_none()
        {
            return Ok(Target::All(socket.assocs.iter().copied().collect()));
        }
        let destination = call.destination.filter(|_| socket.kind != Kind::PeeledOff);
        let Some(destination) = destination else {
            let number = match socket.kind {
                Kind::OneToMany => controls.send.map_or(0, |send| send.assoc),
                _ => match socket.only_assoc() {
                    Some(number) => number,
                    None => return Err(Errno::EPIPE),
                },
            };
            if socket.assocs.contains(&number) {
                return Ok(Target::Known(number));
            }
            return Err(Errno::EPIPE);
        };
        if !socket.takes(&destination.ip().to_canonical()) {
            return Err(Errno::EINVAL);
        }
        if let Some(number) = self.assoc_with(id, destination) {
            return Ok(Target::Known(number));
        }
        if socket.kind == Kind::OneToOne && !socket.assocs.is_empty() {
            return Err(Errno::EADDRNOTAVAIL);
        }
        if said & (flags.end | flags.abort) != 0 {
            return Err(Errno::EINVAL);
        }
        let mut addresses = vec![destination];
        let more = controls.destinations.iter();
        addresses.extend(more.map(|ip| SocketAddr::new(*ip, destination.port())));
        Ok(Target::New(addresses))
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
        // RFC 6458 §5.3.2: elsewhere than to the primary address.
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
        }
    }

    fn check_one(
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
        if let Err(SendError::BufferFull(_)) = outcome {
            association.room = Room::Full;
            if let Some(owner) = association.owner {
                self.touch(owner);
            }
        }
        outcome.map_err(|error| errno(&error))
    }

    fn send_one(
        &mut self,
        now: Time,
        number: AssocId32,
        message: Message,
        options: SendOptions,
    ) -> Result<(), Errno> {
        let association = self.assocs.get_mut(&number).ok_or(Errno::EPIPE)?;
        association.used_at = now;
        let mut assoc = self
            .endpoint
            .assoc(association.engine)
            .ok_or(Errno::EPIPE)?;
        assoc
            .send(now, message, options)
            .map_err(|error| errno(&error))
    }

    /// Bytes of a message that fit one packet (RFC 6458 §8.1.16, §8.2.1).
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
        // The common header and that of a DATA chunk.
        let whole = usize::from(least).saturating_sub(ip + udp + 12 + 16);
        match usize::try_from(association.settings.max_seg) {
            Ok(0) | Err(_) => whole,
            Ok(most) => whole.min(most),
        }
    }

    /// Whether an association of a socket is up.
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

fn errno(error: &SendError) -> Errno {
    match error {
        SendError::BufferFull(_) => Errno::EAGAIN,
        SendError::InvalidStream | SendError::Empty => Errno::EINVAL,
        SendError::TooLarge => Errno::EMSGSIZE,
        SendError::ShuttingDown => Errno::ESHUTDOWN,
    }
}
