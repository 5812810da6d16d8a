//! BBR compared with New Reno and CUBIC: alone on a link, and sharing one.

mod alone;
mod sharing;

use core::time::Duration;

use sheave_engine::{LossDetection, Options, Profile, Time};
use sheave_sim::Sink;
use sheave_sim::scenario::Run as Simulated;

pub(super) use self::alone::PART as ALONE;
pub(super) use self::sharing::PART as SHARING;
use crate::studies::network;

/// The congestion controls, by their names in the engine.
const CONTROLS: [&str; 3] = [BBR, CUBIC, RENO];
const BBR: &str = "bbr";
const CUBIC: &str = "cubic";
const RENO: &str = "new-reno";

/// User data per chunk that fills a packet of 1500 bytes, bytes.
const CHUNK: usize = 1452;
/// Size of a full packet, bytes.
const PACKET: usize = 1500;

/// Options of both ends: RACK-TLP detects losses, and buffers are no limit.
fn options(control: &str) -> Result<Options, String> {
    let mut options = Options {
        loss_detection: LossDetection::Rack,
        send_buffer: 8 << 20,
        receive_buffer: 8 << 20,
        ..Profile::Rfc9260.options()
    };
    (options.set("congestion", control)).map_err(|error| error.to_string())?;
    Ok(options)
}

/// Throughput and queue during an interval.
struct While {
    /// Rate of each watched flow, Mb/s.
    rates: Vec<f64>,
    /// Queue lengths of the first link, packets, sampled every 10 ms and sorted.
    queue: Vec<f64>,
}

/// Runs until `from`, then measures flows and queue until the end.
fn watch(run: &mut Simulated, from: Duration, flows: &[&str]) -> While {
    run.world.run_until(Time::ZERO + from);
    let bytes = |run: &Simulated| -> Vec<u64> {
        let sinks = flows.iter().map(|flow| run.sink(flow));
        sinks.map(|sink| sink.map_or(0, Sink::bytes)).collect()
    };
    let before = bytes(run);
    let (there, _) = run.links[0];
    let mut queue = Vec::new();
    while run.world.now() < run.end {
        let next = run.world.now() + Duration::from_millis(10);
        run.world.run_until(next.min(run.end));
        queue.push(run.world.queue_len(there) as f64);
    }
    queue.sort_by(f64::total_cmp);
    let seconds = run.end.since(Time::ZERO + from).as_secs_f64();
    let rates = bytes(run).into_iter().zip(before);
    While {
        rates: rates
            .map(|(after, before)| (after - before) as f64 * 8e-6 / seconds)
            .collect(),
        queue,
    }
}

impl While {
    fn mean_queue(&self) -> f64 {
        self.queue.iter().sum::<f64>() / self.queue.len().max(1) as f64
    }

    fn high_queue(&self) -> f64 {
        network::quantile(&self.queue, 0.95).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests;
