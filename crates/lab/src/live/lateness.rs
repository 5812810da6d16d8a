//! Timer lateness, which shows whether other programs keep the machine busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::Measured;

/// Time for which timers are observed before a run.
const WATCHED: Duration = Duration::from_secs(1);
/// Attempts on a busy machine before the run is skipped.
const TRIES: usize = 3;
/// Largest mean lateness of timers in a run that is observed throughout.
pub(crate) const LATE_MAX: Duration = Duration::from_micros(500);
/// Length of each sleep.
const MOMENT: Duration = Duration::from_millis(5);

/// A thread that sleeps repeatedly and sums up by how much it wakes too late.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl Watch {
    pub(crate) fn begin() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let sign = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let (mut late, mut moments) = (Duration::ZERO, 0);
            while !sign.load(Ordering::Relaxed) {
                let before = Instant::now();
                thread::sleep(MOMENT);
                late += before.elapsed().saturating_sub(MOMENT);
                moments += 1;
            }
            late / moments.max(1)
        });
        Self { stop, thread }
    }

    /// Stops the thread; returns the mean lateness per sleep.
    pub(crate) fn end(self) -> Duration {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(Duration::MAX)
    }

    fn over(time: Duration) -> Duration {
        let watch = Self::begin();
        thread::sleep(time);
        watch.end()
    }
}

/// Carries out a run, which returns the mean timer lateness during the run, and repeats it if that
/// exceeds `most`. If the machine stays too busy, the run is skipped.
pub(crate) fn on_time(
    most: Duration,
    mut run: impl FnMut() -> Result<(Measured, Duration), String>,
) -> Result<Measured, String> {
    let mut late = Duration::ZERO;
    for _ in 0..TRIES {
        late = Watch::over(WATCHED);
        if late > most {
            continue;
        }
        let (measured, meanwhile) = run()?;
        late = meanwhile;
        if late <= most {
            return Ok(measured.with("late_ms", late.as_secs_f64() * 1e3));
        }
    }
    Ok(Measured::skipped(format!(
        "this machine is too busy: timers were {:.2} ms late on average",
        late.as_secs_f64() * 1e3
    )))
}

/// Carries out a run like [`on_time`], observed from start to end, with a limit of [`LATE_MAX`], of
/// which 50 us are the kernel's timer slack.
pub(crate) fn on_time_throughout(
    run: impl Fn() -> Result<Measured, String>,
) -> Result<Measured, String> {
    on_time(LATE_MAX, || {
        let watch = Watch::begin();
        let measured = run()?;
        Ok((measured, watch.end()))
    })
}

#[cfg(test)]
mod tests;
