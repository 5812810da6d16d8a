//! Echoes during a bulk transfer: one thread sends bulk data, another small messages that are
//! echoed.
//!
//! A small message carries its sending time by the machine-wide monotonic clock; its echo adds its
//! arrival time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use sheave_measure::pair::UserData;
use sheave_measure::{Connection, Load};

use super::{join, percentiles, told};

/// Size of a timestamp, bytes.
const STAMP: usize = 8;
/// Pause after each echo, so that the next message meets the bulk transfer at a random point.
const PAUSE: Duration = Duration::from_millis(1);
/// Pause before the first message, in which the bulk transfer ramps up.
const WARM_UP: Duration = Duration::from_millis(200);

/// Times of one message, ns.
#[derive(Clone, Copy)]
struct Trip {
    way: u64,
    round: u64,
}

/// Monotonic machine-wide time, ns.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

fn stamp(bytes: &mut [u8], place: usize) {
    if let Some(slot) = bytes.get_mut(place..place + STAMP) {
        slot.copy_from_slice(&now().to_le_bytes());
    }
}

/// Notes the time of arrival in a message.
pub(super) fn mark(message: &mut [u8]) {
    stamp(message, STAMP);
}

fn read_stamp(bytes: &[u8], place: usize) -> io::Result<u64> {
    let stamp = bytes.get(place..place + STAMP);
    let stamp = stamp.and_then(|stamp| stamp.try_into().ok());
    let stamp = stamp.ok_or_else(|| io::Error::other("an echo without time stamps"))?;
    Ok(u64::from_le_bytes(stamp))
}

/// Measures echoes on one connection while messages fill the other.
pub(super) fn call<C: Connection + 'static>(
    load: Load,
    mut bulk: C,
    mut echoes: C,
) -> io::Result<Value> {
    let begin = Instant::now();
    let over = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&over);
    let mut data = UserData::fresh(load.bulk);
    let sender = thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            bulk.send_next(&mut data)?;
        }
        bulk.close()
    });
    let trips = measure(load, &mut echoes);
    over.store(true, Ordering::Relaxed);
    join(sender)?;
    let trips = trips?;
    let times = |of: fn(&Trip) -> u64| {
        let times = trips.iter().map(of).map(Duration::from_nanos);
        percentiles(times.collect())
    };
    let [p50, p99, p999] = times(|trip| trip.round);
    let [way_p50, way_p99, _] = times(|trip| trip.way);
    Ok(told(
        begin,
        json!({
            "p50": p50,
            "p99": p99,
            "p999": p999,
            "way_p50": way_p50,
            "way_p99": way_p99,
        }),
    ))
}

/// Sends small timestamped messages one by one, each after the echo of the last.
fn measure(load: Load, echoes: &mut impl Connection) -> io::Result<Vec<Trip>> {
    let mut small = vec![0; load.size.max(2 * STAMP)];
    let mut trips = Vec::new();
    thread::sleep(WARM_UP);
    for _ in 0..load.amount {
        stamp(&mut small, 0);
        echoes.send(&small)?;
        echoes.receive_exact(&mut small)?;
        let sent = read_stamp(&small, 0)?;
        trips.push(Trip {
            way: read_stamp(&small, STAMP)?.saturating_sub(sent),
            round: now().saturating_sub(sent),
        });
        thread::sleep(PAUSE);
    }
    Ok(trips)
}
