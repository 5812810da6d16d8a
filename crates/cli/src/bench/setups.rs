//! Conditions under which the engine is measured.

use std::fmt;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sheave::Options;
use sheave::options::{BufferSizes, PathMtuDiscovery};
use sheave_engine::{Checksum, Delivery};
use sheave_measure::Pair;
use sheave_measure::pair::{Impairment, Setup, SheavePair};

use crate::units::parse_duration;

/// Default round-trip time.
const ONE_BY_ONE: Duration = Duration::from_millis(1);

/// The user's settings; all combinations are measured.
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

    /// memory: random loss of packets with data, per cent, several with commas
    #[arg(long, value_name = "PERCENT", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=50))]
    loss: Vec<u16>,

    /// memory: round-trip time of packets that arrive one by one, so that every second one is
    /// acknowledged, several with commas [default: none; they arrive in trains, at once]
    #[arg(long, value_name = "TIME", value_delimiter = ',', value_parser = parse_duration)]
    rtt: Vec<Duration>,
}

/// A combination of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// Size of an IP packet, bytes.
    mtu: u16,
    /// Whether packets have a checksum.
    checksum: Presence,
    /// Streams that take turns.
    streams: u16,
    /// The order of messages.
    order: Order,
    /// Packets with data that are lost, per cent.
    loss: u16,
    /// Round-trip time of packets that arrive one by one.
    rtt: Option<Duration>,
}

/// On or off.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Presence {
    /// Checksums are computed
    On,
    /// Checksums are omitted, as with a network card that computes them
    Off,
}

/// The order of a stream's messages.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Order {
    /// Ordered: in sending order
    Ordered,
    /// Unordered: in arrival order
    Unordered,
}

impl Setups {
    /// Combinations of the user's settings. Defaults: both packet sizes with and without
    /// checksum, and each other setting by itself.
    pub fn all(&self) -> Vec<Conditions> {
        let plain = Conditions::PLAIN;
        if self.is_empty() {
            return usual();
        }
        let mut all = vec![plain];
        vary(&mut all, &self.mtu, |one, mtu| one.mtu = mtu);
        vary(&mut all, &self.checksum, |one, checksum| {
            one.checksum = checksum;
        });
        vary(&mut all, &self.streams, |one, streams| {
            one.streams = streams;
        });
        vary(&mut all, &self.order, |one, order| one.order = order);
        vary(&mut all, &self.loss, |one, loss| one.loss = loss);
        vary(&mut all, &self.rtt, |one, rtt| one.rtt = Some(rtt));
        all
    }

    /// Chosen packet sizes.
    pub fn mtus(&self) -> &[u16] {
        &self.mtu
    }

    fn is_empty(&self) -> bool {
        self.mtu.is_empty()
            && self.checksum.is_empty()
            && self.streams.is_empty()
            && self.order.is_empty()
            && self.loss.is_empty()
            && self.rtt.is_empty()
    }
}

/// Combines each entry of `all` with each value, if there are any.
fn vary<T: Copy>(all: &mut Vec<Conditions>, values: &[T], set: impl Fn(&mut Conditions, T)) {
    if values.is_empty() {
        return;
    }
    let mut combined = Vec::new();
    for one in all.iter() {
        for value in values {
            let mut with = *one;
            set(&mut with, *value);
            combined.push(with);
        }
    }
    *all = combined;
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
    let rtt = Some(ONE_BY_ONE);
    all.push(Conditions { rtt, ..plain });
    all
}

impl Conditions {
    /// Lossless path, packets of 1500 bytes with checksum, one ordered stream.
    pub const PLAIN: Self = Self {
        mtu: 1500,
        checksum: Presence::On,
        streams: 1,
        order: Order::Ordered,
        loss: 0,
        rtt: None,
    };

    /// Whether packets have Ethernet's full size and arrive one by one with a 1 ms round trip: a
    /// common network, for which there are goals.
    pub fn is_one_by_one(self) -> bool {
        let rtt = Some(ONE_BY_ONE);
        self == Self { rtt, ..Self::PLAIN }
    }

    /// Creates two ends with one association, for messages of `size` bytes.
    pub fn pair(self, size: usize) -> SheavePair {
        let mut options = Options {
            initial_pmtu: self.mtu,
            path_mtu_discovery: PathMtuDiscovery::Off,
            ..Options::default()
        };
        options.max_message_size = options.max_message_size.max(size);
        if self.rtt.is_some() {
            // On a path without a rate limit, buffers would outgrow all caches.
            options.buffers = BufferSizes::Fixed;
        }
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
        if let Some(rtt) = self.rtt {
            pair.set_impairment(Impairment {
                delay: rtt / 2,
                lost_per_mille: self.loss * 10,
                seed: 1,
            });
        }
        pair
    }

    /// The settings as JSON.
    pub fn fields(self) -> Value {
        json!({
            "mtu": self.mtu,
            "checksum": self.checksum == Presence::On,
            "streams": self.streams,
            "ordered": self.order == Order::Ordered,
            "lost_percent": self.loss,
            "rtt_seconds": self.rtt.map(|rtt| rtt.as_secs_f64()),
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
        if self.loss > 0 {
            write!(f, ", {} % lost", self.loss)?;
        }
        match self.rtt {
            None => Ok(()),
            Some(rtt) => write!(f, ", one by one, RTT {} ms", rtt.as_secs_f64() * 1e3),
        }
    }
}
