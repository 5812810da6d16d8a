//! The rivals, two ends of each in one thread.

mod dcsctp;
mod rtc_sctp;
mod sctp_proto;

pub use sheave_measure::pair::{
    Air, Clock, PACKET, Pair, Patience, Reading, Setup, SheavePair, Stall, Toward, Troubles,
    Weather, carry,
};

pub use self::dcsctp::DcsctpPair;
pub use self::rtc_sctp::RtcSctpPair;
pub use self::sctp_proto::SctpProtoPair;
