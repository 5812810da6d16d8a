//! User data in the packet with the COOKIE ECHO (RFC 9260 §5.1 D).

use crate::prelude::*;

use super::{assert_works, quiet};

fn early(edit: impl FnOnce(&mut Options)) -> Options {
    quiet_but(|options| {
        options.early_data = EarlyData::WithCookie;
        edit(options);
    })
}

/// A has started to connect and queued a message.
fn connecting_with(options: Options, len: usize) -> World {
    let mut world = Setup::with(options).connecting();
    world.send(A, blob(0, len));
    world
}

fn sequence(world: &World) -> Vec<Vec<ChunkType>> {
    world.log().iter().map(Record::types).collect()
}

/// Time until Z had `messages` messages.
fn delivered(world: &mut World, messages: usize) -> Duration {
    let began = world.now();
    world.wait(secs(600), |world| world.messages(Z).len() == messages);
    world.now().since(began)
}

// Linux does so, and programs written for it rely on that under the profile `linux`.
#[test]
fn a_short_message_leaves_with_the_cookie_echo_and_is_acknowledged_with_the_cookie_ack() {
    for options in [early(|_| {}), Profile::Linux.options()] {
        let mut world = connecting_with(options, 100);
        world.run_for(secs(10));
        let expected = [
            vec![ChunkType::INIT],
            vec![ChunkType::INIT_ACK],
            vec![ChunkType::COOKIE_ECHO, ChunkType::DATA],
            vec![ChunkType::COOKIE_ACK, ChunkType::SACK],
        ];
        assert_eq!(sequence(&world), expected);
        assert_eq!(world.messages(Z), [blob(0, 100)]);
        assert!(world.saw(A, &Event::Drained));
    }
}

#[test]
fn it_saves_a_round_trip() {
    let mut late = connecting_with(quiet(), 100);
    let mut soon = connecting_with(early(|_| {}), 100);
    let (late, soon) = (delivered(&mut late, 1), delivered(&mut soon, 1));
    // A packet takes 10 ms.
    assert_eq!((soon, late), (ms(30), ms(50)));
}

#[test]
fn the_peers_answer_is_told_and_what_is_sent_then_saves_the_round_trip_too() {
    let mut world = Setup::with(first_window()).connecting();
    let began = world.now();
    world.wait(secs(1), |world| world.saw(A, &answered()));
    assert_eq!(world.now().since(began), ms(20));
    world.run_for(ms(5));
    assert_eq!(world.assoc(A).phase(), Phase::CookieEchoed);
    world.send(A, blob(0, 5000));
    assert_eq!(delivered(&mut world, 1), ms(10));
    assert_works(&mut world);
}

#[test]
fn an_answer_after_which_no_data_may_leave_is_not_told() {
    for options in [
        quiet(),
        early(|options| {
            options.authentication = Authentication::with_key("secret", ChunkSet::all());
        }),
    ] {
        let mut world = Setup::with(options).connecting();
        world.run_for(secs(1));
        assert_eq!(world.assoc(A).phase(), Phase::Established);
        assert!(!world.saw(A, &answered()));
    }
}

#[test]
fn requests_made_once_the_peer_has_answered_wait_until_the_association_is_up() {
    for lost in 0..=2 {
        let mut options = first_window();
        options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        let mut world = Setup::with(options).connecting();
        world.drop_next(Z, ChunkType::COOKIE_ACK, lost);
        world.wait(secs(1), |world| world.saw(A, &answered()));
        world.send(A, blob(0, 5000));
        let outcome = world.call(A, |it, now| {
            it.add_streams(now, 5, StreamDirection::Outgoing)
        });
        assert_eq!(outcome, Ok(()));
        let before = world.assoc(A).stats().outbound_streams;
        world.wait(secs(60), |world| {
            world.assoc(A).stats().outbound_streams == before + 5
        });
        assert_eq!(world.messages(Z), [blob(0, 5000)]);
        let at = |world: &World, chunk| world.sent_with(A, chunk).next().map(|sent| sent.at);
        assert!(at(&world, ChunkType::RE_CONFIG) > at(&world, ChunkType::COOKIE_ECHO));
    }
}

fn answered() -> Event {
    let streams = first_window();
    Event::Answered {
        outbound_streams: streams.outbound_streams,
        inbound_streams: streams.outbound_streams,
    }
}

#[test]
fn before_the_cookie_ack_no_second_packet_leaves() {
    let mut world = connecting_with(early(|_| {}), 20_000);
    world.drop_next(Z, ChunkType::COOKIE_ACK, 1);
    world.run_for(ms(900));
    let sent: Vec<_> = world.sent(A).map(Record::types).collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    delivered(&mut world, 1);
    assert_eq!(world.messages(Z), [blob(0, 20_000)]);
}

/// Packets that A sent before receiving the COOKIE ACK.
fn echoes(world: &World) -> Vec<Vec<ChunkType>> {
    let sent = world.sent_with(A, ChunkType::COOKIE_ECHO);
    sent.map(Record::types).collect()
}

fn first_window() -> Options {
    parsed("profile=modern,heartbeats=off,early_data=first-window")
}

#[test]
fn a_first_window_saves_a_transfer_of_some_packets_a_round_trip() {
    let mut one = first_window();
    one.early_data = EarlyData::WithCookie;
    let mut one = connecting_with(one, 9000);
    let mut window = connecting_with(first_window(), 9000);
    let (one, window) = (delivered(&mut one, 1), delivered(&mut window, 1));
    assert_eq!((window, one), (ms(30), ms(50)));
}

#[test]
fn a_first_window_has_some_packets_with_the_cookie_echo_and_no_other() {
    let mut world = connecting_with(first_window(), 100_000);
    world.run_for(ms(39));
    let echo = vec![ChunkType::COOKIE_ECHO, ChunkType::DATA];
    assert_eq!(echoes(&world), vec![echo; 11]);
    assert_eq!(world.count(A, ChunkType::DATA), 11);
    delivered(&mut world, 1);
    assert_eq!(world.messages(Z), [blob(0, 100_000)]);
    assert_eq!(world.stats(A).retransmissions, 0);
    assert_works(&mut world);
}

#[test]
fn any_packet_of_the_first_window_sets_the_association_up() {
    for lost in 1..=3 {
        let mut world = connecting_with(first_window(), 5000);
        world.drop_next(A, ChunkType::COOKIE_ECHO, lost);
        world.run_for(ms(45));
        assert_eq!(world.assoc(A).phase(), Phase::Established);
        world.run_for(secs(10));
        assert_eq!(world.messages(Z), [blob(0, 5000)]);
        assert_eq!(world.stats(A).timeouts, 0);
    }
    let mut world = connecting_with(first_window(), 5000);
    world.drop_next(Z, ChunkType::COOKIE_ACK, 3);
    world.run_for(ms(45));
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

#[test]
fn a_first_window_that_is_lost_whole_leaves_again_when_the_association_is_up() {
    let mut world = connecting_with(first_window(), 5000);
    world.drop_next(A, ChunkType::COOKIE_ECHO, 4);
    world.run_for(secs(10));
    assert_eq!(echoes(&world).last(), Some(&vec![ChunkType::COOKIE_ECHO]));
    assert_eq!(world.messages(Z), [blob(0, 5000)]);
    assert_works(&mut world);
}

#[test]
fn a_peer_that_does_not_say_that_it_takes_it_gets_one_packet() {
    let setup = Setup::with(first_window());
    let setup = setup.z(|options| options.early_data = EarlyData::WithCookie);
    let mut world = setup.connecting();
    world.send(A, blob(0, 9000));
    delivered(&mut world, 1);
    assert_eq!(echoes(&world).len(), 1);
}

#[test]
fn a_message_that_finds_no_room_beside_the_cookie_echo_causes_no_other() {
    let mut world = connecting_with(first_window(), 1440);
    delivered(&mut world, 1);
    assert_eq!(echoes(&world), [[ChunkType::COOKIE_ECHO]]);
}

#[test]
fn a_large_message_fills_the_packet() {
    let mut world = connecting_with(early(|_| {}), 20_000);
    world.run_for(ms(25));
    let echo = world.sent(A).last().expect("a COOKIE ECHO");
    assert_eq!(echo.types(), [ChunkType::COOKIE_ECHO, ChunkType::DATA]);
    assert!((1497..=1500).contains(&echo.ip_len()), "{}", echo.ip_len());
}

#[test]
fn what_is_handed_over_after_the_init_ack_waits_for_the_cookie_ack() {
    let mut world = Setup::with(early(|_| {})).connecting();
    world.run_for(ms(25));
    assert_eq!(world.assoc(A).phase(), Phase::CookieEchoed);
    world.send(A, text(0, "later"));
    world.run_for(ms(10));
    assert_eq!(world.count(A, ChunkType::DATA), 0);
    assert_works(&mut world);
}

#[test]
fn a_lost_cookie_echo_is_sent_again_alone_and_its_data_after_the_cookie_ack() {
    let mut world = connecting_with(early(|_| {}), 3000);
    world.drop_next(A, ChunkType::COOKIE_ECHO, 1);
    world.run_for(secs(10));
    let first = vec![ChunkType::COOKIE_ECHO, ChunkType::DATA];
    assert_eq!(echoes(&world), [first, vec![ChunkType::COOKIE_ECHO]]);
    assert_eq!(world.messages(Z), [blob(0, 3000)]);
    assert_eq!(world.stats(A).retransmissions, 1);
    assert_eq!(world.stats(A).timeouts, 0, "T1, not T3-rtx, expired");
}

// With the COOKIE ECHO and the message, the packet is too long, and no ICMP reports it.
#[test]
fn a_path_that_carries_no_full_packet_does_not_keep_the_association_from_being_set_up() {
    let mut world = Setup::with(early(|_| {})).connecting();
    world.edit_link(address(A, 1), address(Z, 1), |link| {
        link.mtu = 1400;
        link.oversize = Oversize::Lost;
    });
    world.send(A, blob(0, 1300));
    world.run_for(ms(1500));
    assert_eq!(world.assoc(A).phase(), Phase::Established);
    assert_eq!(world.count(A, ChunkType::COOKIE_ECHO), 2);
    assert_eq!(world.messages(Z), [blob(0, 1300)]);
}

// The COOKIE ACK was lost, and the SACK came by itself.
#[test]
fn a_sack_before_the_cookie_ack_counts_and_data_without_one_is_timed() {
    for acknowledged in [true, false] {
        let (mut world, mut peer) = Peer::awaited(early(|_| {}));
        world.send(A, blob(0, 100));
        peer.send_init_ack(&mut world, b"cookie", &[]);
        let echo = peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        assert_eq!(echo.data()[0].tsn, peer.engine_tsn);
        if acknowledged {
            peer.send_sack(&mut world, 1);
            let again = peer.expect(&mut world, ChunkType::COOKIE_ECHO);
            assert_eq!(again.types(), [ChunkType::COOKIE_ECHO]);
            peer.send(&mut world, &[Chunk::CookieAck]);
            world.run_for(secs(10));
            assert_eq!(world.count(A, ChunkType::DATA), 1);
        } else {
            peer.send(&mut world, &[Chunk::CookieAck]);
            let again = peer.expect(&mut world, ChunkType::DATA);
            assert_eq!(again.types(), [ChunkType::DATA]);
            assert_eq!(world.stats(A).timeouts, 1);
        }
    }
}

#[test]
fn the_first_attempt_alone_carries_the_data_and_the_end_reports_it() {
    let options = early(|options| options.max_init_retransmits = 3);
    let (mut world, peer) = Peer::awaited(options);
    world.send(A, blob(0, 100));
    peer.send_init_ack(&mut world, b"cookie", &[]);
    world.run_for(secs(60));
    assert_eq!(world.count(A, ChunkType::COOKIE_ECHO), 4);
    assert_eq!(world.count(A, ChunkType::DATA), 1);
    let failed = world.events(A).into_iter().any(|event| {
        matches!(event, Event::SendFailed { failure, .. } if failure == SendFailure::Unacknowledged)
    });
    assert!(failed, "{:?}", world.events(A));
}

// Table 5.2.4 B: another tag than that of the INIT ACK.
#[test]
fn what_a_peer_may_have_taken_before_it_lost_its_state_is_given_up() {
    let (mut world, mut peer) = Peer::awaited(early(|_| {}));
    world.send(A, blob(0, 100));
    world.send(A, blob(1, 3000));
    peer.send_init_ack(&mut world, b"cookie", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    peer.tag = Vtag(0x5eed_0002);
    let cookie = peer.ask_cookie(&mut world, &[]);
    peer.echo_cookie(&mut world, &cookie);
    let mut packets = vec![peer.expect(&mut world, ChunkType::COOKIE_ACK)];
    packets.extend(peer.listen(&mut world, ms(100)));
    let data = packets.iter().flat_map(Record::data);
    let bytes: usize = data.map(|data| data.payload.len()).sum();
    // The larger message was sent in part, so the peer cannot have it completely.
    assert_eq!(bytes, 3000);
    let failed = world.events(A).into_iter().filter_map(|event| match event {
        Event::SendFailed { message, .. } => Some(message),
        _ => None,
    });
    assert_eq!(failed.collect::<Vec<_>>(), [blob(0, 100)]);
}

#[test]
fn another_address_gets_the_cookie_echo_and_then_its_data() {
    let setup = Setup::with(early(|_| {})).paths(2);
    let mut world = setup.world();
    world.connect(A, calling(&[1, 2].map(|n| address(Z, n)), setup.a.clone()));
    world.send(A, blob(0, 100));
    world.run_for(ms(15));
    world.cut_path(1);
    delivered(&mut world, 1);
    let echo = world.sent_with(A, ChunkType::COOKIE_ECHO).last();
    let echo = echo.expect("a COOKIE ECHO");
    assert_eq!(echo.to, address(Z, 2));
    assert_eq!(echo.types(), [ChunkType::COOKIE_ECHO]);
    let data = world.sent_with(A, ChunkType::DATA).last();
    assert_eq!(data.expect("DATA").to, address(Z, 2));
    assert_eq!(world.messages(Z), [blob(0, 100)]);
}

#[test]
fn nothing_leaves_early_where_chunks_are_authenticated_or_in_concurrent_transfer() {
    let authenticated =
        early(|o| o.authentication = Authentication::with_key("secret", ChunkSet::all()));
    let concurrent = early(|o| o.multipath = Multipath::Concurrent(ConcurrentTransfer::default()));
    for (why, options) in [("authenticated", authenticated), ("concurrent", concurrent)] {
        let mut world = connecting_with(options, 100);
        world.run_for(secs(1));
        let echo = world.sent_with(A, ChunkType::COOKIE_ECHO).next();
        assert!(!echo.expect("a COOKIE ECHO").has(ChunkType::DATA), "{why}");
        assert_eq!(world.messages(Z), [blob(0, 100)], "{why}");
    }
}
