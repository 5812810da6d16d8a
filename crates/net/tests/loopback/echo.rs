use std::num::NonZero;
use std::thread;
use std::time::Duration;

use sheave::config::Offload;
use sheave::error::ReceiveError;
use sheave::message::Part;
use sheave::{CloseReason, Config, Endpoint, Message, Options, Ppid, StreamId};

use crate::pair::{LONG, PORT, Pair, localhost, next, number_of, numbered, quick, target, within};

#[test]
fn stream_ppid_and_delivery_survive_the_journey() {
    let pair = Pair::new(quick());
    let message = Message::new(StreamId(3), "hello")
        .with_ppid(Ppid(46))
        .unordered();
    pair.near.send(message.clone()).unwrap();
    assert_eq!(next(&pair.far).message, message);
}

#[test]
fn both_directions_flow_at_once_through_clones() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        let threads: Vec<_> = [near, far]
            .into_iter()
            .flat_map(|association| {
                let (sender, receiver) = (association.clone(), association);
                let sending = thread::spawn(move || {
                    for number in 0..500 {
                        sender.send(numbered(0, number, 20_000)).unwrap();
                    }
                });
                let receiving = thread::spawn(move || {
                    for (number, received) in (0..500).zip(receiver.messages()) {
                        let payload = received.unwrap().message.payload;
                        assert_eq!(number_of(&payload), number);
                    }
                });
                [sending, receiving]
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn messages_end_with_the_peers_shutdown() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        near.send(numbered(0, 1, 100)).unwrap();
        near.send(numbered(0, 2, 100)).unwrap();
        near.start_shutdown();
        let numbers: Vec<u32> = far
            .messages()
            .map(|received| number_of(&received.unwrap().message.payload))
            .collect();
        assert_eq!(numbers, [1, 2]);
    });
}

#[test]
fn messages_end_after_an_error() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        near.abort("for a test");
        let items: Vec<_> = far.messages().collect();
        assert!(matches!(
            items[..],
            [Err(ReceiveError::Closed(CloseReason::AbortedByPeer { .. }))]
        ));
    });
}

#[test]
fn a_message_far_larger_than_the_buffers_arrives_in_parts() {
    within(LONG, || {
        const SIZE: usize = 100_000_000;
        let Pair { near, far, .. } = Pair::new(quick());
        let sending = thread::spawn(move || {
            near.send(numbered(0, 7, SIZE)).unwrap();
            near.send(numbered(0, 8, 10)).unwrap();
            near.shutdown().unwrap();
        });
        let first = next(&far);
        assert_eq!(first.part, Part::First);
        let mut bytes = first.message.payload.to_vec();
        loop {
            let received = next(&far);
            bytes.extend_from_slice(&received.message.payload);
            if received.part == Part::Last {
                break;
            }
            assert_eq!(received.part, Part::Middle);
        }
        assert_eq!(bytes.len(), SIZE);
        assert_eq!(number_of(&bytes), 7);
        assert_eq!(number_of(&next(&far).message.payload), 8);
        assert_eq!(far.receive(), Ok(None));
        sending.join().unwrap();
    });
}

#[test]
fn parts_are_joined_up_to_a_limit() {
    within(LONG, || {
        let options = Options {
            receive_buffer: 200_000,
            partial_delivery_point: 50_000,
            ..quick()
        };
        let Pair { near, far, .. } = Pair::new(options);
        let sending = thread::spawn(move || {
            for (number, size) in [(1, 1_000_000), (2, 3_000_000), (3, 1000)] {
                near.send(numbered(0, number, size)).unwrap();
            }
            near.shutdown().unwrap();
        });
        let limit = 2_000_000;
        let whole = far.receive_whole(limit).unwrap().unwrap();
        assert_eq!(whole.payload.len(), 1_000_000);
        assert_eq!(number_of(&whole.payload), 1);
        assert_eq!(
            far.receive_whole(limit),
            Err(ReceiveError::TooLarge { limit })
        );
        let small = far.receive_whole(limit).unwrap().unwrap();
        assert_eq!(number_of(&small.payload), 3);
        assert_eq!(far.receive_whole(limit), Ok(None));
        sending.join().unwrap();
    });
}

#[test]
fn an_endpoint_that_stays_awake_echoes_and_falls_asleep_in_the_end() {
    within(LONG, || {
        let config = |last| Config {
            busy_poll: Duration::from_millis(2),
            ..Config::udp([localhost(last)], 0)
        };
        let client = Endpoint::bind(config(1)).unwrap();
        let server = Endpoint::bind(config(2)).unwrap();
        let listener = server.listen(PORT, quick()).unwrap();
        let near = client.connect(target(&server, quick())).unwrap();
        let far = listener.accept().unwrap();
        for number in 0..200 {
            near.send(numbered(0, number, 64)).unwrap();
            far.send(next(&far).message).unwrap();
            assert_eq!(number_of(&next(&near).message.payload), number);
        }
        // Longer than it stays awake: the next message must wake it.
        thread::sleep(Duration::from_millis(20));
        near.send(numbered(0, 7, 64)).unwrap();
        assert_eq!(number_of(&next(&far).message.payload), 7);
    });
}

#[test]
fn several_workers_keep_the_order_of_what_they_receive() {
    within(LONG, || {
        // A batch is full after eight packets where none are joined: then workers take turns.
        let config = |last| Config {
            workers: NonZero::new(3).unwrap(),
            offload: Offload::Off,
            ..Config::udp([localhost(last)], 0)
        };
        let client = Endpoint::bind(config(1)).unwrap();
        let server = Endpoint::bind(config(2)).unwrap();
        let pair = Pair::over(client, server, quick());
        let numbers = 0..3000;
        thread::scope(|scope| {
            for (from, to) in [(&pair.near, &pair.far), (&pair.far, &pair.near)] {
                let sent = numbers.clone();
                scope.spawn(move || {
                    for number in sent {
                        from.send(numbered((number % 2) as u16, number, 9000))
                            .unwrap();
                    }
                });
                let received = numbers.clone();
                scope.spawn(move || {
                    let mut last = [None, None];
                    for _ in received {
                        let message = next(to).message;
                        let number = number_of(&message.payload);
                        let stream = usize::from(message.stream.0);
                        assert_eq!(
                            message.payload,
                            numbered(message.stream.0, number, 9000).payload
                        );
                        assert!(last[stream] < Some(number));
                        last[stream] = Some(number);
                    }
                    assert_eq!(last, [Some(2998), Some(2999)]);
                });
            }
        });
    });
}
