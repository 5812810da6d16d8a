use bytes::Bytes;

use super::*;

/// Fills a block with one message.
fn fill(pool: &mut Pool, len: usize) -> Bytes {
    let mut block = pool.take(len);
    block.extend_from_slice(&alloc::vec![7; len]);
    let message = block.split().freeze();
    pool.shelve(block, len);
    message
}

#[test]
fn a_block_is_used_again_when_its_message_is_gone() {
    let mut pool = Pool::default();
    let first = fill(&mut pool, 1000);
    let place = first.as_ptr();
    drop(first);
    assert_eq!(fill(&mut pool, 1000).as_ptr(), place);
}

#[test]
fn a_block_whose_message_is_still_there_is_left_alone() {
    let mut pool = Pool::default();
    let first = fill(&mut pool, 1000);
    let second = fill(&mut pool, 1000);
    assert_ne!(first.as_ptr(), second.as_ptr());
    assert_eq!(first, second);
}

#[test]
fn the_shelves_do_not_grow_without_bound() {
    let mut pool = Pool::default();
    for _ in 0..100 {
        drop(fill(&mut pool, 100_000 + 1));
    }
    let held: alloc::vec::Vec<_> = (0..100).map(|_| fill(&mut pool, 100_000)).collect();
    assert!(pool.large.bytes <= MAX_SHELVED);
    assert_eq!(held.len(), 100);
}

#[test]
fn a_block_that_is_too_small_is_not_given_out() {
    let mut pool = Pool::default();
    drop(fill(&mut pool, 5000));
    assert!(pool.take(6000).capacity() >= 6000);
}
