//! RFC 6458, section by section: two stacks, a network between them, and virtual time.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small"
)]

mod addresses;
mod ancillary;
mod authentication;
mod contents;
mod defaults;
mod ends;
mod events;
mod icmp;
mod linux;
mod one_to_many;
mod one_to_one;
mod options;
mod pair;
mod partial;
mod paths;
mod search;
