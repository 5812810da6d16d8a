use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{CommonHeader, Init, Parameters, StreamId, TagReflection, Tsn, Vtag};

use super::control::Control;
use super::shutdown::{Ending, Farewell};
use super::sources::pair;
use super::stale_data::StaleData;
use super::tcb::{Context, Tcb, TcbParts, Wish, report_failed};
use crate::assoc::extensions::authentication::{Authenticator, Vectors};
use crate::assoc::extensions::protection::{self, Shield};
use crate::cookie::TieTags;
use crate::inbound::{Inbound, Retention};
use crate::offer::Offer;
use crate::outbound::{Complete, Outbound};
use crate::path::Path;
use crate::paths::Paths;
use crate::peer_parameters::{
    self, AddressTypes, FaultAnswer, Flaw, ParameterFault, PeerParameters,
};
use crate::phase::{Transition, Trigger};
use crate::timers::Timer;
use crate::value::extension::{Extension, ExtensionSet};
use crate::value::ids::PathIndex;
use crate::{
    AssocId, CloseReason, Event, Options, PathState, PeerAddress, Phase, Protection,
    ProtectionChange, SendFailure, Time,
};

/// Handshake state of the connecting side (RFC 9260 §5.1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Handshake {
    /// The peer's State Cookie, once its INIT ACK came.
    cookie: Option<Bytes>,
    /// T1 expirations so far.
    pub(super) attempts: u32,
    /// Stale cookies reported so far.
    stale: u32,
    /// The staleness last reported.
    reported: Duration,
    /// Requested extension of the cookie's life (RFC 9260 §5.2.6).
    preservative: Option<Duration>,
    /// The peer's adaptation indication, once its INIT ACK came.
    pub(super) adaptation: Option<u32>,
    /// Time of the last transmission of the chunk guarded by T1.
    sent_at: Time,
    /// Number of COOKIE ECHOs sent with data of the first window.
    pub(super) echoes: u8,
    /// The first new chunk when the last COOKIE ECHO was queued; `None` if no data is left for
    /// another.
    pub(super) echoed: Option<u64>,
    /// Time of the first INIT since the last stale cookie.
    asked_at: Time,
    /// Data that left with the last cookie, which was stale.
    pub(super) stale_data: Option<StaleData>,
}

/// Parameters of the connecting side.
pub(crate) struct Opener {
    pub(crate) id: AssocId,
    pub(crate) options: Arc<Options>,
    pub(crate) ports: (u16, u16),
    pub(crate) local_tag: Vtag,
    pub(crate) local: Arc<[IpAddr]>,
    pub(crate) remote: Vec<PeerAddress>,
}

impl Tcb {
    /// Starts an association: sends INIT to the first of the peer's addresses.
    pub(crate) fn connect(cx: &mut Context<'_>, opener: Opener) -> Self {
        let Opener {
            id,
            options,
            ports,
            local_tag,
            local,
            remote,
        } = opener;
        let initial_tsn = Tsn(cx.rng.u32());
        // Addresses given by the user are confirmed (RFC 9260 §5.4, rule 1).
        let mut paths = Vec::with_capacity(remote.len());
        lay_paths(cx, &mut paths, &local, &remote, PathState::Active, &options);
        let outbound = Outbound::new(initial_tsn, options.outbound_streams, &options);
        let mut tcb = Self::assemble(TcbParts {
            id,
            phase: Phase::BY_ASSOCIATE,
            ports,
            tags: (local_tag, None),
            tie_tags: TieTags::fresh(cx.rng),
            local,
            paths: Paths::new(paths),
            outbound,
            inbound: Inbound::new(Tsn(0), 0, 0, 0),
            inbound_streams: options.max_inbound_streams,
            handshake: Some(Box::default()),
            options,
        });
        tcb.announced = tcb.options.extensions();
        tcb.extensions.put(
            |extensions| &mut extensions.authenticator,
            (tcb.options.authentication.options())
                .map(|options| Box::new(Authenticator::new(options, tcb.announced, cx.rng))),
        );
        let shield = Shield::offering(&tcb.options, cx.rng);
        tcb.extensions
            .put(|extensions| &mut extensions.shield, shield.map(Box::new));
        tcb.send_opening(cx, PathIndex(0), Control::Init);
        tcb
    }

    /// Whether both ends agreed on an extension.
    pub(crate) fn agrees_on(&self, extension: Extension) -> bool {
        self.agreed.contains(extension.bit())
    }

    /// Enables the extensions that both ends support; no data was sent or received yet.
    pub(super) fn adopt(&mut self, extensions: ExtensionSet) {
        self.agreed = extensions;
        self.extensions
            .put(|extensions| &mut extensions.damage, None);
        self.adopt_reconfiguration();
        self.adopt_partial_reliability();
        self.adopt_interleaving();
        self.adopt_address_changes();
        self.extensions.put(
            |extensions| &mut extensions.marks,
            extensions.contains(ExtensionSet::ECN).then(Box::default),
        );
        if extensions.contains(ExtensionSet::GO_BACK_N) {
            self.outbound.go_back_n();
        }
        self.adopt_retention();
    }

    /// Applies the agreed handling of data beyond a gap.
    pub(crate) fn adopt_retention(&mut self) {
        let shield = self.extensions.get(|extensions| &extensions.shield);
        let in_order = self.agreed.contains(ExtensionSet::GO_BACK_N)
            || shield.is_some_and(Shield::takes_plain_messages);
        self.inbound.retain(if in_order {
            Retention::InOrder
        } else if self.keeps_what_it_acknowledges() {
            Retention::Kept
        } else {
            Retention::Selective
        });
    }

    /// Notifies the user of partially delivered messages that will not be completed.
    pub(super) fn report_cut_off(&self, cx: &mut Context<'_>, streams: Vec<StreamId>) {
        for stream in streams {
            cx.events
                .push(self.id, Event::PartialDeliveryAborted { stream });
        }
    }

    /// The peer announced its parameters again. Data sent so far used the previous agreement on
    /// chunk size beside AUTH, DATA or I-DATA, and SSNs or MIDs. It is all cut again or given up.
    pub(super) fn recall(&mut self, cx: &mut Context<'_>, initial_tsn: Tsn, complete: Complete) {
        if !self.outbound.has_fragmented() && initial_tsn == self.outbound.initial_tsn() {
            return;
        }
        let given_up = self.outbound.recall(initial_tsn, complete, &self.options);
        let given_up = given_up.into_iter();
        report_failed(
            self.id,
            cx.events,
            given_up.map(|outgoing| (outgoing, SendFailure::Unacknowledged)),
            self.extensions.hidden(),
        );
        for path in self.paths.iter_mut() {
            path.recall(&self.options);
        }
        for index in self.paths.indices() {
            self.timers.stop_data(index);
        }
        self.timers.stop(Timer::Skip);
    }

    pub(super) fn take_streams(&mut self, cx: &mut Context<'_>, streams: u16, rwnd: u32) {
        let refused = self.outbound.on_negotiated(streams, rwnd);
        let refused = refused
            .into_iter()
            .map(|outgoing| (outgoing, SendFailure::Unsent));
        report_failed(self.id, cx.events, refused, self.extensions.hidden());
    }

    /// Adds an unconfirmed peer address (RFC 9260 §5.4).
    pub(super) fn learn_address(&mut self, cx: &Context<'_>, address: PeerAddress) {
        if self.paths.find(address.ip).is_none() && self.paths.len() < peer_parameters::MAX_LISTED {
            let local = pair(cx.routes, &self.local, address.ip, self.paths.len());
            let Some(local) = local else { return };
            self.paths.push(Path::new(
                cx.now,
                local,
                address,
                PathState::Unconfirmed,
                &self.options,
            ));
        }
    }

    /// Drops addresses given by the user that the peer does not list (RFC 9260 §5.1.2); their owner
    /// could abort the association.
    fn leave_unlisted(&mut self, cx: &mut Context<'_>, from: PathIndex, listed: &[IpAddr]) {
        for index in self.paths.indices() {
            let unlisted = |path: &Path| index != from && !listed.contains(&path.remote.ip);
            if self.paths.get(index).is_some_and(unlisted) {
                self.drop_path(cx, index);
            }
        }
    }

    /// Establishes the association; data may now flow.
    pub(super) fn establish(&mut self, cx: &mut Context<'_>) {
        let handshake = self.extensions.take(|extensions| &mut extensions.handshake);
        let adaptation = handshake.and_then(|handshake| handshake.adaptation);
        self.timers.stop(Timer::Init);
        self.control.unqueue(&Control::Init);
        self.control.unqueue(&Control::CookieEcho);
        self.paths.clear_errors();
        cx.events.push(
            self.id,
            Event::Established {
                outbound_streams: self.outbound.streams(),
                inbound_streams: self.inbound_streams,
            },
        );
        self.announce_authentication(cx);
        if self.options.protection != Protection::Off && self.extensions.shield.is_none() {
            let event = Event::Protection(ProtectionChange::Unavailable);
            cx.events.push(self.id, event);
        }
        self.announce_adaptation(cx, adaptation);
        self.time_early_data(cx.now);
        self.start_probing(cx);
        // Requests made since the peer's answer.
        self.advance_reconfiguration(cx);
        self.advance_address_changes(cx);
        self.honour_wish(cx);
    }

    /// Notifies the user of the peer's adaptation indication (RFC 5061 §4.2.6).
    pub(super) fn announce_adaptation(&self, cx: &mut Context<'_>, adaptation: Option<u32>) {
        if let Some(indication) = adaptation {
            let event = Event::PeerAdaptation { indication };
            cx.events.push(self.id, event);
        }
    }

    /// Starts a shutdown that the user requested before the association was established.
    pub(super) fn honour_wish(&mut self, cx: &Context<'_>) {
        if self.wish == Wish::Closed {
            self.step(Trigger::UserShutdown);
            self.advance_shutdown(cx);
        }
    }

    pub(super) fn on_init_ack(
        &mut self,
        cx: &mut Context<'_>,
        header: CommonHeader,
        init_ack: &Init<'_>,
        from: PathIndex,
    ) -> Result<(), Ending> {
        if !matches!(self.phase.next(Trigger::InitAckAccepted), Transition::To(_)) {
            return Ok(());
        }
        let Some(remote) = self.paths.get(from).map(|path| path.remote) else {
            return Ok(());
        };
        let families = AddressTypes::of(self.local.iter().copied());
        let known = Offer::on(self.options.extensions());
        let read = PeerParameters::of_init_ack(init_ack, remote.ip, families, &known);
        let read = read.and_then(|read| {
            if read.0.satisfies(&self.options.authentication) {
                Ok(read)
            } else {
                Err(ParameterFault::in_init_ack(Flaw::Unauthenticated))
            }
        });
        let shield = self.extensions.shield.as_deref();
        let read = read.and_then(|(peer, cookie)| {
            let ours = shield.map(Shield::ours);
            let both = protection::judge(&self.options, ours, peer.protection.as_ref());
            let fault = |found| ParameterFault::in_init_ack(Flaw::Unprotected(found));
            Ok((peer, cookie, both.map_err(fault)?))
        });
        let (peer, cookie, both) = match read {
            Ok(read) => read,
            Err(fault) => return self.on_bad_init_ack(cx, header, init_ack, remote, &fault),
        };
        self.step(Trigger::InitAckAccepted);
        let streams = peer.negotiate(
            self.options.outbound_streams,
            self.options.max_inbound_streams,
        );
        let agreed = self.options.agreed(peer.extensions);
        if let Some(data) = self.extensions.take_stale_data()
            && !data.is_kept(peer.tag, self.agreed == agreed)
        {
            self.recall(cx, self.outbound.initial_tsn(), data.complete);
        }
        self.peer_tag = Some(peer.tag);
        self.inbound = inbound(peer.initial_tsn, streams.inbound, &self.options);
        self.inbound_streams = streams.inbound;
        let ours = self
            .extensions
            .authenticator
            .as_ref()
            .map(|found| found.ours().clone());
        let vectors = ours.zip(peer.vector.clone());
        let vectors = vectors.map(|(ours, theirs)| Vectors { ours, theirs });
        self.adopt_vectors(vectors.as_ref());
        self.extensions.renew_shield(&self.options, both.as_ref());
        self.adopt_anew(cx, agreed);
        self.take_streams(cx, streams.outbound, peer.rwnd);
        for ip in &peer.listed {
            self.learn_address(cx, PeerAddress { ip: *ip, ..remote });
        }
        self.leave_unlisted(cx, from, &peer.listed);
        self.measure_opening(cx.now, from);
        if let Some(handshake) = self.extensions.handshake() {
            handshake.cookie = Some(cookie);
            handshake.adaptation = peer.adaptation;
            handshake.attempts = 0;
        }
        self.control.unqueue(&Control::Init);
        self.note_echo();
        self.send_opening(cx, from, Control::CookieEcho);
        self.announce_answer(cx);
        if let Some(cause) = peer.unrecognized.cause() {
            self.queue(from, Control::Error(Farewell::encode(&cause)));
        }
        Ok(())
    }

    /// Handles an INIT ACK with invalid parameters (RFC 9260 §3.3.3, §5.1).
    fn on_bad_init_ack(
        &mut self,
        cx: &mut Context<'_>,
        header: CommonHeader,
        init_ack: &Init<'_>,
        remote: PeerAddress,
        fault: &ParameterFault,
    ) -> Result<(), Ending> {
        let reflected = match fault.answer {
            FaultAnswer::Discard => return Ok(()),
            FaultAnswer::Refuse => {
                let header = CommonHeader {
                    vtag: init_ack.initiate_tag,
                    ..self.header()
                };
                if let Some(path) = self.paths.current_path() {
                    cx.replies.abort(
                        path.local,
                        remote,
                        header,
                        &Farewell::encode(&fault.cause()),
                    );
                }
                return Ok(());
            }
            FaultAnswer::GiveUp(reflected) => reflected,
        };
        let tag = match reflected {
            TagReflection::Own => init_ack.initiate_tag,
            TagReflection::Reflected => header.vtag,
        };
        self.peer_tag = (tag != Vtag(0)).then_some(tag);
        let cause = fault.cause();
        Err(Ending {
            trigger: Trigger::PeerFault,
            reason: CloseReason::PeerFault {
                cause: cause.code(),
                rule: fault.rule(),
            },
            farewell: Farewell::Abort {
                causes: Farewell::encode(&cause),
                reflected,
            },
        })
    }

    pub(super) fn on_cookie_ack(&mut self, cx: &mut Context<'_>, from: PathIndex) {
        if matches!(self.step(Trigger::CookieAckReceived), Transition::To(_)) {
            self.measure_opening(cx.now, from);
            self.establish(cx);
        }
    }

    /// Measures the round trip if the answered chunk was sent only once.
    fn measure_opening(&mut self, now: Time, from: PathIndex) {
        let Some(handshake) = &self.extensions.handshake else {
            return;
        };
        if handshake.attempts > 0 {
            return;
        }
        let round_trip = now.since(handshake.sent_at);
        if let Some(path) = self.paths.get_mut(from) {
            let round_trip = path.believed(round_trip, &self.options);
            path.on_round_trip(round_trip, &self.options);
        }
    }

    /// The peer reported a stale cookie: sends another INIT asking for a longer life (RFC 9260
    /// §5.2.6).
    pub(super) fn on_stale_cookie(
        &mut self,
        cx: &mut Context<'_>,
        staleness: Duration,
        from: PathIndex,
    ) -> Result<(), Ending> {
        // A staleness longer than our cookie's age concerns an earlier cookie, whose COOKIE ECHO
        // the network duplicated; or the report itself is a duplicate. If it is about our cookie
        // after all (a late INIT ACK brought an old one), another report follows when T1 expires.
        let handshake = self.extensions.handshake.as_deref();
        let is_earlier = |handshake: &Handshake| {
            let age = cx.now.since(handshake.asked_at);
            let doubtful = handshake.reported == staleness || staleness > age;
            handshake.stale > 0 && handshake.attempts == 0 && doubtful
        };
        if handshake.is_some_and(is_earlier)
            || !matches!(self.step(Trigger::StaleCookieReported), Transition::To(_))
        {
            return Ok(());
        }
        let Some(handshake) = self.extensions.handshake() else {
            return Ok(());
        };
        handshake.stale = handshake.stale.saturating_add(1);
        handshake.reported = staleness;
        handshake.asked_at = cx.now;
        if handshake.stale > self.options.max_init_retransmits {
            return Err(Ending {
                trigger: Trigger::RetransmissionsExceeded,
                reason: CloseReason::StaleCookie,
                farewell: Farewell::Silent,
            });
        }
        let round_trip = cx.now.since(handshake.sent_at);
        handshake.preservative = Some(staleness + round_trip);
        // Data sent with a stale cookie was not accepted; with an earlier COOKIE ECHO it may have been.
        let complete = match handshake.attempts {
            0 => Complete::SentAgain,
            _ => Complete::GivenUp,
        };
        handshake.attempts = 0;
        handshake.echoes = 0;
        handshake.cookie = None;
        let tag = self.peer_tag.take();
        handshake.stale_data = tag.map(|tag| StaleData { tag, complete });
        // Cookies that answered the peer's INITs meanwhile would restart the association that begins now.
        self.tie_tags = TieTags::fresh(cx.rng);
        self.mark_early_data(cx.now, from);
        // Other queued chunks would leave with tag 0.
        self.control.clear();
        self.send_opening(cx, from, Control::Init);
        Ok(())
    }

    /// T1 expired: retries at the next address given by the user.
    pub(super) fn on_opening_timeout(&mut self, cx: &mut Context<'_>) -> Result<(), Ending> {
        let control = match self.phase {
            Phase::CookieWait => Control::Init,
            Phase::CookieEchoed => Control::CookieEcho,
            _ => return Ok(()),
        };
        let Some(handshake) = self.extensions.handshake() else {
            return Ok(());
        };
        handshake.attempts = handshake.attempts.saturating_add(1);
        if handshake.attempts > self.options.max_init_retransmits {
            return Err(Ending::never_answered());
        }
        for path in self.paths.iter_mut() {
            path.rto.back_off(&self.options);
        }
        let next = self.paths.next_confirmed(self.paths.current());
        self.control.unqueue(&control);
        self.mark_early_data(cx.now, next);
        self.send_opening(cx, next, control);
        Ok(())
    }

    /// ICMP reports that the address does not support SCTP, for that reason. While INIT is unanswered,
    /// the next address given by the user is tried at once.
    pub(crate) fn on_no_sctp_there(
        &mut self,
        cx: &mut Context<'_>,
        remote: IpAddr,
        reason: CloseReason,
    ) -> Result<(), Ending> {
        let Some(refused) = self.paths.find(remote) else {
            return Ok(());
        };
        let current = self.paths.current();
        let next = self.paths.next_confirmed(refused);
        if self.phase != Phase::CookieWait || next == refused {
            return Err(Ending::no_sctp_there(reason));
        }
        self.drop_path(cx, refused);
        if refused == current {
            self.send_opening(cx, next, Control::Init);
        }
        Ok(())
    }

    fn send_opening(&mut self, cx: &Context<'_>, path: PathIndex, control: Control) {
        let confirmed = if self.paths.is_confirmed(path) {
            path
        } else {
            self.paths.current()
        };
        self.paths.set_current(confirmed);
        if self.paths.get(confirmed).is_some() {
            // RFC 9260 §5.1 C: before a HEARTBEAT ACK that waits.
            self.control.unqueue(&control);
            self.control.push_front(confirmed, control);
        }
        if let Some(handshake) = self.extensions.handshake() {
            handshake.sent_at = cx.now;
        }
        let rto = self
            .paths
            .get(confirmed)
            .map_or(self.options.rto_initial, |path| path.rto.rto());
        self.timers.set(Timer::Init, cx.now + rto);
    }

    /// The State Cookie to echo.
    pub(super) fn cookie(&self) -> Bytes {
        self.extensions
            .handshake
            .as_ref()
            .and_then(|handshake| handshake.cookie.clone())
            .unwrap_or_default()
    }

    /// Calls `write` with our INIT for `path`.
    pub(super) fn with_init(&self, path: PathIndex, write: impl FnOnce(Init<'_>)) {
        let Some(from) = self.paths.get(path).map(|path| path.local) else {
            return;
        };
        let preservative = self
            .extensions
            .handshake
            .as_ref()
            .and_then(|handshake| handshake.preservative);
        let shield = self.extensions.shield.as_deref();
        let extensions = Offer::on(self.options.extensions());
        let vector = self
            .extensions
            .authenticator
            .as_ref()
            .map(|found| found.ours().clone());
        let extensions = extensions
            .with_vector(vector)
            .with_protection(shield.map(|shield| shield.ours().clone()))
            .with_adaptation(self.options.adaptation_indication);
        let parameters =
            peer_parameters::init_parameters(&self.local, from, preservative, &extensions);
        write(Init {
            initiate_tag: self.local_tag,
            a_rwnd: advertised(&self.options),
            outbound_streams: self.options.outbound_streams,
            inbound_streams: self.options.max_inbound_streams,
            initial_tsn: self.outbound.initial_tsn(),
            parameters: Parameters::from(&parameters[..]),
        });
    }
}

/// The initially advertised receive window, bytes.
pub(crate) fn advertised(options: &Options) -> u32 {
    u32::try_from(options.receive_buffer).unwrap_or(u32::MAX)
}

pub(super) fn inbound(peer_initial_tsn: Tsn, streams: u16, options: &Options) -> Inbound {
    Inbound::new(
        peer_initial_tsn,
        streams,
        options.receive_buffer,
        options.partial_delivery_point,
    )
    .with_parts(options.message_parts)
    .with_protection(options.protection)
}

/// Adds a path to each remote address, from a local address of its family.
pub(super) fn lay_paths(
    cx: &Context<'_>,
    paths: &mut Vec<Path>,
    local: &[IpAddr],
    remote: &[PeerAddress],
    state: PathState,
    options: &Options,
) {
    for address in remote {
        if let Some(from) = pair(cx.routes, local, address.ip, paths.len()) {
            paths.push(Path::new(cx.now, from, *address, state, options));
        }
    }
}
