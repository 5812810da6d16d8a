use std::sync::Arc;
use std::thread;

use sheave::{Association, Options};

use crate::pair::{LONG, PORT, Pair, endpoint, next, number_of, numbered, quick, target, within};

#[test]
fn a_thousand_associations_share_an_endpoint() {
    within(LONG, || {
        const COUNT: u32 = 1000;
        let (client, server) = (endpoint(&[1]), endpoint(&[2]));
        let listener = server.listen(PORT, quick()).unwrap();
        let accepting = thread::spawn(move || {
            let incoming = listener.incoming().take(COUNT as usize);
            incoming.collect::<Vec<Association>>()
        });
        let near: Vec<Association> = (0..COUNT)
            .map(|_| client.connect(target(&server, quick())).unwrap())
            .collect();
        let far = accepting.join().unwrap();
        for (number, association) in (0..).zip(&near) {
            association.send(numbered(0, number, 100)).unwrap();
        }
        let mut numbers: Vec<u32> = far
            .iter()
            .map(|association| number_of(&next(association).message.payload))
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..COUNT).collect::<Vec<_>>());
        assert_eq!(server.stats().associations, COUNT as usize);
        drop(near);
        for association in &far {
            assert_eq!(association.receive(), Ok(None));
        }
    });
}

#[test]
fn no_wake_up_is_lost_in_many_ping_pongs() {
    within(LONG, || {
        const ROUNDS: u32 = 3000;
        let (client, server) = (endpoint(&[1]), endpoint(&[2]));
        let listener = server.listen(PORT, quick()).unwrap();
        let mut threads = Vec::new();
        for _ in 0..4 {
            let near = client.connect(target(&server, quick())).unwrap();
            let far = listener.accept_timeout(LONG).unwrap();
            threads.push(thread::spawn(move || {
                for number in 0..ROUNDS {
                    near.send(numbered(0, number, 64)).unwrap();
                    let echo = near.receive().unwrap().unwrap();
                    assert_eq!(number_of(&echo.message.payload), number);
                }
            }));
            threads.push(thread::spawn(move || {
                while let Some(received) = far.receive().unwrap() {
                    if far.send(received.message).is_err() {
                        break;
                    }
                }
            }));
        }
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn many_threads_share_one_association() {
    within(LONG, || {
        const EACH: u32 = 500;
        let options = Options {
            send_buffer: 20_000,
            ..quick()
        };
        let Pair { near, far, .. } = Pair::new(options);
        let near = Arc::new(near);
        let senders: Vec<_> = (0..4_u16)
            .map(|sender| {
                let near = Arc::clone(&near);
                thread::spawn(move || {
                    for number in 0..EACH {
                        let number = u32::from(sender) * EACH + number;
                        near.send(numbered(sender, number, 3000)).unwrap();
                    }
                })
            })
            .collect();
        let receivers: Vec<_> = (0..3)
            .map(|_| {
                let far = far.clone();
                thread::spawn(move || {
                    let mut numbers = Vec::new();
                    while let Some(received) = far.receive().unwrap() {
                        numbers.push(number_of(&received.message.payload));
                    }
                    numbers
                })
            })
            .collect();
        for sender in senders {
            sender.join().unwrap();
        }
        near.shutdown().unwrap();
        let mut numbers: Vec<u32> = receivers
            .into_iter()
            .flat_map(|receiver| receiver.join().unwrap())
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..4 * EACH).collect::<Vec<_>>());
    });
}
