//! Many associations: their set-up rate, the memory and CPU of idle ones, and the cost per packet
//! when all are active.

use std::fs;
use std::thread;
use std::time::Duration;

use sheave::Options;
use sheave_measure::pair::{AT_A_TIME, EACH, SheavePair, UserData};
use sheave_measure::{Goal, Pair, Row, Spread, Table, cpu_time};

use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Associations per sample of the set-up rate.
const SAMPLE: u32 = 2000;
/// Message size, bytes; one message per packet.
const MESSAGE: usize = 1024;
/// Virtual time after which a used association counts as idle.
const REST: Duration = Duration::from_secs(3);

/// Heartbeat interval of an idle path, without the RTO.
const HB_INTERVAL: Duration = Duration::from_secs(30);
/// Virtual observation time of idle associations, seconds: two heartbeat intervals.
const WATCHED_SECONDS: usize = 60;

/// Wall time after which the allocator, at its next allocation, returns freed memory to the system:
/// mimalloc's `purge_delay` of 1 s plus a margin.
pub(super) const GIVEN_BACK: Duration = Duration::from_millis(1500);

/// Goals for memory in bytes and CPU time per packet in microseconds.
const FRESH: Goal = Goal::AtMost(1024.0);
const USED: Goal = Goal::AtMost(2048.0);
const ACTIVE: Goal = Goal::AtMost(1.5);

/// Measures all rows.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let count = args.associations;
    let before = resident()?;
    let mut pair = SheavePair::new(Options::default());
    let begin = cpu_time();
    for number in 0..count {
        if number % 1000 == 0 {
            session.step(&format!("{number} of {count} associations"))?;
        }
        pair.connect();
    }
    let all = (cpu_time() - begin).as_secs_f64();
    // Memory of both ends.
    let each = |held: u64| held.saturating_sub(before) as f64 / (2.0 * f64::from(count));
    let fresh = each(resident()?);
    let footprint = pair.footprint() as f64 / f64::from(count);
    session.step(&format!("{count} associations are used"))?;
    let mut data = UserData::fresh(MESSAGE);
    let places: Vec<usize> = (0..pair.associations()).collect();
    for places in places.chunks(AT_A_TIME) {
        pair.transfer_at(&mut data, places, EACH);
    }
    let active = active(&mut pair, &mut data, args, session)?;
    session.step(&format!("{count} associations come to rest"))?;
    rest(&mut pair, REST);
    // The allocator returns freed memory after a delay, at its next allocation.
    thread::sleep(GIVEN_BACK);
    pair.transfer_among(&mut data, AT_A_TIME.min(places.len()), EACH);
    rest(&mut pair, REST);
    let used = each(resident()?);
    let used_footprint = pair.footprint() as f64 / f64::from(count);
    session.step(&format!("{count} associations send heartbeats"))?;
    let share = idle_share(&mut pair);
    let mut other = SheavePair::new(Options::default());
    other.connect();
    let one = self::active(&mut other, &mut data, args, session)?;
    // With many existing associations, and with none.
    let crowded = setting_up(&mut pair, args.rounds);
    let alone = setting_up(&mut SheavePair::new(Options::default()), args.rounds);
    let rate = f64::from(count) / all;
    let mut table = Table::new(
        "many: associations at the same time: set up, idle, and in use, where 32 random ones move 4 \
         messages of 1024 bytes each, then 32 others",
    );
    let only = |figure: f64| Spread::of([figure]);
    let own = "of one by its own count";
    let packet = "CPU of a packet with data, both ends";
    let memory = "memory for each end";
    let set_up = "CPU to set one up, both ends";
    for (what, unit, figure, goal) in [
        (format!("{set_up}, as the first"), "us", alone, None),
        (format!("{set_up}, on top of them all"), "us", crowded, None),
        (
            format!("set up per CPU-second, of {count}"),
            "1/s",
            only(rate),
            None,
        ),
        (
            format!("{memory} of {count} fresh ones"),
            "bytes",
            only(fresh),
            Some(FRESH),
        ),
        (
            format!("{memory} of {count} used ones that are idle"),
            "bytes",
            only(used),
            Some(USED),
        ),
        (
            format!("of a processor for {count} idle ones, both ends, second by second"),
            "%",
            share,
            None,
        ),
        (
            format!("{own}, heap blocks included, fresh"),
            "bytes",
            only(footprint),
            None,
        ),
        (format!("{own}, used"), "bytes", only(used_footprint), None),
        (format!("{packet}, of one in use"), "us", one, None),
        (
            format!("{packet}, of {count} in use"),
            "us",
            active,
            Some(ACTIVE),
        ),
    ] {
        let digits = match unit {
            "us" | "%" => 2,
            _ => 0,
        };
        let row = Row::new()
            .text("what", "what", what)
            .spread("figure", "", figure, (1.0, digits))
            .count("unit", "unit", unit)
            .goal("", goal, figure.median);
        session.report.sample("many", row.fields())?;
        table.push(row);
    }
    session.report.print(&table);
    Ok(())
}

/// Lets virtual time pass without traffic from users.
fn rest(pair: &mut SheavePair, span: Duration) {
    let begin = pair.passed();
    while pair.passed() - begin < span && pair.wait() {
        pair.settle();
    }
}

/// CPU use in per cent of both ends of all idle associations, heartbeats included, for each second
/// of a virtual minute. The maximum is near the median if heartbeats are spread.
fn idle_share(pair: &mut SheavePair) -> Spread {
    // Paths become idle only after this time.
    rest(pair, HB_INTERVAL);
    let begin = pair.passed();
    let mut shares = [0.0; WATCHED_SECONDS];
    let mut before = cpu_time();
    while pair.wait() {
        pair.settle();
        let now = cpu_time();
        let second = usize::try_from((pair.passed() - begin).as_secs());
        let Some(share) = second.ok().and_then(|second| shares.get_mut(second)) else {
            break;
        };
        *share += (now - before).as_secs_f64() * 100.0;
        before = now;
    }
    Spread::of(shares)
}

/// CPU time of both ends per packet with data, microseconds, with all associations active.
fn active(
    pair: &mut SheavePair,
    data: &mut UserData,
    args: &BenchArgs,
    session: &Session<'_>,
) -> Result<Spread, Failure> {
    let mut costs = Vec::new();
    for round in 1..=args.rounds {
        let count = pair.associations();
        session.step(&format!("{count} associations in use, round {round}"))?;
        costs.push(pair.cost_in_use(data) * 1e6);
    }
    Ok(Spread::of(costs))
}

/// CPU time per additional association, microseconds.
fn setting_up(pair: &mut SheavePair, rounds: u32) -> Spread {
    Spread::of((0..rounds).map(|_| pair.set_up(SAMPLE)))
}

/// Resident memory of this process, bytes.
pub(super) fn resident() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status").while_doing("cannot read /proc")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes
        .map(|kilobytes| kilobytes * 1024)
        .ok_or_else(|| Failure::new("/proc/self/status does not tell the resident memory"))
}
