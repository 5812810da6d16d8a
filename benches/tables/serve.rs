//! A stack as a separate program, so that `benches/quiet-dcsctp` can compare a modified crate
//! with the original.

use std::io::{self, BufRead, Write};

use crate::{Args, Lane};

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
        let answers = pair.answers();
        let (spent, packets) = pair.cost(&mut lane.data(size), count);
        println!("{spent:.9} {packets} {}", pair.answers() - answers);
        io::stdout().flush()?;
    }
    Ok(())
}
