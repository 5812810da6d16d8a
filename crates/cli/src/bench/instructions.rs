//! Instructions per packet, counted by running this program under valgrind.

use std::env;
use std::io;
use std::iter;

use clap::Args;
use serde_json::json;
use sheave_measure::callgrind::{Counted, Transfer, valgrind};
use sheave_measure::pair::UserData;
use sheave_measure::{Goal, Pair, Row, Table};

use super::end::parse;
use super::setups::Conditions;
use super::{BenchArgs, Session, memory};
use crate::failure::{Exit, Failure, While};

/// Maximum instructions of both ends per packet, if packets arrive one by one.
const GOAL: Goal = Goal::AtMost(6000.0);

/// A run under valgrind.
#[derive(Args, Clone, Copy, Debug)]
pub struct SpinArgs {
    /// Under which conditions, as JSON
    #[arg(value_parser = parse::<Conditions>)]
    conditions: Conditions,
    /// Bytes of a message
    #[arg(long)]
    size: usize,
    /// Messages
    #[arg(long)]
    count: u64,
}

/// Transfers messages, and prints the number of packets with data and of answers.
pub fn run_spin(args: &SpinArgs) -> Result<Exit, Failure> {
    let mut pair = args.conditions.pair(args.size);
    // Shared data excludes the application's own work.
    let mut data = UserData::shared(args.size);
    let answers = pair.answers();
    let packets = pair.packets();
    pair.transfer(&mut data, args.count);
    let (packets, answers) = (pair.packets() - packets, pair.answers() - answers);
    println!("{packets} {answers}");
    Ok(Exit::Success)
}

/// Counts for every size under every condition.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let Some(version) = valgrind() else {
        session.skip("instructions: no valgrind here (Debian: valgrind)");
        return Ok(());
    };
    let mut table = Table::new(format!(
        "instructions: of both ends, counted by {version}, for each packet with data, which \
         includes its share of answers; valgrind knows no AVX-512, where a checksum takes fewer"
    ));
    for size in memory::sizes(args) {
        for setup in args.setups.all() {
            session.step(&format!("instructions, {size} bytes, {setup}"))?;
            let count = |messages| count(setup, size, messages);
            let cost = Transfer::count(size, count).while_doing("cannot count with valgrind")?;
            let has_goal = setup.is_one_by_one() && size >= memory::FULL;
            let row = Row::new()
                .count("message_bytes", "messages", size)
                .field("stack", "sheave")
                .text("setup", "setup", setup)
                .field("conditions", setup.fields());
            let a_byte = format!("{:.2}", cost.per_message() / size as f64);
            let row = cost.add_to(row).cell("a user byte", a_byte);
            session.report.sample("instructions", row.fields())?;
            table.push(row.goal("", has_goal.then_some(GOAL), cost.per_packet()));
        }
    }
    session.report.print(&table);
    Ok(())
}

fn count(setup: Conditions, size: usize, messages: usize) -> io::Result<Counted> {
    let [size, messages] = [size, messages].map(|count| count.to_string());
    let program = env::current_exe()?.display().to_string();
    let words = [
        "bench-spin",
        &json!(setup).to_string(),
        "--size",
        &size,
        "--count",
        &messages,
    ];
    let words: Vec<String> = iter::once(program)
        .chain(words.map(str::to_owned))
        .collect();
    Counted::run(&words, "")
}
