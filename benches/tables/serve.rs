//! A stack as a separate program, so that `benches/quiet-dcsctp` can compare a modified crate
//! with the original.

use std::io::{self, BufRead, Write};

use crate::{Args, Lane, cpu_time};

/// Answers each line "SIZE COUNT LANE" with "SECONDS PACKETS ANSWERS".
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
        let lane = words.next().and_then(Lane::of);
        let (Some(size), Some(count), Some(lane)) = (size, count, lane) else {
            return Err(io::Error::other(format!("{line:?} is not SIZE COUNT LANE")));
        };
        let mut data = lane.data(size);
        let answers = pair.answers();
        let before = cpu_time();
        let packets = pair.transfer(&mut data, count);
        let spent = (cpu_time() - before).as_secs_f64();
        pair.settle();
        println!("{spent:.9} {packets} {}", pair.answers() - answers);
        io::stdout().flush()?;
    }
    Ok(())
}
