//! Real ciphers: vectors, and associations whose packets an independent script opens.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

mod certificates;
#[path = "../../../engine/tests/idle_size/counting.rs"]
mod counting;
mod key_management;
mod load;
mod pair;
mod pre_shared;
mod restart;
mod tls;
mod vectors;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
