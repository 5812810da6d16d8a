use super::Sheet;
use crate::{
    Chart, Curve, Effort, Exhibit, Extent, Measured, Record, Run, Settings, Summary, studies,
};

const SHEET: &str = r#"
    [[table]]
    title = "Table 1"
    experiments = ["rates", "counts"]
    columns = [["rate", "END_rate"], ["count", "END_count"]]
    [[table.row]]
    case = "one, send"
    end = "send"
    one = { variant = "one" }
    paper = { rate = 5.5 }
    [[curve]]
    figure = "Rate over"
    name = "paper"
    points = [[1.0, 2.0]]
"#;

fn record(experiment: &str, metric: &str, value: f64) -> Record {
    Record {
        run: Run::new(
            "study",
            experiment,
            Settings::new().with("variant", "one"),
            1,
        ),
        measured: Measured::new().with(metric, value),
    }
}

#[test]
fn a_table_of_a_paper_has_our_numbers_beside_its_own() {
    let records = [
        record("rates", "send_rate", 4.0),
        record("counts", "send_count", 7.0),
    ];
    let summary = Summary::of(&records);
    let sheet = Sheet::read(SHEET).expect("a sheet");
    let Some(Exhibit::Table(table)) = sheet.tables("study", &summary).next() else {
        panic!("a table");
    };
    assert_eq!(
        table.rows,
        [["one, send", "one", "5.5", "4.000", "", "7.000"]]
    );
}

#[test]
fn values_of_a_paper_are_drawn_beside_ours_and_not_alone() {
    let sheet = Sheet::read(SHEET).expect("a sheet");
    let mut chart = Chart::new("Rate over time", "time (s)", "rate");
    sheet.draw(&mut chart);
    assert!(chart.paper.is_empty());
    chart.push(Curve::of_series("ours", &[(1.0, 1.0)]));
    sheet.draw(&mut chart);
    assert_eq!(chart.paper[0].points[0].y, 2.0);
}

#[test]
fn the_sheets_of_all_studies_name_claims_and_runs_that_there_are() {
    for study in studies() {
        let claims = study.claims();
        let claims: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
        let plan = study.plan(Effort {
            extent: Extent::Full,
            ..Default::default()
        });
        let is_there = |experiment: &str, some: &Settings| {
            let mut runs = plan.iter();
            runs.any(|run| run.experiment == experiment && run.settings.include(some))
        };
        let sheet = Sheet::read(study.paper).expect("a sheet");
        for spec in &sheet.contrast {
            let id = &spec.claim;
            assert!(claims.contains(&id.as_str()), "{id}");
            for some in [&spec.one, &spec.other] {
                let experiment = &spec.experiment;
                assert!(is_there(experiment, some), "{id}: {experiment} ({some})");
            }
        }
        for table in &sheet.table {
            for (experiment, row) in table
                .experiments
                .iter()
                .flat_map(|experiment| table.row.iter().map(move |row| (experiment, row)))
            {
                assert!(is_there(experiment, &row.one), "{}: {experiment}", row.case);
                let known = |name: &String| table.columns.iter().any(|[column, _]| column == name);
                assert!(row.paper.keys().all(known), "{}", row.case);
            }
        }
        let exhibits = study.exhibits(&Summary::default());
        for drawn in &sheet.curve {
            let found = exhibits.iter().any(|exhibit| {
                matches!(exhibit, Exhibit::Chart(chart) if chart.title.starts_with(&drawn.figure))
            });
            assert!(found, "{}", drawn.figure);
        }
    }
}
