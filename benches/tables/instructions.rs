//! Instructions per packet of our stack and of rival crates, counted by running this program under
//! valgrind.

use std::env;
use std::io;

use sheave_bench::{Args, Lane, Report, Row, Stack, Table};
use sheave_measure::callgrind::{Counted, Instructions, valgrind};

use crate::throughput::{SIZES, Size};

/// User bytes of the warm-up, in which buffers grow.
const WARM: usize = 1 << 21;
/// User bytes of the measurement.
const COUNTED: usize = 1 << 22;

/// Instructions for some messages.
struct Cost {
    instructions: Instructions,
    /// Packets with data.
    packets: u64,
    /// Packets that the receiver sent.
    answers: u64,
    messages: u64,
}

/// Measures only if selected by name, because it takes minutes.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if !args.names("instructions") {
        return Ok(());
    }
    let Some(version) = valgrind() else {
        println!("skipping instructions: no valgrind here (Debian: valgrind)");
        return Ok(());
    };
    let mut table = Table::new(format!(
        "instructions: of both ends, counted by {version}, for each packet with data, which \
         includes its share of answers; valgrind knows no AVX-512, where a checksum takes fewer"
    ));
    let wanted = |size: &&Size| args.wants(&format!("instructions/{}", size.name));
    for size in SIZES.iter().filter(wanted) {
        for stack in args.stacks() {
            report.progress(&format!("instructions of {stack}, {}", size.name));
            let cost = count(stack, size.bytes)?;
            let each = |amount: u64| amount as f64 / cost.packets as f64;
            let Instructions { total, checksum } = cost.instructions;
            let message = total as f64 / cost.messages as f64;
            let row = Row::new()
                .text("size", "messages", size.name)
                .field("message_bytes", size.bytes)
                .text("stack", "stack", stack)
                .figure(
                    "instructions_per_packet_without_checksum",
                    "without checksum",
                    each(total - checksum),
                    (1.0, 0),
                )
                .figure(
                    "checksum_instructions_per_packet",
                    "checksum",
                    each(checksum),
                    (1.0, 0),
                )
                .figure("instructions_per_packet", "a packet", each(total), (1.0, 0))
                .figure(
                    "answers_per_packet",
                    "answers a packet",
                    each(cost.answers),
                    (1.0, 2),
                )
                .figure("instructions_per_message", "a message", message, (1.0, 0));
            report.sample("instructions", row.fields())?;
            table.push(row);
        }
    }
    report.print(&table);
    Ok(())
}

/// Subtracts a short run from a longer one, which cancels start-up and warm-up.
fn count(stack: Stack, size: usize) -> io::Result<Cost> {
    let words = [
        env::current_exe()?.display().to_string(),
        "--serve".into(),
        "--stack".into(),
        stack.word(),
    ];
    // Excludes the application's own work.
    let lane = Lane::Shared;
    let [warm, messages] = [WARM, COUNTED].map(|bytes| bytes.div_ceil(size));
    let warming = format!("{size} {warm} {lane}\n");
    let short = Counted::run(&words, &warming)?;
    let long = Counted::run(&words, &format!("{warming}{size} {messages} {lane}\n"))?;
    let answer = long.output.lines().nth(1).unwrap_or_default();
    let mut numbers = answer.split_whitespace().skip(1).map(str::parse);
    let (Some(Ok(packets)), Some(Ok(answers))) = (numbers.next(), numbers.next()) else {
        return Err(io::Error::other(format!("{answer:?} says no packets")));
    };
    Ok(Cost {
        instructions: long.beyond(&short),
        packets,
        answers,
        messages: messages as u64,
    })
}
