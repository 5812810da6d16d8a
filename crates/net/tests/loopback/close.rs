use std::thread;
use std::time::{Duration, Instant};

use sheave::error::{ReceiveError, SendError};
use sheave::{CloseReason, Event};

use crate::pair::{LONG, Pair, endpoint, next, number_of, numbered, quick, target, within};

/// The number of messages until the graceful end.
fn count(association: &sheave::Association) -> u32 {
    let mut count = 0;
    while let Some(received) = association.receive_timeout(LONG).unwrap() {
        assert_eq!(number_of(&received.message.payload), count);
        count += 1;
    }
    count
}

#[test]
fn shutdown_returns_when_the_peer_has_everything() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        for number in 0..100 {
            near.send(numbered(0, number, 5000)).unwrap();
        }
        near.shutdown().unwrap();
        assert_eq!(near.close_reason(), Some(CloseReason::Graceful));
        assert_eq!(count(&far), 100);
        assert_eq!(far.receive(), Ok(None));
    });
}

#[test]
fn dropping_the_last_handle_closes_cleanly() {
    within(LONG, || {
        let pair = Pair::new(quick());
        let clone = pair.near.clone();
        for number in 0..500 {
            pair.near.send(numbered(0, number, 2000)).unwrap();
        }
        drop(pair.near);
        for number in 500..600 {
            clone.send(numbered(0, number, 2000)).unwrap();
        }
        drop(clone);
        assert_eq!(count(&pair.far), 600);
    });
}

#[test]
fn dropping_everything_waits_until_the_data_is_delivered() {
    within(LONG, || {
        let Pair {
            near,
            far,
            client,
            listener,
            server,
        } = Pair::new(quick());
        for number in 0..100 {
            near.send(numbered(0, number, 5000)).unwrap();
        }
        let counting = thread::spawn(move || count(&far));
        drop(near);
        drop(client);
        assert_eq!(counting.join().unwrap(), 100);
        drop((listener, server));
    });
}

#[test]
fn an_association_whose_reader_is_gone_lets_its_peer_finish() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        drop(far);
        for number in 0..2000 {
            if near.send(numbered(0, number, 10_000)).is_err() {
                break;
            }
        }
        near.shutdown().unwrap();
    });
}

#[test]
fn an_abort_reaches_the_peer_with_its_reason() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        let events = far.events();
        near.abort("enough");
        let Err(ReceiveError::Closed(reason)) = far.receive() else {
            panic!("it did not end")
        };
        let CloseReason::AbortedByPeer { detail, .. } = &reason else {
            panic!("{reason:?}")
        };
        assert_eq!(&detail[..], b"enough");
        assert_eq!(
            far.send(numbered(0, 0, 10)),
            Err(SendError::Closed(reason.clone()))
        );
        assert_eq!(near.close_reason(), Some(CloseReason::Aborted));
        let last = std::iter::from_fn(|| events.next()).last();
        let unread = Vec::new();
        assert_eq!(last, Some(Event::Closed { reason, unread }));
    });
}

#[test]
fn messages_that_arrived_before_an_abort_are_still_received() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        for number in 0..10 {
            near.send(numbered(0, number, 100)).unwrap();
        }
        // What is acknowledged has arrived.
        while near.stats().is_none_or(|stats| stats.send_buffered > 0) {
            thread::sleep(Duration::from_millis(1));
        }
        near.abort("enough");
        while far.close_reason().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        for number in 0..10 {
            assert_eq!(number_of(&next(&far).message.payload), number);
        }
        assert!(matches!(far.receive(), Err(ReceiveError::Closed(_))));
    });
}

#[test]
fn the_peers_shutdown_is_told_and_stops_sending() {
    within(LONG, || {
        let Pair { near, far, .. } = Pair::new(quick());
        let events = far.events();
        near.start_shutdown();
        let shutdown = |event: &Event| matches!(event, Event::PeerShutdown | Event::Closed { .. });
        assert!(std::iter::from_fn(|| events.next()).any(|event| shutdown(&event)));
        assert!(far.send(numbered(0, 0, 10)).is_err());
        assert!(near.send(numbered(0, 0, 10)).is_err());
        assert_eq!(far.receive(), Ok(None));
    });
}

#[test]
fn closing_the_endpoint_ends_every_wait_on_it() {
    within(LONG, || {
        let Pair {
            near: _near,
            far,
            listener,
            server,
            ..
        } = Pair::new(quick());
        let accepting = thread::spawn(move || listener.accept().is_none());
        let receiving = thread::spawn(move || far.receive());
        thread::sleep(Duration::from_millis(20));
        assert_eq!(server.close(LONG), 0);
        assert!(accepting.join().unwrap());
        assert_eq!(receiving.join().unwrap(), Ok(None));
        assert!(server.listen(9, quick()).is_err());
    });
}

#[test]
fn associations_that_do_not_finish_in_time_are_aborted() {
    within(LONG, || {
        let pair = Pair::new(quick());
        pair.server.unplug(crate::pair::localhost(2));
        pair.near.send(numbered(0, 0, 100)).unwrap();
        let begin = Instant::now();
        assert_eq!(pair.client.close(Duration::from_millis(100)), 1);
        assert!(begin.elapsed() < LONG / 2);
        assert_eq!(pair.near.close_reason(), Some(CloseReason::Aborted));
    });
}

#[test]
fn a_shutdown_that_takes_too_long_becomes_an_abort() {
    within(LONG, || {
        let pair = Pair::new(quick());
        pair.server.unplug(crate::pair::localhost(2));
        let wait = Duration::from_millis(100);
        assert_eq!(pair.near.shutdown_timeout(wait), Err(CloseReason::Aborted));
        pair.client.close(Duration::ZERO);
    });
}

#[test]
fn dropping_a_listener_aborts_what_nobody_accepted() {
    within(LONG, || {
        let (client, server) = (endpoint(&[1]), endpoint(&[2]));
        let listener = server.listen(crate::pair::PORT, quick()).unwrap();
        let near = client.connect(target(&server, quick())).unwrap();
        // It may be established here before the peer has seen our COOKIE ECHO acknowledged.
        while server.stats().associations == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        drop(listener);
        assert!(matches!(near.receive(), Err(ReceiveError::Closed(_))));
    });
}
