//! Pairs of rival stacks, both ends in one thread.

pub(crate) mod dcsctp;
pub(crate) mod proto;

pub use sheave_measure::pair::{
    Clock, End, Ends, IdleRounds, Impairment, PACKET, Pair, Reading, Setup, SheavePair, Stall,
    Troubles, UserData,
};
