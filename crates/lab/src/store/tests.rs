use std::fs::{self, File};
use std::path::Path;
use std::slice;

use arrow_array::{Array, Float64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{Store, code, csv};
use crate::{Columns, Digest, Machine, Measured, Record, Run, Settings};

#[path = "../../build.rs"]
#[expect(dead_code, reason = "tests do not build")]
mod build;

/// An empty store in a folder of its own.
pub(crate) fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    (folder, store)
}

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
    let (_folder, store) = store();
    let record = record("sctp", 1);
    assert!(!is_finished(&store, &record));
    keep(&store, &record);
    assert!(is_finished(&store, &record));
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_skipped_run_is_tried_again() {
    let (_folder, store) = store();
    let mut record = record("tcp", 1);
    record.measured = Measured::skipped("no privileges");
    keep(&store, &record);
    assert!(!is_finished(&store, &record));
    assert_eq!(store.records().expect("records"), [record]);
}

#[test]
fn a_run_measured_on_another_machine_is_measured_here() {
    let (_folder, store) = store();
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
    let (_folder, store) = store();
    keep(&store, &record("sctp", 1));
    for file in fs::read_dir(store.runs()).expect("a folder") {
        fs::write(file.expect("a file").path(), "{").expect("written");
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
fn parquet_reads_back_with_types_and_units() {
    let (folder, store) = store();
    let records = [("sctp", 1), ("tcp", 2)].map(|(transport, seed)| {
        let mut record = record(transport, seed);
        record.measured = record.measured.with("srtt_ms", 4.0).with("size_bytes", 8.0);
        record
    });
    let digest = Digest::of(&records, &[]);
    let written = store.write_tables(records.into_iter().map(Ok), &digest);
    written.expect("written");
    let file = File::open(folder.path().join("datacenter.parquet")).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let schema = reader.schema().clone();
    let fields = schema.fields().iter().map(|field| {
        let unit = field.metadata().get("unit").map(String::as_str);
        (field.name().as_str(), field.data_type(), unit)
    });
    let expected = [
        ("study", &DataType::Utf8, None),
        ("experiment", &DataType::Utf8, None),
        ("seed", &DataType::Float64, None),
        ("fingerprint", &DataType::Utf8, None),
        ("loss", &DataType::Float64, None),
        ("transport", &DataType::Utf8, None),
        ("mbit_per_s", &DataType::Float64, Some("Mbit/s")),
        ("size_bytes", &DataType::Float64, Some("bytes")),
        ("srtt_ms", &DataType::Float64, Some("ms")),
    ];
    assert_eq!(fields.collect::<Vec<_>>(), expected);
    assert!(schema.fields().iter().all(|field| field.is_nullable()));
    let rows: Vec<RecordBatch> = reader.build().expect("rows").flatten().collect();
    let [rows] = &rows[..] else {
        panic!("{rows:?}");
    };
    let transports = StringArray::from(vec!["sctp", "tcp"]);
    assert_eq!(rows["transport"].as_ref(), &transports as &dyn Array);
    let rates = Float64Array::from(vec![1.5, 3.0]);
    assert_eq!(rows["mbit_per_s"].as_ref(), &rates as &dyn Array);
    assert_eq!(rows["fingerprint"].null_count(), 2);
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

#[test]
fn results_are_kept_under_the_sources_of_every_crate_that_the_laboratory_uses() {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
    let names = manifest["dependencies"].as_table().unwrap().keys();
    let own = names.filter_map(|name| name.strip_prefix("sheave"));
    for name in own.map(|name| name.strip_prefix('-').unwrap_or("net")) {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../{name}/src"));
        // In a package, there are no folders beside its own.
        if sources.is_dir() {
            let hash = build::with(&sources, build::START).unwrap();
            assert!(code().contains(&format!("{hash:016x}")), "{name}");
        }
    }
}

#[test]
fn the_hash_of_sources_follows_their_bytes_and_not_their_tests() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let hash = || build::with(folder.path(), build::START).unwrap();
    write("engine.rs", "1");
    let before = hash();
    write("tests.rs", "2");
    assert_eq!(hash(), before);
    write("engine.rs", "2");
    assert_ne!(hash(), before);
}
