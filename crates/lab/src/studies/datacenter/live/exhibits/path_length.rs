//! The instructions per message, counted separately from the samples.

use super::super::super::NAME;
use super::super::plan::{FOUR, FOUR_BY_TWO, IN_TABLES, LARGE, NARROW, PATH_LENGTH, Work};
use super::super::variant::NAMES;
use super::ENDS;
use crate::estimate::shown;
use crate::{Cell, Summary, Table};

/// Instructions per message at both ends, as printed in the papers for the kernel.
const PRINTED: [(Work, &str, [&str; 2]); 6] = [
    (LARGE, "tcp", ["24,910", "30,885"]),
    (LARGE, "sctp-classic", ["91,059", "53,880"]),
    (NARROW, "tcp", ["16,607", "20,590"]),
    (NARROW, "sctp-classic", ["60,706", "35,920"]),
    (FOUR, "tcp", ["8675", "7890"]),
    (FOUR_BY_TWO, "sctp-classic", ["23,504", "15,604"]),
];

/// Each workload of the papers' tables, with each counted variant.
pub(super) fn table(summary: &Summary) -> Option<Table> {
    let head = [
        "work",
        "variant",
        "send: instructions",
        "to sctp-classic",
        "printed, in the kernel",
        "receive: instructions",
        "to sctp-classic",
        "printed, in the kernel",
    ];
    let title = "Instructions of the program for a message, without the kernel's (callgrind)";
    let mut table = Table::new(title, &head).with_runs(PATH_LENGTH, &[]);
    for work in IN_TABLES {
        for variant in NAMES {
            table.rows.extend(row(summary, work, variant));
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

fn row(summary: &Summary, work: Work, variant: &str) -> Option<Vec<String>> {
    let cell = cell(summary, work, variant)?;
    let mut row = vec![work.described(), variant.to_owned()];
    let printed = PRINTED.iter();
    let mut printed = printed.filter(|one| (one.0, one.1) == (work, variant));
    let printed = printed.next().map_or(["", ""], |(_, _, both)| *both);
    for (end, printed) in ENDS.into_iter().zip(printed) {
        let metric = format!("{end}_path_length");
        let ours = cell.estimate(&metric)?;
        let classic = self::cell(summary, work, "sctp-classic");
        let classic = classic.and_then(|classic| classic.mean(&metric));
        let ratio = classic.map_or_else(String::new, |classic| shown(ours.mean / classic));
        row.extend([ours.to_string(), ratio, printed.to_owned()]);
    }
    Some(row)
}

fn cell<'a>(summary: &'a Summary, work: Work, variant: &str) -> Option<&'a Cell> {
    summary.cell(NAME, PATH_LENGTH, &work.settings(variant))
}

/// Describes how instructions were counted, and what the counts exclude.
pub(super) fn note(summary: &Summary) -> Option<String> {
    let counters = super::cell(summary, LARGE, "sctp")?.note("instructions")?;
    let all = IN_TABLES.into_iter();
    let all = all.flat_map(|work| NAMES.map(|variant| cell(summary, work, variant)));
    let all: Vec<&Cell> = all.flatten().collect();
    let callgrind = all.iter().find_map(|cell| cell.note("instructions"));
    let missing = all.iter().find_map(|cell| cell.skipped());
    let callgrind = match (callgrind, missing) {
        (Some(callgrind), Some(missing)) => format!("{callgrind}; {missing}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "not run".to_owned(),
    };
    Some(format!(
        "Instructions during the runs: {counters}. Apart from them: {callgrind}. Of the kernel's \
         TCP that is what its user executes, a call for each message; segments, acknowledgements \
         and windows are the kernel's work, whose instructions are in none of these counts, as \
         those are not that the kernel executes for Sheave's UDP."
    ))
}

#[cfg(test)]
mod tests;
