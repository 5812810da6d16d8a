//! Shrinks a failing plan so that the same oracle still objects (delta debugging, Zeller and
//! Hildebrandt 2002).

use std::time::{Duration, Instant};

use super::plan::{Item, Plan};
use super::search::{Outcome, attempt};

/// Maximum executions.
const TRIES: usize = 4000;

/// Maximum time, for plans that take seconds each.
const LONGEST: Duration = Duration::from_secs(60);

struct Shrinking {
    oracle: &'static str,
    tries: usize,
    until: Instant,
}

/// Returns the smallest plan found to which the same oracle objects.
pub(crate) fn shrink(plan: &Plan, oracle: &'static str) -> Plan {
    let mut shrinking = Shrinking {
        oracle,
        tries: TRIES,
        until: Instant::now() + LONGEST,
    };
    let mut best = plan.clone();
    loop {
        let before = best.clone();
        best = shrinking.drop_items(best);
        best = shrinking.lower_numbers(best);
        if best == before || shrinking.is_over() {
            return best;
        }
    }
}

impl Shrinking {
    fn is_over(&self) -> bool {
        self.tries == 0 || Instant::now() > self.until
    }

    fn fails(&mut self, plan: &Plan) -> bool {
        if self.is_over() {
            return false;
        }
        self.tries -= 1;
        matches!(attempt(plan), Outcome::Failed(fault) if fault.oracle == self.oracle)
    }

    /// Removes blocks of items, from halves down to single items.
    fn drop_items(&mut self, mut plan: Plan) -> Plan {
        let mut size = plan.items.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < plan.items.len() {
                let end = (at + size).min(plan.items.len());
                let mut smaller = plan.clone();
                smaller.items.drain(at..end);
                if self.fails(&smaller) {
                    plan = smaller;
                } else {
                    at = end;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        plan
    }

    /// Lowers each number: to 0, to a half, by a quarter, by one.
    fn lower_numbers(&mut self, mut plan: Plan) -> Plan {
        for at in 0..plan.items.len() {
            for place in 0..plan.items[at].used().len() {
                plan = self.lower(plan, at, place);
            }
        }
        plan
    }

    fn lower(&mut self, mut plan: Plan, at: usize, place: usize) -> Plan {
        loop {
            let value = plan.items[at].args[place];
            let lower = [0, value / 2, value - value / 4, value.saturating_sub(1)];
            let found = lower.into_iter().find_map(|lower| {
                let mut item: Item = plan.items[at];
                item.args[place] = lower;
                let mut smaller = plan.clone();
                smaller.items[at] = item;
                (lower < value && self.fails(&smaller)).then_some(smaller)
            });
            match found {
                Some(smaller) => plan = smaller,
                None => return plan,
            }
        }
    }
}
