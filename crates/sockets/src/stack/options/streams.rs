//! Options of streams (RFC 6525 §6.3, RFC 8260 §4.3).

use core::num::NonZeroU16;

use sheave_engine::{ReconfigurationError, StreamDirection, StreamScheduler, Time};
use sheave_wire::StreamId;

use super::{CURRENT, exact_int};
use crate::abi::{Field, Record, Refusal, Struct, System, View};
use crate::socket::{Kind, StreamRequest};
use crate::stack::Stack;
use crate::{AssocId32, Errno, SocketId};

impl Stack {
    /// RFC 6525 §6.3.2
    pub(super) fn reset_streams(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::ResetStreams, value)?;
        let found = self.assoc_to_reset(id, view.assoc());
        if self.abi.system() == System::FreeBsd && found.is_err() {
            return found.map(|_| ());
        }
        let count = usize::from(view.u16(Field::Count));
        let list = value
            .get(self.abi.layout(Struct::ResetStreams).size..)
            .unwrap_or_default();
        let list = list.get(..count * 2).ok_or(Errno::EINVAL)?;
        let streams: Vec<StreamId> = list
            .as_chunks()
            .0
            .iter()
            .map(|bytes| StreamId(u16::from_ne_bytes(*bytes)))
            .collect();
        let flags = match self.abi.system() {
            System::Linux => view.u16(Field::Flags),
            System::FreeBsd => view.u16(Field::Flags) & 3,
        };
        let number = found?;
        self.may_reset(number, 1)?;
        if flags == 0 || flags > 3 {
            return Err(Errno::EINVAL);
        }
        let requests = [
            (2, StreamDirection::Outgoing),
            (1, StreamDirection::Incoming),
        ];
        let requests = requests.into_iter().filter(|(bit, _)| flags & bit != 0);
        let requests =
            requests.map(|(_, direction)| StreamRequest::ResetStreams(direction, streams.clone()));
        self.reconfigure(now, number, requests)
    }

    /// RFC 6525 §6.3.3
    pub(super) fn reset_assoc(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let assoc = exact_int(self.abi, value)?.cast_signed();
        let number = self.assoc_to_reset(id, assoc)?;
        self.may_reset(number, 2)?;
        self.reconfigure(now, number, [StreamRequest::ResetAssociation])
    }

    /// RFC 6525 §6.3.4
    pub(super) fn add_streams(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::AddStreams, value)?;
        let number = self.assoc_to_reset(id, view.assoc())?;
        let (inbound, outbound) = (
            view.u16(Field::InboundStreams),
            view.u16(Field::OutboundStreams),
        );
        self.may_reset(number, 4)?;
        if inbound == 0 && outbound == 0 {
            return Err(Errno::EINVAL);
        }
        let streams = self.assocs.get(&number).map(|found| found.inbound_streams);
        if streams
            .and_then(|streams| streams.checked_add(inbound))
            .is_none()
        {
            return Err(Errno::EINVAL);
        }
        let requests = [
            (outbound, StreamDirection::Outgoing),
            (inbound, StreamDirection::Incoming),
        ];
        let requests = requests.into_iter().filter(|(count, _)| *count > 0);
        let requests =
            requests.map(|(count, direction)| StreamRequest::AddStreams(direction, count));
        self.reconfigure(now, number, requests)
    }

    fn assoc_to_reset(&self, id: SocketId, assoc: AssocId32) -> Result<AssocId32, Errno> {
        let found = self.one_assoc(id, assoc);
        found.map_err(|_| self.abi.refusal(Refusal::NoAssociation))
    }

    /// Rejects a request that `SCTP_ENABLE_STREAM_RESET` does not allow; on FreeBSD the option only
    /// covers requests of the peer.
    fn may_reset(&self, number: AssocId32, bit: u32) -> Result<(), Errno> {
        let found = self.assocs.get(&number);
        let may = found.is_some_and(|found| {
            let enabled = match self.abi.system() {
                System::Linux => found.settings.stream_reset & bit != 0,
                System::FreeBsd => true,
            };
            found.settings.reconfig_supported != 0 && enabled
        });
        match may {
            true => Ok(()),
            false => Err(self.abi.refusal(Refusal::NoReconfiguration)),
        }
    }

    /// Sends a request, or its two halves in turn.
    fn reconfigure(
        &mut self,
        now: Time,
        number: AssocId32,
        requests: impl IntoIterator<Item = StreamRequest>,
    ) -> Result<(), Errno> {
        let (mut requests, abi) = (requests.into_iter(), self.abi);
        let association = self.assocs.get_mut(&number).ok_or(Errno::EINVAL)?;
        let assoc = self.endpoint.assoc(association.engine);
        let (assoc, first) = assoc.zip(requests.next()).ok_or(Errno::EINVAL)?;
        if association.next_request.is_some() {
            return Err(abi.refusal(Refusal::Busy));
        }
        first.make(now, assoc).map_err(|error| match error {
            ReconfigurationError::Unavailable => Errno::ENOPROTOOPT,
            ReconfigurationError::NotEstablished => abi.refusal(Refusal::NotUp),
            ReconfigurationError::Busy => abi.refusal(Refusal::Busy),
            ReconfigurationError::UnknownStream | ReconfigurationError::BadCount => Errno::EINVAL,
        })?;
        association.request = Some(first);
        association.next_request = requests.next();
        Ok(())
    }

    /// RFC 8260 §4.3.2
    pub(super) fn set_scheduler(
        &mut self,
        now: Time,
        id: SocketId,
        assoc: AssocId32,
        wanted: u32,
    ) -> Result<(), Errno> {
        let schedule = self.abi.scheduler(wanted).ok_or(Errno::EINVAL)?;
        let (_, numbers) = self.reach(id, assoc)?;
        self.change(now, id, assoc, |settings| {
            settings.scheduler = schedule;
            settings.scheduler_number = wanted;
        })?;
        for number in numbers {
            if let Some(mut assoc) = self.engine_assoc(number) {
                assoc.set_stream_scheduler(now, schedule);
            }
        }
        Ok(())
    }

    /// RFC 8260 §4.3.3
    pub(super) fn set_stream_value(
        &mut self,
        now: Time,
        id: SocketId,
        value: &[u8],
    ) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::StreamValue, value)?;
        let (stream, wanted) = (StreamId(view.u16(Field::Stream)), view.u16(Field::Value));
        if let Ok(number) = self.one_assoc(id, view.assoc()) {
            return self.set_value_of(now, number, stream, wanted);
        }
        let socket = self.find(id)?;
        let is_linux = self.abi.system() == System::Linux;
        if socket.kind == Kind::OneToMany && view.assoc() != CURRENT {
            return self.one_assoc(id, view.assoc()).map(|_| ());
        }
        if socket.kind != Kind::OneToMany && !is_linux {
            return Err(Errno::EINVAL);
        }
        let numbers: Vec<AssocId32> = socket.assocs.iter().copied().collect();
        let outcomes = numbers
            .into_iter()
            .map(|number| self.set_value_of(now, number, stream, wanted));
        // A refusal by one association does not affect the others.
        let outcome = outcomes.fold(Ok(()), Result::and);
        if is_linux { outcome } else { Ok(()) }
    }

    fn set_value_of(
        &mut self,
        now: Time,
        number: AssocId32,
        stream: StreamId,
        wanted: u16,
    ) -> Result<(), Errno> {
        let system = self.abi.system();
        let mut assoc = self.engine_assoc(number).ok_or(Errno::EINVAL)?;
        if system == System::FreeBsd && assoc.stream_scheduler() != StreamScheduler::Priority {
            return Err(Errno::EINVAL);
        }
        let outcome = match (assoc.stream_scheduler(), NonZeroU16::new(wanted)) {
            (StreamScheduler::WeightedFairQueueing, Some(weight)) => {
                assoc.set_stream_weight(now, stream, weight)
            }
            (StreamScheduler::WeightedFairQueueing, None) => return Err(Errno::EINVAL),
            _ => assoc.set_stream_priority(now, stream, wanted),
        };
        outcome.map_err(|_| Errno::EINVAL)
    }

    /// RFC 8260 §4.3.3
    pub(super) fn stream_value(&mut self, id: SocketId, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::StreamValue, given)?;
        let number = self.one_assoc(id, view.assoc())?;
        let association = self.assocs.get(&number);
        let streams = association.map_or(0, |found| found.outbound_streams);
        let stream = StreamId(view.u16(Field::Stream));
        if stream.0 >= streams {
            return Err(Errno::EINVAL);
        }
        let value = match self.settings_of(id, number)?.scheduler {
            StreamScheduler::Priority => self.value_of(number, stream)?,
            _ if self.abi.system() == System::FreeBsd => return Err(Errno::EINVAL),
            // Like Linux: other schedulers have no value, so the given bytes stay.
            _ => view.u16(Field::Value),
        };
        Ok(Record::new(self.abi, Struct::StreamValue)
            .set_signed(Field::Assoc, view.assoc())
            .set(Field::Stream, stream.0)
            .set(Field::Value, value)
            .into_bytes())
    }

    fn value_of(&mut self, number: AssocId32, stream: StreamId) -> Result<u16, Errno> {
        let assoc = self.engine_assoc(number).ok_or(Errno::EINVAL)?;
        Ok(match assoc.stream_scheduler() {
            StreamScheduler::Priority => assoc.stream_priority(stream),
            StreamScheduler::WeightedFairQueueing => assoc.stream_weight(stream),
            _ => 0,
        })
    }
}
