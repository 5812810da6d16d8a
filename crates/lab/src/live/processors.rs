//! Time on the machine's processors outside the kernel, which shows who else uses them.

use std::fs;

/// Ticks of a second in `/proc`: USER_HZ, which is 100 on all Linux.
const TICKS: f64 = 100.0;

/// Seconds of all programs of this machine, and those that its host took away; `None` where the
/// system does not tell.
pub(crate) fn all_programs() -> Option<f64> {
    of_machine(&fs::read_to_string("/proc/stat").ok()?)
}

/// Seconds of this program.
pub(super) fn this_program() -> Option<f64> {
    of_process(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// User, nice and steal of the first line of `/proc/stat`.
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

/// The 14th field of `/proc/self/stat`; the second, a name in brackets, may have blanks.
fn of_process(text: &str) -> Option<f64> {
    let (_, after_name) = text.rsplit_once(')')?;
    let user: f64 = after_name.split_whitespace().nth(11)?.parse().ok()?;
    Some(user / TICKS)
}

#[cfg(test)]
mod tests;
