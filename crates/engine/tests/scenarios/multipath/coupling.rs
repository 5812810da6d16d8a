//! Coupled windows of two paths that share one queue.

use crate::prelude::*;

use super::{Road, goodput, world};

const COUPLINGS: [Coupling; 4] = [
    Coupling::Uncoupled,
    Coupling::PooledThresholds,
    Coupling::PooledRates,
    Coupling::LinkedIncreases,
];

fn run(roads: &[Road], coupling: Coupling) -> (f64, [u64; 2]) {
    let mut world = world(roads, |options| {
        options.multipath = Multipath::Concurrent(ConcurrentTransfer {
            coupling,
            ..ConcurrentTransfer::default()
        });
    });
    let bits = goodput(&mut world, secs(60));
    let packets = [1, 2].map(|n| world.path(A, address(Z, n)).packets_sent);
    (bits, packets)
}

#[test]
fn coupled_windows_still_fill_two_paths_of_their_own() {
    for coupling in COUPLINGS {
        let (bits, packets) = run(&[Road::new(10, 20); 2], coupling);
        println!("{coupling:?}: {bits:.0}, {packets:?}");
        assert!(bits > 14_000_000.0, "{coupling:?}: {bits}");
        assert!(packets.iter().all(|count| *count > 10_000));
    }
}
