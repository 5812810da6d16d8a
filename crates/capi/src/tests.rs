//! The functions as C calls them, and as it must not.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "pointers of tests are to locals of theirs, or NULL"
)]

mod changes;
mod descriptors;
mod misuse;
mod signal;
mod wired;
