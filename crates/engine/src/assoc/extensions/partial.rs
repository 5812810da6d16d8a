//! Abandoning messages, and skipping those that the peer abandoned (RFC 3758).

use alloc::vec::Vec;

use sheave_wire::{
    Chunk, ChunkType, ForwardTsn, IForwardTsn, List, MessageOrder, Mid, PacketWriter,
    SkippedMessages, SkippedStream, Ssn, StreamId, Tsn,
};

use crate::assoc::dispatch::Agreement;
use crate::assoc::input::Reading;
use crate::assoc::shutdown::Ending;
use crate::assoc::tcb::{Context, Tcb};
use crate::inbound::Forward;
use crate::outbound::{Abandoned, Skip, Telling, Terms};
use crate::path::Path;
use crate::timers::Timer;
use crate::value::error::PeerFault;
use crate::value::event::Events;
use crate::value::extension::ExtensionSet;
use crate::{Abandonments, Delivery, Event, PartialReliability, Phase, Policy, SendOptions, Time};

/// Bytes per stream in a FORWARD TSN and in an I-FORWARD-TSN.
const SKIPPED_LEN: usize = 4;
const INTERLEAVED_SKIPPED_LEN: usize = 8;

const WRONG_KIND: PeerFault = PeerFault::violation(
    "FORWARD TSN where I-DATA was agreed on, or I-FORWARD-TSN where it was not",
);

impl Tcb {
    /// Enables or disables the abandoning of messages as negotiated.
    pub(in crate::assoc) fn adopt_partial_reliability(&mut self) {
        if self.told_to_skip_by().is_some() {
            self.inbound.allow_skips();
        }
        if self.partial_reliability() == PartialReliability::Off {
            self.outbound.forgo_partial();
        }
    }

    /// The chunk type by which the peer asks us to skip abandoned messages, if we announced support
    /// for it.
    ///
    /// DEVIATION RFC 8260 §2.3.1: I-FORWARD-TSN from a peer that has not listed it, too, if both
    /// ends interleave and may give messages up. Linux lists I-DATA alone, sends it all the same,
    /// and would repeat it until the association fails.
    fn told_to_skip_by(&self) -> Option<ChunkType> {
        let may_give_up = self.agreed.contains(ExtensionSet::PARTIAL_RELIABILITY);
        if self.interleaves() {
            let listed = self.agreed.contains(ExtensionSet::I_FORWARD_TSN);
            (listed || may_give_up).then_some(ChunkType::I_FORWARD_TSN)
        } else {
            may_give_up.then_some(ChunkType::FORWARD_TSN)
        }
    }

    /// Whether both ends agreed that messages may be abandoned.
    pub(crate) fn partial_reliability(&self) -> PartialReliability {
        // RFC 8260 §2.3.1: interleaving requires I-FORWARD-TSN.
        let needed = if self.interleaves() {
            ExtensionSet::PARTIAL_RELIABILITY.union(ExtensionSet::I_FORWARD_TSN)
        } else {
            ExtensionSet::PARTIAL_RELIABILITY
        };
        if self.agreed.contains(needed) {
            PartialReliability::On
        } else {
            PartialReliability::Off
        }
    }

    /// The terms for a message sent now. Before the peer's parameters are known, partial
    /// reliability is assumed to be supported.
    pub(in crate::assoc) fn terms(&self, now: Time, options: &SendOptions) -> Option<Terms> {
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

    /// Abandons and skips messages as required by recent events, notifies the user, and resumes
    /// operations that waited for this. The endpoint calls it at the end of each call into the
    /// association, so that code that marks a chunk need not.
    #[inline]
    pub(crate) fn settle_partial(&mut self, cx: &mut Context<'_>) {
        if self.outbound.is_partial() {
            self.settle_given_up(cx);
        }
    }

    #[cold]
    #[inline(never)]
    fn settle_given_up(&mut self, cx: &mut Context<'_>) {
        self.outbound.settle_partial(cx.now);
        self.outbound
            .go_back_behind_skip(cx.now, self.paths.as_mut_slice());
        self.report_abandoned(cx.events);
        if !self.outbound.awaits_skip() {
            self.timers.stop(Timer::Skip);
        }
        self.watch_lifetimes();
        self.advance_reconfiguration(cx);
    }

    /// On a SACK, repeats a FORWARD TSN sent at least a round trip ago that the SACK does not
    /// answer.
    pub(in crate::assoc) fn remind_of_skip(&mut self, now: Time) {
        if self.outbound.awaits_skip()
            && let Some(path) = self.paths.current_path()
        {
            let round_trip = path.rto.srtt().unwrap_or(path.rto.rto());
            self.outbound.remind_of_skip(now, round_trip);
        }
    }

    fn report_abandoned(&mut self, events: &mut Events) {
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

    /// Sets the timer for the message whose lifetime ends first.
    fn watch_lifetimes(&mut self) {
        match self.outbound.next_deadline() {
            Some(at) => self.timers.set(Timer::Lifetime, at),
            None => self.timers.stop(Timer::Lifetime),
        }
    }

    pub(in crate::assoc) fn on_lifetime_timeout(&mut self, cx: &mut Context<'_>) {
        let was_empty = self.outbound.is_empty();
        self.outbound.expire(cx.now);
        if !was_empty && self.outbound.is_empty() && self.phase >= Phase::Established {
            cx.events.push(self.id, Event::Drained);
            self.advance_shutdown(cx);
        }
    }

    /// A FORWARD TSN was unanswered for an RTO and is sent again (RFC 3758 §3.5, C5). It counts as
    /// an error like T3-rtx, unless DATA in flight has its own timer.
    pub(in crate::assoc) fn on_skip_timeout(&mut self, cx: &mut Context<'_>) -> Result<(), Ending> {
        if !self.outbound.awaits_skip() || !self.phase.sends_data() {
            return Ok(());
        }
        if self.paths.iter().all(|path| path.flow.flight() == 0) {
            let index = self.paths.current();
            self.count_failure(cx, index)?;
            if let Some(path) = self.paths.get_mut(index) {
                path.rto.back_off(&self.options);
            }
        }
        self.outbound.skip_again();
        Ok(())
    }

    /// Whether a FORWARD TSN must leave on the current path.
    #[inline]
    pub(in crate::assoc) fn owes_skip(&self) -> bool {
        self.outbound.owes_skip()
            && self.phase.sends_data()
            && self.paths.current_path().is_some_and(Path::is_confirmed)
    }

    /// Writes the FORWARD TSN that is due, naming as many streams as fit.
    pub(in crate::assoc) fn push_skip(&mut self, now: Time, packet: &mut PacketWriter<'_>) {
        let room = packet.remaining();
        let Some(room) = room.checked_sub(ForwardTsn::HEADER_LEN) else {
            return;
        };
        let len = if self.interleaves() {
            INTERLEAVED_SKIPPED_LEN
        } else {
            SKIPPED_LEN
        };
        let Some((tsn, skips, telling)) = self.outbound.skip(now, room / len) else {
            return;
        };
        if self.interleaves() {
            push_i_forward_tsn(packet, tsn, &skips);
        } else {
            push_forward_tsn(packet, tsn, &skips);
        }
        if let Some(path) = self.paths.current_path() {
            let due = now + path.rto.rto();
            match telling {
                Telling::First => self.timers.set(Timer::Skip, due),
                // A peer that sends SACKs but never skips must not postpone the timeout (A44).
                Telling::Again => self.timers.set_if_stopped(Timer::Skip, due),
            }
        }
    }

    /// The agreement on FORWARD TSN or I-FORWARD-TSN; if one is in use, the other is forbidden (RFC
    /// 8260 §2.3.1).
    pub(in crate::assoc) fn agreement_on_skip(&self, chunk_type: ChunkType) -> Agreement {
        match self.told_to_skip_by() {
            None => Agreement::Unknown,
            Some(agreed) if agreed == chunk_type => Agreement::Agreed,
            Some(_) => Agreement::Forbidden(WRONG_KIND),
        }
    }

    /// Skips messages that the peer abandoned.
    pub(in crate::assoc) fn on_skip(
        &mut self,
        cx: &mut Context<'_>,
        forward: &Forward<'_>,
        reading: &mut Reading,
    ) -> Result<(), Ending> {
        if self.phase.receives_data() && !self.overtakes_answer(forward.new_cumulative_tsn()) {
            let arrival = self.inbound.skip(forward, cx.pool)?;
            reading.note_arrival(arrival);
        }
        Ok(())
    }

    /// Notifies the user of partially delivered messages that were cut off.
    pub(in crate::assoc) fn report_broken_off(&mut self, cx: &mut Context<'_>) {
        let cut_off = self.inbound.take_cut_off();
        if !cut_off.is_empty() {
            self.report_cut_off(cx, cut_off);
        }
    }
}

/// Writes a FORWARD TSN naming the streams with skipped ordered messages (RFC 3758 §3.2).
fn push_forward_tsn(packet: &mut PacketWriter<'_>, new_cumulative_tsn: Tsn, skips: &[Skip]) {
    let ordered = skips
        .iter()
        .filter(|skip| skip.delivery == Delivery::Ordered);
    #[expect(clippy::cast_possible_truncation, reason = "an SSN has 16 bits")]
    let skipped: Vec<SkippedStream> = ordered
        .map(|skip| SkippedStream {
            stream: skip.stream,
            ssn: Ssn(skip.ssn_or_mid as u16),
        })
        .collect();
    packet.push(&Chunk::ForwardTsn(ForwardTsn {
        new_cumulative_tsn,
        skipped: List::from(&skipped[..]),
    }));
}

/// Writes an I-FORWARD-TSN naming the streams with skipped messages, ordered and unordered (RFC
/// 8260 §2.3.1).
fn push_i_forward_tsn(packet: &mut PacketWriter<'_>, new_cumulative_tsn: Tsn, skips: &[Skip]) {
    let skipped: Vec<SkippedMessages> = skips
        .iter()
        .map(|skip| SkippedMessages {
            stream: skip.stream,
            order: match skip.delivery {
                Delivery::Ordered => MessageOrder::Ordered,
                Delivery::Unordered => MessageOrder::Unordered,
            },
            mid: Mid(skip.ssn_or_mid),
        })
        .collect();
    packet.push(&Chunk::IForwardTsn(IForwardTsn {
        new_cumulative_tsn,
        skipped: List::from(&skipped[..]),
    }));
}
