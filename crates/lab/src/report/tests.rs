use std::collections::BTreeSet;

use crate::claim::ClaimsOf;
use crate::escape::escaped;
use crate::palette::Palette;
use crate::{
    Chart, Effort, Exhibit, Extent, Finding, Machine, Manifest, Measured, Record, Report, Run,
    Study, Summary, studies,
};

/// The exhibits of a study over all its runs, with meaningless numbers.
fn exhibits(study: &Study, plan: &[Run]) -> Vec<Exhibit> {
    const METRICS: &str = "all_s delay_mean_s delay_p50_s delay_p95_s delay_p99_s kbyte_per_s left_s mbit_per_s \
        primary_changes receive_mbit_per_s sender_life_s tcp_missed";
    let records = plan.iter().map(|run| {
        let metrics = METRICS.split(' ');
        let measured = metrics.fold(Measured::new(), |measured, metric| {
            measured.with(metric, 1.0)
        });
        let run = run.clone();
        Record { run, measured }
    });
    study.exhibits(&Summary::of(&records.collect::<Vec<_>>()))
}

fn plan(study: &Study) -> Vec<Run> {
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
        let plan = plan(study);
        for exhibit in exhibits(study, &plan) {
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
        let exhibits = exhibits(study, &plan(study));
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

/// The report on the first run of each study of the full plan that is wanted.
fn first_runs(wanted: impl Fn(&str) -> bool) -> Report {
    let chosen = studies().iter().filter(|study| wanted(study.name()));
    let records = chosen.map(|study| Record {
        run: plan(study).remove(0),
        measured: Measured::new(),
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run");
    Report::render(&records, &[], manifest)
}

/// The text behind the first `before`, up to the next `end`.
fn between<'a>(text: &'a str, before: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(before).expect(before);
    rest.split(end).next().unwrap_or_default()
}

fn numbers(text: &str) -> Vec<usize> {
    let words = text.split(|char: char| !char.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn headline_filter_and_findings_count_the_same_claims() {
    let one = first_runs(|study| study == "establishment");
    for report in [one, first_runs(|_| true), first_runs(|_| false)] {
        let page = &report.pages()[0].text;
        let all: Vec<&Finding> = report.findings().collect();
        let papers = all.iter().filter(|one| ClaimsOf::Papers.has(one)).count();
        let counts = [papers, all.len() - papers];
        assert_eq!(page.matches("<details class=\"claim ").count(), all.len());

        let headline = numbers(between(page, "<p class=\"headline\">", "</p>"));
        assert_eq!(headline[0], papers);
        assert_eq!(headline[1..].iter().sum::<usize>(), papers);

        let filter = between(page, "<fieldset class=\"filter\">", "</fieldset>");
        let mut buttons = filter.split("<label").skip(1).map(|button| {
            let shown = numbers(button);
            [shown[0], shown.get(1).copied().unwrap_or(0)]
        });
        assert_eq!(buttons.next(), Some(counts));
        let sum = buttons.fold([0; 2], |sum, button| {
            [sum[0] + button[0], sum[1] + button[1]]
        });
        assert_eq!(sum, counts);
    }
}

#[test]
fn a_claim_without_its_runs_says_which_command_makes_them() {
    let report = first_runs(|study| study == "establishment");
    let page = &report.pages()[0].text;
    let missing: Vec<&Finding> = report
        .findings()
        .filter(|finding| finding.judgement.is_none())
        .collect();
    assert!(!missing.is_empty());
    let reason = "Some of the runs that it needs were not made: the study's own command with --full \
                  makes all.";
    for finding in missing {
        let row = format!("id=\"claim-{}\"", finding.claim.id.replace(' ', "-"));
        let row = between(page, &row, "</details>");
        assert!(
            row.contains(&escaped(reason)),
            "{}: {row}",
            finding.claim.id
        );
        assert!(
            row.contains(">not run</span>"),
            "{}: {row}",
            finding.claim.id
        );
    }
    assert!(report.markdown().contains(reason));
}
