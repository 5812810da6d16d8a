use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::time::Duration;

use sheave_wire::{
    Causes, Chunk, CookieEcho, Data, ErrorChunk, Heartbeat, Init, Parameters, Shutdown,
    TagReflection, Tsn, Vtag,
};

use super::{Cast, Reply, reply};
use crate::contents::Contents;
use crate::contents::tests::{abort, contents, malformed_after, shutdown_complete};
use crate::cookie::stale_cause;

const TAG: Vtag = Vtag(77);

const INIT: Init<'static> = Init {
    initiate_tag: Vtag(5),
    a_rwnd: 1500,
    outbound_streams: 1,
    inbound_streams: 1,
    initial_tsn: Tsn(1),
    parameters: Parameters::EMPTY,
};

const COOKIE_ECHO: Chunk<'static> = Chunk::CookieEcho(CookieEcho { cookie: &[1; 8] });

fn unicast(vtag: Vtag, contents: &Contents) -> Reply {
    reply(vtag, contents, Cast::Unicast)
}

fn to_chunks(chunks: &[Chunk<'_>]) -> Reply {
    unicast(TAG, &contents(chunks))
}

fn data() -> Chunk<'static> {
    Chunk::Data(Data {
        flags: sheave_wire::DataFlags::EMPTY,
        tsn: Tsn(1),
        stream: sheave_wire::StreamId(0),
        ssn: sheave_wire::Ssn(0),
        ppid: sheave_wire::Ppid(0),
        payload: b"x",
    })
}

#[test]
fn rule_1_nothing_goes_back_to_or_from_many_machines() {
    for chunk in [Chunk::Init(INIT), COOKIE_ECHO, Chunk::ShutdownAck, data()] {
        for vtag in [Vtag(0), TAG] {
            let contents = contents(&[chunk]);
            assert_eq!(reply(vtag, &contents, Cast::Other), Reply::Silent);
        }
    }
}

#[test]
fn rule_2_an_abort_is_never_answered_whatever_stands_beside_it() {
    for reflected in [TagReflection::Own, TagReflection::Reflected] {
        assert_eq!(to_chunks(&[abort(reflected)]), Reply::Silent);
        for other in [COOKIE_ECHO, Chunk::ShutdownAck, data()] {
            assert_eq!(to_chunks(&[other, abort(reflected)]), Reply::Silent);
        }
    }
}

#[test]
fn rule_3_an_init_under_tag_0_is_handled() {
    let init = contents(&[Chunk::Init(INIT)]);
    assert_eq!(unicast(Vtag(0), &init), Reply::HandleInit);
}

/// HOSTILE A12.
#[test]
fn an_init_in_company_or_under_another_tag_is_not_handled() {
    let bundled = contents(&[Chunk::Init(INIT), data()]);
    assert_eq!(unicast(Vtag(0), &bundled), Reply::Silent);
    let twice = contents(&[Chunk::Init(INIT), Chunk::Init(INIT)]);
    assert_eq!(unicast(Vtag(0), &twice), Reply::Silent);
    assert_eq!(to_chunks(&[Chunk::Init(INIT)]), Reply::Abort);
}

#[test]
fn tag_0_is_for_init_alone() {
    for chunk in [
        COOKIE_ECHO,
        Chunk::ShutdownAck,
        data(),
        Chunk::InitAck(INIT),
    ] {
        assert_eq!(unicast(Vtag(0), &contents(&[chunk])), Reply::Silent);
    }
}

#[test]
fn rule_4_a_cookie_echo_in_front_is_handled() {
    assert_eq!(to_chunks(&[COOKIE_ECHO]), Reply::HandleCookieEcho);
    assert_eq!(to_chunks(&[COOKIE_ECHO, data()]), Reply::HandleCookieEcho);
    assert_eq!(to_chunks(&[data(), COOKIE_ECHO]), Reply::Abort);
}

#[test]
fn rule_5_a_shutdown_ack_is_answered_with_shutdown_complete() {
    assert_eq!(to_chunks(&[Chunk::ShutdownAck]), Reply::ShutdownComplete);
    assert_eq!(
        to_chunks(&[data(), Chunk::ShutdownAck]),
        Reply::ShutdownComplete
    );
}

#[test]
fn rule_6_a_shutdown_complete_is_not_answered() {
    for reflected in [TagReflection::Own, TagReflection::Reflected] {
        assert_eq!(to_chunks(&[shutdown_complete(reflected)]), Reply::Silent);
    }
}

#[test]
fn rule_7_a_stale_cookie_error_or_a_cookie_ack_is_not_answered() {
    let causes = [stale_cause(Duration::from_secs(1))];
    let error = |causes| Chunk::Error(ErrorChunk { causes });
    assert_eq!(to_chunks(&[error(Causes::from(&causes))]), Reply::Silent);
    assert_eq!(to_chunks(&[Chunk::CookieAck]), Reply::Silent);
    assert_eq!(to_chunks(&[Chunk::CookieAck, data()]), Reply::Silent);
    // Other errors are no exception.
    assert_eq!(to_chunks(&[error(Causes::EMPTY)]), Reply::Abort);
}

#[test]
fn rule_8_anything_else_is_aborted() {
    let shutdown = Chunk::Shutdown(Shutdown {
        cumulative_tsn_ack: Tsn(1),
    });
    let heartbeat = Chunk::Heartbeat(Heartbeat { info: &[1, 2, 3] });
    for chunk in [data(), shutdown, heartbeat, Chunk::InitAck(INIT)] {
        assert_eq!(to_chunks(&[chunk]), Reply::Abort, "{chunk}");
    }
}

#[test]
fn a_malformed_packet_is_not_answered() {
    for chunks in [&[][..], &[data()], &[Chunk::ShutdownAck], &[COOKIE_ECHO]] {
        assert_eq!(unicast(TAG, &malformed_after(chunks)), Reply::Silent);
    }
    let init = malformed_after(&[Chunk::Init(INIT)]);
    assert_eq!(unicast(Vtag(0), &init), Reply::Silent);
}

#[test]
fn only_addresses_of_one_machine_are_unicast() {
    let good: IpAddr = Ipv4Addr::new(192, 0, 2, 1).into();
    let bad: [IpAddr; 5] = [
        Ipv4Addr::UNSPECIFIED.into(),
        Ipv4Addr::BROADCAST.into(),
        Ipv4Addr::new(224, 0, 0, 1).into(),
        Ipv6Addr::UNSPECIFIED.into(),
        Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1).into(),
    ];
    assert_eq!(Cast::between(good, good), Cast::Unicast);
    // A carrier uses reserved addresses for its peers (RFC 8261).
    let reserved = Ipv4Addr::new(240, 0, 0, 1).into();
    assert_eq!(Cast::between(good, reserved), Cast::Unicast);
    let loopback = Ipv4Addr::LOCALHOST.into();
    assert_eq!(Cast::between(loopback, loopback), Cast::Unicast);
    for ip in bad {
        assert_eq!(Cast::between(good, ip), Cast::Other, "from {ip}");
        assert_eq!(Cast::between(ip, good), Cast::Other, "to {ip}");
    }
}
