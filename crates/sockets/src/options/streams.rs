//! Options of streams (RFC 6525 §6.3, RFC 8260 §4.3).

use core::num::NonZeroU16;

use sheave_engine::{StreamDirection, StreamScheduler};
use sheave_wire::StreamId;

use super::values::exact_int;
use super::{Change, Query};
use crate::abi::{Field, Record, Refusal, Struct, System, View};
use crate::association::StreamRequest;
use crate::lookup::CURRENT;
use crate::socket::Kind;
use crate::{AssocId32, Errno};

impl Change<'_> {
    /// RFC 6525 §6.3.2
    pub(super) fn reset_streams(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::ResetStreams, value)?;
        let found = self.assoc_to_reset(view.assoc());
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
        let flags = self
            .abi
            .system()
            .pick(view.u16(Field::Flags), view.u16(Field::Flags) & 3);
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
        self.reconfigure(number, requests)
    }

    /// RFC 6525 §6.3.3
    pub(super) fn reset_assoc(&mut self, value: &[u8]) -> Result<(), Errno> {
        let assoc = exact_int(self.abi, value)?.cast_signed();
        let number = self.assoc_to_reset(assoc)?;
        self.may_reset(number, 2)?;
        self.reconfigure(number, [StreamRequest::ResetAssociation])
    }

    /// RFC 6525 §6.3.4
    pub(super) fn add_streams(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::exactly(self.abi, Struct::AddStreams, value)?;
        let number = self.assoc_to_reset(view.assoc())?;
        let (inbound, outbound) = (
            view.u16(Field::InboundStreams),
            view.u16(Field::OutboundStreams),
        );
        self.may_reset(number, 4)?;
        if inbound == 0 && outbound == 0 {
            return Err(Errno::EINVAL);
        }
        let streams = self.associations.find(number)?.inbound_streams;
        if streams.checked_add(inbound).is_none() {
            return Err(Errno::EINVAL);
        }
        let requests = [
            (outbound, StreamDirection::Outgoing),
            (inbound, StreamDirection::Incoming),
        ];
        let requests = requests.into_iter().filter(|(count, _)| *count > 0);
        let requests =
            requests.map(|(count, direction)| StreamRequest::AddStreams(direction, count));
        self.reconfigure(number, requests)
    }

    fn assoc_to_reset(&self, assoc: AssocId32) -> Result<AssocId32, Errno> {
        let found = self.lookup().one_assoc(assoc);
        found.map_err(|_| self.abi.refusal(Refusal::NoAssociation))
    }

    /// Rejects a request that `SCTP_ENABLE_STREAM_RESET` does not allow; on FreeBSD the option only
    /// covers requests of the peer.
    fn may_reset(&self, number: AssocId32, bit: u32) -> Result<(), Errno> {
        let found = self.associations.get(number);
        let may = found.is_some_and(|found| {
            let enabled = self
                .abi
                .system()
                .pick(found.settings.stream_reset & bit != 0, true);
            found.settings.reconfig_supported != 0 && enabled
        });
        match may {
            true => Ok(()),
            false => Err(self.abi.refusal(Refusal::NoReconfiguration)),
        }
    }

    fn reconfigure(
        &mut self,
        number: AssocId32,
        requests: impl IntoIterator<Item = StreamRequest>,
    ) -> Result<(), Errno> {
        let now = self.now;
        self.attached(number)?.reconfigure(now, requests)
    }

    /// RFC 8260 §4.3.2
    pub(super) fn set_scheduler(&mut self, assoc: AssocId32, wanted: u32) -> Result<(), Errno> {
        let schedule = self.abi.scheduler(wanted).ok_or(Errno::EINVAL)?;
        let (_, numbers) = self.lookup().reach(assoc)?;
        self.change(assoc, |settings| {
            settings.scheduler = schedule;
            settings.scheduler_number = wanted;
        })?;
        let now = self.now;
        for number in numbers {
            if let Ok(mut assoc) = self.engine(number) {
                assoc.set_stream_scheduler(now, schedule);
            }
        }
        Ok(())
    }

    /// RFC 8260 §4.3.3
    pub(super) fn set_stream_value(&mut self, value: &[u8]) -> Result<(), Errno> {
        let view = View::new(self.abi, Struct::StreamValue, value)?;
        let (stream, wanted) = (StreamId(view.u16(Field::Stream)), view.u16(Field::Value));
        if let Ok(number) = self.lookup().one_assoc(view.assoc()) {
            return self.set_value_of(number, stream, wanted);
        }
        let socket = &*self.socket;
        let is_linux = self.abi.system() == System::Linux;
        if socket.kind == Kind::OneToMany && view.assoc() != CURRENT {
            return self.lookup().one_assoc(view.assoc()).map(|_| ());
        }
        if socket.kind != Kind::OneToMany && !is_linux {
            return Err(Errno::EINVAL);
        }
        let numbers: Vec<AssocId32> = socket.assocs.iter().copied().collect();
        let outcomes = numbers
            .into_iter()
            .map(|number| self.set_value_of(number, stream, wanted));
        // A refusal by one association does not affect the others.
        let outcome = outcomes.fold(Ok(()), Result::and);
        if is_linux { outcome } else { Ok(()) }
    }

    fn set_value_of(
        &mut self,
        number: AssocId32,
        stream: StreamId,
        wanted: u16,
    ) -> Result<(), Errno> {
        let (now, system) = (self.now, self.abi.system());
        let mut assoc = self.engine(number)?;
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
}

impl Query<'_> {
    /// RFC 8260 §4.3.3
    pub(super) fn stream_value(&mut self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::StreamValue, given)?;
        let (number, association) = self.lookup().one(view.assoc())?;
        let stream = StreamId(view.u16(Field::Stream));
        let has_values = association.settings.scheduler == StreamScheduler::Priority;
        if stream.0 >= association.outbound_streams
            || !has_values && self.abi.system() == System::FreeBsd
        {
            return Err(Errno::EINVAL);
        }
        let value = self.value_of(number, stream)?;
        Ok(Record::of(self.abi, Struct::StreamValue, view.assoc())
            .set(Field::Stream, stream.0)
            .set(Field::Value, value)
            .into_bytes())
    }

    fn value_of(&mut self, number: AssocId32, stream: StreamId) -> Result<u16, Errno> {
        let assoc = self.engine(number)?;
        Ok(match assoc.stream_scheduler() {
            StreamScheduler::Priority => assoc.stream_priority(stream),
            StreamScheduler::WeightedFairQueueing => assoc.stream_weight(stream),
            _ => 0,
        })
    }
}
