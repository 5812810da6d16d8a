use std::thread;
use std::time::Duration;

use sheave::error::SendError;
use sheave::{Association, Options, SendOptions};

use crate::pair::{LONG, Pair, next, number_of, numbered, quick, within};

fn small_buffers() -> Options {
    Options {
        send_buffer: 100_000,
        receive_buffer: 100_000,
        partial_delivery_point: 50_000,
        ..quick()
    }
}

/// Whether there is no room for one more packet at that receiver.
pub(crate) fn is_full(receiver: &Association) -> bool {
    receiver.stats().is_some_and(|stats| stats.rwnd < 1500)
}

#[test]
fn a_full_send_buffer_makes_send_wait_and_loses_nothing() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(small_buffers());
        let mut accepted = 0;
        let mut refused_in_a_row = 0;
        // What is on its way makes room for a while. Refusals count once the reader's buffer is full,
        // since until then the threads in between may only be slow.
        let refused = loop {
            match near.try_send(numbered(0, accepted, 1000), SendOptions::default()) {
                Ok(()) => (accepted, refused_in_a_row) = (accepted + 1, 0),
                Err(SendError::Full(message)) if refused_in_a_row == 10 => break message,
                Err(SendError::Full(_)) => {
                    refused_in_a_row += u32::from(is_full(&far));
                    thread::sleep(Duration::from_millis(10));
                }
                Err(other) => panic!("{other}"),
            }
            assert!(accepted < 1000, "nothing holds the sender back");
        };
        let wait = Duration::from_millis(50);
        assert_eq!(
            near.send_timeout(refused.clone(), SendOptions::default(), wait),
            Err(SendError::Full(refused.clone()))
        );
        let sending = thread::spawn(move || {
            near.send(refused).unwrap();
            near.shutdown().unwrap();
        });
        thread::sleep(wait);
        assert!(!sending.is_finished(), "it did not wait");
        for number in 0..=accepted {
            assert_eq!(number_of(&next(&far).message.payload), number);
        }
        assert_eq!(far.receive(), Ok(None));
        sending.join().unwrap();
    });
}

#[test]
fn a_small_message_enters_while_another_thread_waits_with_a_large_one() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(small_buffers());
        // Nobody reads: the first fills the buffers, the second waits.
        near.send(numbered(0, 0, 1_000_000)).unwrap();
        let large = near.clone();
        let sending = thread::spawn(move || large.send(numbered(0, 1, 1_000_000)).unwrap());
        thread::sleep(Duration::from_millis(50));
        assert!(!sending.is_finished(), "it did not wait");
        near.try_send(numbered(1, 2, 64), SendOptions::default())
            .unwrap();
        let mut small = None;
        let mut bytes = 0;
        while small.is_none() || bytes < 2_000_000 {
            let message = next(&far).message;
            match message.payload.len() {
                64 => small = Some(number_of(&message.payload)),
                part => bytes += part,
            }
        }
        assert_eq!(small, Some(2));
        sending.join().unwrap();
    });
}

#[test]
fn a_slow_reader_gets_everything() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(small_buffers());
        let sending = thread::spawn(move || {
            for number in 0..300 {
                near.send(numbered(0, number, 5000)).unwrap();
            }
            near.shutdown().unwrap();
        });
        for number in 0..300 {
            if number % 30 == 0 {
                thread::sleep(Duration::from_millis(20));
            }
            assert_eq!(number_of(&next(&far).message.payload), number);
        }
        assert_eq!(far.receive(), Ok(None));
        sending.join().unwrap();
    });
}
