//! One stack as a program of its own: how `benches/quiet-dcsctp` puts a changed crate beside the
//! crate as it is.

use std::io::{self, BufRead, Write};

use bytes::Bytes;
use sheave_bench::{Args, cpu_time};

/// Answers each line "SIZE COUNT" with "SECONDS PACKETS ANSWERS".
pub(crate) fn run(args: &Args) -> io::Result<()> {
    let Some(stack) = args.stacks().into_iter().next() else {
        return Ok(());
    };
    let mut pair = stack.connect(1);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let size = words.next().and_then(|word| word.parse::<usize>().ok());
        let count = words.next().and_then(|word| word.parse::<u64>().ok());
        let Some((size, count)) = size.zip(count) else {
            return Err(io::Error::other(format!("{line:?} is not SIZE COUNT")));
        };
        let message = Bytes::from(vec![0x5a; size]);
        let answers = pair.answers();
        let before = cpu_time();
        let packets = pair.transfer(&message, count);
        let spent = (cpu_time() - before).as_secs_f64();
        pair.settle();
        println!("{spent:.9} {packets} {}", pair.answers() - answers);
        io::stdout().flush()?;
    }
    Ok(())
}
