use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::{Entry, Journal, part};
use crate::store::tests::{record, store};
use crate::{Record, Store};

fn files(store: &Store, ending: &str) -> usize {
    let files = fs::read_dir(store.runs()).expect("a folder");
    let has_it = |path: &Path| path.extension().is_some_and(|end| end == ending);
    files.flatten().filter(|file| has_it(&file.path())).count()
}

fn entry(seed: u64) -> Entry {
    Entry::of(record("sctp", seed)).expect("an entry")
}

#[test]
fn a_record_is_there_before_its_journal_ends() {
    let (_folder, store) = store();
    let mut journal = store.journal().expect("a journal");
    journal.keep(entry(1)).expect("kept");
    assert_eq!(store.records().expect("records"), [record("sctp", 1)]);
    assert_eq!(store.finished().expect("runs").len(), 1);
    assert_eq!(
        (files(&store, "journal"), files(&store, part::ENDING)),
        (1, 0)
    );
}

#[test]
fn a_journal_that_ends_leaves_a_part() {
    let (_folder, store) = store();
    let mut journal = store.journal().expect("a journal");
    journal.keep(entry(1)).expect("kept");
    journal.finish().expect("a part");
    assert_eq!(
        (files(&store, "journal"), files(&store, part::ENDING)),
        (0, 1)
    );
    assert_eq!(store.records().expect("records"), [record("sctp", 1)]);
}

#[test]
fn many_records_make_several_parts() {
    let (_folder, store) = store();
    let records: Vec<Record> = (1..=10_000).map(|seed| record("sctp", seed)).collect();
    store.keep(records.iter().cloned().map(Ok)).expect("kept");
    assert_eq!(files(&store, part::ENDING), 2);
    assert_eq!(store.records().expect("records"), records);
}

#[test]
fn the_next_program_takes_up_what_a_killed_one_left() {
    let (_folder, store) = store();
    let mut journal = store.journal().expect("a journal");
    journal.keep(entry(1)).expect("kept");
    // Killed in the middle of the second record.
    let mut file = OpenOptions::new()
        .append(true)
        .open(&journal.path)
        .expect("a file");
    file.write_all(br#"{"run":{"study":"datac"#)
        .expect("written");
    drop(journal);
    let next = store.journal().expect("a journal");
    assert_eq!(
        (files(&store, "journal"), files(&store, part::ENDING)),
        (1, 1)
    );
    assert_eq!(store.records().expect("records"), [record("sctp", 1)]);
    next.finish().expect("ended");
}

#[test]
fn a_journal_that_is_being_written_is_left_alone() {
    let (_folder, store) = store();
    let mut journal = store.journal().expect("a journal");
    journal.keep(entry(1)).expect("kept");
    let other = Journal::begin(&store.runs()).expect("a journal");
    assert_eq!(
        (files(&store, "journal"), files(&store, part::ENDING)),
        (2, 0)
    );
    journal.keep(entry(2)).expect("kept");
    assert_eq!(store.records().expect("records").len(), 2);
    drop((journal, other));
}
