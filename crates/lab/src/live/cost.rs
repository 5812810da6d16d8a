use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::processors;

/// Counters of a process's CPU use.
#[derive(Debug)]
pub struct Meter {
    counters: Result<Counters, String>,
    began: Instant,
    cpu: Duration,
    user_seconds: f64,
    counted: Option<Counted>,
}

/// CPU use of a process over an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Elapsed seconds.
    pub seconds: f64,
    /// Seconds of CPU time of all threads, user and kernel.
    pub cpu_seconds: f64,
    /// Seconds of user CPU time, to a hundredth; 0 if the system does not report it.
    pub user_seconds: f64,
    /// Hardware counters, if the processor has them.
    pub counted: Option<Counted>,
}

/// Hardware counters, user and kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Retired instructions.
    pub instructions: u64,
    /// CPU cycles.
    pub cycles: u64,
}

impl Meter {
    /// Creates a meter for this process. The hardware counters exclude threads that already run, so
    /// create the meter before starting them.
    #[must_use]
    pub fn of_this() -> Self {
        Self {
            counters: Counters::open(),
            began: Instant::now(),
            cpu: cpu_time(),
            user_seconds: user_seconds(),
            counted: None,
        }
    }

    /// The reason why the hardware counters cannot be read, if so.
    pub fn missing_counters(&self) -> Option<&str> {
        self.counters.as_ref().err().map(String::as_str)
    }

    /// Starts the meter.
    pub fn start(&mut self) {
        self.counted = self.read();
        self.cpu = cpu_time();
        self.user_seconds = user_seconds();
        self.began = Instant::now();
    }

    /// Stops the meter; returns the CPU use since its start.
    pub fn stop(&mut self) -> Cost {
        let seconds = self.began.elapsed().as_secs_f64();
        let cpu_seconds = cpu_time().saturating_sub(self.cpu).as_secs_f64();
        let before = self.counted;
        let counted = self.read().zip(before).map(|(now, before)| Counted {
            instructions: now.instructions.saturating_sub(before.instructions),
            cycles: now.cycles.saturating_sub(before.cycles),
        });
        Cost {
            seconds,
            cpu_seconds,
            user_seconds: user_seconds() - self.user_seconds,
            counted,
        }
    }

    fn read(&mut self) -> Option<Counted> {
        self.counters.as_mut().ok()?.read()
    }
}

fn user_seconds() -> f64 {
    processors::this_program().unwrap_or_default()
}

/// CPU time of all threads of this process.
#[must_use]
pub fn cpu_time() -> Duration {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    let secs = u64::try_from(spent.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(spent.tv_nsec).unwrap_or(0);
    Duration::new(secs, nanos)
}

#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Counters {
    instructions: perf_event::Counter,
    cycles: perf_event::Counter,
}

#[cfg(target_os = "linux")]
impl Counters {
    fn open() -> Result<Self, String> {
        use perf_event::Builder;
        use perf_event::events::Hardware;

        let open = |event: Hardware| -> std::io::Result<perf_event::Counter> {
            let mut builder = Builder::new(event);
            // Include threads started later, and the kernel's work for this process.
            builder.inherit(true).include_kernel();
            let mut counter = builder.build()?;
            counter.enable()?;
            Ok(counter)
        };
        let both = || -> std::io::Result<Self> {
            Ok(Self {
                instructions: open(Hardware::INSTRUCTIONS)?,
                cycles: open(Hardware::CPU_CYCLES)?,
            })
        };
        both().map_err(|error| format!("no processor counters: {error}"))
    }

    fn read(&mut self) -> Option<Counted> {
        Some(Counted {
            instructions: self.instructions.read().ok()?,
            cycles: self.cycles.read().ok()?,
        })
    }
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct Counters;

#[cfg(not(target_os = "linux"))]
impl Counters {
    fn open() -> Result<Self, String> {
        Err("no processor counters: not Linux".to_owned())
    }

    fn read(&mut self) -> Option<Counted> {
        None
    }
}

#[cfg(test)]
mod tests;
