mod bench;
mod checksums;
mod claims;
mod properties;
mod reader;
mod recorder;
mod runs;
mod writer;

use crate::{Exhibit, Measured, Run, Study, Summary, Table};

use self::properties::PROPERTIES;

/// The study of the features of TCP, UDP and SCTP, each demonstrated by a run.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("features/words.toml"),
    rules: claims::rules,
    runs: include_str!("features/plan.toml"),
    execute,
    exhibits: |_, summary| exhibits(summary),
    ..Study::EMPTY
};

const NAME: &str = "features";

const TCP: &str = "tcp";
const UDP: &str = "udp";
const SCTP: &str = "sctp";
/// The transports, in the order of the paper's columns.
const TRANSPORTS: [&str; 3] = [TCP, UDP, SCTP];

fn execute(run: &Run) -> Result<Measured, String> {
    properties::run(&run.experiment, run.settings.text("transport"), run.seed)
}

fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    vec![
        Exhibit::Table(cells(summary)),
        Exhibit::Table(evidence(summary)),
    ]
}

/// The paper's table, with our results beside the paper's.
fn cells(summary: &Summary) -> Table {
    let head = ["feature", "TCP", "paper", "UDP", "paper", "SCTP", "paper"];
    let mut table = Table::new("The paper's first table, from runs", &head);
    for property in PROPERTIES.iter() {
        let mut row = vec![property.name.clone()];
        for (transport, paper) in TRANSPORTS.into_iter().zip(&property.paper) {
            let shown = property.cell(summary, transport);
            row.push(shown.unwrap_or_else(|| "not run".to_owned()));
            row.push(paper.clone());
        }
        table.push(row);
    }
    table
}

/// The measurements behind the table.
fn evidence(summary: &Summary) -> Table {
    let head = ["feature", "TCP", "UDP", "SCTP"];
    let mut table = Table::new("What was seen (means over the seeds)", &head);
    for property in PROPERTIES.iter() {
        let mut row = vec![format!("{}: {}", property.name, property.shown_as)];
        row.extend(TRANSPORTS.map(|transport| property.evidence(summary, transport)));
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests;
