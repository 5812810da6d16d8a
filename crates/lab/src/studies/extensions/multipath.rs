//! Concurrent multipath transfer: new data on several paths at the same time.

mod buffers;
mod radios;
mod sharing;

use core::time::Duration;

use sheave_engine::{BufferSplitting, ConcurrentTransfer, Coupling, Multipath, Options, Profile};
use sheave_sim::scenario::Run as Simulated;
use sheave_sim::{Bitrate, LinkSpec, Sink, VantagePoint};

pub(super) use self::buffers::PART as BUFFERS;
pub(super) use self::radios::PART as RADIOS;
pub(super) use self::sharing::PART as SHARING;
use crate::Measured;
use crate::studies::network;

/// User data per chunk that fills a packet of 1500 bytes even with a chunk checksum, bytes.
const CHUNK: usize = 1448;

/// A link with a queue of `queue` packets.
fn link(mbit: u64, millis: u64, queue: usize) -> LinkSpec {
    LinkSpec {
        mtu: 1500,
        queue: network::packets(queue),
        ..LinkSpec::new(Bitrate::mbit(mbit), Duration::from_millis(millis))
    }
}

/// Options of both ends, for sending on several paths or on one at a time.
fn options(multipath: Multipath) -> Options {
    Options {
        multipath,
        // The first timeout makes a path potentially failed (CMT-PF); no effect with a single path.
        potentially_failed_max_retrans: Some(0),
        send_buffer: 4 << 20,
        ..Profile::Rfc9260.options()
    }
}

fn concurrent(splitting: BufferSplitting, coupling: Coupling) -> Multipath {
    Multipath::Concurrent(ConcurrentTransfer {
        splitting,
        coupling,
        ..ConcurrentTransfer::default()
    })
}

/// Goodput of a flow over the whole run, Mb/s.
fn rate(run: &Simulated, flow: &str) -> f64 {
    let bytes = run.sink(flow).map_or(0, Sink::bytes);
    bytes as f64 * 8e-6 / run.world.now().as_secs_f64()
}

/// Measures the main flow's rate and its retransmissions.
fn measure(run: &Simulated) -> Measured {
    let mut measured = Measured::new().with("mbit_per_s", rate(run, "main"));
    measured.fingerprint = Some(run.world.fingerprint().to_string());
    let Some(stats) = run.sctp_stats("main", VantagePoint::Client) else {
        return measured;
    };
    let fast = stats.paths.iter().map(|path| path.fast_retransmissions);
    let chunks = stats.paths.iter().map(|path| path.chunks_sent);
    let all: u64 = chunks.clone().sum();
    let largest = chunks.max().unwrap_or(0);
    measured
        .with("fast_retransmissions", fast.sum::<u64>() as f64)
        .with("timeouts", stats.assoc.timeouts as f64)
        .with(
            "other_paths_share",
            (all - largest) as f64 / all.max(1) as f64,
        )
}

#[cfg(test)]
mod tests;
