//! Observations of a run.

use std::collections::BTreeMap;

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::wire::ChunkType;
use sheave_engine::{AssocId, CloseReason, Event, Message, Part, Received, Time};

use super::{A, HostId, Record, World, Z, blob, secs};

impl World {
    /// Checks that the association ended gracefully at both hosts and left nothing behind.
    #[track_caller]
    pub(crate) fn assert_graceful(&mut self) {
        for host in [A, Z] {
            assert_eq!(self.close_reason(host), Some(CloseReason::Graceful));
            let stats = self.endpoint(host).stats();
            assert_eq!((stats.associations, stats.buffered), (0, 0), "{host:?}");
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// Hash of all events and arrived packets.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.hash
    }

    pub(crate) fn log(&self) -> &[Record] {
        &self.log
    }

    /// Packets that arrived at a host without an engine, in order.
    pub(crate) fn inbox(&self, host: HostId) -> &[Record] {
        &self.hosts[host.0].inbox
    }

    /// Packets that a host sent.
    pub(crate) fn sent(&self, host: HostId) -> impl Iterator<Item = &Record> {
        let addresses = &self.hosts[host.0].addresses;
        self.log
            .iter()
            .filter(|record| addresses.contains(&record.from))
    }

    /// Packets with such a chunk that a host sent.
    pub(crate) fn sent_with(
        &self,
        host: HostId,
        chunk_type: ChunkType,
    ) -> impl Iterator<Item = &Record> {
        self.sent(host).filter(move |record| record.has(chunk_type))
    }

    /// When a host sent packets with such a chunk.
    pub(crate) fn times(&self, host: HostId, chunk_type: ChunkType) -> Vec<Time> {
        self.sent_with(host, chunk_type)
            .map(|record| record.at)
            .collect()
    }

    /// Time from `began` to each later packet with such a chunk that a host sent.
    pub(crate) fn delays(&self, host: HostId, chunk_type: ChunkType, began: Time) -> Vec<Duration> {
        let times = self.times(host, chunk_type).into_iter();
        times
            .filter(|at| *at >= began)
            .map(|at| at.since(began))
            .collect()
    }

    /// Destinations of a host's packets with such a chunk, in order, from `began` on.
    pub(crate) fn destinations(
        &self,
        host: HostId,
        chunk_type: ChunkType,
        began: Time,
    ) -> Vec<IpAddr> {
        let sent = self.sent_with(host, chunk_type);
        let sent = sent.filter(|record| record.at >= began);
        sent.map(|record| record.to).collect()
    }

    /// A sends a message; the destinations of its DATA within a second.
    pub(crate) fn ways_of_a_message(&mut self) -> Vec<IpAddr> {
        let began = self.now;
        self.send(A, blob(0, 1000));
        self.run_for(secs(1));
        self.destinations(A, ChunkType::DATA, began)
    }

    pub(crate) fn count(&self, host: HostId, chunk_type: ChunkType) -> usize {
        self.sent_with(host, chunk_type).count()
    }

    pub(crate) fn events(&self, host: HostId) -> Vec<Event> {
        self.hosts[host.0]
            .events
            .iter()
            .map(|(_, _, event)| event.clone())
            .collect()
    }

    pub(crate) fn timed_events(&self, host: HostId) -> &[(Time, AssocId, Event)] {
        &self.hosts[host.0].events
    }

    pub(crate) fn saw(&self, host: HostId, event: &Event) -> bool {
        self.hosts[host.0]
            .events
            .iter()
            .any(|(_, _, seen)| seen == event)
    }

    pub(crate) fn count_events(&self, host: HostId, event: &Event) -> usize {
        let events = self.hosts[host.0].events.iter();
        events.filter(|(_, _, seen)| seen == event).count()
    }

    /// Why the host's last association ended.
    pub(crate) fn close_reason(&self, host: HostId) -> Option<CloseReason> {
        self.hosts[host.0]
            .events
            .iter()
            .rev()
            .find_map(|(_, _, event)| match event {
                Event::Closed { reason, .. } => Some(reason.clone()),
                _ => None,
            })
    }

    /// Whether the host's last association was aborted by its peer.
    pub(crate) fn was_aborted(&self, host: HostId) -> bool {
        let reason = self.close_reason(host);
        matches!(reason, Some(CloseReason::AbortedByPeer { .. }))
    }

    /// Cause code with which the host ended its last association because its peer broke a rule.
    pub(crate) fn peer_fault(&self, host: HostId) -> Option<u16> {
        match self.close_reason(host) {
            Some(CloseReason::PeerFault { cause, .. }) => Some(cause),
            _ => None,
        }
    }

    /// Messages and parts in reading order.
    pub(crate) fn received(&self, host: HostId) -> &[(Time, AssocId, Received)] {
        &self.hosts[host.0].received
    }

    /// Parts of messages in reading order.
    pub(crate) fn parts(&self, host: HostId) -> Vec<Part> {
        let received = self.hosts[host.0].received.iter();
        received.map(|(_, _, received)| received.part).collect()
    }

    /// Clears the list of read messages.
    pub(crate) fn forget_received(&mut self, host: HostId) {
        self.hosts[host.0].received.clear();
    }

    /// Contexts of the messages returned to the host.
    pub(crate) fn failed(&self, host: HostId) -> Vec<u64> {
        let events = self.hosts[host.0].events.iter();
        events
            .filter_map(|(_, _, event)| match event {
                Event::SendFailed { context, .. } => Some(*context),
                _ => None,
            })
            .collect()
    }

    /// Whole messages in reading order, with parts joined.
    pub(crate) fn messages(&self, host: HostId) -> Vec<Message> {
        let mut partial: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
        let mut whole = Vec::new();
        for (_, _, Received { message, part, .. }) in &self.hosts[host.0].received {
            let held = partial.entry(message.stream.0).or_default();
            if matches!(part, Part::Whole | Part::First) {
                // A message begun before, if any, was abandoned.
                held.clear();
            }
            held.extend_from_slice(&message.payload);
            if matches!(part, Part::Whole | Part::Last) {
                let payload = partial.remove(&message.stream.0).unwrap_or_default();
                whole.push(Message {
                    payload: payload.into(),
                    ..message.clone()
                });
            }
        }
        whole
    }

    /// The messages' bytes as text.
    pub(crate) fn texts(&self, host: HostId) -> Vec<String> {
        let messages = self.messages(host);
        messages
            .iter()
            .map(|message| String::from_utf8_lossy(&message.payload).into_owned())
            .collect()
    }
}
