//! User data transfer (RFC 9260 §6).

use crate::prelude::*;
use bytes::Bytes;

#[test]
fn every_length_around_the_fragment_sizes_arrives() {
    let mut world = Setup::quiet(|_| {}).established();
    let lengths = (1..20).chain(1430..1475).chain(2890..2910);
    let lengths: Vec<usize> = lengths
        .chain([65_535, 65_536, 100_003, 10_000_000])
        .collect();
    for length in &lengths {
        world.send(A, blob(0, *length));
    }
    world.run_for(secs(600));
    let expected: Vec<_> = lengths.iter().map(|length| blob(0, *length)).collect();
    assert_eq!(world.messages(Z), expected);
}

// RFC 9260 §6.9: B on the first, E on the last, one SSN, TSNs in sequence.
#[test]
fn fragments_are_marked_as_the_rfc_says() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send(A, blob(2, 10_000).unordered());
    world.send(A, blob(2, 5000));
    world.run_for(secs(1));
    let chunks = world.sent(A).flat_map(Record::data);
    let (unordered, chunks): (Vec<_>, Vec<_>) =
        chunks.partition(|data| data.flags.contains(DataFlags::UNORDERED));
    assert!(unordered.len() >= 7 && chunks.len() >= 4);
    let last = chunks.len() - 1;
    for (at, data) in chunks.iter().enumerate() {
        assert_eq!(data.flags.contains(DataFlags::BEGINNING), at == 0);
        assert_eq!(data.flags.contains(DataFlags::ENDING), at == last);
        assert_eq!(data.ssn, Ssn(0));
        assert_eq!(data.tsn, chunks[0].tsn.plus(at as u32));
    }
}

#[test]
fn ssns_start_at_zero_on_every_stream_and_count_ordered_messages_only() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send(A, text(0, "a"));
    world.send(A, text(0, "b").unordered());
    for (stream, word) in [(0, "c"), (1, "d"), (1, "e")] {
        world.send(A, text(stream, word));
    }
    world.run_for(secs(1));
    let chunks = world.sent(A).flat_map(Record::data);
    let ordered = chunks.filter(|data| !data.flags.contains(DataFlags::UNORDERED));
    let numbers: Vec<_> = ordered.map(|data| (data.stream.0, data.ssn.0)).collect();
    assert_eq!(numbers, [(0, 0), (0, 1), (1, 0), (1, 1)]);
}

/// Checks that Z received `count` messages, numbered in order.
fn assert_numbered(world: &World, count: u32) {
    let messages = world.messages(Z);
    assert_eq!(messages.len(), count as usize);
    for (n, message) in (0..count).zip(messages) {
        assert_eq!(message.payload[..], n.to_be_bytes());
    }
}

fn numbered(n: u32) -> Message {
    Message::new(StreamId(0), n.to_be_bytes().to_vec())
}

// RFC 9260 §6.5: the window never holds 2^16 ordered messages of a stream; otherwise SSNs would be
// ambiguous.
#[test]
fn a_window_never_holds_two_messages_with_one_ssn() {
    let setup = Setup::quiet(set("send_buffer=256 MiB, receive_buffer=1024 MiB"));
    let mut world = setup.established();
    world.drop_nth(A, ChunkType::DATA, &[100]);
    world.send_together(A, (0..140_000).map(numbered).collect());
    world.run_for(secs(120));
    assert_numbered(&world, 140_000);
}

#[test]
fn a_loss_holds_up_neither_another_stream_nor_an_unordered_message() {
    let waits = text(0, "waits");
    for (name, later) in [
        ("goes ahead", [text(1, "goes ahead"), waits.clone()]),
        ("overtakes", [waits, text(0, "overtakes").unordered()]),
    ] {
        let mut world = Setup::quiet(|_| {}).established();
        world.drop_next(A, ChunkType::DATA, 1);
        world.send(A, text(0, "lost at first"));
        for message in later {
            world.send(A, message);
        }
        world.run_for(ms(100));
        assert_eq!(world.texts(Z), [name]);
        world.run_for(secs(5));
        assert_eq!(world.texts(Z), [name, "lost at first", "waits"]);
    }
}

// ---- bundling and its delay ----

#[test]
fn small_messages_share_packets() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send_together(A, (0..40).map(|_| text(0, "sixteen bytes ..")).collect());
    world.run_for(secs(1));
    // 45 chunks of 32 bytes fit into 1468.
    assert_eq!(world.count(A, ChunkType::DATA), 1);
    assert_eq!(world.messages(Z).len(), 40);
}

#[test]
fn without_delay_a_small_message_leaves_at_once() {
    let mut world = Setup::quiet(|_| {}).established();
    let at = world.now();
    world.send(A, text(0, "first"));
    world.send(A, text(0, "second"));
    assert_eq!(world.times(A, ChunkType::DATA), [at, at]);
}

fn nagle() -> World {
    Setup::quiet(|options| options.coalescing = Coalescing::Nagle).established()
}

#[test]
fn with_nagle_a_small_message_waits_while_data_is_outstanding() {
    let mut world = nagle();
    // The very first packet is acknowledged at once, so skip it.
    world.send(A, text(0, "first"));
    world.run_for(secs(1));
    let at = world.now();
    for n in 0..10 {
        world.send(A, text(0, &format!("message {n}")));
    }
    world.run_for(ms(100));
    assert_eq!(
        world.delays(A, ChunkType::DATA, at),
        [ms(0)],
        "the first alone"
    );
    world.run_for(secs(1));
    // The first packet's SACK releases the rest, in one packet.
    assert_eq!(world.delays(A, ChunkType::DATA, at), [ms(0), ms(220)]);
    assert_eq!(world.messages(Z).len(), 11);
}

#[test]
fn with_nagle_a_full_packet_does_not_wait() {
    let mut world = nagle();
    world.send(A, text(0, "small"));
    world.send(A, blob(0, 1452));
    world.run_for(ms(15));
    assert_eq!(world.messages(Z).len(), 2);
}

fn at_once() -> SendOptions {
    SendOptions {
        acknowledgement: Acknowledgement::Immediate,
        ..SendOptions::default()
    }
}

// RFC 9260 §3.3.1, the I bit
#[test]
fn a_message_can_ask_for_an_acknowledgement_at_once() {
    let mut world = Setup::quiet(|_| {}).established();
    let at = world.now();
    world.send_with(A, text(0, "now, please"), at_once());
    world.run_for(ms(15));
    assert_eq!(world.delays(Z, ChunkType::SACK, at), [ms(10)]);
}

#[test]
fn the_i_bit_stands_on_the_last_fragment() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send_with(A, blob(0, 4000), at_once());
    world.run_for(secs(1));
    let last = world.sent(A).flat_map(Record::data).last().unwrap();
    assert!(last.flags.contains(DataFlags::IMMEDIATE));
    assert!(last.flags.contains(DataFlags::ENDING));
}

// ---- what send refuses ----

#[test]
fn send_says_what_is_wrong_with_a_message() {
    let mut world = Setup::quiet(|options| options.max_message_size = 1000).established();
    let mut send = |message| world.offer(A, message);
    let empty = Message::new(StreamId(0), Bytes::new());
    assert_eq!(send(empty), Err(SendError::Empty));
    assert_eq!(send(blob(0, 1001)), Err(SendError::TooLarge));
    assert_eq!(send(text(10, "x")), Err(SendError::InvalidStream));
    assert_eq!(send(text(9, "x")), Ok(()));
}

#[test]
fn a_refused_message_comes_back_whole() {
    let mut world = Setup::quiet(|options| options.send_buffer = 10_000).established();
    assert_eq!(world.offer(A, blob(0, 8000)), Ok(()));
    let refused = world.offer(A, blob(1, 8000));
    assert_eq!(refused, Err(SendError::BufferFull(blob(1, 8000))));
}

#[test]
fn a_message_larger_than_the_send_buffer_is_accepted_when_nothing_is_buffered() {
    let mut world = Setup::quiet(|options| options.send_buffer = 10_000).established();
    world.send(A, blob(0, 50_000));
    assert_eq!(world.waiting(A), 0);
    world.run_for(secs(10));
    assert_eq!(world.messages(Z), [blob(0, 50_000)]);
}

#[test]
fn writable_follows_a_refusal_once_there_is_room() {
    let mut world = Setup::quiet(|options| options.send_buffer = 10_000).established();
    world.send_times(A, 20, &blob(0, 4000));
    assert!(world.waiting(A) > 0);
    assert!(!world.saw(A, &Event::Writable));
    world.wait_for(A, &Event::Writable, secs(5));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 20);
    assert_eq!(world.stats(A).send_buffered, 0);
}

#[test]
fn a_buffer_that_is_not_full_takes_any_message_where_it_need_not_fit() {
    let setup = Setup::quiet(set("send_buffer=10000, admission=while-not-full"));
    let mut world = setup.established();
    let mut send = |size| world.offer(A, blob(0, size));
    assert_eq!(send(8000), Ok(()));
    assert_eq!(send(9000), Ok(()));
    // The one before has filled it.
    assert_eq!(send(9000), Err(SendError::BufferFull(blob(0, 9000))));
    assert!(!world.assoc(A).has_room(1000));
    world.wait_for(A, &Event::Writable, secs(5));
    assert!(world.assoc(A).has_room(1000));
}

#[test]
fn writable_does_not_come_unasked() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send(A, blob(0, 4000));
    world.run_for(secs(5));
    assert!(!world.saw(A, &Event::Writable));
}

#[test]
fn drained_tells_that_everything_was_acknowledged() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send(A, blob(0, 40_000));
    world.wait_for(A, &Event::Drained, secs(5));
    assert_eq!(world.stats(A).send_buffered, 0);
    assert_eq!(world.messages(Z).len(), 1);
    assert_eq!(world.count_events(A, &Event::Drained), 1);
}

#[test]
fn readable_comes_once_for_what_waits() {
    let mut world = Setup::quiet(|_| {}).established();
    world.set_reading(Z, Reading::Stopped);
    world.send_times(A, 5, &text(0, "x"));
    world.run_for(secs(1));
    assert_eq!(world.count_events(Z, &Event::Readable), 1);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(1));
    world.send(A, text(0, "y"));
    world.run_for(secs(1));
    assert_eq!(world.count_events(Z, &Event::Readable), 2);
}

// ---- partial delivery ----

/// Both ends hold 64 kB of received data and deliver what is longer than `point` in parts.
fn delivering_parts(point: usize) -> World {
    let setup = Setup::quiet(set("receive_buffer=64000"));
    let setup = setup.both(|options| options.partial_delivery_point = point);
    setup.established()
}

#[test]
fn a_message_larger_than_the_receive_buffer_comes_in_parts() {
    let mut world = delivering_parts(32_000);
    world.send(A, blob(4, 500_000));
    world.send(A, text(4, "after it"));
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), [blob(4, 500_000), text(4, "after it")]);
    let parts = world.parts(Z);
    let (last, first) = (parts.len() - 2, 0);
    assert_eq!((parts[first], parts[last]), (Part::First, Part::Last));
    assert!(parts[1..last].iter().all(|part| *part == Part::Middle));
}

#[test]
fn a_message_below_the_partial_delivery_point_comes_whole() {
    let mut world = delivering_parts(32_000);
    world.send(A, blob(4, 31_000));
    world.run_for(secs(60));
    assert_eq!(world.received(Z)[0].2.part, Part::Whole);
}

#[test]
fn a_message_cut_off_by_the_end_never_gets_its_last_part() {
    let mut world = delivering_parts(16_000);
    world.send(A, blob(4, 1_000_000));
    world.wait(secs(5), |world| !world.received(Z).is_empty());
    world.abort(A, "in the middle");
    world.run_for(secs(1));
    let never_last = |part: &Part| matches!(part, Part::First | Part::Middle);
    assert!(world.parts(Z).iter().all(never_last));
    assert!(matches!(world.events(Z).last(), Some(Event::Closed { .. })));
}

// ---- reassembly, with fragments made by hand ----

#[test]
fn duplicates_are_delivered_once() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let data = peer.data(0, 0, b"once");
    for _ in 0..5 {
        peer.send(&mut world, &[Chunk::Data(data)]);
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["once"]);
    assert_eq!(world.stats(A).duplicates_received, 4);
}

#[test]
fn the_ssn_of_an_unordered_chunk_means_nothing() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let unordered = WHOLE.union(DataFlags::UNORDERED);
    for ssn in [7, 7, 0, 65_535] {
        let data = peer.fragment(unordered, 0, ssn, b"unordered");
        peer.send(&mut world, &[Chunk::Data(data)]);
    }
    peer.send_data(&mut world, 0, 0, b"ordered");
    world.run_for(secs(1));
    assert_eq!(world.messages(A).len(), 5);
}

#[test]
fn received_tsns_wrap() {
    for backwards in [false, true] {
        let (mut world, mut peer) = Peer::before_listener(quiet());
        peer.tsn = Tsn(u32::MAX - 2);
        peer.connect(&mut world, &[]);
        let words: Vec<String> = (0..6).map(|n| n.to_string()).collect();
        let chunks = (0..6).map(|n| peer.data(0, n, words[usize::from(n)].as_bytes()));
        let mut chunks: Vec<_> = chunks.collect();
        if backwards {
            chunks.reverse();
        }
        for data in chunks {
            peer.send(&mut world, &[Chunk::Data(data)]);
        }
        world.run_for(secs(1));
        assert_eq!(world.texts(A), words, "backwards: {backwards}");
        let sack = peer.take(&world).pop().unwrap();
        let sack = sack.sack().unwrap();
        let told = (sack.cumulative_tsn_ack, sack.gap_blocks.len());
        assert_eq!(told, (peer.tsn.prev(), 0), "backwards: {backwards}");
    }
}

#[test]
fn counters_count() {
    let mut world = Setup::quiet(|_| {}).established();
    world.add_rule(|_| Verdict::Deliver);
    world.send(A, blob(0, 10_000));
    world.send(A, text(0, "and"));
    world.run_for(secs(2));
    let (a, z) = (world.stats(A), world.stats(Z));
    assert_eq!((a.messages_sent, a.bytes_sent), (2, 10_003));
    assert_eq!((z.messages_received, z.bytes_received), (2, 10_003));
    assert_eq!(a.packets_sent as usize, world.sent(A).count());
    // The INIT ACK was sent before the association existed.
    assert_eq!(z.packets_sent as usize, world.sent(Z).count() - 1);
    assert_eq!(z.sacks_sent, a.sacks_received);
    assert_eq!((a.retransmissions, a.timeouts), (0, 0));
}
