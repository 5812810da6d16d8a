//! The grid of networks and amounts, and the sample used by quick runs.

use core::fmt;
use core::time::Duration;

use sheave_sim::{Bitrate, Codel, Discipline, Errors, LinkSpec, Probability};

use crate::settings::whole;
use crate::studies::network;
use crate::{Effort, Extent, Settings};

const ROUND_TRIPS_MS: [u32; 4] = [1, 20, 100, 300];
const LOSSES_PERCENT: [f64; 4] = [0.0, 0.1, 1.0, 3.0];
pub(super) const RATES_MBIT: [u32; 3] = [10, 100, 1000];
const QUEUES: [QueueLength; 4] = [
    QueueLength::Products(0.25),
    QueueLength::Products(1.0),
    QueueLength::Products(4.0),
    QueueLength::Codel,
];
pub(super) const AMOUNTS: [Amount; 5] = [
    Amount::Bytes(10_000),
    Amount::Bytes(100_000),
    Amount::Bytes(1_000_000),
    Amount::Bytes(10_000_000),
    Amount::Bulk,
];

/// Stride of the sample. No varied quantity has a number of values that divides the stride, so the
/// sample is not aligned with any of them.
const STEP: usize = 23;
/// Index of the first cell in the sample.
const FIRST: usize = 7;

/// Minimum queue length, packets.
const LEAST_QUEUE: usize = 10;
/// Size of a packet, bytes.
const PACKET: f64 = 1500.0;

/// The queue of the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum QueueLength {
    /// Drop-tail, with a length in bandwidth-delay products.
    Products(f64),
    /// CoDel, with at most four bandwidth-delay products.
    Codel,
}

impl fmt::Display for QueueLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Products(products) => write!(f, "{products} BDP"),
            Self::Codel => f.write_str("CoDel"),
        }
    }
}

/// The amount of data transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Bytes(u32),
    /// An unlimited amount, for a fixed time.
    Bulk,
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes @ 1_000_000..) => write!(f, "{} MB", bytes / 1_000_000),
            Self::Bytes(bytes) => write!(f, "{} kB", bytes / 1000),
            Self::Bulk => f.write_str("bulk"),
        }
    }
}

/// The bottleneck of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Network {
    pub(super) rtt_ms: u32,
    pub(super) loss_percent: f64,
    pub(super) mbit: u32,
    pub(super) queue: QueueLength,
}

impl Network {
    /// Converts the network to settings of a run.
    pub(super) fn settings(self) -> Settings {
        Settings::new()
            .with("rtt_ms", self.rtt_ms)
            .with("loss_percent", self.loss_percent)
            .with("mbit", self.mbit)
            .with("queue", self.queue.to_string().as_str())
    }

    /// Reads a network from the settings of a run.
    ///
    /// # Errors
    /// A value does not occur in any plan.
    pub(super) fn of(settings: &Settings) -> Result<Self, String> {
        let whole = |name: &str| {
            let number = settings.number(name).to_string();
            number.parse().map_err(|_| format!("{name}: {number}"))
        };
        let queue = settings.text("queue");
        let queue = QUEUES.into_iter().find(|one| one.to_string() == queue);
        Ok(Self {
            rtt_ms: whole("rtt_ms")?,
            loss_percent: settings.number("loss_percent"),
            mbit: whole("mbit")?,
            queue: queue.ok_or("there is no such queue")?,
        })
    }

    /// Round-trip time, seconds.
    pub(super) fn rtt(self) -> f64 {
        f64::from(self.rtt_ms) / 1000.0
    }

    /// The bottleneck, in the direction of the data.
    pub(super) fn there(self) -> LinkSpec {
        LinkSpec {
            queue: self.discipline(),
            ..self.back()
        }
    }

    /// The reverse link, whose queue never overflows.
    pub(super) fn back(self) -> LinkSpec {
        let delay = Duration::from_secs_f64(self.rtt() / 2.0);
        LinkSpec {
            mtu: 1500,
            loss: Errors::Uniform(Probability::new(self.loss_percent / 100.0)),
            queue: network::packets(100_000),
            ..LinkSpec::new(Bitrate::mbit(self.mbit.into()), delay)
        }
    }

    fn discipline(self) -> Discipline {
        match self.queue {
            QueueLength::Products(products) => network::packets(self.packets(products)),
            QueueLength::Codel => Discipline::Codel(Codel {
                limit: self.packets(4.0).max(1000),
                ..Codel::default()
            }),
        }
    }

    /// A number of bandwidth-delay products, in packets.
    fn packets(self, products: f64) -> usize {
        let product = f64::from(self.mbit) * 1e6 / 8.0 * self.rtt() / PACKET;
        whole::<usize>((products * product).ceil()).max(LEAST_QUEUE)
    }
}

/// A network and an amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GridCell {
    pub(super) network: Network,
    pub(super) amount: Amount,
}

impl GridCell {
    pub(super) fn settings(self) -> Settings {
        let settings = self.network.settings();
        settings.with("amount", self.amount.to_string().as_str())
    }

    /// Reads a cell from the settings of a run.
    ///
    /// # Errors
    /// A value does not occur in any plan.
    pub(super) fn of(settings: &Settings) -> Result<Self, String> {
        let amount = settings.text("amount");
        let amount = AMOUNTS.into_iter().find(|one| one.to_string() == amount);
        Ok(Self {
            network: Network::of(settings)?,
            amount: amount.ok_or("there is no such amount")?,
        })
    }

    /// Whether runs are random, which requires random loss.
    pub(super) fn is_random(self) -> bool {
        self.network.loss_percent > 0.0
    }
}

/// The cells to run: the whole grid, or the sample in the quick extent.
pub(super) fn cells(effort: Effort) -> Vec<GridCell> {
    match effort.extent {
        Extent::Full => all(),
        Extent::Quick => sample(all()),
    }
}

/// A sample of the cells that can be run in real time: without 1 Gb/s, which is too fast for the
/// emulator, and without large amounts at high loss, which take minutes.
pub(super) fn live_cells() -> Vec<GridCell> {
    let mut cells = all();
    cells.retain(|cell| {
        let takes_minutes =
            cell.amount == Amount::Bytes(10_000_000) && cell.network.loss_percent >= 1.0;
        cell.network.mbit <= 100 && !takes_minutes
    });
    sample(cells)
}

fn sample(cells: Vec<GridCell>) -> Vec<GridCell> {
    cells.into_iter().skip(FIRST).step_by(STEP).collect()
}

fn all() -> Vec<GridCell> {
    let mut all = Vec::new();
    for rtt_ms in ROUND_TRIPS_MS {
        for loss_percent in LOSSES_PERCENT {
            for mbit in RATES_MBIT {
                for queue in QUEUES {
                    let network = Network {
                        rtt_ms,
                        loss_percent,
                        mbit,
                        queue,
                    };
                    all.extend(AMOUNTS.map(|amount| GridCell { network, amount }));
                }
            }
        }
    }
    all
}
