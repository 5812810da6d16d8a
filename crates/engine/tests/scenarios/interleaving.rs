//! User message interleaving (RFC 8260), in virtual time.

mod many_streams;
mod scripted;
mod shares;

use crate::prelude::*;

fn interleaved(scheduler: StreamScheduler) -> Setup {
    Setup::quiet(|options| {
        options.interleaving = Interleaving::On;
        options.scheduler = scheduler;
    })
}

/// The I-DATA chunks of a packet: stream, MID, FSN, payload.
fn i_data(record: &Record) -> Vec<(u16, u32, u32, usize)> {
    let chunks = record.chunks().into_iter();
    let chunks = chunks.filter_map(|chunk| match chunk {
        Chunk::IData(data) => Some(data),
        _ => None,
    });
    chunks
        .map(|it| (it.stream.0, it.mid.0, it.fsn().0, it.payload.len()))
        .collect()
}

/// Streams in the order in which Z could read their messages.
fn order(world: &World) -> Vec<u16> {
    let messages = world.messages(Z);
    messages.iter().map(|message| message.stream.0).collect()
}

#[test]
fn data_travels_in_i_data_where_both_ends_want_it() {
    let mut world = interleaved(StreamScheduler::FirstCome).established();
    world.send(A, blob(1, 5000));
    world.send(A, blob(1, 10));
    world.send(Z, blob(2, 5000));
    world.run_for(secs(5));
    let data = [A, Z].map(|host| world.count(host, ChunkType::DATA));
    assert_eq!(data, [0, 0]);
    assert!(world.count(A, ChunkType::I_DATA) >= 5);
    assert_eq!(world.messages(Z), [blob(1, 5000), blob(1, 10)]);
    assert_eq!(world.messages(A), [blob(2, 5000)]);
}

#[test]
fn data_stays_data_where_one_end_does_not_want_it() {
    let setup = Setup::quiet(|options| options.interleaving = Interleaving::On);
    let setup = setup.z(|options| options.interleaving = Interleaving::Off);
    for (without, setup) in setup.both_ways() {
        let mut world = setup.established();
        world.send(A, blob(1, 5000));
        world.send(Z, blob(1, 5000));
        world.run_for(secs(5));
        assert_eq!(
            (world.messages(A).len(), world.messages(Z).len()),
            (1, 1),
            "{without}"
        );
        assert_eq!(world.count(A, ChunkType::I_DATA), 0, "{without}");
        assert_eq!(world.count(Z, ChunkType::I_DATA), 0, "{without}");
    }
}

#[test]
fn fragments_are_numbered_and_the_first_has_the_ppid() {
    let mut world = interleaved(StreamScheduler::FirstCome).established();
    let message = blob(3, 4000).with_ppid(Ppid(51));
    world.send_times(A, 2, &message);
    world.run_for(secs(5));
    let sent: Vec<_> = world.sent(A).flat_map(i_data).collect();
    let numbers: Vec<_> = sent.iter().map(|(_, mid, fsn, _)| (*mid, *fsn)).collect();
    let of = |mid: u32| {
        let of = numbers.iter().filter(move |(m, _)| *m == mid);
        of.map(|(_, fsn)| *fsn)
    };
    assert!(of(0).count() >= 3, "{numbers:?}");
    assert!(of(0).eq(0..of(0).count() as u32), "{numbers:?}");
    assert!(of(1).eq(0..of(1).count() as u32), "{numbers:?}");
    assert!(world.messages(Z).iter().all(|message| message.ppid.0 == 51));
}

/// Reading order of a large message on stream 1 and a small one on stream 2 sent later.
fn overtakes(interleaving: Interleaving) -> Vec<u16> {
    let mut setup = interleaved(StreamScheduler::Priority);
    setup.a.interleaving = interleaving;
    setup.link.rate = Some(10_000_000);
    let mut world = setup.established();
    let low = world.call(A, |it, now| it.set_stream_priority(now, StreamId(1), 9));
    assert_eq!(low, Ok(()));
    world.send(A, blob(1, 400_000));
    world.run_for(ms(100));
    assert!(world.messages(Z).is_empty(), "it is still on its way");
    world.send(A, blob(2, 100));
    world.run_for(secs(20));
    order(&world)
}

#[test]
fn a_small_message_overtakes_a_large_one_in_the_middle() {
    assert_eq!(overtakes(Interleaving::On), [2, 1]);
    assert_eq!(overtakes(Interleaving::Off), [1, 2]);
}

#[test]
fn streams_take_turns_chunk_by_chunk() {
    let mut world = interleaved(StreamScheduler::RoundRobin).established();
    world.send_together(A, (1..=3).map(|stream| blob(stream, 20_000)).collect());
    world.run_for(secs(5));
    let sent: Vec<_> = world.sent(A).flat_map(i_data).collect();
    let streams: Vec<u16> = sent.iter().map(|(stream, ..)| *stream).collect();
    assert!(streams.len() > 40, "{streams:?}");
    let turns = streams.windows(3).take(30);
    for window in turns {
        assert!(window[0] != window[1] && window[1] != window[2] && window[0] != window[2]);
    }
    assert_eq!(world.messages(Z).len(), 3);
}

#[test]
fn of_one_stream_one_message_at_a_time_is_begun() {
    let mut world = interleaved(StreamScheduler::RoundRobin).established();
    let messages = vec![
        blob(1, 10_000),
        blob(1, 10_000).unordered(),
        blob(1, 10_000),
        blob(2, 10_000),
    ];
    world.send_together(A, messages);
    world.run_for(secs(5));
    let mut messages = 0;
    let mut begun: Vec<(StreamId, bool, Mid)> = Vec::new();
    for chunk in world.sent(A).flat_map(Record::chunks) {
        let Chunk::IData(chunk) = chunk else {
            continue;
        };
        let unordered = chunk.flags.contains(DataFlags::UNORDERED);
        let key = (chunk.stream, unordered, chunk.mid);
        if chunk.flags.contains(DataFlags::BEGINNING) {
            assert!(begun.iter().all(|(stream, ..)| *stream != chunk.stream));
            begun.push(key);
            messages += 1;
        }
        assert!(begun.contains(&key));
        if chunk.flags.contains(DataFlags::ENDING) {
            begun.retain(|other| *other != key);
        }
    }
    assert!(begun.is_empty() && messages == 4);
    assert_eq!(world.messages(Z).len(), 4);
}

#[test]
fn a_packet_holds_one_stream_where_streams_take_turns_by_packets() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut setup = interleaved(StreamScheduler::RoundRobinPerPacket);
        setup.a.interleaving = interleaving;
        let mut world = setup.established();
        let messages = (0..200).map(|n| blob(n % 4, 100 + usize::from(n) * 17));
        let messages = messages.collect();
        world.send_together(A, messages);
        world.run_for(secs(20));
        assert_eq!(world.messages(Z).len(), 200);
        let mut packets = 0;
        for record in world.sent(A) {
            let mut streams: Vec<u16> = i_data(record).iter().map(|chunk| chunk.0).collect();
            streams.extend(record.data().iter().map(|data| data.stream.0));
            packets += usize::from(streams.len() > 1);
            streams.dedup();
            assert!(streams.len() <= 1, "{interleaving:?}: {streams:?}");
        }
        assert!(packets > 10, "nothing was bundled");
    }
}

#[test]
fn several_large_messages_are_read_in_parts_at_once() {
    let mut setup = interleaved(StreamScheduler::RoundRobin);
    setup.z.receive_buffer = 32_768;
    setup.z.partial_delivery_point = 16_384;
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send_together(A, vec![blob(1, 200_000), blob(2, 200_000)]);
    let mut parts: Vec<(u16, Part)> = Vec::new();
    let mut bytes = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..2000 {
        world.run_for(ms(10));
        let now = world.now();
        while let Some(received) = world.assoc(Z).receive(now) {
            let stream = received.message.stream.0;
            parts.push((stream, received.part));
            bytes[usize::from(stream)].extend_from_slice(&received.message.payload);
        }
    }
    for stream in [1, 2] {
        let of = parts.iter().filter(|(s, _)| *s == stream);
        let of: Vec<Part> = of.map(|(_, part)| *part).collect();
        assert_eq!((of[0], of[of.len() - 1]), (Part::First, Part::Last));
        assert!(of[1..of.len() - 1].iter().all(|part| *part == Part::Middle));
        assert_eq!(bytes[usize::from(stream)], blob(stream, 200_000).payload);
    }
    let until_one_ends = parts.iter().take_while(|(_, part)| *part != Part::Last);
    let begun = until_one_ends.filter(|(_, part)| *part == Part::First);
    assert_eq!(begun.count(), 2, "both were in parts at once");
}

/// Both ends interleave messages, and grant resets.
fn resetting() -> World {
    let setup = interleaved(StreamScheduler::RoundRobin);
    let all = Reconfiguration::On(PeerRequests::ALL);
    setup.both(|o| o.reconfiguration = all).established()
}

#[test]
fn a_reset_of_streams_resets_their_mids() {
    let mut world = resetting();
    for n in 0..6 {
        world.send(A, blob(1 + n % 2, 20_000));
        world.send(A, blob(1, 3000).unordered());
    }
    let asked = world.call(A, |it, now| {
        it.reset_streams(now, &[StreamId(1)], StreamDirection::Outgoing)
    });
    assert_eq!(asked, Ok(()));
    world.send(A, blob(1, 4000));
    world.send(A, blob(1, 10).unordered());
    world.send(A, blob(2, 10));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 15);
    let reset = |event: &Event| matches!(event, Event::StreamsReset { .. });
    assert!(world.events(Z).iter().any(reset));
    let sent: Vec<_> = world.sent(A).flat_map(i_data).collect();
    let last_of = |stream| sent.iter().rev().find(|chunk| chunk.0 == stream).unwrap().1;
    assert_eq!((last_of(1), last_of(2)), (0, 3));
}

#[test]
fn a_reset_of_all_numbers_waits_for_what_is_partly_sent() {
    let mut world = resetting();
    world.send_together(A, (1..=4).map(|stream| blob(stream, 50_000)).collect());
    world.run_for(ms(5));
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.send(A, blob(1, 9));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 5);
    assert_eq!(world.messages(Z)[4], blob(1, 9));
}

#[test]
fn it_cannot_be_had_together_with_the_chunk_checksum() {
    let options = quiet_but(set("interleaving=on, chunk_checksum=on"));
    assert_eq!(options.validate().unwrap_err().option, "interleaving");
}

/// Undelivered messages are returned in order, whichever was partly sent.
#[test]
fn messages_that_were_begun_come_back_in_order() {
    let mut world = interleaved(StreamScheduler::RoundRobin).established();
    world.send_together(A, (1..=3).map(|stream| blob(stream, 300_000)).collect());
    world.run_for(ms(2));
    world.abort(A, "enough");
    let events = world.events(A);
    let streams = events.iter().filter_map(|event| match event {
        Event::SendFailed { message, .. } => Some(message.stream.0),
        _ => None,
    });
    let streams: Vec<u16> = streams.collect();
    assert_eq!(streams, [1, 2, 3]);
}
