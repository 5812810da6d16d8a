//! Instructions per packet, counted by running this program under valgrind.

use std::env;
use std::io;

use clap::Args;
use sheave_measure::callgrind::{Counted, Transfer, valgrind};
use sheave_measure::pair::UserData;
use sheave_measure::{Goal, Pair, Row, Table};

use super::setups::Conditions;
use super::{BenchArgs, Session, memory};
use crate::failure::{Exit, Failure, While};

/// Maximum instructions of both ends per packet, if packets arrive one by one.
const GOAL: Goal = Goal::AtMost(6000.0);

/// A run under valgrind.
#[derive(Args, Clone, Copy, Debug)]
pub struct SpinArgs {
    /// Under which conditions
    #[command(flatten)]
    conditions: Conditions,
    /// Bytes of a message
    #[arg(long)]
    size: usize,
    /// Messages
    #[arg(long)]
    count: u64,
}

/// Transfers messages, and prints the number of packets with data and of answers.
///
/// # Errors
/// None.
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
        session.report.note(
            "skipped",
            "instructions: no valgrind here (Debian: valgrind)",
        );
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
    let mut words = vec![
        env::current_exe()?.display().to_string(),
        "bench-spin".into(),
    ];
    words.extend(setup.flags());
    words.extend(["--size".into(), size.to_string()]);
    words.extend(["--count".into(), messages.to_string()]);
    Counted::run(&words, "")
}
