//! The handshake at the listening side: INIT and COOKIE ECHO (RFC 9260 §5).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use sheave_wire::{
    Abort, Cause, Causes, Chunk, CommonHeader, ErrorChunk, Init, Parameters, TagReflection, Tsn,
    Vtag,
};

use super::Endpoint;
use super::handshake_authenticated::{Judge, cookie_echo};
use super::listeners::Listener;
use crate::assoc::extensions::authentication::{KeyVector, Vectors};
use crate::assoc::extensions::protection::{self, Opener};
use crate::assoc::{Birthplace, Incoming, Tcb, advertised, may_be_answered_late};
use crate::collision::{self, CookieAction, Freshness, InitAction, Tags};
use crate::cookie::{self, Cookie, CookieError, Secrets, TieTags};
use crate::offer::Offer;
use crate::peer_parameters::{
    self, AddressTypes, FaultAnswer, Flaw, ParameterFault, PeerParameters,
};
use crate::replies::Envelope;
use crate::value::protection::{KeyParameter, KeyParameters};
use crate::{Options, PeerAddress, Phase, Time};

/// Our identity in an INIT ACK: new, or as in our own INIT.
struct Identity {
    tag: Vtag,
    initial_tsn: Tsn,
    tie_tags: Option<TieTags>,
    /// Our key vector, if we authenticate.
    vector: Option<KeyVector>,
    /// Our DTLS Key Management, where we protect packets.
    protection: Option<KeyParameter>,
    options: Arc<Options>,
    /// The addresses listed to the peer.
    local: Arc<[IpAddr]>,
    /// Destination of the INIT ACK.
    to: PeerAddress,
}

impl Endpoint {
    /// Handles an INIT, possibly from the peer of an existing association.
    pub(super) fn on_init(&mut self, now: Time, incoming: &Incoming<'_>, existing: Option<usize>) {
        let Some(Ok(Chunk::Init(init))) = incoming.packet.chunks().next() else {
            return;
        };
        let port = incoming.packet.header.destination_port;
        let listener = self.listeners.find(port, incoming.local).cloned();
        let families = AddressTypes::of(self.local.all().iter().copied());
        let source = incoming.remote.ip;
        let wanted = existing
            .map(|index| self.registry.tcb(index).options.extensions())
            .or_else(|| (listener.as_ref()).map(|listener| listener.options.extensions()));
        let known = Offer::on(wanted.unwrap_or_default());
        let authentication = existing
            .map(|index| &self.registry.tcb(index).options.authentication)
            .or_else(|| (listener.as_ref()).map(|listener| &listener.options.authentication));
        let read = PeerParameters::of_init(&init, source, families, &known);
        let read = read.and_then(|peer| {
            if authentication.is_none_or(|wanted| peer.satisfies(wanted)) {
                Ok(peer)
            } else {
                Err(ParameterFault::in_init(Flaw::Unauthenticated))
            }
        });
        let peer = match read {
            Ok(peer) => peer,
            Err(fault) => {
                if matches!(fault.answer, FaultAnswer::Refuse) {
                    self.refuse_init(incoming, &init, Some(&fault.cause()));
                }
                return;
            }
        };
        // RFC 9260 §5.1.2 D: any of the listed addresses may belong to a known peer.
        let existing = existing.or_else(|| {
            let mut listed = peer.listed.iter();
            listed.find_map(|ip| self.peer_of(incoming, *ip))
        });
        let place = (port, incoming.packet.header.source_port, source);
        if existing.is_none() && self.registry.has_left(place, peer.tag) {
            return;
        }
        let refusal = existing.and_then(|index| self.new_port(index, incoming));
        if refusal.is_some() {
            // Same tag as the association's peer: a late copy of the INIT that started it, not a
            // restart.
            return match existing.is_some_and(|index| self.is_late(index, peer.tag)) {
                true => (),
                false => self.refuse_init(incoming, &init, refusal.as_ref()),
            };
        }
        let identity = match (existing, listener) {
            (Some(index), _) => self.identity_beside(index, incoming, &init, &peer),
            (None, Some(listener)) => Some(self.fresh_identity(now, &listener, &peer, incoming)),
            // RFC 9260 §8.4, rule 3.
            (None, None) => return self.refuse_init(incoming, &init, None),
        };
        let Some(identity) = identity else {
            return;
        };
        let theirs = peer.protection.as_ref();
        match protection::judge(&identity.options, identity.protection.as_ref(), theirs) {
            Ok(both) => self.answer_init(now, incoming, &peer, &identity, both),
            Err(disagreement) => {
                self.unprotected = Some((incoming.remote, disagreement.cause().code()));
                self.refuse_init(incoming, &init, Some(&disagreement.cause()));
            }
        }
    }

    fn fresh_identity(
        &mut self,
        now: Time,
        listener: &Listener,
        peer: &PeerParameters,
        incoming: &Incoming<'_>,
    ) -> Identity {
        let options = listener.options.clone();
        let local = self.local.list(now, incoming.local);
        Identity {
            tag: self.fresh_tag(Some(peer.tag)),
            initial_tsn: Tsn(self.rng.u32()),
            tie_tags: None,
            vector: self.fresh_vector(&options, peer),
            protection: protection::offer(&options, Opener::Peer, &mut self.rng),
            options,
            local: listener.restrict(local),
            to: incoming.remote,
        }
    }

    /// Our key vector for a peer that authenticates (RFC 4895 §6.1).
    fn fresh_vector(&mut self, options: &Options, peer: &PeerParameters) -> Option<KeyVector> {
        let offered = options.extensions();
        let options = options.authentication.options()?;
        peer.vector.as_ref()?;
        Some(KeyVector::fresh(options, offered, &mut self.rng))
    }

    /// Our identity for an INIT from a peer with an existing association; `None` if the INIT gets
    /// no INIT ACK (RFC 9260 §5.2.1, §5.2.2).
    fn identity_beside(
        &mut self,
        index: usize,
        incoming: &Incoming<'_>,
        init: &Init<'_>,
        peer: &PeerParameters,
    ) -> Option<Identity> {
        let tcb = self.registry.tcb(index);
        let known: Vec<IpAddr> = tcb.paths.iter().map(|path| path.remote.ip).collect();
        let (options, local) = (tcb.options.clone(), tcb.local.clone());
        let same = Identity {
            tag: tcb.local_tag,
            initial_tsn: tcb.initial_tsn(),
            tie_tags: None,
            // Like the tag, repeats the value from our own INIT (RFC 4895 §6.1).
            vector: (tcb.extensions.authenticator.as_ref()).map(|found| found.ours().clone()),
            protection: (tcb.extensions.shield.as_ref()).map(|found| found.ours().clone()),
            options: options.clone(),
            local: local.clone(),
            to: incoming.remote,
        };
        let tie_tags = Some(tcb.tie_tags);
        let may_be_answered_late = may_be_answered_late(tcb, peer.tag);
        match collision::on_init(tcb.phase, &known, incoming.remote.ip, &peer.listed) {
            InitAction::AnswerAsBegun { to } => Some(Identity {
                to: PeerAddress {
                    ip: to,
                    ..incoming.remote
                },
                ..same
            }),
            InitAction::AnswerAsBegunTied if !may_be_answered_late => {
                Some(Identity { tie_tags, ..same })
            }
            InitAction::AnswerAsBegunTied | InitAction::AnswerRestart => Some(Identity {
                tag: self.fresh_tag(Some(peer.tag)),
                initial_tsn: Tsn(self.rng.u32()),
                tie_tags,
                vector: self.fresh_vector(&options, peer),
                protection: protection::offer(&options, Opener::Peer, &mut self.rng),
                options,
                local,
                to: incoming.remote,
            }),
            InitAction::RefuseNewAddresses(_) if self.is_late(index, peer.tag) => None,
            InitAction::RefuseNewAddresses(addresses) => {
                let tlvs = peer_parameters::address_tlvs(&addresses);
                self.refuse_init(incoming, init, Some(&Cause::RestartWithNewAddresses(&tlvs)));
                None
            }
            InitAction::RepeatShutdownAck => {
                self.registry.tcb_mut(index).resend_shutdown_ack();
                self.enlist(index);
                None
            }
            InitAction::Discard => None,
        }
    }

    /// Whether an INIT carries the tag of an association's peer.
    fn is_late(&self, index: usize, tag: Vtag) -> bool {
        self.registry.tcb(index).peer_tag == Some(tag)
    }

    /// Sends INIT ACK. The cookie holds the future association's whole state; nothing is stored
    /// here (RFC 9260 §5.1.3).
    fn answer_init(
        &mut self,
        now: Time,
        incoming: &Incoming<'_>,
        peer: &PeerParameters,
        identity: &Identity,
        both: Option<KeyParameters>,
    ) {
        let header = incoming.packet.header;
        let options = &identity.options;
        let streams = peer.negotiate(options.outbound_streams, options.max_inbound_streams);
        let vectors = identity.vector.clone().zip(peer.vector.clone());
        let vectors = vectors.map(|(ours, theirs)| Box::new(Vectors { ours, theirs }));
        let cookie = Cookie {
            local_port: header.destination_port,
            remote_port: header.source_port,
            local_tag: identity.tag,
            peer_tag: peer.tag,
            local_initial_tsn: identity.initial_tsn,
            peer_initial_tsn: peer.initial_tsn,
            peer_rwnd: peer.rwnd,
            outbound_streams: streams.outbound,
            inbound_streams: streams.inbound,
            tie_tags: identity.tie_tags,
            created: now,
            lifespan: Cookie::lifespan(options.valid_cookie_life, peer.preservative),
            local: incoming.local,
            source: incoming.remote,
            listed: peer.listed.clone(),
            extensions: options.agreed(peer.extensions),
            vectors,
            adaptation: peer.adaptation,
            protection: both.map(Box::new),
        };
        let sealed = self.secrets(now).seal(now, &cookie);
        // The extensions that both ends support.
        let vector = cookie.vectors.as_ref().map(|vectors| vectors.ours.clone());
        let extensions = Offer::on(cookie.extensions)
            .with_vector(vector)
            .with_protection(cookie.protection.as_ref().map(|both| both.ours.clone()))
            .with_adaptation(options.adaptation_indication);
        let parameters = peer_parameters::init_ack_parameters(
            &sealed,
            &identity.local,
            incoming.local,
            peer,
            &extensions,
        );
        let init_ack = Chunk::InitAck(Init {
            initiate_tag: identity.tag,
            a_rwnd: advertised(options),
            outbound_streams: streams.outbound,
            inbound_streams: options.max_inbound_streams,
            initial_tsn: identity.initial_tsn,
            parameters: Parameters::from(&parameters[..]),
        });
        let header = reply_header(incoming, peer.tag);
        let envelope = Envelope {
            local: incoming.local,
            remote: identity.to,
            marking: options.marking(),
        };
        self.replies.push_marked(envelope, header, &init_ack);
    }

    fn secrets(&mut self, now: Time) -> &mut Secrets {
        let life = self.options.secret_life;
        let rng = &self.rng;
        self.secrets
            .get_or_insert_with(|| Secrets::new(rng.fork("cookie secrets"), now, life))
    }

    /// Sends an ABORT in answer to an INIT, with the INIT's initiate tag (RFC 9260 §5.1, §8.4).
    fn refuse_init(&mut self, incoming: &Incoming<'_>, init: &Init<'_>, cause: Option<&Cause<'_>>) {
        if init.initiate_tag == Vtag(0) {
            return;
        }
        let causes = cause.copied();
        let abort = Abort {
            reflected: TagReflection::Own,
            causes: Causes::from(causes.as_slice()),
        };
        let header = reply_header(incoming, init.initiate_tag);
        self.replies.push(
            incoming.local,
            incoming.remote,
            header,
            &Chunk::Abort(abort),
        );
    }

    /// Handles a COOKIE ECHO; the cookie's signature is checked before its content is used (RFC
    /// 9260 §5.1.5, §5.2.4).
    pub(super) fn on_cookie_echo(
        &mut self,
        now: Time,
        incoming: &Incoming<'_>,
        existing: Option<usize>,
    ) {
        let Some((auth, echo)) = cookie_echo(incoming.packet) else {
            return;
        };
        let (cookie, freshness, staleness) = match self.secrets(now).open(now, echo.cookie) {
            Ok(cookie) => (cookie, Freshness::Fresh, Duration::ZERO),
            Err(CookieError::Stale { cookie, staleness }) => {
                self.stats.stale_cookie += 1;
                (*cookie, Freshness::Stale, staleness)
            }
            Err(CookieError::Forged) => {
                let index = existing.filter(|index| self.takes_foreign_cookie(incoming, *index));
                let Some(index) = index.filter(|_| auth.is_none()) else {
                    self.stats.bad_cookie += 1;
                    return;
                };
                let incoming = Incoming {
                    handled: 1,
                    ..*incoming
                };
                return self.acknowledge_cookie(now, &incoming, index);
            }
        };
        if !cookie.matches(&incoming.packet.header) {
            self.stats.bad_cookie += 1;
            return;
        }
        let existing = existing.or_else(|| self.rival(&cookie));
        if !self.admits_cookie(existing, incoming, &cookie) {
            return;
        }
        let action = existing.map(|index| {
            let tcb = self.registry.tcb(index);
            collision::on_cookie_echo(tcb.phase, &tcb.collision_tags(), &cookie, freshness)
        });
        let judge = Judge {
            cookie: &cookie,
            existing: existing.zip(action),
        };
        let Some(proof) = self.prove_cookie_echo(incoming, auth.as_ref(), &judge) else {
            self.stats.unauthenticated_cookie += 1;
            return;
        };
        let incoming = Incoming {
            // Skips the COOKIE ECHO and the chunks before it.
            handled: 1 + usize::from(auth.is_some()),
            proof,
            ..*incoming
        };
        match existing.zip(action) {
            Some((index, action)) => {
                self.resolve(now, &incoming, index, &judge, action, staleness);
            }
            None if freshness == Freshness::Stale => {
                self.report_stale(&incoming, &judge, staleness);
            }
            // A cookie is valid for one association. The peer may have missed its end.
            None if self.spent.contains(cookie.local_tag) => {
                let header = incoming.packet.header;
                self.replies.reflect_abort(incoming.ends(), header);
            }
            None => self.accept(now, &incoming, &judge),
        }
    }

    /// Whether an unknown cookie belongs to an imported association: the peer, which alone knows
    /// the tag, missed the COOKIE ACK of the exporting endpoint and repeats its cookie here.
    /// Answering changes no state.
    // DEVIATION RFC 9260 §5.2.4: an imported association answers a cookie made by the exporting
    // endpoint without opening it, since the peer may not know that the association is up.
    fn takes_foreign_cookie(&self, incoming: &Incoming<'_>, index: usize) -> bool {
        let tcb = self.registry.tcb(index);
        tcb.accounting.birthplace == Birthplace::Elsewhere
            && tcb.local_tag == incoming.packet.header.vtag
            && tcb.phase >= Phase::Established
    }

    /// An association at one of the addresses in the cookie.
    fn rival(&self, cookie: &Cookie) -> Option<usize> {
        cookie.peer_addresses().find_map(|address| {
            let place = (cookie.local_port, cookie.remote_port, address.ip);
            self.registry
                .by_peer(place, |tcb| self.is_at(tcb, cookie.local))
        })
    }

    fn accept(&mut self, now: Time, incoming: &Incoming<'_>, judge: &Judge<'_>) {
        let cookie = judge.cookie;
        let listener = self.listeners.find(cookie.local_port, cookie.local);
        let Some(listener) = listener.cloned() else {
            let header = incoming.packet.header;
            return self.replies.reflect_abort(incoming.ends(), header);
        };
        if self.registry.len() >= self.options.max_associations {
            let abort = Abort {
                reflected: TagReflection::Own,
                causes: Causes::from(&[Cause::OutOfResource]),
            };
            return self.answer_cookie(incoming, judge, &Chunk::Abort(abort));
        }
        let index = self.registry.vacancy();
        let id = self.registry.id(index);
        let local = self.local.listed(cookie.created, incoming.local);
        let (local, options) = (listener.restrict(local), listener.options);
        self.enroll(now, index, |cx| Tcb::accept(cx, id, cookie, local, options));
        self.acknowledge_cookie(now, incoming, index);
    }

    /// Table 5.2.4: the effect of a valid cookie on an existing association.
    fn resolve(
        &mut self,
        now: Time,
        incoming: &Incoming<'_>,
        index: usize,
        judge: &Judge<'_>,
        action: CookieAction,
        staleness: Duration,
    ) {
        let cookie = judge.cookie;
        match action {
            CookieAction::Restart => {
                self.registry.unroute(index);
                self.with_tcb(now, index, |tcb, cx| tcb.restart(cx, cookie));
                self.acknowledge_cookie(now, incoming, index);
            }
            CookieAction::TakePeerTag => {
                self.with_tcb(now, index, |tcb, cx| tcb.take_peer(cx, cookie));
                self.acknowledge_cookie(now, incoming, index);
            }
            CookieAction::Confirm => {
                self.with_tcb(now, index, Tcb::confirm);
                self.acknowledge_cookie(now, incoming, index);
            }
            CookieAction::RefuseRestart => {
                self.registry.tcb_mut(index).refuse_restart();
                self.enlist(index);
            }
            CookieAction::ReportStale => self.report_stale(incoming, judge, staleness),
            CookieAction::Discard => {}
        }
    }

    /// Sends COOKIE ACK, then handles the rest of the packet.
    fn acknowledge_cookie(&mut self, now: Time, incoming: &Incoming<'_>, index: usize) {
        let ends = (incoming.local, incoming.remote.ip);
        self.with_tcb(now, index, |tcb, _| tcb.acknowledge_cookie(ends));
        self.deliver(now, index, incoming);
    }

    // RFC 9260 §5.2.6
    fn report_stale(&mut self, incoming: &Incoming<'_>, judge: &Judge<'_>, staleness: Duration) {
        let causes = [cookie::stale_cause(staleness)];
        let error = ErrorChunk {
            causes: Causes::from(&causes),
        };
        self.answer_cookie(incoming, judge, &Chunk::Error(error));
    }

    /// Acknowledges a cookie that creates no association, authenticated if the peer requires AUTH
    /// (RFC 4895 §6.2).
    fn answer_cookie(&mut self, incoming: &Incoming<'_>, judge: &Judge<'_>, chunk: &Chunk<'_>) {
        let header = reply_header(incoming, judge.cookie.peer_tag);
        let authenticator = self.authenticator_for(judge);
        let (from, to) = (incoming.local, incoming.remote);
        let queued = (self.replies).push_proved((from, to), header, chunk, authenticator.as_ref());
        if let (Some(packet), Some(opened)) = (queued, incoming.opened)
            && let Some(shield) = self.registry.tcb_mut(opened.index).extensions.shield()
        {
            shield.seal_for(opened.kind, packet);
        }
    }
}

impl Tcb {
    /// The tags that table 5.2.4 compares with the cookie's.
    fn collision_tags(&self) -> Tags {
        Tags {
            local: self.local_tag,
            peer: self.peer_tag,
            ties: self.tie_tags,
        }
    }
}

fn reply_header(incoming: &Incoming<'_>, vtag: Vtag) -> CommonHeader {
    CommonHeader {
        source_port: incoming.packet.header.destination_port,
        destination_port: incoming.packet.header.source_port,
        vtag,
    }
}
