//! Effects of a valid cookie: a new association, or a change of an existing one (RFC 9260 §5.1,
//! §5.2.4).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::net::IpAddr;

use super::accounting::Birthplace;
use super::control::Control;
use super::handshake::{inbound, lay_paths};
use super::tcb::{Context, Spare, Tcb, TcbParts, report_failed};
use crate::cookie::{Cookie, TieTags};
use crate::inbound::Acknowledger;
use crate::outbound::{Complete, Outbound};
use crate::path::Path;
use crate::paths::Paths;
use crate::phase::{Transition, Trigger};
use crate::{AssocId, Event, Options, PathChange, PathState, PeerAddress, Phase};

impl Tcb {
    /// Creates the association described by a valid cookie (RFC 9260 §5.1.5).
    pub(crate) fn accept(
        cx: &mut Context<'_>,
        id: AssocId,
        cookie: &Cookie,
        local: Arc<[IpAddr]>,
        options: Arc<Options>,
    ) -> Self {
        let paths = Paths::new(cookie_paths(cx, cookie, &local, &options));
        let mut tcb = Self::assemble(TcbParts {
            id,
            phase: Phase::BY_COOKIE,
            ports: (cookie.local_port, cookie.remote_port),
            tags: (cookie.local_tag, Some(cookie.peer_tag)),
            tie_tags: TieTags::fresh(cx.rng),
            local,
            paths,
            outbound: Outbound::new(cookie.local_initial_tsn, cookie.outbound_streams, &options),
            inbound: inbound(cookie.peer_initial_tsn, cookie.inbound_streams, &options),
            inbound_streams: cookie.inbound_streams,
            handshake: None,
            options,
        });
        tcb.outbound
            .on_negotiated(cookie.outbound_streams, cookie.peer_rwnd);
        tcb.announced = cookie.extensions;
        tcb.adopt_vectors(cookie.vectors.as_deref());
        (tcb.extensions).renew_shield(&tcb.options, cookie.protection.as_deref());
        tcb.adopt(cookie.extensions);
        tcb.establish(cx);
        tcb.announce_adaptation(cx, cookie.adaptation);
        tcb
    }

    /// The peer lost its state and reconnected (table 5.2.4, action A): the association restarts
    /// under the same id.
    pub(crate) fn restart(&mut self, cx: &mut Context<'_>, cookie: &Cookie) {
        // If the handshake is not over, the user never saw the association as established.
        let was_up = self.extensions.handshake.is_none();
        if was_up {
            drop_outbound(self, cx, cookie);
        } else {
            self.recall(cx, cookie.local_initial_tsn, Complete::GivenUp);
        }
        self.take_streams(cx, cookie.outbound_streams, cookie.peer_rwnd);
        self.restart_inbound(cx, cookie);
        self.announced = cookie.extensions;
        self.adopt_vectors(cookie.vectors.as_deref());
        (self.extensions).renew_shield(&self.options, cookie.protection.as_deref());
        if was_up {
            self.adopt(cookie.extensions);
        } else {
            self.adopt_anew(cx, cookie.extensions);
        }
        self.local_tag = cookie.local_tag;
        self.peer_tag = Some(cookie.peer_tag);
        self.tie_tags = TieTags::fresh(cx.rng);
        let addresses = self.paths.addresses();
        self.paths
            .restart(cookie_paths(cx, cookie, &self.local, &self.options));
        self.control.clear();
        self.timers.stop_all();
        self.spare = Spare::None;
        self.accounting.birthplace = Birthplace::Here;
        self.acknowledger = Acknowledger::of(&self.options);
        if !was_up {
            self.step(Trigger::PeerRestarted);
            self.establish(cx);
            return self.announce_adaptation(cx, cookie.adaptation);
        }
        self.paths.clear_errors();
        self.step(Trigger::PeerRestarted);
        cx.events.push(self.id, Event::Restarted);
        self.tell_other_addresses(cx, &addresses);
        self.announce_adaptation(cx, cookie.adaptation);
        self.announce_authentication(cx);
        self.start_probing(cx);
        self.honour_wish(cx);
    }

    /// Both ends connected at once (table 5.2.4, action B): the peer's parameters are taken from
    /// the cookie, replacing earlier ones.
    pub(crate) fn take_peer(&mut self, cx: &mut Context<'_>, cookie: &Cookie) {
        let agrees = self.agreed == cookie.extensions;
        self.peer_tag = Some(cookie.peer_tag);
        let complete = match self.extensions.take_stale_data() {
            Some(data) if data.is_kept(cookie.peer_tag, agrees) => None,
            Some(data) => Some(data.complete),
            // The peer may have lost its state after accepting the data sent with our COOKIE ECHO.
            None if self.phase == Phase::CookieEchoed => Some(Complete::GivenUp),
            None => Some(Complete::SentAgain),
        };
        if let Some(complete) = complete {
            self.recall(cx, cookie.local_initial_tsn, complete);
        }
        self.adopt_vectors(cookie.vectors.as_deref());
        (self.extensions).renew_shield(&self.options, cookie.protection.as_deref());
        self.take_streams(cx, cookie.outbound_streams, cookie.peer_rwnd);
        self.inbound_streams = cookie.inbound_streams;
        if let Some(handshake) = self.extensions.handshake() {
            handshake.adaptation = cookie.adaptation;
        }
        for address in cookie.peer_addresses() {
            self.learn_address(cx, address);
        }
        if matches!(self.step(Trigger::CookieEchoAccepted), Transition::To(_)) {
            self.inbound = inbound(
                cookie.peer_initial_tsn,
                cookie.inbound_streams,
                &self.options,
            );
            self.adopt_anew(cx, cookie.extensions);
            self.establish(cx);
        } else {
            self.restart_inbound(cx, cookie);
            self.adopt_anew(cx, cookie.extensions);
            // The key managers have begun with another parameter of the peer's.
            if self.extensions.shield.is_some() {
                cx.events.push(self.id, Event::Restarted);
            }
        }
    }

    /// The cookie is a duplicate or overtook COOKIE ACK (table 5.2.4, action D).
    pub(crate) fn confirm(&mut self, cx: &mut Context<'_>) {
        if matches!(self.step(Trigger::CookieEchoAccepted), Transition::To(_)) {
            self.establish(cx);
        }
    }

    /// Notifies the user of addresses the peer gained and lost.
    fn tell_other_addresses(&self, cx: &mut Context<'_>, before: &[IpAddr]) {
        let now = self.paths.addresses();
        for gone in before.iter().filter(|ip| !now.contains(ip)) {
            self.tell_path(cx, *gone, PathChange::Removed);
        }
        for new in now.iter().filter(|ip| !before.contains(ip)) {
            self.tell_path(cx, *new, PathChange::Added);
        }
    }

    fn restart_inbound(&mut self, cx: &mut Context<'_>, cookie: &Cookie) {
        let was_readable = self.is_readable();
        let cut_off = self
            .inbound
            .restart(cookie.peer_initial_tsn, cookie.inbound_streams);
        self.report_cut_off(cx, cut_off);
        // Messages waited for the end of one that was being delivered in parts.
        if !was_readable && self.is_readable() {
            cx.events.push(self.id, Event::Readable);
        }
        self.inbound_streams = cookie.inbound_streams;
    }

    /// Queues COOKIE ACK before everything else, with a heartbeat if the address is unconfirmed
    /// (RFC 9260 §5.4). A path not heard yet sends from the address that the COOKIE ECHO came to.
    pub(crate) fn acknowledge_cookie(&mut self, (local, source): (IpAddr, IpAddr)) {
        let path = self.paths.find(source).unwrap_or(self.paths.current());
        if self.may_leave_from(local)
            && let Some(unheard) = self.paths.get_mut(path)
            && unheard.counters.packets_received == 0
        {
            unheard.local = local;
        }
        self.control.unqueue(&Control::CookieAck);
        self.control.hasten(path, Control::Heartbeat);
        self.control.push_front(path, Control::CookieAck);
    }
}

/// The paths of an association created from a cookie; only the destination of our INIT ACK is
/// confirmed (RFC 9260 §5.4, rule 2).
fn cookie_paths(
    cx: &Context<'_>,
    cookie: &Cookie,
    local: &[IpAddr],
    options: &Options,
) -> Vec<Path> {
    let mut paths = Vec::with_capacity(cookie.listed.len() + 1);
    paths.push(Path::new(
        cx.now,
        cookie.local,
        cookie.source,
        PathState::Active,
        options,
    ));
    let listed: Vec<PeerAddress> = cookie.peer_addresses().skip(1).collect();
    let state = PathState::Unconfirmed;
    lay_paths(cx, &mut paths, local, &listed, state, options);
    paths
}

/// Gives up all data that was not acknowledged.
fn drop_outbound(tcb: &mut Tcb, cx: &mut Context<'_>, cookie: &Cookie) {
    let fresh = Outbound::new(
        cookie.local_initial_tsn,
        cookie.outbound_streams,
        &tcb.options,
    );
    let mut old = mem::replace(&mut tcb.outbound, fresh);
    tcb.outbound.free_keys_of(&mut old);
    let hidden = tcb.extensions.hidden();
    report_failed(tcb.id, cx.events, old.into_undelivered(), hidden);
}
