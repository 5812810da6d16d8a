//! Giving messages up, and skipping what the peer has (RFC 3758).

use core::time::Duration;

use alloc::vec::Vec;

use sheave_wire::{
    ChunkType, ForwardTsn, IForwardTsn, List, MessageOrder, Mid, PacketWriter, RawChunk,
    SkippedMessages, SkippedStream, Ssn, StreamId, Tsn,
};

use super::closing::Ending;
use super::input::Reading;
use super::tcb::{Context, Tcb};
use crate::event::Events;
use crate::extensions::ExtensionSet;
use crate::inbound::Forward;
use crate::outbound::{Abandoned, Skip, Terms};
use crate::path::Path;
use crate::timers::Timer;
use crate::{Abandonments, Delivery, Event, PartialReliability, Phase, Policy, SendOptions, Time};

/// Bytes of a stream in a FORWARD TSN, and in an I-FORWARD-TSN.
const SKIPPED_LEN: usize = 4;
const INTERLEAVED_SKIPPED_LEN: usize = 8;

impl Tcb {
    /// Both sides may give messages up, or not.
    pub(super) fn adopt_partial_reliability(&mut self) {
        if self.told_to_skip_by().is_some() {
            self.inbound.allow_skips();
        }
        if self.partial_reliability() == PartialReliability::Off {
            self.outbound.forgo_partial();
        }
    }

    /// The chunk by which the peer tells us to skip what it has given up, if we said that we know it.
    ///
    /// DEVIATION RFC 8260 §2.3.1: I-FORWARD-TSN from a peer that has not listed it, too, if both ends
    /// interleave and may give messages up. Linux lists I-DATA alone, sends it all the same, and would
    /// repeat it until the association fails.
    fn told_to_skip_by(&self) -> Option<ChunkType> {
        let may_give_up = self.extensions.contains(ExtensionSet::PARTIAL_RELIABILITY);
        if self.interleaves() {
            let listed = self.extensions.contains(ExtensionSet::I_FORWARD_TSN);
            (listed || may_give_up).then_some(ChunkType::I_FORWARD_TSN)
        } else {
            may_give_up.then_some(ChunkType::FORWARD_TSN)
        }
    }

    /// Whether both sides agreed that messages may be given up.
    pub(crate) fn partial_reliability(&self) -> PartialReliability {
        // RFC 8260 §2.3.1: where messages are interleaved, it takes I-FORWARD-TSN.
        let needed = if self.interleaves() {
            ExtensionSet::PARTIAL_RELIABILITY.union(ExtensionSet::I_FORWARD_TSN)
        } else {
            ExtensionSet::PARTIAL_RELIABILITY
        };
        if self.extensions.contains(needed) {
            PartialReliability::On
        } else {
            PartialReliability::Off
        }
    }

    /// How long a message is worth sending that is handed in now. Before the peer has said anything
    /// of itself, the best is hoped for.
    pub(super) fn terms(&self, now: Time, options: &SendOptions) -> Option<Terms> {
        let may = match self.phase {
            Phase::CookieWait => self.options.partial_reliability,
            _ => self.partial_reliability(),
        };
        match may {
            PartialReliability::On => Terms::of(options.reliability, now),
            PartialReliability::Off => None,
        }
    }

    pub(crate) fn abandonments(&self, policy: Policy, stream: Option<StreamId>) -> Abandonments {
        self.outbound.abandonments(policy, stream)
    }

    /// Sees, after something happened, what is to be given up and to be skipped, and tells the user.
    pub(super) fn settle_partial(&mut self, cx: &mut Context<'_>) {
        if !self.outbound.is_partial() {
            return;
        }
        let rto = self.path(self.current).map(|path| &path.rto);
        let round_trip = rto.map_or(Duration::ZERO, |rto| rto.srtt().unwrap_or(rto.rto()));
        self.outbound.settle_partial(cx.now, round_trip);
        self.outbound
            .go_back_behind_skip(cx.now, round_trip, &mut self.paths);
        self.report_abandoned(cx.events);
        if !self.outbound.awaits_skip() {
            self.timers.stop(Timer::Skip);
        }
        self.watch_lifetimes();
    }

    pub(super) fn report_abandoned(&mut self, events: &mut Events) {
        for abandoned in self.outbound.take_abandoned() {
            let Abandoned {
                outgoing,
                policy,
                failure,
            } = abandoned;
            let event = Event::Abandoned {
                message: outgoing.message,
                context: outgoing.context,
                policy,
                failure,
            };
            events.push(self.id, event);
        }
    }

    /// Sets the timer for the message whose time runs out first.
    pub(super) fn watch_lifetimes(&mut self) {
        match self.outbound.next_deadline() {
            Some(at) => self.timers.set(Timer::Lifetime, at),
            None => self.timers.stop(Timer::Lifetime),
        }
    }

    pub(super) fn on_lifetime_timeout(&mut self, cx: &mut Context<'_>) {
        let was_empty = self.outbound.is_empty();
        self.outbound.expire(cx.now);
        self.settle_partial(cx);
        if !was_empty && self.outbound.is_empty() && self.phase >= Phase::Established {
            cx.events.push(self.id, Event::Drained);
            self.advance_shutdown(cx);
        }
    }

    /// A FORWARD TSN went unanswered for an RTO, and is sent again (RFC 3758 §3.5, C5). It counts
    /// as T3-rtx does, where no DATA is in flight that would count for itself.
    pub(super) fn on_skip_timeout(&mut self, cx: &mut Context<'_>) -> Result<(), Ending> {
        if !self.outbound.awaits_skip() || !self.phase.sends_data() {
            return Ok(());
        }
        if self.paths.iter().all(|path| path.flow.flight() == 0) {
            let options = self.options.clone();
            let index = self.current;
            self.count_failure(cx, index)?;
            if let Some(path) = self.path_mut(index) {
                path.rto.back_off(&options);
            }
        }
        self.outbound.skip_again();
        Ok(())
    }

    /// Whether a FORWARD TSN is to leave on the current path.
    #[inline]
    pub(super) fn owes_skip(&self) -> bool {
        self.outbound.owes_skip()
            && self.phase.sends_data()
            && self.path(self.current).is_some_and(Path::is_confirmed)
    }

    /// Writes the FORWARD TSN that is due, with as many streams as fit.
    pub(super) fn push_skip(&mut self, now: Time, packet: &mut PacketWriter<'_>) {
        let room = packet.remaining();
        let Some(room) = room.checked_sub(ForwardTsn::HEADER_LEN) else {
            return;
        };
        let len = if self.interleaves() {
            INTERLEAVED_SKIPPED_LEN
        } else {
            SKIPPED_LEN
        };
        let Some((tsn, skips)) = self.outbound.skip(now, room / len) else {
            return;
        };
        if self.interleaves() {
            push_i_forward_tsn(packet, tsn, &skips);
        } else {
            push_forward_tsn(packet, tsn, &skips);
        }
        if let Some(path) = self.path(self.current) {
            let due = now + path.rto.rto();
            self.timers.set(Timer::Skip, due);
        }
    }

    /// Handles a chunk of this extension. Whether it was one.
    pub(super) fn on_partial_reliability(
        &mut self,
        cx: &mut Context<'_>,
        raw: &RawChunk<'_>,
        reading: &mut Reading,
    ) -> Result<bool, Ending> {
        if self.told_to_skip_by() != Some(raw.chunk_type) {
            return Ok(false);
        }
        let forward = ForwardTsn::from_raw(raw).map(Forward::from);
        let forward = forward.or_else(|| IForwardTsn::from_raw(raw).map(Forward::from));
        if let Some(forward) = forward
            && self.phase.receives_data()
        {
            let arrival = self.inbound.skip(&forward, cx.pool)?;
            reading.note_arrival(arrival);
        }
        Ok(true)
    }

    /// Tells the user of messages that break off.
    pub(super) fn report_broken_off(&mut self, cx: &mut Context<'_>) {
        let cut_off = self.inbound.take_cut_off();
        if !cut_off.is_empty() {
            self.report_cut_off(cx, cut_off);
        }
    }
}

/// Names the streams on which ordered messages are skipped (RFC 3758 §3.2).
fn push_forward_tsn(packet: &mut PacketWriter<'_>, new_cumulative_tsn: Tsn, skips: &[Skip]) {
    let ordered = skips
        .iter()
        .filter(|skip| skip.delivery == Delivery::Ordered);
    #[expect(clippy::cast_possible_truncation, reason = "an SSN has 16 bits")]
    let skipped: Vec<SkippedStream> = ordered
        .map(|skip| SkippedStream {
            stream: skip.stream,
            ssn: Ssn(skip.ordinal as u16),
        })
        .collect();
    packet.push_forward_tsn(&ForwardTsn {
        new_cumulative_tsn,
        skipped: List::from(&skipped[..]),
    });
}

/// Names the streams on which messages are skipped, in order and not (RFC 8260 §2.3.1).
fn push_i_forward_tsn(packet: &mut PacketWriter<'_>, new_cumulative_tsn: Tsn, skips: &[Skip]) {
    let skipped: Vec<SkippedMessages> = skips
        .iter()
        .map(|skip| SkippedMessages {
            stream: skip.stream,
            order: match skip.delivery {
                Delivery::Ordered => MessageOrder::Ordered,
                Delivery::Unordered => MessageOrder::Unordered,
            },
            mid: Mid(skip.ordinal),
        })
        .collect();
    packet.push_i_forward_tsn(&IForwardTsn {
        new_cumulative_tsn,
        skipped: List::from(&skipped[..]),
    });
}
