//! A run as data: a seed for the network's randomness, and a list of items, each of which can be
//! removed.

use core::fmt;

use super::verbs::{VERBS, Verb};

/// Either of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    A,
    Z,
}

impl End {
    pub(crate) const BOTH: [Self; 2] = [Self::A, Self::Z];

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::A => Self::Z,
            Self::Z => Self::A,
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// Maximum arguments of a verb.
pub(crate) const MAX_ARGS: usize = 7;

/// An option of an end, a property of the network, or a call of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The end of an option or call; for a link, the sending end.
    pub(crate) end: End,
    /// Index in [`VERBS`].
    pub(crate) row: usize,
    pub(crate) args: [u32; MAX_ARGS],
}

impl Item {
    pub(crate) fn verb(&self) -> &'static Verb {
        &VERBS[self.row]
    }

    /// The arguments in use.
    pub(crate) fn used(&self) -> &[u32] {
        &self.args[..self.verb().args.len()]
    }
}

/// A plan to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) items: Vec<Item>,
}

/// An error in the text of a plan.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadPlan {
    line: usize,
    what: &'static str,
}

impl fmt::Display for BadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl Plan {
    /// Parses the output of [`Display`](fmt::Display); `#` begins a comment.
    pub(crate) fn parse(text: &str) -> Result<Self, BadPlan> {
        let mut plan = Self {
            seed: 0,
            items: Vec::new(),
        };
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            let bad = |what| BadPlan { line: at + 1, what };
            match words[..] {
                [] => {}
                ["seed", number] => plan.seed = number.parse().map_err(|_| bad("no number"))?,
                [end, verb, ref numbers @ ..] => {
                    plan.items.push(item(end, verb, numbers).map_err(bad)?);
                }
                [_] => return Err(bad("an end and a verb")),
            }
        }
        Ok(plan)
    }

    /// Whether there is an item of any of these verbs.
    pub(crate) fn has(&self, verbs: &[&str]) -> bool {
        let mut items = self.items.iter();
        items.any(|item| verbs.contains(&item.verb().name))
    }

    /// Removes all items of these verbs.
    pub(crate) fn without(mut self, verbs: &[String]) -> Self {
        self.items
            .retain(|item| !verbs.iter().any(|name| name == item.verb().name));
        self
    }
}

fn item(end: &str, verb: &str, numbers: &[&str]) -> Result<Item, &'static str> {
    let end = match end {
        "a" => End::A,
        "z" => End::Z,
        _ => return Err("a or z"),
    };
    let row = VERBS.iter().position(|row| row.name == verb);
    let row = row.ok_or("no such verb")?;
    if numbers.len() != VERBS[row].args.len() {
        return Err("another number of arguments");
    }
    let mut args = [0; MAX_ARGS];
    for (to, from) in args.iter_mut().zip(numbers) {
        *to = from.parse().map_err(|_| "no number")?;
    }
    Ok(Item { end, row, args })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        for item in &self.items {
            let end = match item.end {
                End::A => 'a',
                End::Z => 'z',
            };
            write!(f, "{end} {}", item.verb().name)?;
            for number in item.used() {
                write!(f, " {number}")?;
            }
            let names = item.verb().args.join(" ");
            if names.is_empty() {
                writeln!(f)?;
            } else {
                writeln!(f, "  # {names}")?;
            }
        }
        Ok(())
    }
}
