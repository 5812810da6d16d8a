//! The send buffer: how messages of different sizes share its space.

use crate::prelude::*;

const SIZE: usize = 40_000;
/// Overhead charged per message, bytes.
const OVERHEAD: usize = 64;

fn world() -> World {
    Setup::quiet(|options| options.send_buffer = SIZE).established()
}

/// Fills the buffer with messages of `len` bytes on that stream, until one is refused.
fn fill(world: &mut World, stream: u16, len: usize) -> usize {
    let mut taken = 0;
    while world.offer(A, blob(stream, len)).is_ok() {
        taken += 1;
    }
    taken
}

#[test]
fn a_small_message_finds_room_beside_one_larger_than_the_buffer() {
    let mut world = world();
    assert_eq!(world.offer(A, blob(0, 10 * SIZE)), Ok(()));
    assert_eq!(world.offer(A, blob(1, 64)), Ok(()));
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), [blob(0, 10 * SIZE), blob(1, 64)]);
}

#[test]
fn half_the_buffer_is_for_others_than_one_message_larger_than_it() {
    let mut world = world();
    assert_eq!(world.offer(A, blob(0, 10 * SIZE)), Ok(()));
    let taken = fill(&mut world, 1, 1000);
    assert_eq!(taken, SIZE / 2 / (1000 + OVERHEAD));
}

#[test]
fn a_full_buffer_has_room_for_a_stream_of_which_nothing_is_held() {
    let mut world = world();
    fill(&mut world, 0, 1000);
    assert_eq!(world.offer(A, blob(1, 64)), Ok(()));
    assert_eq!(world.offer(A, blob(2, 64)), Ok(()));
}

#[test]
fn messages_of_one_size_have_no_reserve() {
    let mut world = world();
    fill(&mut world, 0, 1000);
    let refused = world.offer(A, blob(1, 1000));
    assert_eq!(refused, Err(SendError::BufferFull(blob(1, 1000))));
}

#[test]
fn bytes_of_a_stream_count_while_they_are_in_flight() {
    let mut world = world();
    world.set_reading(Z, Reading::Stopped);
    assert_eq!(world.offer(A, blob(0, 1000)), Ok(()));
    // The window is full of sent data, and nothing is queued.
    world.pump();
    let held = SIZE - world.stats(A).send_buffered;
    assert_eq!(world.offer(A, blob(1, held - OVERHEAD)), Ok(()));
    fill(&mut world, 2, 64);
    let refused = world.offer(A, blob(0, 2000));
    assert_eq!(refused, Err(SendError::BufferFull(blob(0, 2000))));
}

#[test]
fn no_stream_takes_the_whole_reserve() {
    let mut world = world();
    fill(&mut world, 0, 1000);
    for stream in 1..4 {
        assert!(fill(&mut world, stream, 64) > 0, "stream {stream}");
    }
    let held = world.stats(A).send_buffered;
    assert!(held <= SIZE + SIZE / 8, "{held}");
}

#[test]
fn a_message_larger_than_the_buffer_is_taken_once_that_is_half_empty() {
    let mut world = world();
    assert_eq!(world.offer(A, blob(0, SIZE / 3)), Ok(()));
    assert_eq!(world.offer(A, blob(0, 2 * SIZE)), Ok(()));
    let third = world.offer(A, blob(1, 2 * SIZE));
    assert_eq!(third, Err(SendError::BufferFull(blob(1, 2 * SIZE))));
    world.wait_for(A, &Event::Writable, secs(60));
    let held = world.stats(A).send_buffered;
    assert!((1..=SIZE / 2).contains(&held), "{held}");
    assert_eq!(world.offer(A, blob(1, 2 * SIZE)), Ok(()));
    world.run_for(secs(60));
    assert_eq!(world.messages(Z).len(), 3);
    assert_eq!(world.stats(A).send_buffered, 0);
}

#[test]
fn a_small_writer_is_told_of_room_before_there_is_room_for_a_large_one() {
    let mut world = world();
    fill(&mut world, 0, 1000);
    assert!(fill(&mut world, 1, 64) > 0);
    let refused = world.offer(A, blob(0, 8000));
    assert_eq!(refused, Err(SendError::BufferFull(blob(0, 8000))));
    world.wait_for(A, &Event::Writable, secs(5));
    let held = world.stats(A).send_buffered;
    assert!(held > SIZE * 3 / 4, "{held}");
    assert_eq!(world.offer(A, blob(1, 64)), Ok(()));
}
