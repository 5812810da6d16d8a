//! Protected associations under load: large messages, key changes for minutes, failover.

use std::sync::Arc;
use std::time::Duration;

use sheave_engine::{Assoc, Event, Options, Time};
use sheave_secure::{Fault, Names, Rekeying, Tls, TlsSettings};

use super::certificates::Authority;
use super::pair::{Manager, Pair};
use super::tls::{SECOND, assert_nothing_in_clear, message, options, stats};

/// No key manager: packets are not protected.
struct Bare;

impl Manager for Bare {
    fn handle_event(&mut self, _: Time, _: &mut Assoc<'_>, _: &Event) -> Result<(), Fault> {
        Ok(())
    }

    fn fault(&self) -> Option<Fault> {
        None
    }
}

/// Two ends with two paths, whose keys change each second.
fn rekeying() -> Pair<Tls> {
    let authority = Authority::new("authority");
    let every_second = Rekeying {
        every: SECOND,
        ..Rekeying::default()
    };
    let managers = ["a", "b"].map(|name| {
        let settings = TlsSettings::clone(&authority.settings(name));
        Tls::new(
            Arc::new(settings.with_rekeying(every_second)),
            &Names::default(),
        )
    });
    Pair::new(managers, &options(), 2)
}

fn assert_untroubled(pair: &mut Pair<Tls>) {
    for place in 0..2 {
        assert_eq!(pair.hosts[place].failure, None);
        let stats = stats(pair, place);
        assert_eq!((stats.forged, stats.unprotected), (0, 0));
    }
    assert_nothing_in_clear(pair);
}

#[test]
fn messages_of_64_mb_cross_two_paths_in_both_directions_with_losses() {
    const WHOLE: usize = 64 << 20;
    const PART: usize = 1 << 20;
    let mut pair = rekeying().losing(100);
    pair.run(5 * SECOND);
    let mut sent = [0; 2];
    let mut received = [0; 2];
    let part = message(1, PART);
    while received != [WHOLE; 2] {
        for place in 0..2 {
            while sent[place] < WHOLE && pair.send(place, &part) {
                sent[place] += PART;
            }
            // Messages that are longer than a buffer come in parts.
            for piece in pair.hosts[place].received.drain(..) {
                let from = received[place] % PART;
                received[place] += piece.payload.len();
                assert!(part.payload[from..from + piece.payload.len()] == piece.payload[..]);
            }
        }
        assert!(pair.now < Time::ZERO + 600 * SECOND, "{received:?}");
        pair.run(Duration::from_millis(50));
    }
    assert_untroubled(&mut pair);
}

#[test]
fn keys_change_each_second_for_ten_minutes_and_nothing_is_lost() {
    let mut pair = rekeying().losing(100);
    pair.run(5 * SECOND);
    let part = message(2, 5000);
    for _ in 0..6000 {
        assert!(pair.send(0, &part) && pair.send(1, &part));
        pair.run(Duration::from_millis(100));
    }
    pair.run(10 * SECOND);
    let received = pair.hosts.each_ref().map(|host| host.received.len());
    assert_eq!(received, [6000; 2]);
    assert!(pair.act(0, |tls, _, _| tls.epoch()) > Some(550));
    assert_untroubled(&mut pair);
}

/// The longest time without a message at the other end when the first path is cut.
fn gap<M: Manager>(pair: &mut Pair<M>) -> Duration {
    const TURN: Duration = Duration::from_millis(5);
    pair.run(5 * SECOND);
    let part = message(1, 500);
    let (mut before, mut last, mut longest) = (0, pair.now, Duration::ZERO);
    for turn in 0..2000 {
        assert!(pair.send(0, &part));
        pair.cut = (turn >= 1000).then_some(0);
        pair.run(TURN);
        let count = pair.hosts[1].received.len();
        if count > before {
            longest = longest.max(pair.now.since(last));
            (before, last) = (count, pair.now);
        }
    }
    pair.run(5 * SECOND);
    assert_eq!(pair.hosts[1].received.len(), 2000);
    longest
}

#[test]
fn a_path_that_dies_is_left_as_soon_as_without_protection_while_keys_change() {
    let plain = gap(&mut Pair::new([Bare, Bare], &Options::default(), 2));
    let mut pair = rekeying();
    let protected = gap(&mut pair);
    assert!(plain > Duration::from_millis(20), "{plain:?}");
    assert!(
        protected <= plain + Duration::from_millis(10),
        "{protected:?}, {plain:?}"
    );
    assert_untroubled(&mut pair);
}
