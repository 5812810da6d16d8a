//! Full packets that are not bundled, and SACKs only for data that was read.

use crate::prelude::*;

/// DATA chunks of each packet that A sent.
fn chunks(world: &World) -> Vec<usize> {
    let packets = world.sent_with(A, ChunkType::DATA);
    packets.map(|record| record.data().len()).collect()
}

fn mixed(bundling: Bundling) -> World {
    let mut world = Setup::quiet(|options| options.bundling = bundling).established();
    let messages = vec![blob(0, 100), blob(0, 100), blob(0, 1452 * 3), blob(0, 100)];
    world.send_together(A, messages);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 4);
    world
}

#[test]
fn a_large_message_fills_up_the_packet_of_smaller_ones() {
    assert_eq!(chunks(&mixed(Bundling::Always))[0], 3);
}

#[test]
fn a_full_chunk_has_a_packet_to_itself() {
    assert_eq!(chunks(&mixed(Bundling::SpareFullChunks)), [2, 1, 1, 1, 1]);
}

fn sacks(delivery: DeliverySacks) -> u64 {
    let mut world = Setup::quiet(|options| options.delivery_sacks = delivery).established();
    world.send_times(A, 100, &blob(0, 1452));
    world.run_for(secs(10));
    world.stats(Z).sacks_sent
}

#[test]
fn a_sack_for_each_delivery_costs_more_sacks_than_one_for_each_trigger() {
    let (one, each) = (
        sacks(DeliverySacks::WhenWindowOpens),
        sacks(DeliverySacks::Always),
    );
    assert!(one <= 52 && each >= 90, "{one} and {each}");
}
