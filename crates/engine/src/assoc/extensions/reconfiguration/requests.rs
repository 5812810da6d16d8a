//! Our stream requests and their answers (RFC 6525 §5.1, §5.2.7).

use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;
use sheave_wire::{
    Chunk, List, ReConfig, ReConfigParameter, ReConfigResult, StreamId, TlvList, Tsn,
};

use crate::assoc::control::{self, Control};
use crate::assoc::extensions::reconfiguration::{
    Ask, Dialogue, OutstandingRequest, Progress, ReConfigAnswer, RequestKind, Stage,
};
use crate::assoc::shutdown::Ending;
use crate::assoc::tcb::{Context, Tcb};
use crate::timers::Timer;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{Event, Phase, ReconfigurationError, ReconfigurationFailure, StreamDirection};

/// Bytes of a request before its stream ids, including the chunk header.
const REQUEST_HEADER: usize = 20;

impl Tcb {
    /// Enables or disables stream reconfiguration as negotiated, and initialises request numbers.
    pub(in crate::assoc) fn adopt_reconfiguration(&mut self) {
        let agreed = self.agreed.contains(ExtensionSet::RECONFIGURATION);
        self.outbound.open_gate();
        let theirs = self.inbound.cumulative_tsn().next();
        let dialogue = Dialogue::new(self.outbound.initial_tsn(), theirs);
        self.extensions.put(
            |extensions| &mut extensions.dialogue,
            agreed.then(|| dialogue.into()),
        );
    }

    pub(crate) fn reset_streams(
        &mut self,
        cx: &mut Context<'_>,
        streams: &[StreamId],
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        let available = match direction {
            StreamDirection::Outgoing => self.outbound.streams(),
            StreamDirection::Incoming => self.inbound_streams,
        };
        let gated = direction == StreamDirection::Outgoing && self.outbound.is_gated();
        self.check_request()?;
        if gated {
            return Err(ReconfigurationError::Busy);
        }
        let streams = ascending(streams.iter().copied());
        if streams.last().is_some_and(|last| last.0 >= available) {
            return Err(ReconfigurationError::UnknownStream);
        }
        let there = self.paths.existing();
        let room = there.map(|path| self.control_room(path)).min();
        if REQUEST_HEADER + 2 * streams.len() > room.unwrap_or_default() {
            return Err(ReconfigurationError::BadCount);
        }
        let kind = match direction {
            StreamDirection::Outgoing => RequestKind::ResetOutgoing(streams),
            StreamDirection::Incoming => RequestKind::ResetIncoming(streams),
        };
        self.begin_request(cx, kind, None);
        Ok(())
    }

    pub(crate) fn reset_tsns(&mut self, cx: &mut Context<'_>) -> Result<(), ReconfigurationError> {
        self.check_request()?;
        if self.outbound.is_gated() {
            return Err(ReconfigurationError::Busy);
        }
        self.begin_request(cx, RequestKind::ResetTsns, None);
        Ok(())
    }

    pub(crate) fn add_streams(
        &mut self,
        cx: &mut Context<'_>,
        count: u16,
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.check_request()?;
        let (before, limit) = match direction {
            StreamDirection::Outgoing => (self.outbound.streams(), u16::MAX),
            StreamDirection::Incoming => (self.inbound_streams, self.options.max_inbound_streams),
        };
        let fits = before.checked_add(count).is_some_and(|sum| sum <= limit);
        if count == 0 || !fits {
            return Err(ReconfigurationError::BadCount);
        }
        let kind = match direction {
            StreamDirection::Outgoing => RequestKind::AddOutgoing(count),
            StreamDirection::Incoming => RequestKind::AddIncoming(count),
        };
        self.begin_request(cx, kind, None);
        Ok(())
    }

    /// Takes back our user's unanswered request, if any.
    pub(in crate::assoc) fn take_back_request(&mut self) -> Option<RequestKind> {
        let dialogue = self.extensions.dialogue()?;
        let ask = match mem::replace(&mut dialogue.stage, Stage::Idle) {
            Stage::Idle => return None,
            Stage::Waiting { ask, .. } => ask,
            Stage::Outstanding(OutstandingRequest { ask, chunk, .. }) => {
                self.timers.stop(Timer::Reconfiguration);
                self.control.unqueue(&Control::Chunk(chunk));
                ask
            }
        };
        ask.answers.is_none().then_some(ask.kind)
    }

    /// Repeats a request that was taken back, to a peer that never saw the first one.
    pub(in crate::assoc) fn request_again(
        &mut self,
        cx: &mut Context<'_>,
        request: Option<RequestKind>,
    ) {
        use StreamDirection::{Incoming, Outgoing};
        let again = match request {
            None => return,
            Some(RequestKind::ResetOutgoing(streams)) => self.reset_streams(cx, &streams, Outgoing),
            Some(RequestKind::ResetIncoming(streams)) => self.reset_streams(cx, &streams, Incoming),
            Some(RequestKind::ResetTsns) => self.reset_tsns(cx),
            Some(RequestKind::AddOutgoing(count)) => self.add_streams(cx, count, Outgoing),
            Some(RequestKind::AddIncoming(count)) => self.add_streams(cx, count, Incoming),
        };
        if again.is_err() {
            let failure = ReconfigurationFailure::Denied;
            cx.events
                .push_if_room(self.id, Event::ReconfigurationFailed { failure });
        }
    }

    fn check_request(&self) -> Result<(), ReconfigurationError> {
        match &self.extensions.dialogue {
            _ if self.phase < Phase::CookieEchoed => Err(ReconfigurationError::NotEstablished),
            None => Err(ReconfigurationError::Unavailable),
            // It would hold up the messages of key managers.
            Some(_) if self.extensions.delays_reset(self.phase) => {
                Err(ReconfigurationError::NotEstablished)
            }
            Some(_) if self.phase > Phase::Established => Err(ReconfigurationError::NotEstablished),
            Some(dialogue) if !dialogue.is_idle() => Err(ReconfigurationError::Busy),
            Some(_) => Ok(()),
        }
    }

    /// Starts a request, which may have to wait for data to be acknowledged.
    pub(super) fn begin_request(
        &mut self,
        cx: &mut Context<'_>,
        kind: RequestKind,
        answers: Option<u32>,
    ) {
        match &kind {
            RequestKind::ResetOutgoing(streams) => self.outbound.gate(streams.clone()),
            RequestKind::ResetTsns => self.outbound.shut_gate(),
            RequestKind::ResetIncoming(_)
            | RequestKind::AddOutgoing(_)
            | RequestKind::AddIncoming(_) => {}
        }
        if let Some(dialogue) = self.extensions.dialogue() {
            let ask = Ask { kind, answers };
            dialogue.stage = Stage::Waiting { ask, barrier: None };
        }
        self.advance_reconfiguration(cx);
    }

    /// Sends the waiting request, once the association is established and the data it waits for is
    /// acknowledged.
    ///
    /// This waits for more than RFC 6525 §5.1.2 requires: for all data outstanding when the last
    /// message of the streams was sent, so that the peer can usually perform the request at once.
    #[inline]
    pub(in crate::assoc) fn advance_reconfiguration(&mut self, cx: &Context<'_>) {
        if self.phase >= Phase::Established && self.extensions.dialogue().is_some() {
            self.advance_dialogue(cx);
        }
    }

    #[inline(never)] // Few associations have one.
    fn advance_dialogue(&mut self, cx: &Context<'_>) {
        let Some(dialogue) = self.extensions.dialogue() else {
            return;
        };
        let Stage::Waiting { ask, barrier } = &mut dialogue.stage else {
            return;
        };
        let outbound = &self.outbound;
        let ready = match ask.kind {
            RequestKind::ResetOutgoing(_) => {
                if barrier.is_none() && outbound.gate_is_clear() {
                    *barrier = Some(outbound.next_seq());
                }
                barrier.is_some_and(|barrier| outbound.first_seq() >= barrier)
            }
            RequestKind::ResetTsns => outbound.is_at_rest(),
            RequestKind::ResetIncoming(_)
            | RequestKind::AddOutgoing(_)
            | RequestKind::AddIncoming(_) => true,
        };
        if ready {
            let ask = ask.clone();
            self.send_request(cx, ask);
        }
    }

    fn send_request(&mut self, cx: &Context<'_>, ask: Ask) {
        let last_tsn = self.outbound.next_tsn().prev();
        let path = self.paths.current();
        let Some(dialogue) = self.extensions.dialogue() else {
            return;
        };
        let number = dialogue.take_number();
        // Sending our request completes the answer: the peer does not repeat its own request (RFC
        // 6525 §5.2.3).
        if let Some(answered) = ask.answers {
            dialogue.remember(ReConfigAnswer::new(answered, ReConfigResult::PERFORMED));
        }
        match &ask.kind {
            RequestKind::ResetIncoming(_) => dialogue.invited_reset = Some(number),
            RequestKind::AddIncoming(count) => dialogue.invited_streams = *count,
            RequestKind::ResetOutgoing(_)
            | RequestKind::ResetTsns
            | RequestKind::AddOutgoing(_) => {}
        }
        let response = ask.answers.unwrap_or_else(|| dialogue.last_answered());
        let chunk = request_chunk(&ask.kind, number, response, last_tsn);
        let kind = ask.kind.clone();
        dialogue.stage = Stage::Outstanding(OutstandingRequest {
            ask,
            number,
            chunk: chunk.clone(),
            path,
            progress: Progress::Silence,
            deferrals: 0,
        });
        self.queue_request(cx, path, &kind, chunk);
    }

    fn queue_request(
        &mut self,
        cx: &Context<'_>,
        path: PathIndex,
        kind: &RequestKind,
        chunk: Bytes,
    ) {
        if *kind == RequestKind::ResetTsns {
            // Some peers do not treat earlier data as acknowledged, as RFC 6525 §5.2.4 requires.
            self.acknowledger.request_now();
        }
        self.queue(path, Control::Chunk(chunk));
        self.start_reconfiguration_timer(cx, path);
    }

    fn start_reconfiguration_timer(&mut self, cx: &Context<'_>, path: PathIndex) {
        if let Some(path) = self.paths.get(path) {
            self.timers
                .set(Timer::Reconfiguration, cx.now + path.rto.rto());
        }
    }

    /// The request is unanswered, or was answered "in progress": sends it again (RFC 6525 §5.1.1,
    /// §5.2.7).
    pub(in crate::assoc) fn on_reconfiguration_timeout(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Result<(), Ending> {
        let answerable = self.phase.sends_data();
        let Some(dialogue) = self.extensions.dialogue() else {
            return Ok(());
        };
        let Stage::Outstanding(outstanding) = &mut dialogue.stage else {
            return Ok(());
        };
        if !answerable {
            dialogue.stage = Stage::Idle;
            return Ok(());
        }
        let progress = mem::replace(&mut outstanding.progress, Progress::Silence);
        let (chunk, before) = (outstanding.chunk.clone(), outstanding.path);
        let kind = outstanding.ask.kind.clone();
        let mut path = before;
        if progress == Progress::Silence {
            self.count_failure(cx, before)?;
            if let Some(path) = self.paths.get_mut(before) {
                path.rto.back_off(&self.options);
            }
            path = self.paths.alternate(before);
        }
        if let Some(Dialogue {
            stage: Stage::Outstanding(outstanding),
            ..
        }) = self.extensions.dialogue()
        {
            outstanding.path = path;
        }
        self.queue_request(cx, path, &kind, chunk);
        Ok(())
    }

    pub(super) fn on_response(
        &mut self,
        cx: &mut Context<'_>,
        number: u32,
        result: ReConfigResult,
        next_tsns: Option<(Tsn, Tsn)>,
    ) {
        let Some(dialogue) = self.extensions.dialogue() else {
            return;
        };
        dialogue.confirm(number);
        if result == ReConfigResult::BAD_SEQUENCE_NUMBER
            && let Some(chunk) = dialogue.step_back(number)
        {
            self.control.unqueue(&Control::Chunk(chunk));
            return self.advance_reconfiguration(cx);
        }
        let Some(outstanding) = dialogue.outstanding(number) else {
            return;
        };
        let path = outstanding.path;
        let deferrals = match result {
            ReConfigResult::IN_PROGRESS if !outstanding.defer() => return,
            ReConfigResult::IN_PROGRESS => Some(outstanding.deferrals),
            _ => None,
        };
        // The peer will perform its own request when it can, and nothing would tell it that it need
        // not wait. Nor may TSNs go on while the peer may still restart them: each end would take the
        // other's data for old.
        let Ask { kind, answers } = &outstanding.ask;
        let is_wanted = (answers.is_some() || *kind == RequestKind::ResetTsns)
            && self.phase == Phase::Established;
        self.paths.clear_errors();
        self.on_path_answered(cx, path);
        match deferrals {
            Some(deferrals) if is_wanted || deferrals <= self.options.association_max_retrans => {
                self.ask_again_later(cx, path, deferrals);
            }
            _ => self.settle_request(cx, result, next_tsns),
        }
    }

    /// The peer answered "in progress" and will be asked again (RFC 6525 §5.2.7), as often and with
    /// the same back-off as a silent peer, so that data held back does not wait forever.
    fn ask_again_later(&mut self, cx: &Context<'_>, path: PathIndex, deferrals: u32) {
        let most = self.options.rto_max;
        if let Some(path) = self.paths.get(path) {
            let factor = 2_u32.saturating_pow(deferrals - 1);
            let wait = path.rto.rto().saturating_mul(factor).min(most);
            self.timers.set(Timer::Reconfiguration, cx.now + wait);
        }
    }

    fn settle_request(
        &mut self,
        cx: &mut Context<'_>,
        result: ReConfigResult,
        next_tsns: Option<(Tsn, Tsn)>,
    ) {
        let dialogue = self.extensions.dialogue();
        let Some(outstanding) = dialogue.and_then(Dialogue::settle) else {
            return;
        };
        self.timers.stop(Timer::Reconfiguration);
        self.control.unqueue(&Control::Chunk(outstanding.chunk));
        let Ask { kind, answers } = outstanding.ask;
        let failure = match failure(result) {
            None => self.carry_out(cx, &kind, result, next_tsns),
            failure => failure,
        };
        if matches!(kind, RequestKind::ResetOutgoing(_) | RequestKind::ResetTsns) {
            self.outbound.open_gate();
        }
        if let Some(failure) = failure {
            if let Some(dialogue) = self.extensions.dialogue() {
                match kind {
                    RequestKind::ResetIncoming(_) => dialogue.invited_reset = None,
                    RequestKind::AddIncoming(_) => dialogue.invited_streams = 0,
                    RequestKind::ResetOutgoing(_)
                    | RequestKind::ResetTsns
                    | RequestKind::AddOutgoing(_) => {}
                }
            }
            // Our user made no request if the peer did.
            if answers.is_none() {
                cx.events
                    .push_if_room(self.id, Event::ReconfigurationFailed { failure });
            }
        }
        self.advance_shutdown(cx);
    }

    /// Performs our part of a request granted by the peer.
    fn carry_out(
        &mut self,
        cx: &mut Context<'_>,
        kind: &RequestKind,
        result: ReConfigResult,
        next_tsns: Option<(Tsn, Tsn)>,
    ) -> Option<ReconfigurationFailure> {
        match (kind, next_tsns) {
            (RequestKind::ResetOutgoing(streams), _) => {
                self.outbound.restart_ssns(streams);
                self.announce_reset(cx, StreamDirection::Outgoing, streams.clone());
            }
            (RequestKind::AddOutgoing(count), _) if result == ReConfigResult::PERFORMED => {
                self.outbound.add_streams(*count);
                self.announce_streams(cx);
            }
            // A request by the peer follows.
            (
                RequestKind::ResetIncoming(_)
                | RequestKind::AddIncoming(_)
                | RequestKind::AddOutgoing(_),
                _,
            ) => {}
            (RequestKind::ResetTsns, Some((theirs, ours))) => {
                self.restart_numbers(cx, ours, theirs);
            }
            (RequestKind::ResetTsns, None) => return Some(ReconfigurationFailure::BadResult),
        }
        None
    }

    /// Continues with new TSNs, and resets all SSNs to 0 (RFC 6525 §5.1.4, §5.2.4).
    pub(super) fn restart_numbers(&mut self, cx: &mut Context<'_>, ours: Tsn, theirs: Tsn) {
        self.outbound.rebase(ours);
        self.outbound.restart_ssns(&[]);
        let last = self.inbound.cumulative_tsn();
        let cut_off = self.inbound.restart(theirs, self.inbound_streams);
        self.report_cut_off(cx, cut_off);
        self.adopt_interleaving();
        self.adopt_partial_reliability();
        self.inbound.retire(last);
        self.adopt_retention();
        self.extensions
            .put(|extensions| &mut extensions.damage, None);
        if self.extensions.marks.is_some() {
            self.extensions.put(
                |extensions| &mut extensions.marks,
                Some(alloc::boxed::Box::default()),
            );
        }
        let event = Event::AssociationReset {
            next_tsn: ours,
            peer_next_tsn: theirs,
        };
        cx.events.push_if_room(self.id, event);
    }

    pub(super) fn announce_reset(
        &self,
        cx: &mut Context<'_>,
        direction: StreamDirection,
        streams: Vec<StreamId>,
    ) {
        let event = Event::StreamsReset { direction, streams };
        cx.events.push_if_room(self.id, event);
    }

    pub(super) fn announce_streams(&self, cx: &mut Context<'_>) {
        let event = Event::StreamsChanged {
            outbound_streams: self.outbound.streams(),
            inbound_streams: self.inbound_streams,
        };
        cx.events.push_if_room(self.id, event);
    }
}

/// The failure corresponding to a result other than success.
const fn failure(result: ReConfigResult) -> Option<ReconfigurationFailure> {
    Some(match result {
        ReConfigResult::NOTHING_TO_DO | ReConfigResult::PERFORMED => return None,
        ReConfigResult::DENIED => ReconfigurationFailure::Denied,
        ReConfigResult::WRONG_SSN => ReconfigurationFailure::UnknownStream,
        ReConfigResult::ALREADY_IN_PROGRESS => ReconfigurationFailure::PeerBusy,
        ReConfigResult::IN_PROGRESS => ReconfigurationFailure::StillInProgress,
        ReConfigResult::BAD_SEQUENCE_NUMBER => ReconfigurationFailure::BadNumber,
        _ => ReconfigurationFailure::BadResult,
    })
}

/// Sorts stream ids and removes duplicates.
pub(super) fn ascending(streams: impl Iterator<Item = StreamId>) -> Vec<StreamId> {
    let mut streams: Vec<StreamId> = streams.collect();
    streams.sort_unstable();
    streams.dedup();
    streams
}

/// Encodes a chunk with one request.
fn request_chunk(kind: &RequestKind, request: u32, response: u32, last_tsn: Tsn) -> Bytes {
    let parameter = match kind {
        RequestKind::ResetOutgoing(streams) => ReConfigParameter::OutgoingReset {
            request,
            response,
            last_tsn,
            streams: List::from(&streams[..]),
        },
        RequestKind::ResetIncoming(streams) => ReConfigParameter::IncomingReset {
            request,
            streams: List::from(&streams[..]),
        },
        RequestKind::ResetTsns => ReConfigParameter::TsnReset { request },
        RequestKind::AddOutgoing(count) => ReConfigParameter::AddOutgoing {
            request,
            count: *count,
        },
        RequestKind::AddIncoming(count) => ReConfigParameter::AddIncoming {
            request,
            count: *count,
        },
    };
    encode(&[parameter])
}

pub(super) fn encode(parameters: &[ReConfigParameter<'_>]) -> Bytes {
    control::encode(&Chunk::ReConfig(ReConfig {
        parameters: TlvList::from(parameters),
    }))
}
