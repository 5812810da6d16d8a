use std::sync::Arc;
use std::{fs, io};

use super::{Finished, Part};
use crate::store::{CODE, Entry};
use crate::{Measured, Record, Run, Series, Settings};

fn record(seed: u64, measured: Measured) -> Record {
    Record {
        run: Run::new(
            "radio",
            "scenario",
            Settings::new()
                .with("loss", 0.025)
                .with("transport", "sctp"),
            seed,
        ),
        measured,
    }
}

/// Records with and without each optional part.
fn records() -> Vec<Record> {
    let series = |name: &str, points: &[(f64, f64)]| Series {
        name: name.to_owned(),
        points: points.to_vec(),
    };
    let mut full = Measured::new()
        .with("mbit_per_s", 0.1 + 0.2)
        .with("losses", 0.0)
        .with_note("machine", "another")
        .with_note("counted", "by hand");
    full.fingerprint = Some("6d2f".to_owned());
    full.series = vec![
        series("cwnd_kib", &[(0.0, 4.0), (0.5, 8.0)]),
        series("nothing", &[]),
        series("mbit_per_s", &[(1.0, 2.0)]),
    ];
    vec![
        record(1, full),
        record(2, Measured::skipped("no privileges")),
        record(u64::MAX, Measured::new()),
    ]
}

fn entries(records: impl IntoIterator<Item = Record>) -> Vec<Entry> {
    let entries = records.into_iter().map(Entry::of);
    entries.collect::<io::Result<_>>().expect("entries")
}

fn read(part: &Part) -> Vec<Record> {
    let records = part.clone().records(Arc::new(|_: &Run| true));
    records.collect::<io::Result<_>>().expect("records")
}

#[test]
fn a_part_gives_back_the_records_that_were_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let backwards = records().into_iter().rev();
    Part::write(folder.path(), entries(backwards)).expect("written");
    let parts = Part::all(folder.path()).expect("parts");
    let [part] = &parts[..] else {
        panic!("{parts:?}");
    };
    assert_eq!(part.first, records()[0].run);
    assert_eq!(part.studies, ["radio".to_owned()].into());
    assert_eq!(read(part), records());
}

#[test]
fn a_part_of_many_groups_keeps_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let measured = |seed: u64| Measured::new().with("seed", seed as f64);
    let many: Vec<Record> = (1..=3000)
        .map(|seed| record(seed, measured(seed)))
        .collect();
    Part::write(folder.path(), entries(many.clone())).expect("written");
    let part = Part::all(folder.path()).expect("parts").remove(0);
    // Before three groups are the finished runs.
    assert_eq!(part.blocks.len(), 4);
    assert_eq!(read(&part), many);
}

#[test]
fn a_part_tells_which_runs_are_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    Part::write(folder.path(), entries(records())).expect("written");
    let part = Part::all(folder.path()).expect("parts").remove(0);
    let finished = part.finished().expect("runs").into_iter();
    let finished = finished.map(|run| {
        let Finished {
            key,
            is_skipped,
            machine,
        } = run;
        (key, is_skipped, machine)
    });
    let expected = records().into_iter().map(|record| {
        let machine = record.measured.notes.get("machine").cloned();
        (
            record.run.key(&CODE),
            record.measured.skipped.is_some(),
            machine,
        )
    });
    assert!(finished.eq(expected));
}

#[test]
fn equal_records_make_equal_files() {
    let folders = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    let contents = folders.each_ref().map(|folder| {
        Part::write(folder.path(), entries(records())).expect("written");
        let mut files = fs::read_dir(folder.path()).expect("a folder");
        let path = files.next().expect("a file").expect("a file").path();
        assert!(files.next().is_none());
        (
            path.file_name().map(ToOwned::to_owned),
            fs::read(path).expect("bytes"),
        )
    });
    assert_eq!(contents[0], contents[1]);
}
