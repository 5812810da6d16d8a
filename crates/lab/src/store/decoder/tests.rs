use std::sync::Arc;

use super::Decoder;
use crate::store::part::Part;
use crate::store::tests::record;
use crate::{Record, Run, Store};

/// Two parts with ten row groups in total.
fn parts() -> (tempfile::TempDir, Vec<Arc<Part>>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let records = (1..=10_000).map(|seed| Ok(record("sctp", seed)));
    store.keep(records).expect("kept");
    let parts = Part::all(&store.runs()).expect("parts").into_iter();
    (folder, parts.map(Arc::new).collect())
}

fn seeds(records: &[Record]) -> impl Iterator<Item = u64> {
    records.iter().map(|record| record.run.seed)
}

#[test]
fn row_groups_are_taken_in_their_order() {
    let (_folder, parts) = parts();
    let decoder = Decoder::new(parts.into_iter(), |_: &Run| true);
    let records = (0..10).flat_map(|place| decoder.take(place).expect("records"));
    assert!(seeds(&records.collect::<Vec<_>>()).eq(1..=10_000));
}

#[test]
fn a_row_group_that_no_thread_has_begun_is_decoded_when_it_is_wanted() {
    let (_folder, parts) = parts();
    let decoder = Decoder::new(parts.into_iter(), |_: &Run| true);
    let last_first = (0..10).rev().map(|place| decoder.take(place));
    for (records, place) in last_first.zip((0..10_u64).rev()) {
        let records = records.expect("records");
        assert_eq!(seeds(&records).next(), Some(1024 * place + 1));
    }
}

#[test]
fn threads_decode_no_more_ahead_than_there_is_room_for() {
    let (_folder, parts) = parts();
    let decoder = Decoder::new(parts.into_iter(), |_: &Run| true);
    for place in 0..10 {
        assert!(decoder.0.state().ahead <= decoder.0.most_ahead);
        drop(decoder.take(place).expect("records"));
    }
    assert_eq!(decoder.0.state().ahead, 0);
}

#[test]
fn records_of_runs_that_are_not_wanted_are_left_out() {
    let (_folder, parts) = parts();
    let decoder = Decoder::new(parts.into_iter(), |run: &Run| run.seed.is_multiple_of(1000));
    let records = (0..10).flat_map(|place| decoder.take(place).expect("records"));
    assert!(seeds(&records.collect::<Vec<_>>()).eq((1000..=10_000).step_by(1000)));
}
