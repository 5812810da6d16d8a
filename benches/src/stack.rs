use std::fmt;

use clap::ValueEnum;
use sheave_engine::{Options, PathMtuDiscovery, Profile};

use crate::Pair;
use crate::pair::{SheavePair, dcsctp, rtc_sctp, sctp_proto};

/// Bytes of each stack's send buffer and receive buffer.
const BUFFER: usize = 1 << 20;

/// Bytes of an IP packet, all headers included.
const MTU: u16 = 1500;

/// A stack that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stack {
    /// Ours, with the options that it has by default, but for the path's MTU, which is known
    Sheave,
    /// Ours, as RFC 9260 says, with buffers of 1 MiB
    Rfc9260,
    /// Ours, with the options that it has for data centres
    Datacenter,
    /// The crate `rtc-sctp`, of webrtc-rs
    RtcSctp,
    /// The crate `sctp-proto`, of str0m
    SctpProto,
    /// The crate `dcsctp`, of Chromium, as shipped
    Dcsctp,
}

impl Stack {
    /// Every stack, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::Sheave,
        Self::Rfc9260,
        Self::Datacenter,
        Self::RtcSctp,
        Self::SctpProto,
        Self::Dcsctp,
    ];

    /// Two ends of it with `count` associations between them.
    #[must_use]
    pub fn connect(self, count: usize) -> Box<dyn Pair> {
        let mut pair: Box<dyn Pair> = match self {
            Self::Sheave => Box::new(SheavePair::new(Options {
                initial_pmtu: MTU,
                path_mtu_discovery: PathMtuDiscovery::Off,
                ..Options::default()
            })),
            Self::Rfc9260 => Box::new(SheavePair::new(Options {
                send_buffer: BUFFER,
                receive_buffer: BUFFER,
                ..Profile::Rfc9260.options()
            })),
            Self::Datacenter => Box::new(SheavePair::new(Profile::Datacenter.options())),
            Self::RtcSctp => rtc_sctp::pair(BUFFER),
            Self::SctpProto => sctp_proto::pair(BUFFER),
            Self::Dcsctp => dcsctp::pair(BUFFER),
        };
        for _ in 0..count {
            pair.connect();
        }
        pair
    }

    /// The name of the stack on the command line.
    #[must_use]
    pub fn word(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Whether it is one of ours.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::Sheave | Self::Rfc9260 | Self::Datacenter)
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sheave => "sheave",
            Self::Rfc9260 => "sheave, rfc9260",
            Self::Datacenter => "sheave, datacenter",
            Self::RtcSctp => "rtc-sctp",
            Self::SctpProto => "sctp-proto",
            Self::Dcsctp => "dcsctp",
        })
    }
}
