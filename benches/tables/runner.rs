//! Runs contestants: a stack in this thread, or a separate program.

use std::io;

use sheave_measure::Program;

use crate::{Args, Lane, Outside, Pair, Stack, outside};

/// A contestant with its run configuration.
pub(crate) struct Runner {
    track: Track,
    /// Messages per sample.
    count: u64,
}

enum Track {
    Inside(Stack, Box<dyn Pair>),
    Outside(Outside, Program),
}

impl Runner {
    /// Requested contestants available on this machine; prints why others are missing.
    pub(crate) fn all(args: &Args) -> Vec<Self> {
        let inside = args
            .stacks()
            .into_iter()
            .map(|stack| Track::Inside(stack, stack.connect(1)));
        let outside = args.outside().into_iter().filter_map(|rival| {
            let started = rival.start();
            let started = started.inspect_err(|why| println!("skipping {rival}: {why}"));
            Some(Track::Outside(rival, started.ok()?))
        });
        let tracks = inside.chain(outside);
        tracks.map(|track| Self { track, count: 64 }).collect()
    }

    /// Name of the contestant in the tables.
    pub(crate) fn name(&self) -> String {
        match &self.track {
            Track::Inside(stack, _) => stack.to_string(),
            Track::Outside(rival, _) => rival.to_string(),
        }
    }

    /// Whether the contestant is Sheave.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(&self.track, Track::Inside(stack, _) if stack.is_ours())
    }

    /// Warms up and determines how many messages of `size` make a sample of `seconds` CPU time.
    pub(crate) fn warm(&mut self, lane: Lane, size: usize, seconds: f64) -> io::Result<()> {
        self.count = 64;
        while self.transfer(lane, size)?.0 < seconds * 0.7 {
            self.count *= 2;
        }
        Ok(())
    }

    /// Takes one sample with messages of `size`: user bytes per CPU-second, and ns per packet.
    pub(crate) fn sample(&mut self, lane: Lane, size: usize) -> io::Result<[f64; 2]> {
        let (seconds, packets) = self.transfer(lane, size)?;
        let bytes = self.count as f64 * size as f64;
        Ok([bytes / seconds, seconds * 1e9 / packets as f64])
    }

    /// CPU-seconds and packets of a transfer.
    fn transfer(&mut self, lane: Lane, size: usize) -> io::Result<(f64, u64)> {
        match &mut self.track {
            Track::Inside(_, pair) => Ok(pair.cost(&mut lane.data(size), self.count)),
            Track::Outside(_, program) => outside::transfer(program, lane, size, self.count),
        }
    }
}
