use std::collections::BTreeSet;

use crate::palette::Palette;
use crate::{
    Chart, Effort, Exhibit, Extent, Machine, Manifest, Measured, Record, Report, Run, Study,
    Summary, studies,
};

/// The exhibits of a study over all its runs, with meaningless numbers.
fn exhibits(study: &dyn Study, plan: &[Run]) -> Vec<Exhibit> {
    const METRICS: [&str; 12] = [
        "all_s",
        "delay_mean_s",
        "delay_p50_s",
        "delay_p95_s",
        "delay_p99_s",
        "kbyte_per_s",
        "left_s",
        "mbit_per_s",
        "primary_changes",
        "receive_mbit_per_s",
        "sender_life_s",
        "tcp_missed",
    ];
    let records = plan.iter().map(|run| {
        let measured = METRICS
            .into_iter()
            .fold(Measured::new(), |measured, metric| {
                measured.with(metric, 1.0)
            });
        let run = run.clone();
        Record { run, measured }
    });
    study.exhibits(&Summary::of(&records.collect::<Vec<_>>()))
}

fn plan(study: &dyn Study) -> Vec<Run> {
    study.plan(Effort {
        extent: Extent::Full,
        seeds: Some(1),
        after: 0,
    })
}

fn charts(exhibits: &[Exhibit]) -> impl Iterator<Item = &Chart> {
    exhibits.iter().filter_map(|exhibit| match exhibit {
        Exhibit::Chart(chart) => Some(chart),
        _ => None,
    })
}

#[test]
fn the_command_of_each_figure_runs_some_of_the_study_and_not_all() {
    for study in studies() {
        let plan = plan(*study);
        for exhibit in exhibits(*study, &plan) {
            let (title, words) = match &exhibit {
                Exhibit::Chart(chart) => (&chart.title, &chart.runs),
                Exhibit::Table(table) => (&table.title, &table.runs),
                Exhibit::Note(_) => continue,
            };
            let said = |run: &&Run| words.iter().all(|words| run.says(words));
            let found = plan.iter().filter(said).count();
            assert!(found > 0, "{title}: {words:?}");
        }
    }
}

#[test]
fn curves_of_a_figure_look_different() {
    for study in studies() {
        let exhibits = exhibits(*study, &plan(*study));
        let palette = Palette::of(charts(&exhibits));
        for chart in charts(&exhibits) {
            let looks = palette.looks(chart);
            let distinct: BTreeSet<(usize, usize)> =
                looks.iter().map(|look| (look.colour, look.dash)).collect();
            assert_eq!(distinct.len(), looks.len(), "{}: {looks:?}", chart.title);
        }
    }
}

#[test]
fn a_report_on_one_study_counts_its_claims_alone_and_folds_the_others() {
    let study = crate::find("establishment").unwrap();
    let run = plan(study).remove(0);
    let records = [Record {
        run,
        measured: Measured::new(),
    }];
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run establishment");
    let report = Report::render(&records, &[], manifest);
    assert_eq!(report.findings().count(), study.claims().len());
    let pages = report.pages();
    let folded = format!("{} studies were not run</summary>", studies().len() - 1);
    assert!(pages[0].text.contains(&folded));
    let others = studies()
        .iter()
        .filter(|other| other.name() != "establishment");
    for claim in others.flat_map(|other| other.claims()) {
        assert!(
            !pages[0].text.contains(&format!(">{}</span>", claim.id)),
            "{}",
            claim.id
        );
    }
    assert!(report.markdown().contains("## Not run"));
}
