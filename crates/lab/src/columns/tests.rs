use crate::{Columns, Measured, Record, Run, Series, Settings, Summary, Values};

fn record(delay_ms: f64, seed: u64, goodput: f64) -> Record {
    let mut measured = Measured::new().with("mbit_per_s", goodput);
    measured.series = vec![Series {
        name: "cwnd_kib".to_owned(),
        points: vec![(0.0, 4.0), (1.0, seed as f64)],
    }];
    Record {
        run: Run::new(
            "link",
            "scenario",
            Settings::new().with("delay_ms", delay_ms),
            seed,
        ),
        measured,
    }
}

fn values<'a>(Columns(columns): &'a Columns, name: &str) -> &'a Values {
    let column = columns.iter().find(|column| column.name == name);
    &column.unwrap().values
}

#[test]
fn a_cell_is_a_row_with_the_ends_of_its_interval() {
    let records = [
        record(1.0, 1, 4.0),
        record(1.0, 2, 6.0),
        record(2.0, 1, 7.0),
    ];
    let columns = Columns::of_cells(&Summary::of(&records));
    let numbers = |name| values(&columns, name).clone();
    assert_eq!(
        numbers("delay_ms"),
        Values::Numbers(vec![Some(1.0), Some(2.0)])
    );
    assert_eq!(numbers("mean"), Values::Numbers(vec![Some(5.0), Some(7.0)]));
    assert_eq!(numbers("n"), Values::Numbers(vec![Some(2.0), Some(1.0)]));
    let Values::Numbers(low) = numbers("ci95_low") else {
        panic!("the end of an interval is a number");
    };
    // Two values: 12.706 times the standard error, which is 1.
    assert!((low[0].unwrap() - (5.0 - 12.706)).abs() < 1e-9);
    assert_eq!(low[1], None);
}

#[test]
fn a_point_of_a_series_is_a_row_with_the_run_that_it_belongs_to() {
    let records = [record(1.0, 1, 4.0), record(1.0, 2, 6.0)];
    let runs: Vec<_> = records
        .iter()
        .map(|one| (&one.run, &one.measured.series[..]))
        .collect();
    let columns = Columns::of_series(&runs);
    let expected = [1.0, 1.0, 2.0, 2.0].map(Some).to_vec();
    assert_eq!(values(&columns, "seed"), &Values::Numbers(expected));
    let expected = [4.0, 1.0, 4.0, 2.0].map(Some).to_vec();
    assert_eq!(values(&columns, "value"), &Values::Numbers(expected));
}
