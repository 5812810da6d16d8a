use super::*;
use crate::{Effort, Finding, Record, Verdict};

fn records(property: &str) -> Vec<Record> {
    let effort = Effort {
        seeds: Some(2),
        ..Effort::default()
    };
    let runs = STUDY.plan(effort).into_iter();
    runs.filter(|run| run.experiment == property)
        .map(|run| Record {
            measured: STUDY.execute(&run).expect("a run"),
            run,
        })
        .collect()
}

/// Our answers for a property, in the order of the paper's columns.
fn cells_of(property: &str) -> [String; 3] {
    let summary = Summary::of(&records(property));
    let row = PROPERTIES.iter().find(|of| of.experiment == property);
    let row = row.expect("a property");
    TRANSPORTS.map(|transport| row.cell(&summary, transport).expect("a cell"))
}

#[test]
fn each_transport_has_the_properties_that_the_paper_says() {
    for property in PROPERTIES.iter() {
        assert_eq!(
            cells_of(&property.experiment),
            property.paper,
            "{}",
            property.name
        );
    }
}

#[test]
fn runs_that_disagree_make_no_cell() {
    let mut records = records("reliable");
    let udp = |record: &&mut Record| record.run.settings.text("transport") == UDP;
    let first = records.iter_mut().find(udp).expect("a run over UDP");
    let whole = first.measured.metrics["sent"];
    first.measured.metrics.insert("delivered".to_owned(), whole);
    let summary = Summary::of(&records);
    let cell = PROPERTIES[1].cell(&summary, UDP);
    assert_eq!(cell.as_deref(), Some("mixed"));
    let finding = Finding::new(STUDY.claims().remove(1), &summary);
    let verdict = finding.judgement.map(|judgement| judgement.ruling.verdict);
    assert_eq!(verdict, Some(Verdict::Partly));
}
