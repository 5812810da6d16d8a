//! Associations in number: how fast they are set up, what each takes while it does nothing, and what
//! a packet costs where all of them are in use.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;
use sheave::Options;
use sheave_measure::pair::{SheavePair, UserData};
use sheave_measure::{Pair, Spread, cpu_time};

use super::goal::Goal;
use super::report::{Rows, column, fields};
use super::{BenchArgs, Session};
use crate::failure::{Failure, While};

/// Associations of a sample of their setting up.
const SAMPLE: u32 = 2000;
/// Bytes of a message, which has a packet to itself.
const MESSAGE: usize = 1024;
/// Associations that move messages at the same time.
const AT_A_TIME: usize = 32;
/// Messages that each of them moves in its turn.
const EACH: u64 = 4;
/// Turns of a sample, each of other associations.
const TURNS: usize = 500;
/// Virtual time after which an association that was used is idle.
const REST: Duration = Duration::from_secs(3);

/// Time between two heartbeats of an idle path, but for an RTO.
const HB_INTERVAL: Duration = Duration::from_secs(30);
/// Seconds of virtual time for which the idle ones are watched: twice those between two heartbeats.
const WATCHED_SECONDS: usize = 60;

/// Wall time after which the allocator gives back what was freed, once it is asked for some: mimalloc's
/// `purge_delay` of a second, and a half more.
const GIVEN_BACK: Duration = Duration::from_millis(1500);

/// Bounds for bytes of memory, and for the microseconds of a packet.
const FRESH: Goal = Goal::AtMost(1024.0);
const USED: Goal = Goal::AtMost(2048.0);
const ACTIVE: Goal = Goal::AtMost(1.5);

/// A line of the table.
struct Row {
    what: String,
    unit: &'static str,
    figure: Spread,
    goal: Option<Goal>,
}

/// Measures all of it.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let mut rows = Vec::new();
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
    // Of both ends.
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
    // The allocator gives memory back a while after it was freed, when it is asked for some.
    thread::sleep(GIVEN_BACK);
    pair.transfer_among(&mut data, AT_A_TIME.min(places.len()), EACH);
    rest(&mut pair, REST);
    let used = each(resident()?);
    let used_footprint = pair.footprint() as f64 / f64::from(count);
    session.step(&format!("{count} associations send heartbeats"))?;
    let share = idle_share(&mut pair);
    let one = {
        let mut pair = SheavePair::new(Options::default());
        pair.connect();
        self::active(&mut pair, &mut data, args, session)?
    };
    // On top of so many, and with none there.
    let crowded = setting_up(&mut pair, args.rounds);
    let alone = setting_up(&mut SheavePair::new(Options::default()), args.rounds);
    let mut row = |what: String, unit, figure, goal| {
        rows.push(Row {
            what,
            unit,
            figure,
            goal,
        });
    };
    row(
        "CPU to set one up, both ends, as the first".into(),
        "us",
        alone,
        None,
    );
    row(
        "CPU to set one up, both ends, on top of them all".into(),
        "us",
        crowded,
        None,
    );
    let rate = f64::from(count) / all;
    row(
        format!("set up per CPU-second, of {count}"),
        "1/s",
        only(rate),
        None,
    );
    let what = format!("memory for each end of {count} fresh ones");
    row(what, "bytes", only(fresh), Some(FRESH));
    let what = format!("memory for each end of {count} used ones that are idle");
    row(what, "bytes", only(used), Some(USED));
    let what = format!("of a processor for {count} idle ones, both ends, second by second");
    row(what, "%", share, None);
    row(
        "of one by its own count, heap blocks included, fresh".into(),
        "bytes",
        only(footprint),
        None,
    );
    row(
        "of one by its own count, used".into(),
        "bytes",
        only(used_footprint),
        None,
    );
    row(
        "CPU of a packet with data, both ends, of one in use".into(),
        "us",
        one,
        None,
    );
    let what = format!("CPU of a packet with data, both ends, of {count} in use");
    row(what, "us", active, Some(ACTIVE));
    print(session, &rows)
}

fn print(session: &Session<'_>, rows: &[Row]) -> Result<(), Failure> {
    let mut table = session.report.table(
        "many: associations at the same time: set up, idle, and in use, where 32 random ones move 4 \
         messages of 1024 bytes each, then 32 others",
        &["what", "min", "median", "max", "unit", "goal"].map(column),
    );
    for row in rows {
        add_row(session, &mut table, row)?;
    }
    table.print();
    Ok(())
}

fn add_row(session: &Session<'_>, table: &mut Rows, row: &Row) -> Result<(), Failure> {
    let Spread { min, median, max } = row.figure;
    let mut object = json!({ "what": row.what, "unit": row.unit, "figure": fields(row.figure) });
    let goal = row.goal.map_or_else(String::new, |goal| {
        goal.note(median, &mut object);
        goal.cell(median)
    });
    session.report.sample("many", object.clone())?;
    let digits = match row.unit {
        "us" | "%" => 2,
        _ => 0,
    };
    let mut cells = vec![row.what.clone()];
    cells.extend([min, median, max].map(|each| format!("{each:.digits$}")));
    cells.extend([row.unit.into(), goal]);
    table.row(object, cells);
    Ok(())
}

/// A figure that is measured once.
fn only(figure: f64) -> Spread {
    Spread::of([figure])
}

/// Leaves all associations to themselves.
fn rest(pair: &mut SheavePair, span: Duration) {
    let begin = pair.passed();
    while pair.passed() - begin < span && pair.wait() {
        pair.settle();
    }
}

/// Per cent of a processor that both ends of all associations take while nobody uses them, heartbeats
/// included, in each second of a virtual minute: the greatest is near the median where they are spread.
fn idle_share(pair: &mut SheavePair) -> Spread {
    // No path is idle before.
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

/// Microseconds of CPU of both ends for a packet with data, where all associations are in use.
fn active(
    pair: &mut SheavePair,
    data: &mut UserData,
    args: &BenchArgs,
    session: &Session<'_>,
) -> Result<Spread, Failure> {
    let at_a_time = AT_A_TIME.min(pair.associations());
    let mut costs = Vec::new();
    for round in 1..=args.rounds {
        session.step(&format!(
            "{} associations in use, round {round}",
            pair.associations()
        ))?;
        let (begin, mut packets) = (cpu_time(), 0);
        for _ in 0..TURNS * AT_A_TIME / at_a_time {
            packets += pair.transfer_among(data, at_a_time, EACH);
        }
        costs.push((cpu_time() - begin).as_secs_f64() * 1e6 / packets as f64);
    }
    Ok(Spread::of(costs))
}

/// Microseconds of CPU for each of some associations more.
fn setting_up(pair: &mut SheavePair, rounds: u32) -> Spread {
    let samples = (0..rounds).map(|_| {
        let begin = cpu_time();
        for _ in 0..SAMPLE {
            pair.connect();
        }
        (cpu_time() - begin).as_secs_f64() * 1e6 / f64::from(SAMPLE)
    });
    Spread::of(samples.collect::<Vec<_>>())
}

/// Bytes of this process that stand in memory.
fn resident() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status").while_doing("cannot read /proc")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes
        .map(|kilobytes| kilobytes * 1024)
        .ok_or_else(|| Failure::new("/proc/self/status does not tell the resident memory"))
}
