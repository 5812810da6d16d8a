//! Live runs: Sheave and this kernel's TCP over the same networks in real time, between processes
//! in two network namespaces joined by the emulator.

mod part;
mod transfer;

use core::time::Duration;

use sheave_emulate::Report;

use self::part::Work;
pub(super) use self::part::take_part;
use self::transfer::{Transfer, rates};
use super::alone::{BYTES, RATE, bytes};
use super::shared::{RENO, SHARE, begins_later};
use super::{SCENE, TCP, scene};
use crate::live::{LATE_MAX, Namespaces, cross, on_time_throughout};
use crate::{Measured, Quantity, Run};

/// Experiment: each transport alone.
pub(super) const ALONE: &str = "live-alone";
/// Experiment: both transports over one bottleneck.
pub(super) const SHARED: &str = "live-shared";

/// Start and end of the measurement over a shared bottleneck.
const FROM: Duration = Duration::from_secs(10);
const UNTIL: Duration = Duration::from_secs(40);

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("live_from_s", FROM.as_secs().to_string()),
        ("live_until_s", UNTIL.as_secs().to_string()),
        ("late_max_us", LATE_MAX.as_micros().to_string()),
    ]
}

pub(super) fn is_live(run: &Run) -> bool {
    [ALONE, SHARED].contains(&run.experiment.as_str())
}

/// The duration of an unlimited transfer.
fn bulk_duration(run: &Run) -> Duration {
    Duration::from_secs_f64(10.0 + 60.0 * run.settings.number("rtt_ms") / 1000.0)
}

/// The approximate duration of a run.
pub(super) fn time(run: &Run) -> Duration {
    let number = |name| run.settings.number(name);
    match bytes(run) {
        _ if run.experiment == SHARED => UNTIL,
        None => bulk_duration(run),
        Some(bytes) => {
            let seconds = f64::from(bytes) * 8e-6 / number("mbit");
            Duration::from_secs_f64(2.0 + seconds + number("rtt_ms") / 100.0)
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
    let work = match bytes(run) {
        None => Work::During {
            from: Duration::ZERO,
            until: bulk_duration(run),
        },
        Some(bytes) => Work::Bytes(bytes.into()),
    };
    let transfer = Transfer::new(run.settings.text("side"), work);
    over(run, &[transfer], |rates, report| {
        let links = report.links.iter();
        let sent: u64 = links.map(|link| link.there.stats.bytes_sent).sum();
        Measured::new()
            .with(RATE, rates[0])
            .with(BYTES, sent as f64)
    })
}

/// Carries out transfers over the network of a run; `measure` receives the rate of each.
fn over(
    run: &Run,
    transfers: &[Transfer],
    measure: impl FnOnce(&[f64], &Report) -> Measured,
) -> Result<Measured, String> {
    let scenario = scene::scenario(SCENE, run)?;
    let work = |spaces: &Namespaces| rates(spaces, transfers);
    cross(&scenario, run.seed, work, |rates, report| {
        Ok(measure(&rates, report))
    })
}

fn shared(run: &Run) -> Result<Measured, String> {
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
    over(run, &[main, rival], |rates, _| {
        let [ours, rivals] = [rates[0], rates[1]];
        Measured::new()
            .with(RATE, ours)
            .with("rival_mbit_per_s", rivals)
            .with(SHARE, ours / rivals.max(1e-9))
    })
}
