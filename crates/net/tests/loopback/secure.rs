//! Associations whose packets are protected on every path.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use sheave::error::{
    ConnectError, ImportError, ImportRefusal, ListenError, SendError, TargetError,
};
use sheave::secure::{Fault, Identity, Rekeying, Secure, TlsSettings, Trust};
use sheave::{CloseReason, Config, Endpoint, Event, Message, Options, Ppid, StreamId};

use crate::pair::{
    LINGER, LONG, PORT, Pair, endpoint, localhost, next, number_of, numbered, quick, target, within,
};

/// Settings of two ends that have pinned each other's certificate.
fn pinned(rekeying: Rekeying) -> [Secure; 2] {
    let make = || Identity::generate(["an end"]).unwrap();
    let [one, other] = [make(), make()];
    let trust = |peer: &Identity| Trust::default().fingerprints([peer.fingerprint()]);
    let of = |own: &Identity, peer: &Identity| {
        let settings = TlsSettings::new(own.clone(), trust(peer));
        Secure::with(settings.with_rekeying(rekeying))
    };
    [of(&one, &other), of(&other, &one)]
}

fn secure_endpoint(lasts: &[u8], secure: Secure) -> Endpoint {
    let config = Config {
        linger: LINGER,
        ..Config::udp(lasts.iter().copied().map(localhost), 0)
    };
    Endpoint::bind(config.secure(secure)).unwrap()
}

#[test]
fn messages_go_both_ways_while_keys_change_and_a_path_is_cut() {
    within(LONG, || {
        let often = Rekeying {
            every: Duration::from_millis(100),
            ..Rekeying::default()
        };
        let [client, server] = pinned(often);
        let pair = Pair::over(
            secure_endpoint(&[1, 3], client),
            secure_endpoint(&[2, 4], server),
            quick(),
        );
        let events = pair.near.events();
        for number in 0..60 {
            if number == 20 {
                pair.server.unplug(localhost(2));
                pair.client.unplug(localhost(1));
            }
            for (from, to) in [(&pair.near, &pair.far), (&pair.far, &pair.near)] {
                from.send(numbered((number % 8) as u16, number, 50_000))
                    .unwrap();
                assert_eq!(number_of(&next(to).message.payload), number);
            }
            thread::sleep(Duration::from_millis(20));
        }
        let stats = pair.far.stats().unwrap().protection;
        // 3 MB each way, in packets of at most 16 KiB.
        assert!(stats.received > 200 && stats.sent > 200, "{stats:?}");
        assert_eq!(stats.forged, 0);
        pair.near.shutdown().unwrap();
        assert!(pair.far.receive_timeout(LONG).unwrap().is_none());
        assert_eq!(pair.far.close_reason(), Some(CloseReason::Graceful));
        let is_of_keys = |event: &Event| matches!(event, Event::Protection(_));
        assert!(!events.into_iter().any(|event| is_of_keys(&event)));
    });
}

#[test]
fn the_name_of_key_management_is_not_for_users() {
    within(LONG, || {
        let [client, server] = pinned(Rekeying::default());
        let (client, server) = (secure_endpoint(&[1], client), secure_endpoint(&[2], server));
        let pair = Pair::over(client, server, quick());
        let posing = Message::new(StreamId(0), "a hello").with_ppid(Ppid(4242));
        let refused = pair.near.send(posing);
        assert!(matches!(refused, Err(SendError::InvalidStream { .. })));
        pair.near.send(numbered(0, 1, 100)).unwrap();
        assert_eq!(number_of(&next(&pair.far).message.payload), 1);
    });
}

#[test]
fn a_peer_that_is_not_trusted_is_accepted_by_nobody_and_named_at_both_ends() {
    within(LONG, || {
        let [client, _] = pinned(Rekeying::default());
        let [_, server] = pinned(Rekeying::default());
        let (client, server) = (secure_endpoint(&[1], client), secure_endpoint(&[2], server));
        let listener = server.listen(PORT, quick()).unwrap();
        let connected = client.connect_timeout(target(&server, quick()), LONG);
        let known = |fault: &Fault| matches!(fault, Fault::UnknownAuthority | Fault::Refused(_));
        assert!(matches!(connected, Err(ConnectError::Secure(fault)) if known(&fault)));
        let refusal = server.refused().unwrap();
        assert!(known(&refusal.fault), "{refusal:?}");
        assert!(
            listener
                .accept_timeout(Duration::from_millis(100))
                .is_none()
        );
    });
}

#[test]
fn ends_of_which_one_is_protected_do_not_connect() {
    within(LONG, || {
        for protected in [0, 1] {
            let [settings, _] = pinned(Rekeying::default());
            let (client, server) = match protected {
                0 => (secure_endpoint(&[1], settings), endpoint(&[2])),
                _ => (endpoint(&[1]), secure_endpoint(&[2], settings)),
            };
            let listener = server.listen(PORT, quick()).unwrap();
            let connected = client.connect_timeout(target(&server, quick()), LONG);
            match (protected, connected) {
                (0, Err(ConnectError::Secure(fault))) => assert_eq!(fault, Fault::Unprotected),
                (1, Err(ConnectError::Failed(CloseReason::AbortedByPeer { cause, .. }))) => {
                    assert_eq!(cause, Some(100));
                    let refusal = server.refused().unwrap();
                    assert_eq!(refusal.fault, Fault::Unprotected);
                    assert_eq!(refusal.peer.unwrap().ip, localhost(1));
                }
                (_, connected) => panic!("{protected}: {:?}", connected.err()),
            }
            assert!(
                listener
                    .accept_timeout(Duration::from_millis(100))
                    .is_none()
            );
        }
    });
}

#[test]
fn an_end_whose_keys_cannot_be_replaced_is_told_why() {
    /// The end of generated certificates, 4096, in seconds since 1970.
    const END: Duration = Duration::from_secs(67_090_118_400);
    within(LONG, || {
        let [one, other] = [(); 2].map(|()| Identity::generate(["an end"]).unwrap());
        let trust = |peer: &Identity| Trust::default().fingerprints([peer.fingerprint()]);
        let begin = Instant::now();
        let late = TlsSettings::new(one.clone(), trust(&other));
        let late = late.with_clock(move || {
            SystemTime::UNIX_EPOCH + END - Duration::from_secs(3) + begin.elapsed()
        });
        let client = Secure::with(TlsSettings::new(other, trust(&one)));
        let (client, server) = (
            secure_endpoint(&[1], client),
            secure_endpoint(&[2], Secure::with(late)),
        );
        let _pair = Pair::over(client, server.clone(), quick());
        let lost = server.refused().unwrap();
        assert_eq!(lost.fault, Fault::CertificateEnded);
        assert_eq!(lost.peer.unwrap().ip, localhost(1));
    });
}

#[test]
fn an_endpoint_with_keys_takes_over_no_association_without() {
    within(LONG, || {
        let pair = Pair::new(quick());
        let exported = loop {
            match pair.far.export() {
                Ok(exported) => break exported,
                Err(_) => thread::sleep(Duration::from_millis(1)),
            }
        };
        let [settings, _] = pinned(Rekeying::default());
        let taken = secure_endpoint(&[2], settings).import(&exported, quick());
        let unprotected = ImportError::Refused(ImportRefusal::Unprotected);
        assert_eq!(taken.err(), Some(unprotected));
    });
}

#[test]
fn an_endpoint_without_keys_has_no_options_that_ask_for_protection() {
    let lone = endpoint(&[1]);
    for mode in ["loose", "strict"] {
        let options: Options = format!("protection={mode}").parse().unwrap();
        let connected = lone.connect(target(&lone, options.clone()));
        assert!(matches!(
            connected,
            Err(ConnectError::Target(TargetError::Option(_)))
        ));
        let listening = lone.listen(PORT, options);
        assert!(matches!(listening, Err(ListenError::Option(_))));
    }
}
