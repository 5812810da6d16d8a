use std::{io, slice};

use super::Selected;
use crate::store::tests::{self, record};
use crate::{Machine, Measured, Record, Run, Store};

fn store(records: Vec<Record>) -> (tempfile::TempDir, Store) {
    let (folder, store) = tests::store();
    store.keep(records.into_iter().map(Ok)).expect("kept");
    (folder, store)
}

#[test]
fn the_records_of_several_stores_come_in_the_order_of_runs() {
    let odd = (1..100).step_by(2).map(|seed| record("tcp", seed));
    let even = (2..100).step_by(2).map(|seed| record("tcp", seed));
    let (_one, one) = store(odd.chain([record("sctp", 7)]).collect());
    let (_other, other) = store(even.collect());
    other.keep([Ok(record("sctp", 3))]).expect("kept");
    let records: io::Result<Vec<Record>> = Store::scan(&[one, other], |_: &Run| true)
        .expect("records")
        .collect();
    let seeds = records
        .expect("records")
        .into_iter()
        .map(|record| record.run.seed);
    assert!(seeds.eq([3, 7].into_iter().chain(1..100)));
}

#[test]
fn the_wanted_records_of_many_groups_come_in_order() {
    let (_folder, store) = store((1..=10_000).map(|seed| record("tcp", seed)).collect());
    let records = Store::scan(&[store], |run: &Run| run.seed.is_multiple_of(1000));
    let seeds = records
        .expect("records")
        .map(|record| record.expect("a record").run.seed);
    assert!(seeds.eq((1000..=10_000).step_by(1000)));
}

#[test]
fn a_run_that_two_stores_have_comes_once() {
    let (_one, one) = store(vec![record("tcp", 1), record("tcp", 2)]);
    let (_other, other) = store(vec![record("tcp", 2), record("tcp", 3)]);
    let records = Store::scan(&[one, other], |_: &Run| true).expect("records");
    assert_eq!(records.flatten().count(), 3);
}

#[test]
fn a_run_that_was_measured_here_in_the_end_comes_so() {
    let measured = |measured: Measured| Record {
        measured,
        ..record("tcp", 1)
    };
    let elsewhere = measured(Measured::new().with_note("machine", "another"));
    let here = measured(Measured::new().with_note("machine", Machine::this().to_string()));
    let skipped = measured(Measured::skipped("too busy"));
    for order in [[&skipped, &elsewhere, &here], [&here, &skipped, &elsewhere]] {
        let (_folder, store) = store(Vec::new());
        for record in order {
            store.keep([Ok(record.clone())]).expect("kept");
        }
        assert_eq!(store.records().expect("records"), slice::from_ref(&here));
    }
}

#[test]
fn runs_are_selected_with_their_seeds_or_with_any() {
    let run = |transport: &str, seed: u64| record(transport, seed).run;
    let runs: [Run; 2] = [run("tcp", 1), run("tcp", 2)];
    let mut these = Selected::runs(&runs);
    assert!(these.has(&run("tcp", 2)) && !these.has(&run("tcp", 3)));
    these.add(&[run("tcp", 3)]);
    assert!(these.has(&run("tcp", 3)));
    let any = Selected::with_any_seed(&runs);
    assert!(any.has(&run("tcp", 9)) && !any.has(&run("sctp", 1)));
    assert!(Selected::All.has(&run("sctp", 1)));
}
