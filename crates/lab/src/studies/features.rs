mod bench;
mod checksums;
mod claims;
mod properties;
mod reader;
mod recorder;
mod runs;
mod writer;

use crate::{
    Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary, Table,
};

use self::properties::PROPERTIES;

/// The study of the features of TCP, UDP and SCTP, each shown by a run.
#[derive(Debug)]
pub(super) struct Features;

const NAME: &str = "features";

const TCP: &str = "tcp";
const UDP: &str = "udp";
const SCTP: &str = "sctp";
/// In the order of the paper's columns.
const TRANSPORTS: [&str; 3] = [TCP, UDP, SCTP];

impl Study for Features {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "What TCP, UDP and SCTP can do"
    }

    fn about(&self) -> &'static str {
        "The first table of the comparison of TCP and SCTP lists what the three transports offer. \
         Here each of its cells is the outcome of simulated runs in which the property must show \
         itself or not: messages through losses, a reader that stops, a path that is cut. The same \
         two programs, one that writes messages and one that reads them, run over all three. The \
         paper gives flow and congestion control one row; they are two things and have two here."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[("A", "10 Mb/s, 10 ms"), ("B", "")])
            .and_path(&[("A", "10 Mb/s, 10 ms (multi-homing)"), ("B", "")])
            .and_path(&[
                ("A", "100 Mb/s"),
                ("left", "10 Mb/s, 10 ms (congestion)"),
                ("right", "100 Mb/s"),
                ("B", ""),
            ])
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::paper("cells", "the table's Y, N, 16 bit and 32 bit"),
            Parameter::ours("identifiers of the claims", "FE-1 to FE-10"),
            Parameter::ours("links", "10 Mb/s, 10 ms each way, no limit to the queue"),
            Parameter::ours("messages", "500 or 1000 bytes, one every millisecond or so"),
            Parameter::ours("loss, where there is any", "5 % in both directions"),
            Parameter::ours(
                "reordering, where there is any",
                "one of 10 packets held back 5 ms",
            ),
            Parameter::ours(
                "TCP",
                "RFC parameters, no Nagle; where numbers of messages are wanted the program \
                 writes their lengths in front of them",
            ),
            Parameter::ours("UDP", "RFC 768, buffers of 1 MiB"),
            Parameter::ours(
                "SCTP",
                "RFC 9260's parameters; unordered delivery only where it is asked for",
            ),
        ]
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let experiments = PROPERTIES.iter().map(|property| property.experiment);
        let cells = experiments.flat_map(|experiment| TRANSPORTS.map(|of| (experiment, of)));
        let runs = cells.flat_map(|(experiment, transport)| {
            effort.seeds().map(move |seed| Run {
                study: NAME.to_owned(),
                experiment: experiment.to_owned(),
                settings: Settings::new().with("transport", transport),
                seed,
            })
        });
        runs.collect()
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let found = PROPERTIES.iter().find(|of| of.experiment == run.experiment);
        let property = found.ok_or_else(|| format!("there is no experiment {}", run.experiment))?;
        (property.run)(run.settings.text("transport"), run.seed)
    }

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        vec![
            Exhibit::Table(cells(summary)),
            Exhibit::Table(evidence(summary)),
        ]
    }
}

/// The paper's table, with our cells beside its own.
fn cells(summary: &Summary) -> Table {
    let head = ["feature", "TCP", "paper", "UDP", "paper", "SCTP", "paper"];
    let mut table = Table::new("The paper's first table, from runs", &head);
    for property in &PROPERTIES {
        let mut row = vec![property.name.to_owned()];
        for (transport, paper) in TRANSPORTS.into_iter().zip(property.paper) {
            let shown = property.cell(summary, transport);
            row.push(shown.unwrap_or_else(|| "not run".to_owned()));
            row.push(paper.to_owned());
        }
        table.push(row);
    }
    table
}

/// The evidence behind the cells.
fn evidence(summary: &Summary) -> Table {
    let head = ["feature", "TCP", "UDP", "SCTP"];
    let mut table = Table::new("What was seen (means over the seeds)", &head);
    for property in &PROPERTIES {
        let mut row = vec![format!("{}: {}", property.name, property.shown_as)];
        row.extend(TRANSPORTS.map(|transport| property.evidence(summary, transport)));
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests;
