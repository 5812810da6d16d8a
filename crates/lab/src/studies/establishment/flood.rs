//! Floods passed directly to the listener: their cost, and the state that they leave.

use core::time::Duration;
use std::time::Instant;

use sheave_engine::{AssocId, Endpoint, Time};
use sheave_sim::Random;

use super::opener::Opener;
use crate::Measured;
use crate::studies::memory;
use crate::studies::pair::{self, LISTENER};

/// Time between hostile packets: a million per second.
const BEAT: Duration = Duration::from_micros(1);

/// Floods an SCTP listener with INITs from random addresses.
pub(super) fn sctp(packets: u64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("flood");
    let mut listener = pair::listener(&mut random)?;
    let measured = flood(&mut listener, packets, &mut random);
    Ok(measured.with("state_bytes", state(&mut listener) as f64))
}

/// Floods a TCP listener with SYNs from random addresses.
pub(super) fn tcp(packets: u64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("flood");
    let mut listener = pair::tcp_listener(&mut random)?;
    Ok(flood(&mut listener, packets, &mut random))
}

fn flood<O: Opener>(listener: &mut O, packets: u64, random: &mut Random) -> Measured {
    let (mut now, mut packet, mut reply) = (Time::ZERO, Vec::new(), Vec::new());
    let (mut replies, mut most) = (0_u64, 0);
    let mut busy = Duration::ZERO;
    let before = memory::resident();
    for _ in 0..packets {
        now = now + BEAT;
        let from = O::OPENING.forge(&mut packet, random);
        let began = Instant::now();
        pair::hand_over(listener, now, (from, LISTENER), &packet);
        while listener.poll_transmit(now, &mut reply, 1).is_some() {
            replies += 1;
            reply.clear();
        }
        busy += began.elapsed();
        most = most.max(listener.held());
    }
    memory::growth(before, Measured::new())
        .with("half_open", most as f64)
        .with("replies", replies as f64)
        .with("dropped", listener.turned_away() as f64)
        .with("ns_per_packet", busy.as_nanos() as f64 / packets as f64)
}

/// Bytes that the listener holds for associations, including user data.
fn state(listener: &mut Endpoint) -> usize {
    let names: Vec<AssocId> = listener.associations().collect();
    let sizes = names.into_iter().filter_map(|name| {
        let assoc = listener.assoc(name)?;
        Some(assoc.footprint())
    });
    let held: usize = sizes.sum();
    held + listener.stats().buffered
}
