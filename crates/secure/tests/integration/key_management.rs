//! Events of an endpoint whose associations are all protected, as its user sees them.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    Assoc, AssocId, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Message, Node,
    Options, PeerAddress, SendError, SendOptions, Time,
};
use sheave_secure::{
    Fault, KeyLog, KeyManagement, KeyProgress, KeySource, Names, Refusal, SharedSecret,
};

use super::certificates::Authority;
use super::counting::LIVE;

const PORT: u16 = 5000;

struct End {
    endpoint: Endpoint,
    /// `None`: packets are not protected.
    keys: Option<KeyManagement>,
    seen: Vec<KeyProgress>,
}

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(10, 0, 0, last).into()
}

impl End {
    fn new(last: u8, source: Option<KeySource>) -> Self {
        let options = EndpointOptions::default();
        Self {
            endpoint: Endpoint::new(vec![address(last)], options, [last; 32]),
            keys: source.map(|source| KeyManagement::new(source, Names::default())),
            seen: Vec::new(),
        }
    }

    fn options(&self) -> Options {
        let options = Options::default();
        match &self.keys {
            Some(keys) => keys.fit(options),
            None => options,
        }
    }

    fn digest(&mut self, now: Time) {
        match &mut self.keys {
            Some(keys) => {
                while let Some(progress) = keys.poll_event(now, &mut self.endpoint) {
                    self.seen.push(progress);
                }
            }
            None => while self.endpoint.poll_event().is_some() {},
        }
    }
}

/// Lets the first end connect to the second, which listens.
fn connect(mut ends: [End; 2]) -> ([End; 2], AssocId) {
    let options = ends[1].options();
    ends[1].endpoint.listen(PORT, options).expect("a free port");
    let id = open(&mut ends, Time::ZERO);
    (ends, id)
}

/// Lets the first end connect to the second, and exchanges packets until there are no more.
fn open(ends: &mut [End; 2], now: Time) -> AssocId {
    let to = Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::native(address(2))],
        options: ends[0].options(),
    };
    let End { endpoint, keys, .. } = &mut ends[0];
    let id = endpoint.connect(now, to).expect("an association");
    if let Some(keys) = keys {
        keys.expect(now, endpoint, id, None);
    }
    exchange(ends, now);
    id
}

fn exchange(ends: &mut [End; 2], now: Time) {
    let mut buffer = Vec::new();
    let mut is_quiet = false;
    while !is_quiet {
        is_quiet = true;
        for from in 0..2 {
            ends[from].digest(now);
            while let Some(transmit) = ends[from].endpoint.poll_transmit(now, &mut buffer, 1) {
                is_quiet = false;
                let datagram = Datagram {
                    local: transmit.remote.ip,
                    remote: PeerAddress::native(transmit.local),
                    ecn: Ecn::NotEct,
                    payload: &buffer,
                };
                let other = &mut ends[1 - from];
                other.endpoint.handle_datagram(now, datagram);
                other.digest(now);
            }
        }
    }
}

fn event(progress: &KeyProgress) -> &Event {
    match progress {
        KeyProgress::Event(_, event) => event,
        other => panic!("{other:?}"),
    }
}

fn secret(letter: u8) -> SharedSecret {
    SharedSecret::new(&[letter; 16]).expect("long enough")
}

#[test]
fn an_association_is_established_to_its_user_once_it_is_protected() {
    let authority = Authority::new("authority");
    let tls = || authority.settings("an end").into();
    is_established_once_it_is_protected([1, 2].map(|last| End::new(last, Some(tls()))));
    let given = || secret(b's').into();
    is_established_once_it_is_protected([1, 2].map(|last| End::new(last, Some(given()))));
}

fn is_established_once_it_is_protected(ends: [End; 2]) {
    let (mut ends, id) = connect(ends);
    for end in &ends {
        let seen: Vec<&Event> = end.seen.iter().map(event).collect();
        let streams = match seen[0] {
            Event::Established {
                outbound_streams,
                inbound_streams,
            } => (*outbound_streams, *inbound_streams),
            other => panic!("{other:?}"),
        };
        assert_eq!(streams, (10, 10));
        assert!(seen.contains(&&Event::Writable), "{seen:?}");
        let of_keys = seen
            .iter()
            .any(|event| matches!(event, Event::Protection(_) | Event::Answered { .. }));
        assert!(!of_keys, "{seen:?}");
    }
    // What was not acknowledged comes back after the association is gone.
    let message = Message::new(StreamId(0), "hello");
    let mut assoc = ends[0].endpoint.assoc(id).expect("an association");
    let sent = assoc.send(Time::ZERO, message, SendOptions::default());
    assert!(sent.is_ok());
    assoc.abort(Time::ZERO, "enough".into());
    let before = ends[0].seen.len();
    ends[0].digest(Time::ZERO);
    let last: Vec<&Event> = ends[0].seen[before..].iter().map(event).collect();
    let has = |wanted: fn(&Event) -> bool| last.iter().any(|event| wanted(event));
    assert!(has(|event| matches!(event, Event::SendFailed { .. })));
    assert!(has(|event| matches!(event, Event::Closed { .. })));
}

#[test]
fn a_refused_peer_is_reported_and_never_established() {
    let authority = Authority::new("authority");
    let (known, stranger): (KeySource, KeySource) = (
        authority.settings("an end").into(),
        Authority::new("another").settings("a stranger").into(),
    );
    let refusal = |last, fault| {
        Some(Refusal {
            peer: Some(PeerAddress::native(address(last))),
            fault,
        })
    };
    for (settings, refusals) in [
        (
            [b'a', b'b'].map(|letter| Some(secret(letter).into())),
            [2, 1].map(|last| refusal(last, Fault::OtherSecret)),
        ),
        (
            [Some(secret(b'a').into()), Some(known.clone())],
            [2, 1].map(|last| refusal(last, Fault::NotAgreed)),
        ),
        (
            [Some(known.clone()), None],
            [refusal(2, Fault::Unprotected), None],
        ),
        (
            [None, Some(known.clone())],
            [None, refusal(1, Fault::Unprotected)],
        ),
        (
            [Some(stranger), Some(known)],
            [
                // The end that listens is the TLS client, which sees the other's certificate first.
                refusal(2, Fault::Refused("it does not trust the authority")),
                refusal(1, Fault::UnknownAuthority),
            ],
        ),
    ] {
        let [near, far] = settings;
        let (mut ends, id) = connect([End::new(1, near), End::new(2, far)]);
        let message = || Message::new(StreamId(0), "hello");
        if let Some(mut assoc) = ends[0].endpoint.assoc(id)
            && ends[0].keys.is_some()
        {
            let sent = assoc.send(Time::ZERO, message(), SendOptions::default());
            assert!(matches!(sent, Err(SendError::BufferFull(_))), "{sent:?}");
        }
        for _ in 0..4 {
            // The alert has left, and the grace for it is over.
            let later = Time::ZERO + Duration::from_secs(1);
            ends.iter_mut()
                .for_each(|end| end.endpoint.handle_timeout(later));
            exchange(&mut ends, later);
        }
        for (end, expected) in ends.iter().zip(refusals) {
            let found: Vec<&Refusal> = end
                .seen
                .iter()
                .filter_map(|progress| match progress {
                    KeyProgress::Refused(_, refusal) => Some(refusal),
                    KeyProgress::Event(_, Event::Closed { .. }) => None,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(found, expected.iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn no_two_associations_have_the_same_keys_from_a_secret() {
    let log = tempfile::NamedTempFile::new().expect("a file");
    for _ in 0..2 {
        let keys = || KeyLog::append_to(log.path()).expect("a log");
        let end = |last| End::new(last, Some(secret(b's').logging_keys_to(keys()).into()));
        connect([end(1), end(2)]);
    }
    let text = std::fs::read_to_string(log.path()).expect("a log");
    let lines: std::collections::BTreeSet<&str> = text.lines().collect();
    assert_eq!((text.lines().count(), lines.len()), (8, 4));
}

#[test]
fn a_secret_that_could_be_guessed_is_refused() {
    assert!(SharedSecret::new(&[0; 15]).is_err());
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "0123456789abcdef\n").expect("a secret");
    let read = SharedSecret::from_file(file.path()).expect("a secret");
    let given = SharedSecret::new(b"0123456789abcdef").expect("a secret");
    assert_eq!(read.fingerprint(), given.fingerprint());
    assert_ne!(read.fingerprint(), secret(b's').fingerprint());
}

fn newest(end: &mut End) -> Assoc<'_> {
    let id = end.endpoint.associations().last();
    let assoc = id.and_then(|id| end.endpoint.assoc(id));
    assoc.expect("an association")
}

/// Sends a message over the newest association in both directions.
fn use_newest(ends: &mut [End; 2], now: Time) {
    for end in &mut *ends {
        let message = Message::new(StreamId(1), "hello");
        let sent = newest(end).send(now, message, SendOptions::default());
        sent.expect("room");
    }
    exchange(ends, now);
    for end in ends {
        assert!(newest(end).receive(now).is_some());
    }
}

/// Bytes that each end holds for an association that has been idle for some seconds.
fn idle_size(source: Option<&KeySource>) -> isize {
    let (mut ends, _) = connect([1, 2].map(|last| End::new(last, source.cloned())));
    let mut now = Time::ZERO;
    let mut hold = |count: isize| {
        for _ in 0..count {
            open(&mut ends, now);
            use_newest(&mut ends, now);
        }
        // Ciphers are in use for a second after a heartbeat, and so are not counted.
        let seconds = (0..75).map(|_| {
            now = now + Duration::from_secs(1);
            for end in &mut ends {
                end.endpoint.handle_timeout(now);
                end.seen = Vec::new();
            }
            exchange(&mut ends, now);
            LIVE.get()
        });
        let idle: Vec<isize> = seconds.collect();
        *idle[35..].iter().min().expect("some seconds")
    };
    // Tables of associations double in between.
    let before = hold(100);
    (hold(200) - before) / 400
}

#[test]
fn an_idle_protected_association_takes_at_most_1_kib_more() {
    let plain = idle_size(None);
    let tls = Authority::new("authority").settings("an end").into();
    for source in [tls, secret(b's').into()] {
        let is_tls = matches!(source, KeySource::Tls(_));
        let more = idle_size(Some(&source)) - plain;
        println!("{more} bytes more than {plain}, TLS: {is_tls}");
        assert!(more <= 1024, "{more} bytes, TLS: {is_tls}");
    }
}
