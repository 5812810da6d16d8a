//! Memory use of this process.

use std::fs;

use crate::Measured;

/// Resident memory of this process, KiB; `None` if the system does not report it.
pub(super) fn resident() -> Option<f64> {
    parse(&fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Adds the growth since `before`, which other runs in the same process also affect.
pub(super) fn growth(before: Option<f64>, measured: Measured) -> Measured {
    match (before, resident()) {
        (Some(before), Some(now)) => measured.with("resident_growth_kib", now - before),
        _ => measured,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn resident_memory_is_read_from_the_status_of_the_process() {
        assert_eq!(parse("Name:\tx\nVmRSS:\t  1234 kB\n"), Some(1234.0));
        assert_eq!(parse("Name:\tx\n"), None);
    }
}
