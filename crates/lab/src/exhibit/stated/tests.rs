use super::exhibits;
use crate::{Exhibit, Measured, Point, Record, Run, Settings, Study, Summary};

/// Records of two sides at two places; one side was run at one of them alone.
fn summary() -> Summary {
    let of = |side: &str, x: f64, rate: f64| {
        let settings = Settings::new().with("side", side).with("x", x);
        let records = [1_u32, 2].map(|seed| Record {
            run: Run::new("study", "one", settings.clone(), seed.into()),
            measured: Measured::new().with("rate", rate + f64::from(seed)),
        });
        records.to_vec()
    };
    let all = [of("a", 1.0, 1.0), of("a", 2.0, 3.0), of("b", 2.0, 0.0)];
    Summary::of(&all.concat())
}

fn shown(text: &'static str) -> Vec<Exhibit> {
    let study = Study {
        name: "study",
        shown: text,
        ..Study::EMPTY
    };
    exhibits(&study, &summary())
}

#[test]
fn a_table_has_a_row_for_each_choice_that_was_run() {
    let shown = shown(
        r#"
        [[exhibit]]
        [exhibit.table]
        of = "one"
        title = "of {side}"
        each = { side = ["a", "b"] }
        rows = { x = [1, 2, 3] }
        columns = [["at", "x"], { each = { "$form" = "rate" }, columns = [["{form}", "{form:.1}"]] }]
        "#,
    );
    let [Exhibit::Table(a), Exhibit::Table(b)] = &shown[..] else {
        panic!("{shown:?}");
    };
    assert_eq!(
        (a.title.as_str(), &a.head),
        ("of a", &vec!["at".into(), "rate".into()])
    );
    assert_eq!(a.rows, [["1", "2.5"], ["2", "4.5"]]);
    assert_eq!(b.rows, [["2", "1.5"]]);
}

#[test]
fn series_are_compared_at_the_places_where_all_were_run() {
    let shown = shown(
        r#"
        [[exhibit]]
        [exhibit.table]
        of = "one"
        title = ""
        rows = { cells = { side = "a" } }
        series = { a = { side = "a" }, b = { side = "b" } }
        missing = "none"
        columns = [["", "{x}: {ratio(a.rate, b.rate):mean}, {a.rate / b.rate:number}"]]

        [[exhibit]]
        [exhibit.note]
        of = "one"
        each = { x = "*" }
        text = "at {x}: {b.rate:mean}"
        series = { b = { side = "b" } }
        "#,
    );
    let [Exhibit::Table(table), Exhibit::Note(note)] = &shown[..] else {
        panic!("{shown:?}");
    };
    assert_eq!(table.rows, [["1: none, none"], ["2: 3.000, 3.25"]]);
    assert_eq!(note, "at 2: 1.500");
}

#[test]
fn a_single_point_may_stand_for_a_line() {
    let shown = shown(
        r#"
        [[exhibit]]
        [exhibit.chart]
        of = "one"
        title = ""
        x = ["x", ""]
        y = ["10 * rate", ""]
        single = "line"
        curves = { side = ["a", "b", "c"] }
        curve = "{side}"
        "#,
    );
    let [Exhibit::Chart(chart)] = &shown[..] else {
        panic!("{shown:?}");
    };
    let drawn = chart.curves.iter().map(|curve| {
        let places = curve.points.iter().map(|Point { x, y, .. }| (*x, *y));
        (curve.name.as_str(), places.collect::<Vec<_>>())
    });
    let (a, b) = (
        vec![(1.0, 25.0), (2.0, 45.0)],
        vec![(1.0, 15.0), (2.0, 15.0)],
    );
    assert_eq!(drawn.collect::<Vec<_>>(), [("a", a), ("b", b)]);
}
