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

/// Cost per message, ns.
struct Cost {
    queue: f64,
    carry: f64,
    read: f64,
}

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
        let costs: Vec<Cost> = (0..args.rounds().min(5))
            .map(|_| exercise(&mut pair, queued))
            .collect();
        for (round, cost) in costs.iter().enumerate() {
            report.sample(
                "flatness/queues",
                json!({
                    "queued": queued,
                    "round": round,
                    "queue_ns": cost.queue,
                    "carry_ns": cost.carry,
                    "read_ns": cost.read,
                }),
            )?;
        }
        let median = |of: fn(&Cost) -> f64| Spread::of(costs.iter().map(of));
        let row = Row::new()
            .count("queued", "queued", queued)
            .median("queue_ns", "hand in", median(|cost| cost.queue), (1.0, 1))
            .median("carry_ns", "carry", median(|cost| cost.carry), (1.0, 1))
            .median("read_ns", "read", median(|cost| cost.read), (1.0, 1));
        let all = median(|cost| cost.queue + cost.carry + cost.read);
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
fn exercise(pair: &mut SheavePair, queued: u64) -> Cost {
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
    let each = spent.map(|spent| spent.as_secs_f64() * 1e9 / (repetitions * queued) as f64);
    Cost {
        queue: each[0],
        carry: each[1],
        read: each[2],
    }
}
