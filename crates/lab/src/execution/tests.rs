use std::num::NonZero;
use std::sync::atomic::AtomicBool;

use super::{Execution, Progress, Shard, execute};
use crate::{Effort, Extent, Run, Store, find};

fn runs() -> Vec<Run> {
    let study = find("establishment").expect("a study");
    let effort = Effort {
        extent: Extent::Quick,
        seeds: Some(1),
        ..Effort::default()
    };
    let mut runs = study.plan(effort);
    runs.retain(|run| run.experiment == "bit-errors");
    runs.truncate(4);
    for run in &mut runs {
        run.settings = run.settings.clone().with("packets", 100.0);
    }
    runs
}

fn execution(stop: &AtomicBool, shard: Shard) -> Execution<'_> {
    Execution {
        jobs: NonZero::new(2).expect("two"),
        shard,
        scenarios: &[],
        stop,
    }
}

#[test]
fn finished_runs_are_used_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let (runs, stop) = (runs(), AtomicBool::new(false));
    let mut last: Option<Progress> = None;
    let (first, failures) = execute(&runs, &store, execution(&stop, Shard::WHOLE), |progress| {
        last = Some(progress);
    });
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(last.map(|last| (last.done, last.reused)), Some((4, 0)));
    let (second, _) = execute(&runs, &store, execution(&stop, Shard::WHOLE), |progress| {
        last = Some(progress);
    });
    assert_eq!(last.map(|last| (last.done, last.reused)), Some((4, 4)));
    assert_eq!(first, second);
}

#[test]
fn the_stop_sign_keeps_runs_from_beginning() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let stop = AtomicBool::new(true);
    let (records, failures) = execute(&runs(), &store, execution(&stop, Shard::WHOLE), |_| {});
    assert!(records.is_empty() && failures.is_empty());
}

#[test]
fn shards_share_the_runs_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let (runs, stop) = (runs(), AtomicBool::new(false));
    let part = |part| {
        let shard = Shard { part, of: 3 };
        execute(&runs, &store, execution(&stop, shard), |_| {}).0
    };
    let all: Vec<usize> = (1..=3).map(|at| part(at).len()).collect();
    assert_eq!(all, [2, 1, 1]);
    assert_eq!(store.records().expect("records").len(), 4);
}

#[test]
fn a_shard_is_a_part_of_so_many() {
    assert_eq!("2/4".parse(), Ok(Shard { part: 2, of: 4 }));
    for wrong in ["0/4", "5/4", "4", "a/b", "/", "1/0"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}
