//! Scripts of calls, a line each.

use std::fmt;

use crate::program::Program;

#[derive(Clone, Debug)]
pub(crate) struct Script(Vec<String>);

impl Script {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.lines().map(str::to_owned).collect())
    }

    pub(crate) fn draw(program: &Program, seed: u64) -> Self {
        Self::new(&program.draw(seed))
    }

    /// A shorter one of which the same holds: without any line that it does not need.
    pub(crate) fn shrink(mut self, holds: impl Fn(&Self) -> bool) -> Self {
        let mut length = self.0.len() / 2;
        while length > 0 {
            let mut at = 0;
            while at < self.0.len() {
                let mut shorter = self.clone();
                shorter.0.drain(at..(at + length).min(self.0.len()));
                if holds(&shorter) {
                    self = shorter;
                } else {
                    at += length;
                }
            }
            length /= 2;
        }
        self
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
