use sheave_wire::{Chunk, CookieEcho, Heartbeat, Init, Parameters, TagReflection, Tsn, Vtag};

use super::{TagCheck, check, reflection_holds};
use crate::Phase;
use crate::contents::tests::{abort, contents, malformed_after, shutdown_complete};

const OURS: Vtag = Vtag(10);
const PEERS: Vtag = Vtag(20);
const STRANGE: Vtag = Vtag(30);

const INIT: Init<'static> = Init {
    initiate_tag: Vtag(5),
    a_rwnd: 1500,
    outbound_streams: 1,
    inbound_streams: 1,
    initial_tsn: Tsn(1),
    parameters: Parameters::EMPTY,
};
const HEARTBEAT: Chunk<'static> = Chunk::Heartbeat(Heartbeat { info: &[1] });
const COOKIE_ECHO: Chunk<'static> = Chunk::CookieEcho(CookieEcho { cookie: &[1; 8] });

const ALL_TAGS: [Vtag; 4] = [Vtag(0), OURS, PEERS, STRANGE];

fn in_phase(phase: Phase, vtag: Vtag, chunks: &[Chunk<'_>]) -> TagCheck {
    let peers = (phase != Phase::CookieWait).then_some(PEERS);
    check(vtag, &contents(chunks), phase, OURS, peers)
}

fn established(vtag: Vtag, chunks: &[Chunk<'_>]) -> TagCheck {
    in_phase(Phase::Established, vtag, chunks)
}

#[test]
fn exception_a_an_init_comes_alone_and_under_tag_0() {
    let init = Chunk::Init(INIT);
    assert_eq!(established(Vtag(0), &[init]), TagCheck::Init);
    assert_eq!(established(Vtag(0), &[init, HEARTBEAT]), TagCheck::Discard);
    assert_eq!(established(Vtag(0), &[HEARTBEAT, init]), TagCheck::Discard);
    assert_eq!(established(OURS, &[init]), TagCheck::Discard);
    assert_eq!(established(OURS, &[HEARTBEAT, init]), TagCheck::Discard);
    let malformed = malformed_after(&[init]);
    assert_eq!(
        check(Vtag(0), &malformed, Phase::Established, OURS, Some(PEERS)),
        TagCheck::Discard
    );
}

#[test]
fn before_the_peer_s_tag_is_known_none_is_taken_for_it() {
    for vtag in ALL_TAGS {
        let check = in_phase(Phase::CookieWait, vtag, &[abort(TagReflection::Reflected)]);
        assert_eq!(check, TagCheck::Discard, "{vtag}");
        assert!(!reflection_holds(
            TagReflection::Reflected,
            vtag,
            OURS,
            None
        ));
    }
    let refused = in_phase(Phase::CookieWait, OURS, &[abort(TagReflection::Own)]);
    assert_eq!(refused, TagCheck::Accept);
}

#[test]
fn an_abort_with_a_wrong_tag_spoils_its_whole_packet() {
    let wrong = abort(TagReflection::Reflected);
    assert_eq!(established(OURS, &[HEARTBEAT, wrong]), TagCheck::Discard);
    assert_eq!(
        established(STRANGE, &[COOKIE_ECHO, wrong]),
        TagCheck::Discard
    );
}

#[test]
fn exception_d_a_cookie_echo_in_front_may_come_under_any_tag() {
    for phase in [Phase::CookieWait, Phase::CookieEchoed, Phase::Established] {
        let check = |vtag, chunks: &[Chunk<'_>]| in_phase(phase, vtag, chunks);
        assert_eq!(check(STRANGE, &[COOKIE_ECHO]), TagCheck::CookieEcho);
        assert_eq!(check(OURS, &[COOKIE_ECHO]), TagCheck::Accept);
        assert_eq!(check(Vtag(0), &[COOKIE_ECHO]), TagCheck::Discard);
        let behind = check(STRANGE, &[HEARTBEAT, COOKIE_ECHO]);
        assert_eq!(behind, TagCheck::Discard);
    }
}

#[test]
fn exception_e_while_setting_up_a_shutdown_ack_is_out_of_the_blue() {
    for phase in [Phase::CookieWait, Phase::CookieEchoed] {
        for vtag in [OURS, PEERS, STRANGE] {
            let check = in_phase(phase, vtag, &[Chunk::ShutdownAck]);
            assert_eq!(check, TagCheck::OutOfTheBlue, "{phase:?} {vtag}");
        }
    }
}

/// HOSTILE A12.
#[test]
fn a_chunk_that_must_be_alone_is_dropped_beside_others() {
    let complete = shutdown_complete(TagReflection::Own);
    for alone in [Chunk::InitAck(INIT), complete] {
        assert_eq!(established(OURS, &[alone]), TagCheck::Accept, "{alone}");
        for chunks in [[alone, HEARTBEAT], [HEARTBEAT, alone]] {
            assert_eq!(established(OURS, &chunks), TagCheck::Discard, "{alone}");
        }
    }
}

#[test]
fn an_init_ack_needs_our_tag_like_any_other_chunk() {
    for vtag in [Vtag(0), PEERS, STRANGE] {
        let check = in_phase(Phase::CookieWait, vtag, &[Chunk::InitAck(INIT)]);
        assert_eq!(check, TagCheck::Discard, "{vtag}");
    }
}
