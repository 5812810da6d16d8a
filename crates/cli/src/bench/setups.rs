//! Under which conditions the engine is measured.

use std::fmt;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sheave::Options;
use sheave::options::PathMtuDiscovery;
use sheave_engine::{Checksum, Delivery};
use sheave_measure::Pair;
use sheave_measure::pair::{Setup, SheavePair};

/// The user's choice of settings, of which all combinations are measured.
#[derive(Args, Clone, Debug)]
pub struct Setups {
    /// memory, loopback: bytes of an IP packet, several with commas
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u16).range(576..=9000))]
    mtu: Vec<u16>,

    /// memory: whether packets have a checksum
    #[arg(long, value_enum, value_name = "WHETHER", value_delimiter = ',')]
    checksum: Vec<Presence>,

    /// memory: streams that take turns, several numbers with commas
    #[arg(long, value_name = "N", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    streams: Vec<u16>,

    /// memory: the order of messages
    #[arg(long, value_enum, value_delimiter = ',')]
    order: Vec<Order>,

    /// memory: packets with data that are lost at random, per cent, several with commas
    #[arg(long, value_name = "PERCENT", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=50))]
    loss: Vec<u16>,
}

/// A combination of settings.
#[derive(Args, Clone, Copy, Debug)]
pub struct Conditions {
    /// Bytes of an IP packet
    #[arg(long, default_value_t = 1500)]
    mtu: u16,
    /// Whether packets have a checksum
    #[arg(long, value_enum, default_value_t = Presence::On)]
    checksum: Presence,
    /// Streams that take turns
    #[arg(long, default_value_t = 1)]
    streams: u16,
    /// The order of messages
    #[arg(long, value_enum, default_value_t = Order::Ordered)]
    order: Order,
    /// Packets with data that are lost, per cent
    #[arg(long, default_value_t = 0)]
    loss: u16,
}

/// Whether something is there.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Checksums are computed
    On,
    /// Checksums are left out, as where a network card computes them
    Off,
}

/// The order of a stream's messages.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Ordered: as they were sent
    Ordered,
    /// Unordered: as they come
    Unordered,
}

impl Setups {
    /// The combinations of what the user chose; where nothing was chosen, the usual ones: both
    /// sizes of packets with and without checksum, and the rest each by itself.
    pub fn all(&self) -> Vec<Conditions> {
        let plain = Conditions::PLAIN;
        if self.is_empty() {
            return usual();
        }
        let mut all = Vec::new();
        for mtu in or(&self.mtu, plain.mtu) {
            for checksum in or(&self.checksum, plain.checksum) {
                for streams in or(&self.streams, plain.streams) {
                    for order in or(&self.order, plain.order) {
                        all.extend(or(&self.loss, plain.loss).map(|loss| Conditions {
                            mtu,
                            checksum,
                            streams,
                            order,
                            loss,
                        }));
                    }
                }
            }
        }
        all
    }

    /// Lengths of packets that were chosen.
    pub fn mtus(&self) -> &[u16] {
        &self.mtu
    }

    fn is_empty(&self) -> bool {
        self.mtu.is_empty()
            && self.checksum.is_empty()
            && self.streams.is_empty()
            && self.order.is_empty()
            && self.loss.is_empty()
    }
}

/// The values that were chosen, or the default.
fn or<T: Copy>(chosen: &[T], otherwise: T) -> impl Iterator<Item = T> {
    let otherwise = chosen.is_empty().then_some(otherwise);
    chosen.iter().copied().chain(otherwise)
}

fn usual() -> Vec<Conditions> {
    let plain = Conditions::PLAIN;
    let checksum = Presence::Off;
    let mut all = vec![
        plain,
        Conditions { checksum, ..plain },
        Conditions { mtu: 9000, ..plain },
        Conditions {
            mtu: 9000,
            checksum,
            ..plain
        },
        Conditions {
            streams: 1000,
            ..plain
        },
        Conditions {
            order: Order::Unordered,
            ..plain
        },
    ];
    all.extend([1, 5].map(|loss| Conditions { loss, ..plain }));
    all
}

impl Conditions {
    /// A lossless path, packets of 1500 bytes with checksum, one ordered stream.
    pub const PLAIN: Self = Self {
        mtu: 1500,
        checksum: Presence::On,
        streams: 1,
        order: Order::Ordered,
        loss: 0,
    };

    /// Two ends with one association, for messages of that size.
    pub fn pair(self, size: usize) -> SheavePair {
        let mut options = Options {
            initial_pmtu: self.mtu,
            path_mtu_discovery: PathMtuDiscovery::Off,
            ..Options::default()
        };
        options.max_message_size = options.max_message_size.max(size);
        let mut pair = SheavePair::with(Setup {
            checksum: match self.checksum {
                Presence::On => Checksum::Computed,
                Presence::Off => Checksum::Offloaded,
            },
            lost_per_mille: self.loss * 10,
            streams: self.streams,
            delivery: match self.order {
                Order::Ordered => Delivery::Ordered,
                Order::Unordered => Delivery::Unordered,
            },
            ..Setup::new(options)
        });
        pair.connect();
        pair
    }

    /// The settings as flags of the command line.
    pub fn flags(self) -> Vec<String> {
        let word = |on: bool, yes: &str, no: &str| if on { yes } else { no }.to_owned();
        [
            ("--mtu", self.mtu.to_string()),
            (
                "--checksum",
                word(self.checksum == Presence::On, "on", "off"),
            ),
            ("--streams", self.streams.to_string()),
            (
                "--order",
                word(self.order == Order::Ordered, "ordered", "unordered"),
            ),
            ("--loss", self.loss.to_string()),
        ]
        .into_iter()
        .flat_map(|(flag, value)| [flag.to_owned(), value])
        .collect()
    }

    /// For programs.
    pub fn fields(self) -> Value {
        json!({
            "mtu": self.mtu,
            "checksum": self.checksum == Presence::On,
            "streams": self.streams,
            "ordered": self.order == Order::Ordered,
            "lost_percent": self.loss,
        })
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MTU {}", self.mtu)?;
        match self.checksum {
            Presence::On => f.write_str(", checksum")?,
            Presence::Off => f.write_str(", no checksum")?,
        }
        if self.streams > 1 {
            write!(f, ", {} streams", self.streams)?;
        }
        if self.order == Order::Unordered {
            f.write_str(", unordered")?;
        }
        match self.loss {
            0 => Ok(()),
            loss => write!(f, ", {loss} % lost"),
        }
    }
}
