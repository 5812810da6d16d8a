//! Instructions per packet of our stack and of rival crates, counted by running this program under
//! valgrind.

use std::env;
use std::io;

use sheave_measure::callgrind::{Counted, Transfer, valgrind};

use crate::throughput::{SIZES, Size};
use crate::{Args, Lane, Report, Row, Stack, Table};

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
            let cost = Transfer::count(size.bytes, |messages| count(stack, size.bytes, messages))?;
            let row = Row::new()
                .text("size", "messages", size.name)
                .field("message_bytes", size.bytes)
                .text("stack", "stack", stack);
            let row = cost.add_to(row);
            report.sample("instructions", row.fields())?;
            table.push(row);
        }
    }
    report.print(&table);
    Ok(())
}

fn count(stack: Stack, size: usize, messages: usize) -> io::Result<Counted> {
    let program = env::current_exe()?.display().to_string();
    let words = [program, "--serve".into(), "--stack".into(), stack.word()];
    // Excludes the application's own work.
    let lane = Lane::Shared;
    Counted::run(&words, &format!("{size} {messages} {lane}\n"))
}
