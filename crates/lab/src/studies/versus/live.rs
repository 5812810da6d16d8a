//! Live runs: Sheave and this kernel's TCP over the same networks in real time, between processes
//! in two network namespaces joined by the emulator.

mod part;
mod transfer;

use core::time::Duration;

use sheave_emulate::Report;

use self::part::Work;
pub(super) use self::part::take_part;
use self::transfer::{LONGEST, Transfer, rates};
use super::alone::{BYTES, RATE, bulk_duration};
use super::grid::{Amount, GridCell, Network, live_cells};
use super::shared::{CUBIC, QUEUES, RENO, SHARE, begins_later};
use super::{NAME, SCTP, TCP, network};
use crate::live::{LATE_MAX, Namespaces, cross, on_time_throughout};
use crate::{Effort, Extent, Measured, Quantity, Run, Settings};

/// Experiment: each transport alone.
pub(super) const ALONE: &str = "live-alone";
/// Experiment: both transports over one bottleneck.
pub(super) const SHARED: &str = "live-shared";

/// Initial number of rounds.
const ROUNDS: usize = 5;
/// Start and end of the measurement over a shared bottleneck.
const FROM: Duration = Duration::from_secs(10);
const UNTIL: Duration = Duration::from_secs(40);

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("live_from_s", FROM.as_secs().to_string()),
        ("live_until_s", UNTIL.as_secs().to_string()),
        ("live_rounds", ROUNDS.to_string()),
        ("late_max_us", LATE_MAX.as_micros().to_string()),
    ]
}

pub(super) fn is_live(run: &Run) -> bool {
    [ALONE, SHARED].contains(&run.experiment.as_str())
}

/// The live runs, in turns since the seeds are the outermost loop.
pub(super) fn plan(effort: Effort) -> Vec<Run> {
    if effort.extent == Extent::Quick {
        return Vec::new();
    }
    let settings = settings();
    let rounds = effort.rounds().take(ROUNDS);
    let runs = rounds.flat_map(|seed| {
        let all = settings.iter().cloned();
        all.map(move |(experiment, settings)| Run::new(NAME, experiment, settings, seed))
    });
    runs.collect()
}

fn settings() -> Vec<(&'static str, Settings)> {
    let mut all = Vec::new();
    for cell in live_cells() {
        all.extend([SCTP, TCP].map(|side| (ALONE, cell.settings().with("side", side))));
    }
    let networks = [10, 50].into_iter().flat_map(|mbit| {
        QUEUES.map(|queue| Network {
            rtt_ms: 20,
            loss_percent: 0.0,
            mbit,
            queue,
        })
    });
    for network in networks {
        // For the rival New Reno, a TCP connection is also run in place of the association.
        for (rival, side) in [(CUBIC, SCTP), (RENO, SCTP), (RENO, TCP)] {
            let settings = network.settings().with("rival", rival).with("side", side);
            all.push((SHARED, settings));
        }
    }
    all
}

/// The approximate duration of a run.
pub(super) fn time(run: &Run) -> Duration {
    let Ok(cell) = GridCell::of(&run.settings) else {
        return UNTIL;
    };
    match cell.amount {
        Amount::Bulk => bulk_duration(cell),
        Amount::Bytes(bytes) => {
            let network = cell.network;
            let seconds = f64::from(bytes) * 8e-6 / f64::from(network.mbit);
            Duration::from_secs_f64(2.0 + seconds + 10.0 * network.rtt())
        }
    }
}

/// Carries out a run.
pub(super) fn execute(run: &Run) -> Result<Measured, String> {
    on_time_throughout(|| match run.experiment.as_str() {
        ALONE => alone(run),
        _ => shared(run),
    })
}

fn alone(run: &Run) -> Result<Measured, String> {
    let cell = GridCell::of(&run.settings)?;
    let work = match cell.amount {
        Amount::Bulk => Work::During {
            from: Duration::ZERO,
            until: bulk_duration(cell),
        },
        Amount::Bytes(bytes) => Work::Bytes(bytes.into()),
    };
    let transfer = Transfer::new(run.settings.text("side"), work);
    over(cell.network, run.seed, &[transfer], |rates, report| {
        let links = report.links.iter();
        let sent: u64 = links.map(|link| link.there.stats.bytes_sent).sum();
        Measured::new()
            .with(RATE, rates[0])
            .with(BYTES, sent as f64)
    })
}

/// Carries out transfers over a network; `measure` receives the rate of each.
fn over(
    bottleneck: Network,
    seed: u64,
    transfers: &[Transfer],
    measure: impl FnOnce(&[f64], &Report) -> Measured,
) -> Result<Measured, String> {
    let mut scenario = network::scenario("live", LONGEST);
    let (there, back) = (bottleneck.there(), bottleneck.back());
    scenario.links = vec![network::links("link", ["A", "B"], there, back)];
    let work = |spaces: &Namespaces| rates(spaces, transfers);
    cross(&scenario, seed, work, |rates, report| {
        Ok(measure(&rates, report))
    })
}

fn shared(run: &Run) -> Result<Measured, String> {
    let bottleneck = Network::of(&run.settings)?;
    let work = Work::During {
        from: FROM,
        until: UNTIL,
    };
    let mut main = Transfer::new(run.settings.text("side"), work);
    let mut rival = Transfer::new(TCP, work);
    if run.settings.text("rival") == RENO {
        rival.congestion = "reno";
    }
    begins_later(run.seed, [&mut main.start, &mut rival.start]);
    over(bottleneck, run.seed, &[main, rival], |rates, _| {
        let [ours, rivals] = [rates[0], rates[1]];
        Measured::new()
            .with(RATE, ours)
            .with("rival_mbit_per_s", rivals)
            .with(SHARE, ours / rivals.max(1e-9))
    })
}
