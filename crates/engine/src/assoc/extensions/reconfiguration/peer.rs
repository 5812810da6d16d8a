//! Stream requests of the peer (RFC 6525 §5.2).

use alloc::vec::Vec;

use sheave_wire::{Cause, List, ReConfig, ReConfigParameter, ReConfigResult, StreamId, Tsn};

use super::RequestKind;
use super::requests::{ascending, encode};
use crate::assoc::control::Control;
use crate::assoc::extensions::reconfiguration::{ReConfigAnswer, ReConfigSequence};
use crate::assoc::input::Reading;
use crate::assoc::tcb::{Context, Tcb};
use crate::timers::Timer;
use crate::{PeerRequests, Phase, Reconfiguration, StreamDirection};

/// Distance that the peer's TSNs jump at an SSN/TSN reset: with it, old TSNs appear neither new nor
/// acknowledged to an end that uses the new ones, and vice versa (RFC 6525 §5.2.4).
const TSN_JUMP: u32 = 1 << 31;

/// Distance that our own TSNs jump, beyond the range of gap reports. Other stacks treat a peer as
/// an attacker if it skips more TSNs than their receive buffer has bytes.
const OWN_TSN_JUMP: u32 = 1 << 16;

/// Bytes of a chunk with one response, including TSNs.
const RESPONSE_LEN: usize = 24;

impl Tcb {
    /// Handles the peer's requests and answers.
    pub(in crate::assoc) fn on_re_config(
        &mut self,
        cx: &mut Context<'_>,
        chunk: &ReConfig<'_>,
        reading: &mut Reading,
    ) {
        let answers = matches!(
            self.phase,
            Phase::Established
                | Phase::ShutdownPending
                | Phase::ShutdownSent
                | Phase::ShutdownReceived
        );
        if !answers {
            return;
        }
        match together(chunk) {
            Some(parameters) => self.on_parameters(cx, &parameters, reading),
            None => {
                let cause = Cause::ProtocolViolation(b"RE-CONFIG with an impossible content");
                if self.may_reply(reading, cause.encoded_len() + 8) {
                    let path = self.paths.reply_path(reading.from());
                    self.answer_error(reading, path, &cause);
                }
            }
        }
    }

    fn on_parameters(
        &mut self,
        cx: &mut Context<'_>,
        parameters: &[ReConfigParameter<'_>],
        reading: &mut Reading,
    ) {
        let mut answers = Vec::new();
        for parameter in parameters {
            if let ReConfigParameter::Response {
                request,
                result,
                next_tsns,
            } = *parameter
            {
                self.on_response(cx, request, result, next_tsns);
            } else if let Some(answer) = self.on_request(cx, parameter) {
                answers.push(ReConfigParameter::Response {
                    request: answer.request,
                    result: answer.result,
                    next_tsns: answer.next_tsns,
                });
            }
        }
        // An answer without room now is repeated from memory when the peer asks again.
        if !answers.is_empty() && self.may_reply(reading, RESPONSE_LEN * answers.len()) {
            let path = self.paths.reply_path(reading.from());
            self.answer(reading, path, Control::Chunk(encode(&answers)));
        }
    }

    /// Handles one request. Returns no answer if our own request answers it.
    fn on_request(
        &mut self,
        cx: &mut Context<'_>,
        parameter: &ReConfigParameter<'_>,
    ) -> Option<ReConfigAnswer> {
        let request = number(parameter)?;
        match self.extensions.dialogue()?.classify(request) {
            ReConfigSequence::Next => {}
            ReConfigSequence::Repeated(answer) => return Some(answer),
            ReConfigSequence::Bad => {
                return Some(ReConfigAnswer::new(
                    request,
                    ReConfigResult::BAD_SEQUENCE_NUMBER,
                ));
            }
        }
        let mut next_tsns = None;
        let result = match parameter {
            ReConfigParameter::OutgoingReset {
                response,
                last_tsn,
                streams,
                ..
            } => self.on_outgoing_reset(cx, *response, *last_tsn, streams),
            ReConfigParameter::IncomingReset { streams, .. } => {
                return self.on_incoming_reset(cx, request, streams);
            }
            ReConfigParameter::TsnReset { .. } => {
                let (result, tsns) = self.on_tsn_reset(cx);
                next_tsns = tsns;
                result
            }
            ReConfigParameter::AddOutgoing { count, .. } => self.on_add_outgoing(cx, *count),
            ReConfigParameter::AddIncoming { count, .. } => {
                self.on_add_incoming(cx, request, *count)
            }
            ReConfigParameter::Response { .. } | ReConfigParameter::Unknown(_) => return None,
        };
        let answer = ReConfigAnswer {
            request,
            result,
            next_tsns,
        };
        self.extensions.dialogue()?.remember(answer);
        Some(answer)
    }

    fn grants(&self, request: PeerRequests) -> bool {
        match self.options.reconfiguration {
            Reconfiguration::Off => false,
            Reconfiguration::On(granted) => granted.contains(request),
        }
    }

    // RFC 6525 §5.2.2
    fn on_outgoing_reset(
        &mut self,
        cx: &mut Context<'_>,
        response: u32,
        last_tsn: Tsn,
        streams: &List<'_, StreamId>,
    ) -> ReConfigResult {
        let invited = self
            .extensions
            .dialogue
            .as_ref()
            .is_some_and(|dialogue| dialogue.invited_reset == Some(response));
        if invited {
            self.on_response(cx, response, ReConfigResult::PERFORMED, None);
        }
        if !invited && !self.grants(PeerRequests::RESET_INCOMING) {
            return ReConfigResult::DENIED;
        }
        if streams
            .iter()
            .any(|stream| stream.0 >= self.inbound_streams)
        {
            return ReConfigResult::WRONG_SSN;
        }
        if last_tsn.is_after(self.inbound.cumulative_tsn()) {
            return ReConfigResult::IN_PROGRESS;
        }
        if let Some(dialogue) = self.extensions.dialogue()
            && invited
        {
            dialogue.invited_reset = None;
        }
        let streams = ascending(streams.iter());
        let cut_off = self.inbound.reset_streams(&streams);
        self.report_cut_off(cx, cut_off);
        self.announce_reset(cx, StreamDirection::Incoming, streams);
        ReConfigResult::PERFORMED
    }

    /// The answer is our own request as soon as possible (RFC 6525 §5.2.3). If it only waits for
    /// acknowledgements, a first request gets no other answer, since some peers treat "in progress"
    /// as a failure.
    fn on_incoming_reset(
        &mut self,
        cx: &mut Context<'_>,
        request: u32,
        streams: &List<'_, StreamId>,
    ) -> Option<ReConfigAnswer> {
        let available = self.outbound.streams();
        let begun = self.extensions.dialogue.as_ref()?.is_answering(request);
        let result = if !self.grants(PeerRequests::RESET_OUTGOING) {
            ReConfigResult::DENIED
        } else if streams.iter().any(|stream| stream.0 >= available) {
            ReConfigResult::WRONG_SSN
        } else if self.is_asking() {
            // Each end would wait for the other.
            ReConfigResult::ALREADY_IN_PROGRESS
        } else if begun || self.is_busy() || self.outbound.is_gated() {
            ReConfigResult::IN_PROGRESS
        } else if self.phase != Phase::Established {
            ReConfigResult::DENIED
        } else {
            let streams = ascending(streams.iter());
            self.begin_request(cx, RequestKind::ResetOutgoing(streams), Some(request));
            ReConfigResult::IN_PROGRESS
        };
        let dialogue = self.extensions.dialogue()?;
        if dialogue.has_answered(request) || (!begun && dialogue.answers_soon(request)) {
            return None;
        }
        let answer = ReConfigAnswer::new(request, result);
        dialogue.remember(answer);
        Some(answer)
    }

    // RFC 6525 §5.2.4
    // DEVIATION RFC 6525 §5.2.4: nothing of ours that is outstanding is given up; it is awaited,
    // with new data held back, and the peer asks again. And our own TSNs jump, too, if not so far, so
    // that new data that overtakes the answer is not taken for old, but dropped and sent again.
    fn on_tsn_reset(&mut self, cx: &mut Context<'_>) -> (ReConfigResult, Option<(Tsn, Tsn)>) {
        if !self.grants(PeerRequests::RESET_TSNS) {
            return (ReConfigResult::DENIED, None);
        }
        if self.is_resetting() {
            return (ReConfigResult::ALREADY_IN_PROGRESS, None);
        }
        if !self.phase.sends_data() || !self.phase.receives_data() {
            return (ReConfigResult::DENIED, None);
        }
        if !self.outbound.is_at_rest() || self.inbound.has_gaps() {
            if !self.outbound.is_gated() {
                self.outbound.shut_gate();
            }
            let until = cx.now + self.options.rto_max;
            self.timers.set_if_stopped(Timer::Yielding, until);
            return (ReConfigResult::IN_PROGRESS, None);
        }
        let ours = self.outbound.next_tsn().plus(OWN_TSN_JUMP);
        let theirs = self.inbound.cumulative_tsn().next().plus(TSN_JUMP);
        self.timers.stop(Timer::Yielding);
        self.outbound.open_gate();
        self.restart_numbers(cx, ours, theirs);
        (ReConfigResult::PERFORMED, Some((ours, theirs)))
    }

    // RFC 6525 §5.2.5. This also answers our own request for it: Linux sends nothing else, others
    // send a response too (§5.2.6).
    fn on_add_outgoing(&mut self, cx: &mut Context<'_>, count: u16) -> ReConfigResult {
        let dialogue = self.extensions.dialogue();
        let invited = dialogue
            .filter(|dialogue| dialogue.invited_streams == count && count > 0)
            .is_some_and(|dialogue| core::mem::take(&mut dialogue.invited_streams) > 0);
        let asked = self
            .extensions
            .dialogue()
            .and_then(|dialogue| dialogue.asked_for_streams());
        if let Some(request) = asked.filter(|_| invited) {
            self.on_response(cx, request, ReConfigResult::PERFORMED, None);
            if let Some(dialogue) = self.extensions.dialogue() {
                dialogue.presume(request);
            }
        }
        if !invited && !self.grants(PeerRequests::ADD_INCOMING) {
            return ReConfigResult::DENIED;
        }
        if count == 0 {
            return ReConfigResult::NOTHING_TO_DO;
        }
        let sum = self.inbound_streams.checked_add(count);
        let Some(sum) = sum.filter(|sum| *sum <= self.options.max_inbound_streams) else {
            return ReConfigResult::DENIED;
        };
        self.inbound_streams = sum;
        self.inbound.add_streams(count);
        self.announce_streams(cx);
        ReConfigResult::PERFORMED
    }

    /// Our own request follows the answer (RFC 6525 §5.2.6).
    fn on_add_incoming(
        &mut self,
        cx: &mut Context<'_>,
        request: u32,
        count: u16,
    ) -> ReConfigResult {
        let fits = self.outbound.streams().checked_add(count).is_some();
        if !self.grants(PeerRequests::ADD_OUTGOING) || !fits || self.phase != Phase::Established {
            return ReConfigResult::DENIED;
        }
        if count == 0 {
            return ReConfigResult::NOTHING_TO_DO;
        }
        if self.is_asking() {
            return ReConfigResult::ALREADY_IN_PROGRESS;
        }
        if self.is_busy() {
            return ReConfigResult::IN_PROGRESS;
        }
        self.begin_request(cx, RequestKind::AddOutgoing(count), Some(request));
        ReConfigResult::PERFORMED
    }

    /// Whether we have a request in progress.
    fn is_busy(&self) -> bool {
        self.extensions
            .dialogue
            .as_ref()
            .is_some_and(|dialogue| !dialogue.is_idle())
    }

    /// Whether we have a request in progress that the peer answers with its own request.
    fn is_asking(&self) -> bool {
        let kind = self
            .extensions
            .dialogue
            .as_ref()
            .and_then(|dialogue| dialogue.kind());
        matches!(
            kind,
            Some(RequestKind::ResetIncoming(_) | RequestKind::AddIncoming(_))
        )
    }

    /// Whether we have a reset of our sending direction in progress.
    fn is_resetting(&self) -> bool {
        let kind = self
            .extensions
            .dialogue
            .as_ref()
            .and_then(|dialogue| dialogue.kind());
        matches!(
            kind,
            Some(RequestKind::ResetOutgoing(_) | RequestKind::ResetTsns)
        )
    }

    /// Whether the TSN shows that the peer already uses new TSNs, and the answer to our SSN/TSN
    /// reset that announces them was overtaken: it lies beyond all TSNs that the peer can have used
    /// before.
    pub(in crate::assoc) fn overtakes_answer(&self, tsn: Tsn) -> bool {
        let dialogue = self.extensions.dialogue.as_ref();
        let resets =
            dialogue.is_some_and(|dialogue| dialogue.kind() == Some(&RequestKind::ResetTsns));
        let last = self.inbound.cumulative_tsn();
        resets && tsn.is_after(last) && tsn.distance_from(last) >= OWN_TSN_JUMP
    }
}

/// The number of a request.
const fn number(parameter: &ReConfigParameter<'_>) -> Option<u32> {
    match parameter {
        ReConfigParameter::OutgoingReset { request, .. }
        | ReConfigParameter::IncomingReset { request, .. }
        | ReConfigParameter::TsnReset { request }
        | ReConfigParameter::AddOutgoing { request, .. }
        | ReConfigParameter::AddIncoming { request, .. } => Some(*request),
        ReConfigParameter::Response { .. } | ReConfigParameter::Unknown(_) => None,
    }
}

/// The parameters of a chunk, if they are well formed and allowed together (RFC 6525 §3.1).
fn together<'a>(chunk: &ReConfig<'a>) -> Option<Vec<ReConfigParameter<'a>>> {
    use ReConfigParameter::{AddIncoming, AddOutgoing, IncomingReset, OutgoingReset, Response};

    let most = chunk.parameters.iter().take(3);
    let parameters: Vec<_> = most.collect::<Result<_, _>>().ok()?;
    let fits = match parameters[..] {
        [ReConfigParameter::Unknown(_)] => false,
        [_] => true,
        [OutgoingReset { .. }, IncomingReset { .. }]
        | [IncomingReset { .. }, OutgoingReset { .. }]
        | [AddOutgoing { .. }, AddIncoming { .. }]
        | [AddIncoming { .. }, AddOutgoing { .. }]
        | [Response { .. }, OutgoingReset { .. } | Response { .. }]
        | [OutgoingReset { .. }, Response { .. }] => true,
        _ => false,
    };
    fits.then_some(parameters)
}
