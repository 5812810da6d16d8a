use std::fs::{self, File};
use std::slice;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::{Store, csv};
use crate::{Columns, Digest, Machine, Measured, Record, Run, Settings};

pub(super) fn record(transport: &str, seed: u64) -> Record {
    Record {
        run: Run::new(
            "datacenter",
            "loss",
            Settings::new()
                .with("loss", 0.025)
                .with("transport", transport),
            seed,
        ),
        measured: Measured::new().with("mbit_per_s", 1.5 * seed as f64),
    }
}

fn keep(store: &Store, record: &Record) {
    store.keep([Ok(record.clone())]).expect("kept");
}

fn is_finished(store: &Store, record: &Record) -> bool {
    store
        .missing(slice::from_ref(&record.run))
        .expect("a store")
        .is_empty()
}

#[test]
fn a_record_is_found_by_its_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let record = record("sctp", 1);
    assert!(!is_finished(&store, &record));
    keep(&store, &record);
    assert!(is_finished(&store, &record));
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_skipped_run_is_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let mut record = record("tcp", 1);
    record.measured = Measured::skipped("no privileges");
    keep(&store, &record);
    assert!(!is_finished(&store, &record));
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_run_measured_on_another_machine_is_measured_here() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let mut record = record("tcp", 1);
    let measured = record.measured.clone();
    record.measured = measured.clone().with_note("machine", "another");
    keep(&store, &record);
    assert!(!is_finished(&store, &record));
    record.measured = measured.with_note("machine", Machine::this().to_string());
    keep(&store, &record);
    assert!(is_finished(&store, &record));
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_broken_part_is_as_good_as_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    keep(&store, &record("sctp", 1));
    for file in fs::read_dir(store.runs()).expect("a folder") {
        fs::write(file.expect("a file").path(), "PAR1").expect("written");
    }
    assert!(!is_finished(&store, &record("sctp", 1)));
    assert_eq!(store.records().expect("records"), []);
}

#[test]
fn csv_has_a_row_a_run() {
    let records = [record("sctp, \"fast\"", 1), record("tcp", 2)];
    let records: Vec<&Record> = records.iter().collect();
    let columns = Columns::of(&records);
    assert_eq!(
        csv::head(&columns) + &csv::rows(&columns),
        "study,experiment,seed,fingerprint,loss,transport,mbit_per_s\r\n\
         datacenter,loss,1,,0.025,\"sctp, \"\"fast\"\"\",1.5\r\n\
         datacenter,loss,2,,0.025,tcp,3\r\n"
    );
}

#[test]
fn parquet_reads_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let records = [record("sctp", 1), record("tcp", 2)];
    let digest = Digest::of(&records);
    let written = store.write_tables(records.into_iter().map(Ok), &digest);
    written.expect("written");
    let file = File::open(folder.path().join("datacenter.parquet")).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let rows: Vec<_> = reader.get_row_iter(None).expect("rows").flatten().collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1].get_string(5).expect("a text"), "tcp");
    assert_eq!(rows[1].get_double(6).ok(), Some(3.0));
}

#[test]
fn a_store_tells_what_is_missing_and_takes_it_from_another() {
    let folders = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    let [store, other] = folders
        .each_ref()
        .map(|folder| Store::open(folder.path()).expect("a store"));
    let records = ["sctp", "tcp"].map(|transport| record(transport, 1));
    let runs = records.each_ref().map(|record| record.run.clone());
    keep(&store, &records[0]);
    keep(&other, &records[1]);
    assert_eq!(store.missing(&runs).expect("a store"), [1]);
    store.absorb(&other).expect("absorbed");
    assert!(store.missing(&runs).expect("a store").is_empty());
    assert_eq!(store.records().expect("records"), records);
}
