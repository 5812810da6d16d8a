//! Instructions per packet, counted by running this program under valgrind.

use std::env;

use clap::Args;
use sheave_measure::callgrind::{Counted, Instructions, valgrind};
use sheave_measure::pair::UserData;
use sheave_measure::{Goal, Pair, Row, Table};

use super::setups::Conditions;
use super::{BenchArgs, Session, memory};
use crate::failure::{Exit, Failure, While};

/// User bytes of the warm-up, in which buffers grow.
const WARM: usize = 1 << 21;
/// User bytes of the measurement.
const COUNTED: usize = 1 << 22;

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
            let [warm, all] = [WARM, WARM + COUNTED].map(|bytes| bytes.div_ceil(size));
            let short = count(setup, size, warm)?;
            let long = count(setup, size, all)?;
            // Start-up and warm-up cancel out.
            let Instructions { total, checksum } = long.counted.beyond(&short.counted);
            let packets = (long.packets - short.packets) as f64;
            let [bare, checksum, packet] =
                [total - checksum, checksum, total].map(|count| count as f64 / packets);
            let answers = (long.answers - short.answers) as f64 / packets;
            let message = total as f64 / (all - warm) as f64;
            let has_goal = setup.is_one_by_one() && size >= memory::FULL;
            let (whole, two) = ((1.0, 0), (1.0, 2));
            let row = Row::new()
                .count("message_bytes", "messages", size)
                .field("stack", "sheave")
                .text("setup", "setup", setup)
                .field("conditions", setup.fields())
                .figure(
                    "instructions_per_packet_without_checksum",
                    "without checksum",
                    bare,
                    whole,
                )
                .figure(
                    "checksum_instructions_per_packet",
                    "checksum",
                    checksum,
                    whole,
                )
                .figure("instructions_per_packet", "a packet", packet, whole);
            let answered = ("answers_per_packet", "answers a packet");
            let add = |row: Row| {
                row.figure(answered.0, answered.1, answers, two)
                    .figure("instructions_per_message", "a message", message, whole)
                    .cell("a user byte", format!("{:.2}", message / size as f64))
            };
            session
                .report
                .sample("instructions", add(row.clone()).fields())?;
            table.push(add(row.goal("", has_goal.then_some(GOAL), packet)));
        }
    }
    session.report.print(&table);
    Ok(())
}

/// Result of a run under valgrind, with its packet counts.
struct Spin {
    counted: Counted,
    packets: u64,
    answers: u64,
}

fn count(setup: Conditions, size: usize, messages: usize) -> Result<Spin, Failure> {
    let program = env::current_exe().while_doing("cannot find this program")?;
    let mut words = vec![program.display().to_string(), "bench-spin".into()];
    words.extend(setup.flags());
    words.extend(["--size".into(), size.to_string()]);
    words.extend(["--count".into(), messages.to_string()]);
    let counted = Counted::run(&words, "").while_doing("cannot count with valgrind")?;
    let mut numbers = counted.output.split_whitespace().map(str::parse);
    let (Some(Ok(packets)), Some(Ok(answers))) = (numbers.next(), numbers.next()) else {
        return Err(Failure::new(
            "a run under valgrind did not count its packets",
        ));
    };
    Ok(Spin {
        counted,
        packets,
        answers,
    })
}
