//! Buffers that one path could fill with data that waits for another.

use crate::prelude::*;

use super::{Road, goodput, world};

/// Receive buffer size, bytes.
const BUFFER: usize = 96 << 10;

fn split(splitting: BufferSplitting) -> impl Fn(&mut Options) {
    move |options| {
        options.multipath = Multipath::Concurrent(ConcurrentTransfer {
            splitting,
            ..ConcurrentTransfer::default()
        });
        options.receive_buffer = BUFFER;
        options.partial_delivery_point = BUFFER / 2;
        // Each timeout costs both cases the same.
        options.potentially_failed_max_retrans = Some(0);
    }
}

#[test]
fn no_path_holds_more_than_its_share_of_the_peers_buffer() {
    for (splitting, most) in [
        (BufferSplitting::Even, BUFFER / 2),
        (BufferSplitting::Off, BUFFER),
    ] {
        let roads = [Road::new(1, 5), Road::new(10, 100)];
        let mut world = world(&roads, split(splitting));
        let mut highest = 0;
        for _ in 0..500 {
            goodput(&mut world, ms(10));
            let flight = world.path(A, address(Z, 2)).flight;
            highest = highest.max(flight as usize);
        }
        println!("{splitting:?}: {highest} of {most}");
        assert!(highest <= most, "{splitting:?}: {highest}");
        if splitting == BufferSplitting::Off {
            assert!(highest > BUFFER / 2, "the window never let it: {highest}");
        }
    }
}

#[test]
fn a_small_buffer_shared_out_still_carries_more_than_one_path() {
    // Both round trips together fit the buffer.
    let roads = [Road::new(5, 10); 2];
    let mut alone = world(&roads[..1], |options| options.receive_buffer = BUFFER);
    let alone = goodput(&mut alone, secs(10));
    let mut both = world(&roads, split(BufferSplitting::Even));
    let both = goodput(&mut both, secs(10));
    assert!(both > 1.7 * alone, "{both} of {alone}");
}
