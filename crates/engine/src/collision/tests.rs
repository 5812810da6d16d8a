use core::net::IpAddr;
use std::string::String;
use std::{format, vec};

use sheave_wire::Vtag;

use super::{CookieAction, Freshness, InitAction, Tags, on_cookie_echo, on_init};
use crate::cookie::tests::{made_at, v4 as ip};
use crate::cookie::{Cookie, TieTags};
use crate::phase::tests::PHASES;
use crate::{Phase, Time};

const EXISTING: Tags = Tags {
    local: Vtag(10),
    peer: Some(Vtag(20)),
    ties: TieTags { local: 1, peer: 2 },
};

const OTHER_TIES: TieTags = TieTags { local: 1, peer: 3 };

fn cookie(local: u32, peer: u32, ties: Option<TieTags>) -> Cookie {
    Cookie {
        local_tag: Vtag(local),
        peer_tag: Vtag(peer),
        tie_tags: ties,
        ..made_at(Time::ZERO)
    }
}

fn fresh(existing: &Tags, cookie: &Cookie) -> CookieAction {
    on_cookie_echo(Phase::Established, existing, cookie, Freshness::Fresh)
}

/// Table 12 as a table: local tag, peer's tag, tie-tags; M same, X different, 0 unknown.
#[test]
fn every_combination_of_tags_is_decided() {
    let unknown_peer = Tags {
        peer: None,
        ..EXISTING
    };
    let mut table = String::new();
    for (local_name, local) in [("M", 10), ("X", 11)] {
        for (peer_name, existing) in [("M", EXISTING), ("X", EXISTING), ("0", unknown_peer)] {
            let peer = if peer_name == "X" { 21 } else { 20 };
            for (ties_name, ties) in [
                ("M", Some(EXISTING.ties)),
                ("X", Some(OTHER_TIES)),
                ("0", None),
            ] {
                let action = fresh(&existing, &cookie(local, peer, ties));
                table += &format!("{local_name} {peer_name} {ties_name} {action:?}\n");
            }
        }
    }
    assert_eq!(
        table,
        "\
M M M Confirm
M M X Confirm
M M 0 Confirm
M X M TakePeerTag
M X X TakePeerTag
M X 0 TakePeerTag
M 0 M TakePeerTag
M 0 X TakePeerTag
M 0 0 TakePeerTag
X M M Restart
X M X Discard
X M 0 Discard
X X M Restart
X X X Discard
X X 0 Discard
X 0 M Discard
X 0 X Discard
X 0 0 Discard
"
    );
}

#[test]
fn tie_tags_match_only_as_a_pair() {
    for ties in [
        TieTags { local: 1, peer: 9 },
        TieTags { local: 9, peer: 2 },
        TieTags { local: 2, peer: 1 },
    ] {
        let action = fresh(&EXISTING, &cookie(11, 21, Some(ties)));
        assert_eq!(action, CookieAction::Discard, "{ties:?}");
    }
}

/// HOSTILE A2: who has seen the association's verification tags cannot restart it with them.
#[test]
fn verification_tags_are_not_tie_tags() {
    let guessed = TieTags {
        local: EXISTING.local.0,
        peer: 20,
    };
    let action = fresh(&EXISTING, &cookie(11, 21, Some(guessed)));
    assert_eq!(action, CookieAction::Discard);
}

#[test]
fn a_restart_while_shutdown_ack_waits_for_its_answer_is_refused() {
    let restart = cookie(11, 21, Some(EXISTING.ties));
    for phase in PHASES {
        let action = on_cookie_echo(phase, &EXISTING, &restart, Freshness::Fresh);
        let wanted = match phase {
            Phase::ShutdownAckSent => CookieAction::RefuseRestart,
            _ => CookieAction::Restart,
        };
        assert_eq!(action, wanted, "{phase:?}");
    }
}

#[test]
fn a_stale_cookie_counts_if_both_tags_match() {
    let stale = |local, peer| {
        let cookie = cookie(local, peer, Some(EXISTING.ties));
        on_cookie_echo(Phase::Established, &EXISTING, &cookie, Freshness::Stale)
    };
    assert_eq!(stale(10, 20), CookieAction::Confirm);
    for (local, peer) in [(10, 21), (11, 20), (11, 21)] {
        assert_eq!(stale(local, peer), CookieAction::ReportStale);
    }
}

#[test]
fn in_cookie_wait_an_init_is_answered_where_our_user_pointed() {
    let act =
        |source, listed: &[IpAddr]| on_init(Phase::CookieWait, &[ip(2), ip(3)], source, listed);
    assert_eq!(act(ip(3), &[]), InitAction::AnswerAsBegun { to: ip(3) });
    assert_eq!(
        act(ip(9), &[ip(8), ip(2)]),
        InitAction::AnswerAsBegun { to: ip(2) }
    );
    assert_eq!(act(ip(9), &[ip(8)]), InitAction::Discard);
}

#[test]
fn an_init_with_no_new_address_is_answered_by_phase() {
    let known = [ip(2), ip(3)];
    for phase in PHASES {
        let wanted = match phase {
            Phase::CookieWait => InitAction::AnswerAsBegun { to: ip(2) },
            Phase::CookieEchoed => InitAction::AnswerAsBegunTied,
            Phase::ShutdownAckSent => InitAction::RepeatShutdownAck,
            _ => InitAction::AnswerRestart,
        };
        assert_eq!(on_init(phase, &known, ip(2), &[ip(3)]), wanted, "{phase:?}");
        assert_eq!(on_init(phase, &known, ip(2), &[]), wanted, "{phase:?}");
    }
}

/// HOSTILE A3.
#[test]
fn an_init_with_new_addresses_is_refused_and_told_which() {
    let known = [ip(2), ip(3)];
    let refused = |addresses| InitAction::RefuseNewAddresses(addresses);
    for phase in [
        Phase::CookieEchoed,
        Phase::Established,
        Phase::ShutdownPending,
        Phase::ShutdownSent,
        Phase::ShutdownReceived,
    ] {
        let listed = on_init(phase, &known, ip(2), &[ip(3), ip(4), ip(5)]);
        assert_eq!(listed, refused(vec![ip(4), ip(5)]), "{phase:?}");
        let source = on_init(phase, &known, ip(9), &[ip(2)]);
        assert_eq!(source, refused(vec![ip(9)]), "{phase:?}");
    }
}
