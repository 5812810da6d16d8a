use alloc::vec::Vec;
use core::net::IpAddr;

use sheave_wire::Vtag;

use crate::Phase;
use crate::cookie::{Cookie, TieTags};

/// The tags of an existing association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tags {
    /// The tag that we chose.
    pub(crate) local: Vtag,
    /// The tag that the peer chose; `None` in COOKIE-WAIT, where it is unknown.
    pub(crate) peer: Option<Vtag>,
    /// The association's tie-tags. In COOKIE-WAIT and SHUTDOWN-ACK-SENT, new cookies do not contain
    /// them (RFC 9260 §5.2.2), but an earlier cookie can still match.
    pub(crate) ties: TieTags,
}

/// Whether a cookie arrived before it expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    Fresh,
    Stale,
}

/// The action on a COOKIE ECHO while an association exists (RFC 9260 §5.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CookieAction {
    /// A: the peer lost its state. Recreate the association from the cookie, notify the user, send
    /// COOKIE ACK.
    Restart,
    /// A in SHUTDOWN-ACK-SENT: send SHUTDOWN ACK again, and ERROR with the cause Cookie Received
    /// While Shutting Down.
    RefuseRestart,
    /// B: both ends connected at the same time. Take the peer's tag (and any other unknown peer
    /// state) from the cookie, stop T1, send COOKIE ACK.
    TakePeerTag,
    /// D: the COOKIE ECHO is a duplicate or overtook COOKIE ACK. Stop T1-cookie, send COOKIE ACK.
    Confirm,
    /// The cookie expired and its tags are not the association's: send ERROR with the cause Stale
    /// Cookie and drop the packet.
    ReportStale,
    /// C (the cookie is late), or no row of the table matches: drop the packet silently.
    Discard,
}

/// Comparison of a cookie's tag with the association's (legend of table 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    /// "M" in the table.
    Same,
    /// "X" in the table.
    Different,
    /// "0" in the table.
    Unknown,
}

impl Match {
    fn of<T: PartialEq>(existing: Option<T>, in_cookie: Option<T>) -> Self {
        match (existing, in_cookie) {
            (Some(existing), Some(in_cookie)) if existing == in_cookie => Self::Same,
            (Some(_), Some(_)) => Self::Different,
            _ => Self::Unknown,
        }
    }
}

/// The action on a valid cookie of ours while an association exists: steps 3 to 5 of RFC 9260
/// §5.2.4.
///
/// Both tie-tags are drawn and sent together, so they match or differ together.
pub(crate) fn on_cookie_echo(
    phase: Phase,
    existing: &Tags,
    cookie: &Cookie,
    freshness: Freshness,
) -> CookieAction {
    use Match::{Different, Same, Unknown};

    let local = Match::of(Some(existing.local), Some(cookie.local_tag));
    let peer = Match::of(existing.peer, Some(cookie.peer_tag));
    let ties = Match::of(Some(existing.ties), cookie.tie_tags);
    // Step 3: a stale cookie counts as valid if both tags match.
    if freshness == Freshness::Stale && (local, peer) != (Same, Same) {
        return CookieAction::ReportStale;
    }
    // Table 12.
    match (local, peer, ties) {
        // DEVIATION RFC 9260 §5.2.4: a cookie with our tie-tags restarts the association even if the peer's tag is
        // the same. A peer that was told of a stale cookie (§5.2.6) begins anew with its tag, while an earlier cookie
        // may have established our end.
        (Different, Different | Same, Same) => restart(phase),
        (Same, Different | Unknown, _) => CookieAction::TakePeerTag,
        // C.
        (Different, Same, Unknown) => CookieAction::Discard,
        (Same, Same, _) => CookieAction::Confirm,
        _ => CookieAction::Discard,
    }
}

fn restart(phase: Phase) -> CookieAction {
    match phase {
        Phase::ShutdownAckSent => CookieAction::RefuseRestart,
        _ => CookieAction::Restart,
    }
}

/// The action on an INIT while an association exists (RFC 9260 §5.2.1, §5.2.2, §9.2). None changes
/// the association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InitAction {
    /// COOKIE-WAIT: send INIT ACK to `to`, with the tag, TSN, streams and window of our own INIT;
    /// no tie-tags in the cookie.
    AnswerAsBegun {
        /// Destination of the reply.
        to: IpAddr,
    },
    /// COOKIE-ECHOED: send the same INIT ACK to the INIT's source, with tie-tags in the cookie.
    AnswerAsBegunTied,
    /// Later phases: send INIT ACK with a new tag, and tie-tags in the cookie.
    AnswerRestart,
    /// Send ABORT with the INIT's initiate tag and these addresses in the cause Restart of an
    /// Association with New Addresses.
    RefuseNewAddresses(Vec<IpAddr>),
    /// SHUTDOWN-ACK-SENT: drop the INIT and send SHUTDOWN ACK again.
    RepeatShutdownAck,
    /// Drop the INIT: the peer's addresses include none that our user gave.
    Discard,
}

/// The action on an INIT from `source` listing `listed`, while an association exists with a peer at
/// the addresses `known`; in COOKIE-WAIT, `known` are the addresses our user gave.
pub(crate) fn on_init(
    phase: Phase,
    known: &[IpAddr],
    source: IpAddr,
    listed: &[IpAddr],
) -> InitAction {
    match phase {
        Phase::CookieWait => answer_in_cookie_wait(known, source, listed),
        Phase::CookieEchoed => {
            unless_addresses_are_new(known, source, listed, InitAction::AnswerAsBegunTied)
        }
        Phase::Established
        | Phase::ShutdownPending
        | Phase::ShutdownSent
        | Phase::ShutdownReceived => {
            unless_addresses_are_new(known, source, listed, InitAction::AnswerRestart)
        }
        // RFC 9260 §9.2.
        Phase::ShutdownAckSent => InitAction::RepeatShutdownAck,
    }
}

/// RFC 9260 §5.2.1, rules 1 to 3: answer to the source if our user gave that address, otherwise to
/// an address both given by our user and listed in the INIT.
fn answer_in_cookie_wait(known: &[IpAddr], source: IpAddr, listed: &[IpAddr]) -> InitAction {
    let reported = core::iter::once(&source).chain(listed);
    match reported.copied().find(|ip| known.contains(ip)) {
        Some(to) => InitAction::AnswerAsBegun { to },
        None => InitAction::Discard,
    }
}

/// Refuses new addresses from a peer that may be another host (RFC 9260 §5.2.2).
fn unless_addresses_are_new(
    known: &[IpAddr],
    source: IpAddr,
    listed: &[IpAddr],
    answer: InitAction,
) -> InitAction {
    let reported = core::iter::once(&source).chain(listed);
    let new: Vec<_> = reported.copied().filter(|ip| !known.contains(ip)).collect();
    if new.is_empty() {
        answer
    } else {
        InitAction::RefuseNewAddresses(new)
    }
}

#[cfg(test)]
mod tests;
