//! Path failure with pending data: which path takes over, when, and what counts as a sign of life
//! (RFC 9260 §6.4.1, §8.2; RFC 7829).

mod credit;
mod goal;
mod hedge;
mod last_call;
mod narrow;
mod redundancy;
mod silence;

use crate::prelude::*;

/// Creates a world with these options and `count` confirmed paths.
fn with_paths(options: Options, count: u8) -> World {
    Setup::with(options).paths(count).confirmed()
}

/// Removes the `unwanted` chunks from a packet.
fn without(record: &Record, unwanted: impl Fn(&Chunk<'_>) -> bool) -> Verdict {
    let chunks = record.chunks();
    if !chunks.iter().any(&unwanted) {
        return Verdict::Deliver;
    }
    let mut bytes = Vec::new();
    let header = record.packet().header;
    let mut packet = PacketWriter::new(&mut bytes, header, usize::from(u16::MAX));
    for chunk in chunks.iter().filter(|chunk| !unwanted(chunk)) {
        packet.push(chunk);
    }
    if packet.is_empty() {
        packet.cancel();
        return Verdict::Drop;
    }
    packet.finish();
    Verdict::Replace(bytes)
}

/// Time until `done`, if within `limit`.
fn time_until(
    world: &mut World,
    limit: Duration,
    mut done: impl FnMut(&mut World) -> bool,
) -> Option<Duration> {
    let began = world.now();
    world
        .run_until(limit, |world| done(world))
        .then(|| world.now().since(began))
}
