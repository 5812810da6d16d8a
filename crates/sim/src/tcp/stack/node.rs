//! Receiving and sending of a stack's segments.

use sheave_engine::{
    Checksum, Datagram, Ecn, Fragmentation, Marking, Node, PeerAddress, Time, Transmit,
};

use super::slot::{Opener, ReadyState, Slot};
use super::{ConnectionId, Event, Stack};
use crate::tcp::segment::{self, Flags, Header, Segment};
use crate::tcp::tcb::{Reaction, Tcb, Tuple};
use crate::tcp::{Phase, Seq, earlier};

impl Node for Stack {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        let (local, remote) = (datagram.local, datagram.remote.ip);
        let bytes = datagram.payload;
        if self.checksum == Checksum::Computed && !segment::checksum_is_valid(bytes, remote, local)
        {
            self.stats.checksum_errors += 1;
            return;
        }
        let parsed = Segment::parse(bytes);
        // A reference avoids moving the large segment.
        let Ok(segment) = &parsed else {
            self.stats.malformed += 1;
            return;
        };
        let tuple = Tuple {
            local,
            local_port: segment.header.destination_port,
            remote,
            remote_port: segment.header.source_port,
        };
        match self.find(&tuple) {
            Some(id) => self.on_segment(now, id, segment),
            None => self.on_misdirected(tuple, segment),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        self.file_ready();
        while let Some(&(at, id)) = self.deadlines.first() {
            if at > now {
                break;
            }
            self.deadlines.pop_first();
            let Some(slot) = self.connections.get_mut(id) else {
                continue;
            };
            slot.filed = None;
            if slot.deadline().is_some_and(|at| at <= now) {
                let before = slot.tcb.phase();
                let reaction = slot.tcb.on_timeout(now);
                if !before.is_synchronised() && slot.tcb.phase() == Phase::Closed {
                    self.on_opened(id, Phase::Closed);
                }
                self.react(id, reaction);
            }
            if let Some(slot) = self.connections.get_mut(id) {
                slot.file_deadline(id, &mut self.deadlines);
            }
        }
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        _max_segments: usize,
    ) -> Option<Transmit> {
        buf.clear();
        if !self.replies.is_empty() {
            return self.poll_reply(buf);
        }
        while let Some(&id) = self.ready.front() {
            if let Some(slot) = self.connections.get_mut(id) {
                if slot.tcb.poll(now, self.checksum, buf) {
                    // Round robin: the other connections come first.
                    if self.ready.len() > 1 {
                        self.ready.rotate_left(1);
                    }
                    return Some(transmit(slot.tcb.tuple()));
                }
                slot.ready = ReadyState::No;
                slot.file_deadline(id, &mut self.deadlines);
            }
            self.ready.pop_front();
        }
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        let filed = self.deadlines.first().map(|(at, _)| *at);
        if self.ready.is_empty() {
            return filed;
        }
        self.ready.iter().fold(filed, |least, id| {
            let slot = self.connections.get(*id);
            earlier(least, slot.and_then(Slot::deadline))
        })
    }
}

impl Stack {
    /// Files the deadlines of all connections in `ready`.
    fn file_ready(&mut self) {
        for id in &self.ready {
            if let Some(slot) = self.connections.get_mut(*id) {
                slot.file_deadline(*id, &mut self.deadlines);
            }
        }
    }

    fn on_segment(&mut self, now: Time, id: ConnectionId, segment: &Segment<'_>) {
        let Some(slot) = self.connections.get_mut(id) else {
            return;
        };
        let before = slot.sight();
        let reaction = slot.tcb.handle(now, segment);
        let after = slot.sight();
        if !before.phase.is_synchronised() && after.phase.is_synchronised() {
            self.on_opened(id, after.phase);
        }
        let Some(slot) = self.connections.get_mut(id) else {
            return;
        };
        slot.tell(id, before, after, &mut self.events);
        match reaction {
            Reaction::Nothing => slot.enlist(id, &mut self.ready),
            _ => self.react(id, reaction),
        }
    }

    // RFC 9293 §3.10.7.1 and §3.10.7.2
    fn on_misdirected(&mut self, tuple: Tuple, segment: &Segment<'_>) {
        let header = &segment.header;
        if header.flags.contains(Flags::RST) {
            return;
        }
        let listener = self.listeners.get_mut(&tuple.local_port);
        match (listener, header.ack) {
            (Some(listener), None) if header.flags.contains(Flags::SYN) => {
                if listener.half_open >= listener.backlog {
                    self.stats.backlog_drops += 1;
                    return;
                }
                listener.half_open += 1;
                let options = listener.options.clone();
                let isn = self.isn();
                self.add(Tcb::accept(tuple, &options, isn, header), Opener::Peer);
            }
            (Some(_), None) => {}
            (_, ack) => {
                self.stats.misdirected += 1;
                self.reply(tuple, refusal(tuple, segment, ack));
            }
        }
    }

    /// Handles the end of a handshake, successful or not.
    fn on_opened(&mut self, id: ConnectionId, phase: Phase) {
        let Some(slot) = self.connections.get(id) else {
            return;
        };
        let port = slot.tcb.tuple().local_port;
        if slot.origin == Opener::Peer
            && let Some(listener) = self.listeners.get_mut(&port)
        {
            listener.half_open = listener.half_open.saturating_sub(1);
        }
        if phase != Phase::Closed {
            self.stats.opened += 1;
            self.events.push_back(match slot.origin {
                Opener::Us => Event::Connected(id),
                Opener::Peer => Event::Accepted { id, port },
            });
        }
    }

    fn poll_reply(&mut self, buf: &mut Vec<u8>) -> Option<Transmit> {
        let (tuple, header) = self.replies.pop_front()?;
        header.write(buf);
        if self.checksum == Checksum::Computed {
            segment::seal(buf, tuple.local, tuple.remote);
        }
        Some(transmit(tuple))
    }
}

fn transmit(tuple: Tuple) -> Transmit {
    Transmit {
        local: tuple.local,
        remote: PeerAddress::native(tuple.remote),
        ecn: Ecn::NotEct,
        segment_size: None,
        // Like all current TCPs.
        fragmentation: Fragmentation::Forbidden,
        marking: Marking::default(),
    }
}

// RFC 9293 §3.5.2, group 1
fn refusal(tuple: Tuple, segment: &Segment<'_>, ack: Option<Seq>) -> Header {
    let span = u32::try_from(segment.span()).unwrap_or(0);
    let header = Header {
        source_port: tuple.local_port,
        destination_port: tuple.remote_port,
        flags: Flags::RST,
        ..Header::default()
    };
    match ack {
        Some(ack) => Header { seq: ack, ..header },
        None => Header {
            ack: Some(segment.header.seq.plus(span)),
            ..header
        },
    }
}
