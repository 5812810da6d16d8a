//! User CPU time of the machine, which reveals other busy programs.

use std::fs;

/// Clock ticks per second in `/proc`: USER_HZ, always 100 on Linux.
const TICKS: f64 = 100.0;

/// CPU seconds of all programs in user mode, plus the time stolen by the hypervisor; `None` if the
/// system does not report it.
pub(crate) fn all_programs() -> Option<f64> {
    of_machine(&fs::read_to_string("/proc/stat").ok()?)
}

/// User CPU seconds of this program.
pub(super) fn this_program() -> Option<f64> {
    of_process(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Sums user, nice and steal of the first line of `/proc/stat`.
fn of_machine(text: &str) -> Option<f64> {
    let mut fields = text
        .lines()
        .next()?
        .strip_prefix("cpu ")?
        .split_whitespace();
    let mut ticks = |skipped| fields.nth(skipped)?.parse::<f64>().ok();
    let (user, nice, steal) = (ticks(0)?, ticks(0)?, ticks(5)?);
    Some((user + nice + steal) / TICKS)
}

/// Field 14 of `/proc/self/stat`; field 2, a name in brackets, may contain blanks.
fn of_process(text: &str) -> Option<f64> {
    let (_, after_name) = text.rsplit_once(')')?;
    let user: f64 = after_name.split_whitespace().nth(11)?.parse().ok()?;
    Some(user / TICKS)
}

#[cfg(test)]
mod tests;
