//! What a valid cookie does: an association that begins, and what becomes of one that there is (RFC
//! 9260 §5.1, §5.2.4).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::net::IpAddr;

use super::control::Control;
use super::opening::{inbound, lay_paths};
use super::tcb::{Context, Parts, Spare, Tcb, report_failed};
use crate::cookie::{Cookie, TieTags};
use crate::inbound::Acknowledger;
use crate::outbound::Outbound;
use crate::path::{Path, PathIndex};
use crate::phase::{Transition, Trigger};
use crate::{AssocId, Event, Options, PathState, PeerAddress, Phase, Time};

impl Tcb {
    /// Makes the association that a valid cookie describes (RFC 9260 §5.1.5).
    pub(crate) fn accept(
        cx: &mut Context<'_>,
        id: AssocId,
        cookie: &Cookie,
        local: Arc<[IpAddr]>,
        options: Arc<Options>,
    ) -> Self {
        let paths = cookie_paths(cx.now, cookie, &local, &options);
        let mut tcb = Self::assemble(Parts {
            id,
            phase: Phase::BY_COOKIE,
            ports: (cookie.local_port, cookie.remote_port),
            tags: (cookie.local_tag, cookie.peer_tag),
            tie_tags: TieTags::fresh(cx.rng),
            local,
            paths,
            outbound: Outbound::new(cookie.local_initial_tsn, cookie.outbound_streams, &options),
            inbound: inbound(cookie.peer_initial_tsn, cookie.inbound_streams, &options),
            inbound_streams: cookie.inbound_streams,
            opening: None,
            options,
        });
        tcb.outbound
            .on_negotiated(cookie.outbound_streams, cookie.peer_rwnd);
        tcb.announced = cookie.extensions;
        tcb.adopt_vectors(cookie.vectors.as_deref());
        tcb.adopt(cookie.extensions);
        tcb.establish(cx);
        tcb.announce_adaptation(cx, cookie.adaptation);
        tcb
    }

    /// The peer came back without its state (table 5.2.4, action A): everything starts over
    /// under the same id.
    pub(crate) fn restart(&mut self, cx: &mut Context<'_>, cookie: &Cookie) {
        let fresh = Outbound::new(
            cookie.local_initial_tsn,
            cookie.outbound_streams,
            &self.options,
        );
        let old = mem::replace(&mut self.outbound, fresh);
        report_failed(self.id, cx.events, old.into_undelivered());
        self.outbound
            .on_negotiated(cookie.outbound_streams, cookie.peer_rwnd);
        self.restart_inbound(cx, cookie);
        self.announced = cookie.extensions;
        self.adopt_vectors(cookie.vectors.as_deref());
        self.adopt(cookie.extensions);
        self.local_tag = cookie.local_tag;
        self.peer_tag = cookie.peer_tag;
        self.tie_tags = TieTags::fresh(cx.rng);
        self.paths = cookie_paths(cx.now, cookie, &self.local, &self.options);
        self.primary = PathIndex(0);
        self.current = PathIndex(0);
        self.sack_path = PathIndex(0);
        self.control.release();
        self.timers.stop_all();
        self.spare = Spare::None;
        self.acknowledger = Acknowledger::of(&self.options);
        if self.rare.opening.is_some() {
            // To the user it was never up before.
            self.step(Trigger::PeerRestarted);
            self.establish(cx);
            return self.announce_adaptation(cx, cookie.adaptation);
        }
        self.errors = 0;
        self.step(Trigger::PeerRestarted);
        cx.events.push(self.id, Event::Restarted);
        self.announce_adaptation(cx, cookie.adaptation);
        self.announce_authentication(cx);
        self.start_probing(cx);
        self.honour_wish(cx);
    }

    /// Both sides began at once (table 5.2.4, action B): what the peer says of itself comes from
    /// the cookie, whatever it said before.
    pub(crate) fn take_peer(&mut self, cx: &mut Context<'_>, cookie: &Cookie) {
        self.peer_tag = cookie.peer_tag;
        self.adopt_vectors(cookie.vectors.as_deref());
        self.take_streams(cx, cookie.outbound_streams, cookie.peer_rwnd);
        self.inbound_streams = cookie.inbound_streams;
        if let Some(opening) = self.rare.opening() {
            opening.adaptation = cookie.adaptation;
        }
        for address in cookie.peer_addresses() {
            self.learn_address(cx.now, address);
        }
        if matches!(self.step(Trigger::CookieEchoAccepted), Transition::To(_)) {
            self.inbound = inbound(
                cookie.peer_initial_tsn,
                cookie.inbound_streams,
                &self.options,
            );
            self.adopt(cookie.extensions);
            self.establish(cx);
        } else {
            self.restart_inbound(cx, cookie);
            self.adopt(cookie.extensions);
        }
    }

    /// The cookie came again, or overtook COOKIE ACK (table 5.2.4, action D).
    pub(crate) fn confirm(&mut self, cx: &mut Context<'_>) {
        if matches!(self.step(Trigger::CookieEchoAccepted), Transition::To(_)) {
            self.establish(cx);
        }
    }

    fn restart_inbound(&mut self, cx: &mut Context<'_>, cookie: &Cookie) {
        let cut_off = self
            .inbound
            .restart(cookie.peer_initial_tsn, cookie.inbound_streams);
        self.report_cut_off(cx, cut_off);
        self.inbound_streams = cookie.inbound_streams;
    }

    /// COOKIE ACK goes out before all else; to an address that is not yet confirmed, a probe goes
    /// with it (RFC 9260 §5.4).
    pub(crate) fn acknowledge_cookie(&mut self, source: IpAddr) {
        let path = self.path_to(source).unwrap_or(self.current);
        self.unqueue(&Control::CookieAck);
        let probe = (path, Control::Heartbeat);
        let probed = self.control.contains(&probe);
        if probed {
            self.control.retain(|waiting| *waiting != probe);
            self.control.push_front(probe);
        }
        self.control.push_front((path, Control::CookieAck));
    }
}

/// The paths of an association that a cookie describes: the address that our INIT ACK went to is
/// the only one confirmed (RFC 9260 §5.4, rule 2).
fn cookie_paths(now: Time, cookie: &Cookie, local: &[IpAddr], options: &Options) -> Vec<Path> {
    let mut paths = Vec::with_capacity(cookie.listed.len() + 1);
    paths.push(Path::new(
        now,
        cookie.local,
        cookie.source,
        PathState::Active,
        options,
    ));
    let listed: Vec<PeerAddress> = cookie.peer_addresses().skip(1).collect();
    let state = PathState::Unconfirmed;
    lay_paths(&mut paths, now, local, &listed, state, options);
    paths
}
