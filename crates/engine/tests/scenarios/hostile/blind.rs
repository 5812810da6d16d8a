//! Off-path attackers.

use std::collections::BTreeSet;

use crate::prelude::*;

use super::quiet;

/// A chunk of each known type, as an attacker would send it.
fn arsenal<'a>(peer: &Peer, parameters: &'a [Parameter<'a>]) -> Vec<Chunk<'a>> {
    let init = Init {
        initiate_tag: Vtag(0xbad),
        a_rwnd: 1 << 16,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn(0),
        parameters: Parameters::from(parameters),
    };
    let init = |edit: fn(&mut Init<'_>)| {
        let mut changed = init;
        edit(&mut changed);
        changed
    };
    let data = |payload| Data {
        flags: WHOLE,
        tsn: peer.tsn,
        stream: StreamId(0),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload,
    };
    let mut chunks = vec![
        Chunk::Data(data(b"forged")),
        Chunk::Data(data(b"")),
        Chunk::Init(init(|init| init.outbound_streams = 0)),
        Chunk::Init(init(|init| init.initiate_tag = Vtag(0))),
        Chunk::Init(init(|_| {})),
        Chunk::InitAck(init(|_| {})),
        Chunk::Sack(sack(peer.engine_tsn, 0, &[])),
        heartbeat(b"forged"),
        Chunk::HeartbeatAck(Heartbeat { info: b"forged" }),
        shutdown(peer.engine_tsn),
        Chunk::ShutdownAck,
        Chunk::Error(ErrorChunk {
            causes: Causes::EMPTY,
        }),
        cookie_echo(b"forged"),
        Chunk::CookieAck,
    ];
    for reflected in [TagReflection::Own, TagReflection::Reflected] {
        chunks.extend([abort(reflected), shutdown_complete(reflected)]);
    }
    chunks
}

fn attack(world: &mut World, peer: &Peer, random: &mut Random) {
    let parameters = [Parameter::StateCookie(b"forged")];
    for chunk in arsenal(peer, &parameters) {
        for tag in [0, 1, u32::MAX, random.next() as u32] {
            peer.send_tagged(world, Vtag(tag), &[chunk]);
            peer.send_tagged(world, Vtag(tag), &[heartbeat(b"x"), chunk]);
        }
    }
    world.run_for(ms(50));
}

// A11
#[test]
fn nothing_but_a_valid_tag_ends_or_changes_an_association() {
    for accepted in [true, false] {
        let mut random = Random::new(11);
        let (mut world, mut peer) = if accepted {
            Peer::connected(quiet())
        } else {
            Peer::serving(quiet())
        };
        for _ in 0..20 {
            attack(&mut world, &peer, &mut random);
        }
        assert!(world.received(A).is_empty());
        assert_eq!(world.assoc(A).phase(), Phase::Established);
        peer.expect_alive(&mut world);
    }
}

// A11
#[test]
fn nothing_but_a_valid_tag_ends_an_attempt_to_connect() {
    let mut random = Random::new(12);
    let (mut world, mut peer) = Peer::awaited(quiet());
    let honest = peer.clone();
    let mut blind = peer.clone();
    blind.engine_tag = Vtag(1);
    attack(&mut world, &blind, &mut random);
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
    peer.take(&world);
    honest.send_init_ack(&mut world, b"cookie", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    attack(&mut world, &peer, &mut random);
    assert_eq!(world.assoc(A).phase(), Phase::CookieEchoed);
    peer.send(&mut world, &[Chunk::CookieAck]);
    world.run_for(ms(50));
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

// A11: CVE-2021-3772, broken chunks with a wrong tag must not make us abort.
#[test]
fn a_broken_chunk_with_a_wrong_tag_aborts_nothing() {
    let (mut world, mut peer) = Peer::connected(quiet());
    for chunk_type in 0..=255_u8 {
        for len in [0, 4, 5, 8, 19] {
            let mut chunk = vec![chunk_type, 0, 0, len];
            chunk.resize(20, 0);
            for tag in [0, peer.tag.0, peer.engine_tag.0 ^ 1] {
                let mut packet = peer.packet_of(&chunk);
                packet[4..8].copy_from_slice(&tag.to_be_bytes());
                reseal(&mut packet);
                peer.inject(&mut world, packet);
            }
        }
    }
    world.run_for(secs(1));
    peer.expect_alive(&mut world);
}

// A11: the lottery of tags, from many addresses and ports.
#[test]
fn guessed_tags_hit_nothing() {
    let mut random = Random::new(13);
    let (mut world, mut peer) = Peer::connected(quiet());
    for _ in 0..20_000 {
        let guessed = Vtag(random.next() as u32);
        peer.send_tagged(&mut world, guessed, &[abort(TagReflection::Own)]);
    }
    world.run_for(secs(1));
    assert_eq!(world.endpoint(A).stats().bad_tag, 20_000);
    peer.expect_alive(&mut world);
}

// A2: ASCONF is not spoken, with or without a guess at tie-tags.
#[test]
fn an_address_change_without_authentication_is_refused() {
    let (mut world, mut peer) = Peer::connected(quiet());
    // ASCONF, serial 1, with an address parameter and "add IP".
    let asconf = [
        0xc1, 0, 0, 32, 0, 0, 0, 1, 0, 5, 0, 8, 10, 1, 0, 2, 0xc0, 1, 0, 16, 0, 0, 0, 1, 0, 5, 0,
        8, 10, 9, 0, 2,
    ];
    peer.send_bytes(&mut world, &asconf);
    world.run_for(secs(5));
    assert_eq!(world.assoc(A).path_stats().len(), 1);
    peer.take(&world);
    peer.expect_alive(&mut world);
}

// A2, A13: the tie-tags in cookies are no tags of the association.
#[test]
fn cookies_do_not_show_the_tags_of_the_association() {
    let (mut world, peer) = Peer::connected(quiet());
    let mut again = peer.with_tag(0x4321);
    let cookie = again.ask_cookie(&mut world, &[]);
    for tag in [peer.tag.0, peer.engine_tag.0] {
        let bytes = [tag.to_be_bytes(), tag.to_le_bytes()];
        let shown = cookie
            .windows(4)
            .any(|window| bytes.iter().any(|it| it == window));
        assert!(!shown, "tag {tag:08x} in the cookie of an INIT of anybody");
    }
}

// A36
#[test]
fn tags_tsns_and_cookies_cannot_be_foretold_from_earlier_ones() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let mut numbers = BTreeSet::new();
    let mut ones = 0;
    for n in 1..=500 {
        peer.tag = Vtag(n);
        let cookie = peer.ask_cookie(&mut world, &[]);
        for number in [peer.engine_tag.0, peer.engine_tsn.0] {
            assert!(numbers.insert(number), "{number:08x} came twice");
            ones += number.count_ones();
        }
        assert!(cookie.len() >= 32);
    }
    // 1000 numbers of 32 bits: 16,000 ones, give or take five deviations.
    assert!((15_550..=16_450).contains(&ones), "{ones} ones");
    let sorted: Vec<u32> = numbers.into_iter().collect();
    let pairs = sorted.windows(2);
    let near = pairs.filter(|pair| pair[1] - pair[0] < 1000).count();
    assert!(near < 10, "{near} neighbours");
}

// A36
#[test]
fn another_seed_gives_other_tags() {
    let init = |seed| {
        let setup = Setup {
            seed,
            ..Setup::default()
        };
        let world = setup.established();
        let init = world.sent(A).find_map(Record::init).unwrap();
        (init.initiate_tag, init.initial_tsn)
    };
    assert_ne!(init(1), init(2));
    assert_eq!(init(1), init(1));
}

// A37: what is in memory beside a field never reaches the wire.
#[test]
fn padding_is_zero() {
    let mut world = Setup::default().paths(2).established();
    for len in 1..60 {
        world.send(A, blob(0, len));
    }
    world.run_for(secs(60));
    world.abort(A, "odd");
    world.run_for(secs(1));
    for record in world.sent(A).chain(world.sent(Z)) {
        let mut at = 12;
        while at < record.bytes.len() {
            let [high, low] = [record.bytes[at + 2], record.bytes[at + 3]];
            let len = usize::from(u16::from_be_bytes([high, low]));
            let end = at + len.next_multiple_of(4);
            let padding = &record.bytes[at + len..end.min(record.bytes.len())];
            assert!(padding.iter().all(|byte| *byte == 0), "{record}");
            at = end;
        }
    }
}

// A37: were an address of memory or a stale byte in a packet, two runs would differ.
#[test]
fn two_endpoints_at_different_addresses_in_memory_send_the_same_bytes() {
    let run = |ballast: usize| {
        let _moved: Vec<Vec<u8>> = (0..ballast).map(|n| vec![n as u8; n * 31 % 4096]).collect();
        let mut world = Setup::default().paths(2).established();
        world.send(A, text(0, "hello"));
        world.send(Z, blob(1, 30_000));
        world.run_for(secs(120));
        world.shutdown(A);
        world.run_for(secs(5));
        let log = world.log().iter();
        log.map(|record| record.bytes.clone()).collect::<Vec<_>>()
    };
    assert_eq!(run(0), run(997));
}

// A28
#[test]
fn error_chunks_never_end_an_association() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let missing = [7_u16, 9];
    let causes = [
        Cause::InvalidStreamIdentifier(StreamId(3)),
        Cause::MissingMandatoryParameter(List::from(&missing[..])),
        Cause::StaleCookie {
            staleness: u32::MAX,
        },
        Cause::OutOfResource,
        Cause::UnresolvableAddress(b"\x00\x0b\x00\x05x"),
        Cause::UnrecognizedChunkType(b"\xc0\x00\x00\x04"),
        Cause::InvalidMandatoryParameter,
        Cause::UnrecognizedParameters(b""),
        Cause::NoUserData(Tsn(7)),
        Cause::CookieReceivedWhileShuttingDown,
        Cause::RestartWithNewAddresses(b""),
        Cause::UserInitiatedAbort(b"not an abort"),
        Cause::ProtocolViolation(b"says who"),
        Cause::Unknown {
            code: 0,
            value: b"",
        },
        Cause::Unknown {
            code: 0xffff,
            value: &[9; 1000],
        },
    ];
    for cause in causes {
        let causes = [cause];
        let causes = Causes::from(&causes[..]);
        peer.send(&mut world, &[Chunk::Error(ErrorChunk { causes })]);
        world.run_for(ms(50));
        peer.expect_alive(&mut world);
    }
    let all = Causes::from(&causes[..]);
    peer.send(&mut world, &[Chunk::Error(ErrorChunk { causes: all })]);
    peer.expect_alive(&mut world);
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}
