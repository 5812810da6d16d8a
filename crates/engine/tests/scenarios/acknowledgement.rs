//! SACKs for received DATA (RFC 9260 §6.2, §6.7).

use crate::prelude::*;

/// An engine that receives from a scripted peer, 10 ms away.
fn receiver(edit: impl FnOnce(&mut Options)) -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(quiet_but(edit));
    // The first of all packets is acknowledged at once.
    peer.send_data(&mut world, 9, 0, b"first");
    world.run_for(secs(1));
    peer.take(&world);
    world.forget_received(A);
    (world, peer)
}

/// Times of the engine's SACKs, relative to `began`.
fn sacks(world: &World, began: Time) -> Vec<Duration> {
    world.delays(A, ChunkType::SACK, began)
}

#[test]
fn the_first_packet_of_all_is_acknowledged_at_once() {
    let (mut world, mut peer) = Peer::serving(quiet_but(|_| {}));
    let began = world.now();
    peer.send_data(&mut world, 0, 0, b"x");
    world.run_for(secs(2));
    assert_eq!(sacks(&world, began), [ms(10)]);
}

fn gaps(record: &Record) -> Vec<(u16, u16)> {
    let sack = record.sack().expect("a SACK");
    sack.gap_blocks
        .iter()
        .map(|GapBlock { start, end }| (start, end))
        .collect()
}

/// A sender without a clock for losses counts SACKs (RFC 9260 §7.2.4).
#[test]
fn packets_that_are_read_together_tell_of_a_gap_one_by_one() {
    let (mut world, mut peer) = receiver(|_| {});
    let lost = peer.data(0, 0, b"lost");
    world.turn = ms(50);
    for ssn in 0..6 {
        peer.send_data(&mut world, 1, ssn, b"beyond");
    }
    let told: Vec<_> = peer.listen(&mut world, secs(1)).iter().map(gaps).collect();
    assert_eq!(told, [[(2, 5)], [(2, 6)], [(2, 7)]]);
    peer.send(&mut world, &[Chunk::Data(lost)]);
    assert_eq!(gaps(&peer.expect(&mut world, ChunkType::SACK)), []);
}

#[test]
fn a_sack_waits_for_its_delay_unless_something_asks_for_it_at_once() {
    type Act = fn(&mut World, &mut Peer);
    let single: Act = |world, peer| peer.send_data(world, 0, 0, b"x");
    let cases: [(&str, Option<u64>, Act, u64); 9] = [
        ("a single packet", None, single, 210),
        ("a delay of 1 ms", Some(1), single, 11),
        ("a delay of 20 ms", Some(20), single, 30),
        ("a delay of 500 ms", Some(500), single, 510),
        ("no delay", Some(0), single, 10),
        (
            "a second packet",
            None,
            |world, peer| {
                peer.send_data(world, 0, 0, b"x");
                world.run_for(ms(50));
                peer.send_data(world, 0, 1, b"y");
            },
            60,
        ),
        (
            "two chunks in one packet",
            None,
            |world, peer| {
                let chunks = [0, 1].map(|ssn| Chunk::Data(peer.data(0, ssn, b"x")));
                peer.send(world, &chunks);
            },
            210,
        ),
        (
            "the I bit",
            None,
            |world, peer| {
                let data = peer.fragment(WHOLE.union(DataFlags::IMMEDIATE), 0, 0, b"x");
                peer.send(world, &[Chunk::Data(data)]);
            },
            10,
        ),
        (
            "two packets with unordered data",
            None,
            |world, peer| {
                for _ in 0..2 {
                    let data = peer.fragment(WHOLE.union(DataFlags::UNORDERED), 0, 0, b"x");
                    peer.send(world, &[Chunk::Data(data)]);
                }
            },
            10,
        ),
    ];
    for (name, delay, act, after) in cases {
        let (mut world, mut peer) = receiver(|options| {
            options.sack_delay = delay.map_or(options.sack_delay, ms);
        });
        let began = world.now();
        act(&mut world, &mut peer);
        world.run_for(secs(2));
        assert_eq!(sacks(&world, began), [ms(after)], "{name}");
    }
}

// A larger number takes effect once the sender's window is large enough.
#[test]
fn the_number_of_packets_for_a_sack_is_an_option() {
    for frequency in [1, 3, 7] {
        let (mut world, mut peer) = receiver(|options| options.sack_frequency = frequency);
        let mut ssn = 0;
        let mut send = |world: &mut World, count: u16| {
            for _ in 0..count {
                peer.send_data(world, 0, ssn, b"x");
                world.run_for(ms(1));
                ssn += 1;
            }
            world.run_for(ms(50));
        };
        send(&mut world, u16::from(frequency) * 42);
        let began = world.now();
        send(&mut world, u16::from(frequency) * 3);
        assert_eq!(sacks(&world, began).len(), 3, "one for {frequency}");
    }
}

#[test]
fn every_packet_is_acknowledged_at_once_while_there_is_a_gap() {
    let (mut world, mut peer) = receiver(|_| {});
    let missing = peer.data(0, 0, b"the gap");
    let began = world.now();
    for n in 0..4 {
        peer.send_data(&mut world, 1, n, b"x");
        world.run_for(ms(1));
    }
    world.run_for(ms(20));
    assert_eq!(sacks(&world, began), [ms(10), ms(11), ms(12), ms(13)]);
    let began = world.now();
    peer.send(&mut world, &[Chunk::Data(missing)]);
    world.run_for(secs(1));
    let sack = peer.take(&world).pop().unwrap();
    assert_eq!(sack.sack().unwrap().cumulative_tsn_ack, peer.tsn.prev());
    assert_eq!(gaps(&sack), []);
    assert_eq!(sacks(&world, began), [ms(10)], "at the last gap's end");
}

#[test]
fn gap_blocks_come_in_order_and_do_not_touch() {
    let (mut world, mut peer) = receiver(|_| {});
    let chunks: Vec<Data<'_>> = (0..12).map(|n| peer.data(0, n, b"x")).collect();
    for n in [9, 5, 1, 6, 10, 3] {
        peer.send(&mut world, &[Chunk::Data(chunks[n])]);
    }
    world.run_for(ms(20));
    let sack = peer.take(&world).pop().unwrap();
    assert_eq!(gaps(&sack), [(2, 2), (4, 4), (6, 7), (10, 11)]);
}

#[test]
fn duplicates_are_told_at_once_and_once() {
    let (mut world, mut peer) = receiver(|_| {});
    let data = peer.data(0, 0, b"x");
    peer.send(&mut world, &[Chunk::Data(data)]);
    world.run_for(secs(1));
    peer.take(&world);
    let began = world.now();
    peer.send(&mut world, &[Chunk::Data(data)]);
    world.run_for(secs(1));
    assert_eq!(sacks(&world, began), [ms(10)]);
    let sack = peer.expect(&mut world, ChunkType::SACK);
    let duplicates: Vec<Tsn> = sack.sack().unwrap().duplicates.iter().collect();
    assert_eq!(duplicates, [data.tsn]);
    peer.send_data(&mut world, 0, 1, b"y");
    world.run_for(secs(1));
    let sack = peer.take(&world).pop().unwrap();
    assert_eq!(sack.sack().unwrap().duplicates.len(), 0);
}

// RFC 9260 §6.2: at most one SACK per packet.
#[test]
fn a_packet_brings_one_sack_at_most() {
    let (mut world, mut peer) = receiver(|options| options.sack_frequency = 1);
    let data = peer.data(0, 0, b"x");
    let other = peer.data(7, 0, b"y");
    let chunks = [data, data, other].map(Chunk::Data);
    peer.send(&mut world, &chunks);
    world.run_for(secs(1));
    let arrived = peer.take(&world);
    assert_eq!(arrived.iter().filter_map(Record::sack).count(), 1);
}

// RFC 9260 §6.1: a delayed SACK is bundled with outgoing DATA.
#[test]
fn a_waiting_sack_rides_with_data() {
    let (mut world, mut peer) = receiver(|_| {});
    peer.send_data(&mut world, 0, 0, b"x");
    world.run_for(ms(50));
    world.send(A, text(0, "reply"));
    world.run_for(ms(20));
    let arrived = peer.take(&world);
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].types(), [ChunkType::SACK, ChunkType::DATA]);
    let began = world.now();
    world.run_for(ms(500));
    assert!(sacks(&world, began).is_empty(), "and is not repeated");
}

#[test]
fn the_advertised_window_shrinks_by_what_is_not_read() {
    let (mut world, mut peer) = receiver(|options| options.receive_buffer = 100_000);
    world.set_reading(A, Reading::Stopped);
    let payload = [7; 1000];
    let mut windows = Vec::new();
    for n in 0..10 {
        peer.send_data(&mut world, 0, n, &payload);
        world.run_for(secs(1));
        let sack = peer.take(&world).pop().unwrap();
        windows.push(sack.sack().unwrap().a_rwnd);
    }
    for (at, pair) in windows.windows(2).enumerate() {
        let step = pair[0] - pair[1];
        // Chunk overhead may be charged as well.
        assert!((1000..=1500).contains(&step), "step {at}: {step}");
    }
}

// RFC 9260 §6.7: one packet, the lowest gaps first, within the PMTU.
#[test]
fn more_gaps_than_fit_are_told_from_the_lowest_on() {
    let (mut world, mut peer) = receiver(|_| {});
    for n in 0..2000 {
        let data = peer.data(n % 9, n / 9, b"x");
        if n % 2 == 1 {
            peer.send(&mut world, &[Chunk::Data(data)]);
            world.run_for(ms(1));
        }
    }
    world.run_for(ms(30));
    let last = peer.take(&world).pop().unwrap();
    assert!(last.ip_len() <= 1500);
    let blocks = gaps(&last);
    assert!(blocks.len() >= 300, "{} blocks", blocks.len());
    assert_eq!(blocks[0], (2, 2));
    assert!(blocks.windows(2).all(|pair| pair[1].0 == pair[0].1 + 2));
}

// RFC 9260 §6.5
#[test]
fn a_chunk_on_a_stream_that_was_not_granted_is_acknowledged_reported_and_dropped() {
    let (mut world, mut peer) = receiver(|_| {});
    peer.send_data(&mut world, 10, 0, b"nowhere");
    let error = peer.expect(&mut world, ChunkType::ERROR);
    assert_eq!(error.causes(), [1], "Invalid Stream Identifier");
    peer.send_data(&mut world, 9, 1, b"somewhere");
    world.run_for(secs(1));
    let arrived = peer.take(&world);
    let acknowledged = arrived.iter().rev().find_map(Record::sack);
    let acknowledged = acknowledged.map(|sack| sack.cumulative_tsn_ack);
    assert_eq!(acknowledged, Some(peer.tsn.prev()));
    assert_eq!(world.texts(A), ["somewhere"]);
}

// RFC 9260 §6.2
#[test]
fn a_chunk_without_user_data_aborts_with_its_tsn() {
    let (mut world, mut peer) = receiver(|_| {});
    peer.send_data(&mut world, 0, 0, b"");
    let abort = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(abort.causes(), [9], "No User Data");
    assert_eq!(abort.vtag(), peer.tag);
    assert_eq!(world.peer_fault(A), Some(9));
}

#[test]
fn the_sack_goes_to_where_the_data_came_from() {
    let mut world = Setup::quiet(|_| {}).paths(2).established();
    world.run_for(secs(20));
    world.assoc(A).set_primary(address(Z, 2)).unwrap();
    world.send(A, text(0, "by the second path"));
    world.run_for(secs(1));
    let sack = world.sent_with(Z, ChunkType::SACK).last().unwrap();
    assert_eq!((sack.from, sack.to), (address(Z, 2), address(A, 2)));
}
