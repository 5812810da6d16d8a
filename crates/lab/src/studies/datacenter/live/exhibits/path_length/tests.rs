use super::super::super::super::NAME;
use super::super::super::plan::{PATH_LENGTH, THROUGHPUT, plan};
use super::{note, table};
use crate::{Effort, Extent, Measured, Record, Run, Summary};

/// The counting runs of the full plan.
fn counted() -> Vec<Run> {
    let effort = Effort {
        extent: Extent::Full,
        ..Effort::default()
    };
    let plan = plan(effort).into_iter();
    plan.filter(|run| run.experiment == PATH_LENGTH).collect()
}

/// TCP's program executes a tenth of the instructions of the other variants.
fn record(run: &Run) -> Record {
    let instructions = match run.settings.text("variant") {
        "tcp" => 1000.0,
        _ => 10_000.0,
    };
    Record {
        run: run.clone(),
        measured: Measured::new()
            .with("send_path_length", instructions)
            .with("receive_path_length", 2.0 * instructions)
            .with_note("instructions", "callgrind: the program without the kernel"),
    }
}

#[test]
fn each_variant_of_the_papers_tables_is_counted_once_and_shown() {
    let runs = counted();
    for (place, run) in runs.iter().enumerate() {
        assert!(!runs[..place].contains(run), "{run}");
    }
    let variants = runs.iter().filter(|run| run.seed == 1).count();
    let records: Vec<Record> = runs.iter().map(record).collect();
    let table = table(&Summary::of(&records)).expect("counts");
    assert_eq!(table.rows.len(), variants);
    let rows = table.rows.iter();
    let mut of_dc1 = rows.filter(|row| row[0].starts_with("DC-1:"));
    let tcp = of_dc1.next().expect("DC-1");
    assert_eq!(
        tcp[1..],
        ["tcp", "1000", "0.100", "24,910", "2000", "0.100", "30,885"]
    );
    assert_eq!(of_dc1.count(), 11, "the others of DC-1");
}

#[test]
fn what_could_not_be_counted_is_named_and_has_no_row() {
    let sample = plan(Effort::default())
        .into_iter()
        .find(|run| run.experiment == THROUGHPUT && run.settings.text("variant") == "sctp");
    let sample = Record {
        run: sample.expect("it is planned"),
        measured: Measured::new().with_note("instructions", "not told"),
    };
    let skipped = counted().into_iter().map(|run| Record {
        run,
        measured: Measured::skipped("there is no valgrind"),
    });
    let records: Vec<Record> = skipped.chain([sample]).collect();
    assert!(records.iter().all(|record| record.run.study == NAME));
    let summary = Summary::of(&records);
    assert_eq!(table(&summary), None);
    let note = note(&summary).expect("samples");
    assert!(note.contains("there is no valgrind"), "{note}");
}
