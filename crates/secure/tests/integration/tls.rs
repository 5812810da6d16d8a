//! Associations with keys from TLS 1.3.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rcgen::date_time_ymd;
use sheave_engine::wire::{ChunkType, StreamId, dtls};
use sheave_engine::{
    CloseReason, KeyMethods, KeyRoles, Message, Options, Protection, ProtectionStats, Time,
};
use sheave_secure::{CipherSuite, Fault, Identity, Names, Rekeying, Tls, TlsSettings, Trust};

use super::certificates::{Authority, for_servers_alone};
use super::pair::Pair;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Bytes that every message contains.
pub(crate) const MARKER: &[u8] = b"nobody on the way may read this";

pub(crate) fn options() -> Options {
    Options {
        protection: Protection::Strict,
        key_methods: KeyMethods(vec![dtls::METHOD_TLS]),
        ..Options::default()
    }
}

fn pair(settings: [Arc<TlsSettings>; 2]) -> Pair<Tls> {
    let managers = settings.map(|settings| Tls::new(settings, &Names::default()));
    Pair::new(managers, &options(), 1)
}

pub(crate) fn message(stream: u16, length: usize) -> Message {
    let bytes = MARKER.iter().copied().cycle().take(length);
    Message::new(StreamId(stream), bytes.collect::<Vec<u8>>())
}

pub(crate) fn stats(pair: &mut Pair<Tls>, place: usize) -> ProtectionStats {
    pair.act(place, |_, _, assoc| {
        assoc.protection().expect("protection").stats()
    })
}

pub(crate) fn assert_nothing_in_clear(pair: &Pair<Tls>) {
    for (_, packet) in &pair.sent {
        let mut windows = packet.windows(MARKER.len());
        assert!(!windows.any(|bytes| bytes == MARKER), "plain text");
    }
}

/// The faults of both hosts after a failed set-up, in which nothing was protected.
fn faults(settings: [Arc<TlsSettings>; 2]) -> [Option<Fault>; 2] {
    faults_of(pair(settings))
}

fn faults_of(mut pair: Pair<Tls>) -> [Option<Fault>; 2] {
    pair.run(40 * SECOND);
    for host in &pair.hosts {
        assert!(host.closed.is_some() || host.failure.is_some());
        assert!(host.received.is_empty());
    }
    pair.hosts.map(|host| host.failure)
}

#[test]
fn associations_come_up_with_every_suite_in_either_role_whatever_is_lost() {
    let authority = Authority::new("authority");
    let both = ["a.example", "b.example"].map(|name| authority.settings(name));
    for (suite, lost) in CipherSuite::ALL.into_iter().zip([usize::MAX, 7, 5]) {
        for roles in [KeyRoles::Client, KeyRoles::Server, KeyRoles::Either] {
            let of_suite = |settings: &Arc<TlsSettings>| {
                Arc::new(TlsSettings::clone(settings).with_suites(&[suite]))
            };
            let managers = both
                .each_ref()
                .map(|settings| Tls::new(of_suite(settings), &Names::default()));
            let mut pair = Pair::new(managers, &options(), 1).losing(lost);
            let mut connecting = options();
            connecting.key_roles = roles;
            pair.reconnect(connecting);
            pair.run(60 * SECOND);
            assert!(pair.hosts.iter().all(|host| host.enforced), "{suite:?}");
            let sent = message(3, 60_000);
            assert!(pair.send(0, &sent) && pair.send(1, &sent));
            let begun = pair.sent.len();
            pair.run(60 * SECOND);
            for host in &pair.hosts {
                assert_eq!(host.received, std::slice::from_ref(&sent), "{suite:?}");
            }
            for (_, packet) in &pair.sent[begun..] {
                assert_eq!(packet[12], ChunkType::DTLS.0);
            }
            assert_nothing_in_clear(&pair);
        }
    }
}

#[test]
fn user_data_waits_for_the_end_of_the_handshake() {
    let authority = Authority::new("authority");
    let mut pair = pair(["a", "b"].map(|name| authority.settings(name)));
    let sent = message(0, 100);
    let mut refused = 0;
    while !pair.send(0, &sent) {
        refused += 1;
        pair.run(Duration::from_millis(1));
    }
    assert!(refused > 3 && pair.hosts[0].enforced);
    pair.run(SECOND);
    assert_eq!(pair.hosts[1].received, [sent]);
    assert_nothing_in_clear(&pair);
}

#[test]
fn a_chain_of_authorities_is_followed() {
    let root = Authority::new("root");
    let (middle, between) = root.intermediate("middle");
    let identity = |name| {
        let [leaf, key] = middle.issue_pem(name, for_servers_alone);
        let chain = leaf + &between;
        Identity::from_pem(chain.as_bytes(), key.as_bytes()).expect("an identity")
    };
    let settings = |name| Arc::new(TlsSettings::new(identity(name), root.trust()));
    let mut pair = pair([settings("a.example"), settings("b.example")]);
    pair.run(5 * SECOND);
    assert!(pair.hosts.iter().all(|host| host.enforced));
}

#[test]
fn a_certificate_of_another_authority_is_refused_and_both_ends_say_so() {
    for name in ["other", "authority"] {
        let (authority, other) = (Authority::new("authority"), Authority::new(name));
        let stranger = TlsSettings::new(other.issue("b.example"), authority.trust());
        let found = faults([authority.settings("a.example"), Arc::new(stranger)]);
        let refused = Some(Fault::Refused("it does not trust the authority"));
        assert_eq!(found, [Some(Fault::UnknownAuthority), refused]);
    }
}

#[test]
fn a_certificate_is_refused_before_and_after_its_time() {
    let authority = Authority::new("authority");
    let of = |from, to| {
        let identity = authority.issue_with("b.example", |parameters| {
            parameters.not_before = date_time_ymd(from, 1, 1);
            parameters.not_after = date_time_ymd(to, 1, 1);
        });
        Arc::new(TlsSettings::new(identity, authority.trust()))
    };
    for (other, fault) in [
        (of(2000, 2001), Fault::Expired),
        (of(2150, 2151), Fault::NotYetValid),
    ] {
        let found = faults([authority.settings("a.example"), other]);
        let refused = Some(Fault::Refused("it has expired or is not valid yet"));
        assert_eq!(found, [Some(fault), refused]);
    }
}

#[test]
fn a_pinned_certificate_needs_no_authority_but_must_not_have_expired() {
    let authority = Authority::new("authority");
    let generated = Identity::generate(["b.example"]).expect("an identity");
    let expired = authority.issue_with("b.example", |parameters| {
        parameters.not_after = date_time_ymd(2021, 1, 1);
    });
    for (identity, is_valid) in [(generated, true), (expired, false)] {
        let ours = authority.issue("a.example");
        let pinned = Trust::default().fingerprints([identity.fingerprint()]);
        let theirs = Trust::default().fingerprints([ours.fingerprint()]);
        let settings = [
            TlsSettings::new(ours, pinned),
            TlsSettings::new(identity, theirs),
        ];
        let mut pair = pair(settings.map(Arc::new));
        pair.run(5 * SECOND);
        assert_eq!(pair.hosts[0].enforced, is_valid);
        if !is_valid {
            assert_eq!(pair.hosts[0].failure, Some(Fault::Expired));
        }
    }
}

#[test]
fn an_end_that_trusts_nobody_accepts_nobody() {
    let authority = Authority::new("authority");
    let trusting_none = TlsSettings::new(authority.issue("a.example"), Trust::default());
    let found = faults([Arc::new(trusting_none), authority.settings("b.example")]);
    assert_eq!(found[0], Some(Fault::UnknownAuthority));
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let authority = Authority::new("authority");
    for (expected, fault) in [
        ("b.example", None),
        ("c.example", Some(Fault::WrongName)),
        ("10.0.0.2", Some(Fault::WrongName)),
    ] {
        let managers = [
            Tls::new(
                authority.settings("a.example"),
                &Names::new([expected]).expect("a name"),
            ),
            Tls::new(authority.settings("b.example"), &Names::default()),
        ];
        let mut pair = Pair::new(managers, &options(), 1);
        pair.run(5 * SECOND);
        assert_eq!(pair.hosts[0].failure, fault);
        assert_eq!(pair.hosts[0].enforced, fault.is_none());
    }
}

#[test]
fn a_parameter_that_somebody_on_the_way_has_changed_makes_the_association_fail() {
    let authority = Authority::new("authority");
    let mut pair = pair(["a", "b"].map(|name| authority.settings(name)));
    // The restart bit in whichever INIT: it changes neither roles nor method.
    pair.meddle = |packet| {
        let parameter = |four: &[u8]| four == [0x80, 0x06, 0, 10];
        if packet[12] == ChunkType::INIT.0
            && let Some(at) = packet.windows(4).position(parameter)
        {
            packet[at + 8] ^= dtls::RESTART_BIT;
            packet[8..12].fill(0);
            sheave_engine::wire::seal(packet);
        }
    };
    pair.run(40 * SECOND);
    assert!(pair.hosts.iter().all(|host| host.closed.is_some()));
    assert!(!pair.hosts.iter().all(|host| host.enforced));
}

/// The round of the test below, and the long packets with DATA in it.
static BROKEN: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

#[test]
fn a_bit_that_was_changed_in_the_first_handshake_ends_in_protection_or_in_no_association() {
    let authority = Authority::new("authority");
    let both = ["a", "b"].map(|name| authority.settings(name));
    let mut failed = 0;
    for round in 0..200 {
        BROKEN[0].store(round, Ordering::Relaxed);
        BROKEN[1].store(0, Ordering::Relaxed);
        let mut pair = pair(both.clone());
        pair.meddle = |packet| {
            let round = BROKEN[0].load(Ordering::Relaxed);
            // DATA, alone or behind a SACK.
            let holds_data = [ChunkType::DATA, ChunkType::I_DATA, ChunkType::SACK];
            if holds_data.contains(&ChunkType(packet[12]))
                && packet.len() > 100
                && BROKEN[1].fetch_add(1, Ordering::Relaxed) == round % 3
            {
                let at = packet.len() - 1 - round * 7919 % (packet.len() / 2);
                packet[at] ^= 1 << (round % 8);
                packet[8..12].fill(0);
                sheave_engine::wire::seal(packet);
            }
        };
        pair.run(400 * SECOND);
        let [one, other] = pair.hosts.each_ref().map(|host| host.closed.is_some());
        let is_up = pair.hosts.iter().all(|host| host.enforced);
        assert_eq!(one, other, "round {round}");
        assert!(one || is_up, "round {round}");
        failed += usize::from(one);
    }
    assert!((50..200).contains(&failed), "{failed}");
}

#[test]
fn ends_with_other_methods_are_told_the_cause() {
    let authority = Authority::new("authority");
    let mut pair = pair(["a", "b"].map(|name| authority.settings(name)));
    let mut others = options();
    others.key_methods = KeyMethods(vec![dtls::METHOD_PRE_SHARED]);
    pair.reconnect(others);
    pair.run(5 * SECOND);
    let closed = pair.hosts[0].closed.take();
    let no_method = Some(dtls::NO_COMMON_METHOD);
    assert!(
        matches!(&closed, Some(CloseReason::AbortedByPeer { cause, .. }) if *cause == no_method),
        "{closed:?}"
    );
}

#[test]
fn keys_change_under_load_at_both_ends_at_once_and_nothing_is_lost() {
    let authority = Authority::new("authority");
    let every_second = Rekeying {
        every: SECOND,
        ..Rekeying::default()
    };
    let settings = ["a", "b"].map(|name| {
        let settings = TlsSettings::clone(&authority.settings(name));
        Arc::new(settings.with_rekeying(every_second))
    });
    for lost in [usize::MAX, 100, 29] {
        let managers = settings
            .clone()
            .map(|settings| Tls::new(settings, &Names::default()));
        let mut pair = Pair::new(managers, &options(), 2).losing(lost);
        pair.run(20 * SECOND);
        assert!(pair.hosts.iter().all(|host| host.enforced));
        let mut sent = [0, 0];
        for turn in 0..600 {
            for (place, sent) in sent.iter_mut().enumerate() {
                let length = 1000 + 37 * turn;
                while pair.send(place, &message((turn % 7) as u16, length)) {
                    *sent += length;
                    if *sent % 3 == 0 {
                        break;
                    }
                }
            }
            pair.cut = (turn / 100 == 2).then_some(0);
            pair.run(Duration::from_millis(100));
        }
        pair.cut = None;
        pair.run(60 * SECOND);
        for (place, sent) in sent.into_iter().enumerate() {
            let host = &pair.hosts[1 - place];
            assert_eq!(host.failure, None);
            let received = host.received.iter().map(|message| message.payload.len());
            assert_eq!(received.sum::<usize>(), sent);
            let is_whole = |message: &Message| {
                (message.payload.iter().zip(MARKER.iter().cycle())).all(|(a, b)| a == b)
            };
            assert!(host.received.iter().all(is_whole));
            let stats = stats(&mut pair, place);
            assert_eq!((stats.forged, stats.unprotected), (0, 0));
        }
        let epochs = [0, 1].map(|place| pair.act(place, |tls, _, _| tls.epoch()));
        assert_eq!(epochs[0], epochs[1]);
        assert!(epochs[0] > Some(60), "{epochs:?}");
        assert_nothing_in_clear(&pair);
        let ciphertexts: BTreeSet<_> = pair.sent.iter().map(|(_, packet)| packet).collect();
        let plain = |packet: &&Vec<u8>| packet[12] != ChunkType::DTLS.0;
        let again = pair.sent.len() - ciphertexts.len();
        let plain = ciphertexts.iter().filter(|packet| plain(packet)).count();
        assert!(again <= plain, "no record leaves twice");
    }
}

#[test]
fn keys_change_after_so_many_bytes_and_before_the_limit_of_the_cipher() {
    let authority = Authority::new("authority");
    let by_bytes = Rekeying {
        bytes: 500_000,
        ..Rekeying::default()
    };
    let settings = ["a", "b"].map(|name| {
        let settings = TlsSettings::clone(&authority.settings(name));
        Arc::new(settings.with_rekeying(by_bytes))
    });
    let mut pair = pair(settings);
    pair.run(SECOND);
    let mut sent = 0;
    for _ in 0..400 {
        sent += usize::from(pair.send(0, &message(1, 20_000)));
        pair.run(Duration::from_millis(50));
    }
    pair.run(30 * SECOND);
    assert_eq!(pair.hosts[1].received.len(), sent);
    let epoch = pair.act(0, |tls, _, _| tls.epoch()).expect("keys");
    let expected = (sent * 20_000 / 500_000) as u64;
    assert!(epoch.abs_diff(dtls::FIRST_EPOCH + expected) < expected / 3);
}

#[test]
fn a_renewed_certificate_is_accepted_at_a_rekeying_and_another_identity_is_not() {
    let authority = Authority::new("authority");
    // Without a subject and DNS names, only the certificate itself tells an identity.
    let nameless = |name: &str| {
        let identity = authority.issue_with(name, |parameters| {
            parameters.distinguished_name = rcgen::DistinguishedName::new();
        });
        Arc::new(TlsSettings::new(identity, authority.trust()))
    };
    let other = Some(Fault::OtherIdentity);
    let [old, new] = ["10.0.0.2", "10.0.0.3"].map(nameless);
    for (first, next, fault) in [
        (
            authority.settings("b.example"),
            authority.settings("b.example"),
            None,
        ),
        (
            authority.settings("b.example"),
            authority.settings("c.example"),
            other.clone(),
        ),
        (old.clone(), old.clone(), None),
        (old, new, other),
    ] {
        let mut pair = pair([authority.settings("a.example"), first]);
        pair.run(SECOND);
        pair.act(1, |tls, now, assoc| {
            tls.set_settings(next);
            tls.rekey(now, assoc).expect("a ClientHello");
        });
        pair.run(5 * SECOND);
        assert_eq!(pair.hosts[0].failure, fault);
        assert_eq!(pair.hosts[0].closed.is_some(), fault.is_some());
    }
}

#[test]
fn an_association_ends_with_its_certificates() {
    let authority = Authority::new("authority");
    let begin = SystemTime::now();
    let identity = authority.issue_with("b.example", |parameters| {
        parameters.not_after = (begin + 1000 * SECOND).into();
    });
    let clock = Arc::new(Mutex::new(begin));
    let settings = [authority.issue("a.example"), identity].map(|identity| {
        let clock = Arc::clone(&clock);
        let settings = TlsSettings::new(identity, authority.trust());
        Arc::new(settings.with_clock(move || *clock.lock().expect("no panic")))
    });
    let mut pair = pair(settings);
    let run_to = |pair: &mut Pair<Tls>, second: u32| {
        while pair.now < Time::ZERO + second * SECOND {
            pair.run(SECOND);
            *clock.lock().expect("no panic") += SECOND;
        }
    };
    run_to(&mut pair, 980);
    assert!(pair.hosts.iter().all(|host| host.closed.is_none()));
    let epoch = pair.act(0, |tls, _, _| tls.epoch());
    assert!(
        epoch > Some(dtls::FIRST_EPOCH),
        "a newer certificate was looked for"
    );
    run_to(&mut pair, 1010);
    let failures = pair.hosts.each_ref().map(|host| host.failure.clone());
    assert!(
        failures.contains(&Some(Fault::CertificateEnded)),
        "{failures:?}"
    );
}

#[test]
fn a_certificate_that_ends_during_the_handshake_ends_the_association() {
    let authority = Authority::new("authority");
    let begin = SystemTime::now();
    let short = authority.issue_with("a.example", |parameters| {
        parameters.not_after = (begin + 1000 * SECOND).into();
    });
    let clock = Arc::new(Mutex::new(begin));
    let read = Arc::clone(&clock);
    let judge = TlsSettings::new(authority.issue("b.example"), authority.trust());
    let judge = judge.with_clock(move || *read.lock().expect("no panic"));
    let mut pair = pair([TlsSettings::new(short, authority.trust()), judge].map(Arc::new));
    // The server is done with the handshake, and the client has accepted its certificate.
    while pair.act(0, |tls, _, _| tls.epoch()).is_none() {
        pair.run(SECOND / 1000);
    }
    *clock.lock().expect("no panic") += 2000 * SECOND;
    pair.run(SECOND);
    assert_eq!(pair.hosts[1].failure, Some(Fault::CertificateEnded));
}

#[test]
fn an_idle_association_changes_its_keys_and_forgets_old_ones() {
    let authority = Authority::new("authority");
    let mut pair = pair(["a", "b"].map(|name| authority.settings(name)));
    pair.run(3500 * SECOND);
    let epochs = [0, 1].map(|place| pair.act(place, |tls, _, _| tls.epoch()));
    assert_eq!(epochs, [Some(3), Some(3)]);
    pair.run(7300 * SECOND);
    for place in 0..2 {
        let (epoch, old) = pair.act(place, |tls, _, assoc| {
            let epoch = tls.epoch().expect("keys");
            let mut shield = assoc.protection().expect("protection");
            let old = shield.key_stats(sheave_engine::KeyContext::primary(epoch - 1));
            (epoch, old)
        });
        assert_eq!((epoch, old), (5, None));
    }
}
