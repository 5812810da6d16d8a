use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::{Kept, Store, csv};
use crate::{Machine, Manifest, Measured, Record, Run, Settings};

fn record(transport: &str, seed: u64) -> Record {
    Record {
        run: Run {
            study: "datacenter".to_owned(),
            experiment: "loss".to_owned(),
            settings: Settings::new()
                .with("loss", 0.025)
                .with("transport", transport),
            seed,
        },
        measured: Measured::new().with("mbit_per_s", 1.5 * seed as f64),
    }
}

#[test]
fn a_record_is_found_by_its_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let record = record("sctp", 1);
    assert_eq!(store.find(&record.run), Kept::No);
    store.keep(&record).expect("kept");
    assert_eq!(store.find(&record.run), Kept::Yes(Box::new(record.clone())));
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_skipped_run_is_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let mut record = record("tcp", 1);
    record.measured = Measured::skipped("no privileges");
    store.keep(&record).expect("kept");
    assert_eq!(store.find(&record.run), Kept::No);
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_run_measured_on_another_machine_is_measured_here() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let mut record = record("tcp", 1);
    let measured = record.measured.clone();
    record.measured = measured.clone().with_note("machine", "another");
    store.keep(&record).expect("kept");
    assert_eq!(store.find(&record.run), Kept::No);
    record.measured = measured.with_note("machine", Machine::this().to_string());
    store.keep(&record).expect("kept");
    assert_eq!(store.find(&record.run), Kept::Yes(Box::new(record)));
}

#[test]
fn a_broken_file_is_as_good_as_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let record = record("sctp", 1);
    fs::write(store.place(&record.run), "{").expect("written");
    assert_eq!(store.find(&record.run), Kept::No);
    assert_eq!(store.records().expect("records"), []);
}

#[test]
fn csv_has_a_row_a_run() {
    let records = [record("sctp, \"fast\"", 1), record("tcp", 2)];
    let records: Vec<&Record> = records.iter().collect();
    assert_eq!(
        csv(&records),
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
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run");
    store.write_tables(&records, &manifest).expect("written");
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
    store.keep(&records[0]).expect("kept");
    other.keep(&records[1]).expect("kept");
    assert_eq!(store.missing(&runs), [1]);
    store.absorb(&other).expect("absorbed");
    assert!(store.missing(&runs).is_empty());
    assert_eq!(store.records().expect("records"), records);
}
