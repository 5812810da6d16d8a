//! The rivals, two ends of each in one thread.

mod dcsctp;
mod rtc_sctp;
mod sctp_proto;

pub use sheave_measure::pair::{
    Clock, IdleRounds, Impairment, Link, PACKET, Pair, Reading, Setup, SheavePair, Stall, Toward,
    Troubles, UserData, carry,
};

pub use self::dcsctp::DcsctpPair;
pub use self::rtc_sctp::RtcSctpPair;
pub use self::sctp_proto::SctpProtoPair;
