//! Checks rest states, in which nothing more can happen.

use std::collections::VecDeque;

use sheave_engine::Phase;

use crate::end::{End, Input};
use crate::packet::{Parcel, Side};
use crate::parts::{EndId, Parts};

/// Checks that the ends agree, and that every message's outcome is what its sender was told.
///
/// Each end with an association sends a greeting over a fault-free network: the peer must receive
/// it, or the association must end.
pub(crate) fn check(parts: &Parts, ids: [EndId; 2]) -> Result<(), String> {
    let [a, z] = Side::BOTH.map(|side| parts.end(side, ids[side as usize]));
    a.log.settle(&z.log, a.gaps())?;
    z.log.settle(&a.log, z.gaps())?;
    let mut ends = [a.clone(), z.clone()];
    if ends.iter().all(End::is_open) && !ends.iter_mut().all(End::is_quiet) {
        return Err(format!("at rest, but not quiet:\n{}", describe(&ends)));
    }
    let mut flight = VecDeque::new();
    for end in &mut ends {
        if end.is_open() && end.phase() != Some(Phase::Established) {
            return Err(format!("at rest in {:?}", end.phase()));
        }
        flight.extend(end.greet()?);
    }
    for _ in 0..1000 {
        if !turn(&mut ends, &mut flight)? {
            return agree(&ends);
        }
    }
    Err("an exchange of greetings has no end".into())
}

/// Delivers the next packet or, without one, runs the next timer. False if there is neither.
fn turn(ends: &mut [End; 2], flight: &mut VecDeque<Parcel>) -> Result<bool, String> {
    let sent = if let Some(parcel) = flight.pop_front() {
        ends[Side::of(parcel.to) as usize].step(Input::Arrival(&parcel))?
    } else if let Some(end) = ends.iter_mut().find(|end| end.waits_for_timer()) {
        end.step(Input::Expiry)?
    } else {
        return Ok(false);
    };
    flight.extend(sent);
    Ok(true)
}

fn agree(ends: &[End; 2]) -> Result<(), String> {
    let [a, z] = ends;
    match (a.is_open(), z.is_open()) {
        (false, false) => Ok(()),
        (true, true) if a.log.greetings == 1 && z.log.greetings == 1 => Ok(()),
        _ => Err(format!("the ends do not agree:\n{}", describe(ends))),
    }
}

fn describe([a, z]: &[End; 2]) -> String {
    format!("A {}\nZ {}", a.describe(), z.describe())
}
