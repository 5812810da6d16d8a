//! User data bundled with COOKIE ECHO (RFC 9260 §5.1 D).

use sheave_wire::Vtag;

use super::control::Control;
use super::tcb::{Context, Tcb};
use crate::path::Path;
use crate::timers::Timer;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{EarlyData, Event, Phase, Time};

/// Most packets of data before COOKIE ACK: the ten of RFC 6928 (a limit in bytes, like the
/// congestion window) and two for the space used by the cookies.
const FIRST_WINDOW: u8 = 12;

impl Tcb {
    /// The path of the queued COOKIE ECHO, if DATA may be bundled with it; no other packet may
    /// leave before COOKIE ACK.
    pub(super) fn early_destination(&self, fragment: usize) -> Option<PathIndex> {
        let (index, Control::CookieEcho) = self.control.front()? else {
            return None;
        };
        self.takes_early_data(index, fragment).then_some(index)
    }

    /// Sends more of the first window with another COOKIE ECHO, if the peer supports this; any of
    /// them establishes the association.
    // DEVIATION RFC 9260 §5.1: more than one packet leaves before COOKIE ACK, by consent of both ends.
    pub(super) fn continue_early_window(&mut self, fragment: usize) {
        if self.phase != Phase::CookieEchoed || !self.agreed.contains(ExtensionSet::EARLY_WINDOW) {
            return;
        }
        if !self.control.is_empty() {
            return;
        }
        let path = self.paths.current();
        if !self.outbound.has_new(fragment, self.is_nagle())
            && let Some(handshake) = self.extensions.handshake()
        {
            handshake.echoed = None;
        }
        let next = self.outbound.next_seq();
        let continues = self.extensions.handshake.as_ref().is_some_and(|handshake| {
            // Data that did not fit beside this COOKIE ECHO will not fit beside the next.
            handshake.attempts == 0
                && handshake.echoes < FIRST_WINDOW
                && handshake.echoed.is_none_or(|echoed| echoed < next)
        }) && self.takes_early_data(path, fragment);
        if continues {
            self.note_echo();
            self.control.push_front(path, Control::CookieEcho);
        }
    }

    /// Notes that another COOKIE ECHO is queued, with which data may leave.
    pub(super) fn note_echo(&mut self) {
        let next = self.outbound.next_seq();
        if let Some(handshake) = self.extensions.handshake() {
            handshake.echoes += 1;
            handshake.echoed = Some(next);
        }
    }

    /// Notifies the user that data may leave with the COOKIE ECHO.
    pub(super) fn announce_answer(&self, cx: &mut Context<'_>) {
        if self.allows_early_data() {
            let event = Event::Answered {
                outbound_streams: self.outbound.streams(),
                inbound_streams: self.inbound_streams,
            };
            cx.events.push(self.id, event);
        }
    }

    /// Whether any user data may leave with a COOKIE ECHO.
    fn allows_early_data(&self) -> bool {
        // AUTH would have to precede the COOKIE ECHO, whether or not the peer requires it.
        self.phase == Phase::CookieEchoed
            && self.options.early_data != EarlyData::Off
            && !self.outbound.is_concurrent()
            && self.sealing_of_packet(true).is_none()
    }

    fn takes_early_data(&self, index: PathIndex, fragment: usize) -> bool {
        if !self.allows_early_data() {
            return false;
        }
        // No chunk is marked before T1 expires: data sent with an unanswered COOKIE ECHO waits for
        // COOKIE ACK. The path may not carry packets of that length, or a middlebox may drop them;
        // this must not prevent the association from being established (for TCP see RFC 7413).
        let path = self.paths.get(index);
        self.outbound.retransmission_path().is_none()
            && self.outbound.has_new(fragment, self.is_nagle())
            && path.is_some_and(Path::may_send)
    }

    /// T1 expired: data sent with COOKIE ECHO will be retransmitted on `onto` once the association
    /// is established.
    pub(super) fn mark_early_data(&mut self, now: Time, onto: PathIndex) {
        if !self.outbound.has_outstanding() {
            return;
        }
        for from in self.paths.indices() {
            self.outbound.redirect_marked(from, onto);
            if let Some(path) = self.paths.get_mut(from).filter(|path| is_in_use(path)) {
                path.on_withdrawn();
                self.outbound
                    .on_timeout(now, from, onto, self.paths.as_mut_slice());
            }
        }
    }

    /// The association is established: starts T3-rtx for unacknowledged data sent with COOKIE ECHO.
    pub(super) fn time_early_data(&mut self, now: Time) {
        if !self.outbound.has_outstanding() {
            return;
        }
        for index in self.paths.indices() {
            if let Some(path) = self.paths.get(index).filter(|path| is_in_use(path)) {
                let due = now + path.rto.rto();
                self.timers
                    .set_if_stopped(Timer::Retransmission(index), due);
                self.await_tail(now, index);
            }
        }
        self.begin_mtu_searches(now);
    }
}

/// Whether SACKs of a life before may come from a peer whose INIT has that tag, for data that was sent
/// with COOKIE ECHO.
// DEVIATION RFC 9260 §5.2.1: a peer whose INIT has another tag than its INIT ACK lost the state in which
// it may have accepted early data. The INIT ACK for it has a new tag and TSN, as after the handshake: a
// late SACK would acknowledge data of the same TSNs that its next life does not have.
pub(crate) fn may_be_answered_late(tcb: &Tcb, tag: Vtag) -> bool {
    tcb.outbound.has_fragmented() && tcb.peer_tag != Some(tag)
}

fn is_in_use(path: &Path) -> bool {
    path.flow.flight() > 0
}
