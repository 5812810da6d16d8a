//! Cost per message with many queued; must not depend on the number.

use std::io;
use std::time::Duration;

use serde_json::json;
use sheave_engine::{Options, Profile};

use crate::pair::{IdleRounds, SheavePair, UserData};
use crate::{Args, Pair, Report, Row, Spread, Table, cpu_time};

/// Message size, bytes.
const MESSAGE: usize = 64;

/// Minimum messages per sample.
const SAMPLE: u64 = 200_000;

/// CPU time per message to queue, to carry and to read it, ns.
const KEYS: [&str; 3] = ["queue_ns", "carry_ns", "read_ns"];

/// Measures queues of 1 to a million messages.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    let mut table = Table::new(
        "flatness/queues: ns of CPU for each message of 64 bytes, of which so many are handed in at once, then \
         carried over, then read; a message more must cost no more",
    );
    let last = if args.quick { 5 } else { 6 };
    for power in 0..=last {
        let queued = 10_u64.pow(power);
        let mut pair = roomy_pair();
        exercise(&mut pair, queued);
        let turns = ("flatness/queues", args.rounds().min(5));
        let describe = |_: &()| (format!("{queued} queued"), json!({ "queued": queued }));
        let costs = report.in_turns(turns, &mut [()], KEYS, describe, |()| {
            io::Result::Ok(exercise(&mut pair, queued))
        })?;
        let [queue, carry, read] = &costs[0];
        let rounds = queue.iter().zip(carry).zip(read);
        let all = Spread::of(rounds.map(|((queue, carry), read)| queue + carry + read));
        let row = Row::new()
            .count("queued", "queued", queued)
            .median(KEYS[0], "hand in", Spread::of(queue), (1.0, 1))
            .median(KEYS[1], "carry", Spread::of(carry), (1.0, 1))
            .median(KEYS[2], "read", Spread::of(read), (1.0, 1));
        table.push(row.median("ns", "all", all, (1.0, 1)));
    }
    report.print(&table);
    Ok(())
}

/// Creates two ends whose buffers hold a million small messages.
fn roomy_pair() -> SheavePair {
    let mut pair = SheavePair::new(Options {
        send_buffer: 1 << 30,
        receive_buffer: 1 << 30,
        ..Profile::Datacenter.options()
    });
    pair.connect();
    pair
}

/// Repeatedly fills the queue, carries it across unread, and reads it.
fn exercise(pair: &mut SheavePair, queued: u64) -> [f64; 3] {
    let mut data = UserData::fresh(MESSAGE);
    let repetitions = SAMPLE.div_ceil(queued);
    let mut spent = [Duration::ZERO; 3];
    for _ in 0..repetitions {
        let start = cpu_time();
        let taken = pair.offer(&mut data, queued);
        assert_eq!(taken, queued, "the send buffer holds them all");
        let handed_in = cpu_time();
        while pair.carry() > 0 {}
        let carried = cpu_time();
        let mut missing = queued;
        let mut idle_rounds = IdleRounds::default();
        loop {
            missing -= pair.read().messages;
            if missing == 0 {
                break;
            }
            if idle_rounds.is_spent(pair.carry()) {
                assert!(pair.wait(), "the transfer came to a standstill");
            }
        }
        let read = cpu_time();
        pair.settle();
        spent[0] += handed_in - start;
        spent[1] += carried - handed_in;
        spent[2] += read - carried;
    }
    spent.map(|spent| spent.as_secs_f64() * 1e9 / (repetitions * queued) as f64)
}
