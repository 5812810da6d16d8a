//! Pairs of rival stacks, both ends in one thread.

pub(crate) mod dcsctp;
mod ends;
pub(crate) mod proto;

pub use sheave_measure::pair::{
    Clock, IdleRounds, Impairment, Link, PACKET, Pair, Reading, Setup, SheavePair, Stall, Toward,
    Troubles, UserData, carry,
};
