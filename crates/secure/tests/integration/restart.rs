//! Associations that an end sets up again after it has lost its state.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sheave_engine::wire::{ChunkType, dtls};
use sheave_engine::{Options, ProtectedRestart};
use sheave_secure::{Names, RestartStore, Tls, TlsSettings};
use tempfile::TempDir;

use super::certificates::Authority;
use super::pair::Pair;
use super::tls::{SECOND, assert_nothing_in_clear, message, options};

/// Flag of a DTLS chunk under restart keys.
const RESTART: u8 = 1;

/// Two ends that keep restart keys.
struct Ends {
    settings: [Arc<TlsSettings>; 2],
    stores: [TempDir; 2],
    options: Options,
}

impl Ends {
    fn new() -> Self {
        let authority = Authority::new("authority");
        let stores = [(); 2].map(|()| TempDir::new().expect("a folder"));
        let of = |place: usize| {
            let settings = TlsSettings::clone(&authority.settings(["a", "b"][place]));
            let store = RestartStore::open(stores[place].path()).expect("a store");
            Arc::new(settings.with_restarts(store))
        };
        Self {
            settings: [of(0), of(1)],
            stores,
            options: Options {
                protected_restart: ProtectedRestart::On,
                ..options()
            },
        }
    }

    fn manager(&self, place: usize) -> Tls {
        Tls::new(Arc::clone(&self.settings[place]), &Names::default())
    }

    /// A protected association, over which messages went both ways.
    fn pair(&self) -> Pair<Tls> {
        let mut pair = Pair::new([self.manager(0), self.manager(1)], &self.options, 2);
        pair.run(5 * SECOND);
        exchange(&mut pair, 1000);
        assert_eq!(self.kept(), [1, 1]);
        pair
    }

    fn reboot(&self, pair: &mut Pair<Tls>) {
        pair.crash(0, self.manager(0));
        pair.connect(self.options.clone());
    }

    /// The number of associations of which each end has keys.
    fn kept(&self) -> [usize; 2] {
        let count = |folder: &Path| fs::read_dir(folder).expect("a folder").count();
        self.stores.each_ref().map(|store| count(store.path()))
    }
}

fn exchange(pair: &mut Pair<Tls>, length: usize) {
    for host in &mut pair.hosts {
        host.received.clear();
    }
    let sent = message(1, length);
    assert!(pair.send(0, &sent) && pair.send(1, &sent));
    pair.run(5 * SECOND);
    for host in &pair.hosts {
        assert_eq!(host.received, std::slice::from_ref(&sent));
    }
}

/// The packets of a host since `begun` that are under restart keys.
fn under_restart_keys(pair: &Pair<Tls>, begun: usize, host: usize) -> usize {
    let sent = pair.sent[begun..].iter();
    let sent = sent.filter(|(from, packet)| {
        *from == host && packet[12] == ChunkType::DTLS.0 && packet[13] == RESTART
    });
    sent.count()
}

#[test]
fn an_end_that_lost_its_state_sets_its_association_up_again_and_again() {
    let ends = Ends::new();
    for lost in [usize::MAX, 5] {
        let mut pair = ends.pair().losing(lost);
        for restarts in 1..=3 {
            let begun = pair.sent.len();
            ends.reboot(&mut pair);
            pair.run(30 * SECOND);
            assert_eq!(pair.hosts[1].restarts, restarts);
            assert!(under_restart_keys(&pair, begun, 0) > 0);
            exchange(&mut pair, 30_000);
            for (_, packet) in &pair.sent[begun..] {
                let chunk = ChunkType(packet[12]);
                let opens = chunk == ChunkType::INIT || chunk == ChunkType::INIT_ACK;
                assert!(opens || chunk == ChunkType::DTLS, "{chunk:?} in plain text");
            }
            let epochs = [0, 1].map(|place| pair.act(place, |tls, _, _| tls.epoch()));
            assert_eq!(epochs, [Some(dtls::FIRST_EPOCH); 2]);
            // New keys for the next restart.
            assert_eq!(ends.kept(), [1, 1]);
        }
        assert_nothing_in_clear(&pair);
        pair.act(0, |_, now, assoc| assoc.shutdown(now))
            .expect("open");
        pair.run(30 * SECOND);
        assert!(pair.hosts.iter().all(|host| host.closed.is_some()));
        assert_eq!(ends.kept(), [0, 0], "the keys of what has ended are gone");
    }
}

#[test]
fn rekeying_changes_the_keys_for_a_restart_too() {
    let ends = Ends::new();
    let mut pair = ends.pair();
    for turn in 0..6 {
        let by = turn % 2;
        let rekeyed = pair.act(by, Tls::rekey);
        assert_eq!(rekeyed, Ok(()));
        pair.run(5 * SECOND);
    }
    ends.reboot(&mut pair);
    pair.run(10 * SECOND);
    assert_eq!(pair.hosts[1].restarts, 1);
    exchange(&mut pair, 5000);
}

#[test]
fn keys_leave_the_store_before_a_packet_leaves_under_them() {
    let ends = Ends::new();
    let mut pair = ends.pair();
    let begun = pair.sent.len();
    ends.reboot(&mut pair);
    let mut seen = [false; 2];
    for _ in 0..400 {
        pair.run(Duration::from_millis(1));
        for (host, seen) in seen.iter_mut().enumerate() {
            if !*seen && under_restart_keys(&pair, begun, host) > 0 {
                *seen = true;
                assert_eq!(ends.kept()[host], 0);
            }
        }
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn a_second_crash_during_a_restart_finds_no_keys_and_never_repeats_a_nonce() {
    let ends = Ends::new();
    let mut pair = ends.pair();
    ends.reboot(&mut pair);
    // INIT, INIT ACK, COOKIE ECHO; its answer is on the way.
    pair.run(Duration::from_millis(35));
    assert_eq!(pair.hosts[1].restarts, 1);
    let begun = pair.sent.len();
    ends.reboot(&mut pair);
    pair.run(20 * SECOND);
    assert_eq!(under_restart_keys(&pair, begun, 0), 0);
    assert_eq!(pair.hosts[1].restarts, 1);
    // The peer gives the association up, and takes a new one.
    while pair.hosts[1].closed.is_none() {
        pair.run(SECOND);
    }
    ends.reboot(&mut pair);
    pair.run(5 * SECOND);
    exchange(&mut pair, 5000);
    assert_nothing_in_clear(&pair);
}

#[test]
fn ends_that_both_lost_their_state_meet_as_new_ones() {
    let ends = Ends::new();
    let mut pair = ends.pair();
    pair.crash(1, ends.manager(1));
    pair.listen(&ends.options);
    ends.reboot(&mut pair);
    let begun = pair.sent.len();
    pair.run(10 * SECOND);
    assert!(under_restart_keys(&pair, begun, 0) > 0);
    exchange(&mut pair, 5000);
    assert_nothing_in_clear(&pair);
    assert_eq!(pair.hosts[1].restarts, 0);
}

#[test]
fn the_end_that_restarts_needs_its_store() {
    for without in [0, 1] {
        let ends = Ends::new();
        let mut pair = ends.pair();
        fs::read_dir(ends.stores[without].path())
            .unwrap()
            .flatten()
            .for_each(|file| {
                fs::remove_file(file.path()).expect("removed");
            });
        let begun = pair.sent.len();
        ends.reboot(&mut pair);
        pair.run(20 * SECOND);
        // The other end has its keys in memory; one that has lost them has none.
        assert_eq!(pair.hosts[1].restarts, without);
        assert_eq!(under_restart_keys(&pair, begun, 0) > 0, without == 1);
    }
}

#[test]
fn a_file_that_was_cut_sets_nothing_up() {
    let ends = Ends::new();
    let mut pair = ends.pair();
    let file = fs::read_dir(ends.stores[0].path())
        .unwrap()
        .flatten()
        .next();
    let path = file.expect("keys").path();
    let whole = fs::read_to_string(&path).expect("text");
    for length in (0..whole.len() - 1).step_by(9) {
        fs::write(&path, &whole[..length]).expect("written");
        let begun = pair.sent.len();
        ends.reboot(&mut pair);
        pair.run(Duration::from_millis(100));
        assert_eq!(under_restart_keys(&pair, begun, 0), 0, "{length}");
    }
    assert_eq!(pair.hosts[1].restarts, 0);
}
