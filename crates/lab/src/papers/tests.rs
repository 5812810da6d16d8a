use std::collections::BTreeSet;

use super::{Counterpart, papers};
use crate::today;
use crate::{Effort, Exhibit, Extent, Machine, Manifest, Measured, Record, Report, Run, studies};

/// The captions of the five papers, in the order of the list: figures, then tables.
fn captions() -> [BTreeSet<String>; 5] {
    let numbered = |figures: u32, tables: u32| -> BTreeSet<String> {
        let figures = (1..=figures).map(|number| format!("figure {number}"));
        let tables = (1..=tables).map(|number| format!("table {number}"));
        figures.chain(tables).collect()
    };
    // Two figures in this paper have the same number.
    let mut failover = numbered(22, 12);
    failover.insert("figure 21, the second".to_owned());
    [
        numbered(10, 3),
        numbered(0, 3),
        numbered(8, 1),
        numbered(5, 0),
        failover,
    ]
}

#[test]
fn every_figure_and_table_of_the_papers_is_listed_once() {
    let papers = papers().expect("a list");
    assert_eq!(papers.len(), captions().len());
    for (paper, expected) in papers.iter().zip(captions()) {
        let labels = paper.figure.iter().map(|figure| figure.label.clone());
        let labels: BTreeSet<String> = labels.collect();
        assert_eq!(labels, expected, "{}", paper.name);
        assert_eq!(labels.len(), paper.figure.len(), "{}", paper.name);
    }
}

#[test]
fn each_has_a_counterpart_or_a_reason() {
    for paper in papers().expect("a list") {
        for figure in &paper.figure {
            let (ours, why) = (figure.ours.is_empty(), figure.why.is_none());
            assert_ne!(ours, why, "{}, {}", paper.name, figure.label);
        }
    }
}

#[test]
fn a_study_has_one_paper_at_most_and_its_claims_are_counted_once() {
    let papers = papers().expect("a list");
    let mut own: Vec<&String> = papers.iter().flat_map(|paper| &paper.studies).collect();
    assert!(
        own.iter().all(|name| crate::find(name).is_some()),
        "{own:?}"
    );
    own.sort();
    let all = own.len();
    own.dedup();
    assert_eq!(own.len(), all, "{own:?}");
    let report = report();
    let standings = today::by_paper(&report);
    assert_eq!(standings.len(), papers.len() + 1, "and several papers");
    let sum: usize = standings.iter().map(|one| one.counts.sum()).sum();
    assert_eq!(sum, today::Counts::of(report.findings()).sum());
}

/// The report of all runs of the studies, with meaningless numbers.
fn report() -> Report {
    let effort = Effort {
        extent: Extent::Full,
        seeds: Some(1),
        after: 0,
    };
    let runs = studies().iter().flat_map(|study| study.plan(effort));
    let made_up = |run: Run| Record {
        run,
        measured: Measured::new(),
    };
    let records: Vec<Record> = runs.map(made_up).collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run --full");
    Report::render(&records, &[], manifest)
}

#[test]
fn the_counterparts_are_exhibits_of_the_report() {
    let report = report();
    for figure in papers()
        .expect("a list")
        .iter()
        .flat_map(|paper| &paper.figure)
    {
        for ours in &figure.ours {
            let Counterpart { study, title } = ours;
            let (_, chapter) = ours.chapter(&report).expect(study);
            let found = chapter.exhibits.iter().any(|exhibit| match exhibit {
                Exhibit::Chart(chart) => chart.title.starts_with(title),
                Exhibit::Table(table) => table.title.starts_with(title),
                Exhibit::Note(_) => false,
            });
            assert!(found, "{study}: {title}");
        }
    }
}
