//! An association that outlives the endpoint it was set up at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sheave::config::PortSharing;
use sheave::error::{ExportError, ImportError, ImportRefusal, Obstacle};
use sheave::{Association, CloseReason, Config, Endpoint, Event};

use crate::pair::{LONG, Pair, endpoint, localhost, next, number_of, numbered, quick, within};

/// An endpoint that may have a successor, or be one.
fn shared(port: u16) -> Config {
    Config {
        port_sharing: PortSharing::WithSuccessor,
        ..Config::udp([localhost(2)], port)
    }
}

/// Waits until an association is quiet, reading what comes, and exports it.
fn export(association: &Association, read: &mut u32) -> Vec<u8> {
    let began = Instant::now();
    loop {
        while let Ok(Some(received)) = association.try_receive() {
            assert_eq!(number_of(&received.message.payload), *read);
            *read += 1;
        }
        match association.export() {
            Ok(exported) => return exported,
            Err(ExportError::NotReady(_)) => thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{error}"),
        }
        assert!(began.elapsed() < LONG, "it never falls quiet");
    }
}

/// The peer of a client that sends moves twice meanwhile, each time to an endpoint that is bound to
/// the same port before the one before is closed.
#[test]
fn a_server_is_replaced_and_the_client_does_not_notice() {
    within(LONG, || {
        let server = Endpoint::bind(shared(0)).unwrap();
        let Pair {
            near,
            far,
            client,
            listener,
            server,
        } = Pair::over(endpoint(&[1]), server, quick());
        let events = near.events();
        let port = server.udp_port().unwrap();
        let (sent, handed_over) = <(Arc<AtomicU32>, Arc<AtomicBool>)>::default();
        let sending = {
            let (sent, handed_over) = (Arc::clone(&sent), Arc::clone(&handed_over));
            thread::spawn(move || {
                while !handed_over.load(Ordering::SeqCst) {
                    let number = sent.load(Ordering::SeqCst);
                    near.send(numbered(0, number, 1200)).unwrap();
                    sent.store(number + 1, Ordering::SeqCst);
                    // It never stops for long, and never fills a window.
                    let pause = if number % 16 == 0 { 30 } else { 1 };
                    thread::sleep(Duration::from_millis(pause));
                }
                near
            })
        };
        let wait_for_more = |more| {
            let before = sent.load(Ordering::SeqCst);
            while sent.load(Ordering::SeqCst) < before + more {
                thread::sleep(Duration::from_millis(1));
            }
        };
        drop(listener);
        let mut read = 0;
        let (mut server, mut far) = (server, far);
        for _ in 0..2 {
            wait_for_more(50);
            let exported = export(&far, &mut read);
            assert_eq!(far.close_reason(), Some(CloseReason::Exported));
            // What comes meanwhile is lost.
            wait_for_more(20);
            let exported = vec![(exported, quick())];
            let (fresh, imported) = Endpoint::bind_and_import(shared(port), exported).unwrap();
            assert_eq!(server.close(LONG), 0);
            drop((server, far));
            server = fresh;
            far = imported.into_iter().next().unwrap().unwrap();
            far.send(numbered(1, read, 800)).unwrap();
        }
        wait_for_more(50);
        handed_over.store(true, Ordering::SeqCst);
        let near = sending.join().unwrap();
        while read < sent.load(Ordering::SeqCst) {
            assert_eq!(number_of(&next(&far).message.payload), read);
            read += 1;
        }
        for _ in 0..2 {
            assert_eq!(next(&near).message.stream.0, 1);
        }
        assert!(near.stats().unwrap().retransmissions > 0);
        assert_eq!(near.close_reason(), None);
        while let Some(event) = events.try_next() {
            let harmless = matches!(event, Event::Drained | Event::Path { .. });
            assert!(harmless, "{event:?}");
        }
        near.shutdown().unwrap();
        assert_eq!(far.receive(), Ok(None));
        drop((client, server));
    });
}

#[test]
fn a_refused_export_or_import_says_why() {
    within(LONG, || {
        let Pair {
            near,
            far,
            client,
            server,
            listener: _listener,
        } = Pair::new(quick());
        near.send(numbered(0, 0, 100)).unwrap();
        while far.handover_obstacles() != Some(vec![Obstacle::Unread]) {
            thread::sleep(Duration::from_millis(1));
        }
        let refused = far.export();
        assert_eq!(refused, Err(ExportError::NotReady(vec![Obstacle::Unread])));
        let exported = export(&far, &mut 0);
        assert_eq!(far.handover_obstacles(), None);
        assert_eq!(far.export(), Err(ExportError::Unknown));
        assert!(far.send(numbered(0, 0, 100)).is_err());
        let stranger = client.import(&exported, quick());
        let not_local = ImportRefusal::NotLocal(localhost(2));
        assert_eq!(stranger.err(), Some(ImportError::Refused(not_local)));
        let garbage = server.import(b"garbage", quick());
        assert_eq!(
            garbage.err(),
            Some(ImportError::Refused(ImportRefusal::NotExported))
        );
        // It may go back to where it was.
        let far = server.import(&exported, quick()).unwrap();
        near.send(numbered(0, 1, 100)).unwrap();
        assert_eq!(number_of(&next(&far).message.payload), 1);
        let closed = endpoint(&[2]);
        closed.close(LONG);
        let refused = closed.import(&exported, quick());
        assert_eq!(refused.err(), Some(ImportError::EndpointClosed));
    });
}
