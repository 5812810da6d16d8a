use std::fmt;

use clap::ValueEnum;
use serde_json::{Value, json};
use sheave_engine::{Options, PathMtuDiscovery, Profile};

use crate::Pair;
use crate::pair::{SheavePair, dcsctp, proto};

/// Size of each stack's send and receive buffers, bytes.
const BUFFER: usize = 1 << 20;

/// Size of an IP packet with all headers, bytes.
const MTU: u16 = 1500;

/// A stack to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stack {
    /// Sheave with default options, except that the path MTU is set
    Sheave,
    /// Sheave with the RFC 9260 profile and 1 MiB buffers
    Rfc9260,
    /// Sheave with the data-centre profile
    Datacenter,
    /// Crate `rtc-sctp`, of webrtc-rs
    RtcSctp,
    /// Crate `sctp-proto`, of str0m
    SctpProto,
    /// Crate `dcsctp`, of Chromium, unmodified
    Dcsctp,
}

impl Stack {
    /// The stacks, in table order.
    pub const ALL: [Self; 6] = [
        Self::Sheave,
        Self::Rfc9260,
        Self::Datacenter,
        Self::RtcSctp,
        Self::SctpProto,
        Self::Dcsctp,
    ];

    /// Creates two ends with `count` associations.
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
            Self::RtcSctp => proto::rtc_sctp(BUFFER),
            Self::SctpProto => proto::sctp_proto(BUFFER),
            Self::Dcsctp => dcsctp::pair(BUFFER),
        };
        for _ in 0..count {
            pair.connect();
        }
        pair
    }

    /// Name of the stack, and the field that names it in samples.
    pub fn describe(&self) -> (String, Value) {
        (self.to_string(), json!({ "stack": self.to_string() }))
    }

    /// Name of the stack on the command line.
    pub fn word(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Whether the stack is Sheave.
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
