use std::num::NonZero;
use std::sync::atomic::AtomicBool;

use sheave_engine::{
    Ack, CongestionControl, CongestionSignals, CustomCongestion, CustomPolicies, Loss, NewReno,
    Time,
};

use super::{Execution, Progress, Shard, execute};
use crate::store::tests::store;
use crate::{Effort, Extent, Run, UserScenario, Wanted, capture_first_runs, capture_run, find};

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
    let (_folder, store) = store();
    let (runs, stop) = (runs(), AtomicBool::new(false));
    let mut last: Option<Progress> = None;
    let failures = execute(&runs, &store, execution(&stop, Shard::WHOLE), |progress| {
        last = Some(progress);
    });
    assert_eq!(failures.expect("a store"), Vec::<String>::new());
    let first = store.records().expect("records");
    assert_eq!(last.map(|last| (last.done, last.reused)), Some((4, 0)));
    let again = execute(&runs, &store, execution(&stop, Shard::WHOLE), |progress| {
        last = Some(progress);
    });
    assert_eq!(again.expect("a store"), Vec::<String>::new());
    assert_eq!(last.map(|last| (last.done, last.reused)), Some((4, 4)));
    assert_eq!(first.len(), 4);
    assert_eq!(store.records().expect("records"), first);
}

#[test]
fn the_stop_sign_keeps_runs_from_beginning() {
    let (_folder, store) = store();
    let stop = AtomicBool::new(true);
    let failures = execute(&runs(), &store, execution(&stop, Shard::WHOLE), |_| {});
    assert!(failures.expect("a store").is_empty());
    assert!(store.records().expect("records").is_empty());
}

#[test]
fn shards_share_the_runs_out() {
    let (_folder, store) = store();
    let (runs, stop) = (runs(), AtomicBool::new(false));
    let all = [1, 2, 3].map(|part| {
        let shard = Shard { part, of: 3 };
        execute(&runs, &store, execution(&stop, shard), |_| {}).expect("a store");
        store.records().expect("records").len()
    });
    assert_eq!(all, [2, 3, 4]);
}

#[test]
fn a_shard_is_a_part_of_so_many() {
    assert_eq!("2/4".parse(), Ok(Shard { part: 2, of: 4 }));
    for wrong in ["0/4", "5/4", "4", "a/b", "/", "1/0"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

const LINK: &str = concat!(
    include_str!("../user_scenario/tests/link.toml"),
    "sctp = {}\n[sweep]\n\"flow.main.sctp.congestion\" = [\"cubic\", \"broken\"]"
);

/// New Reno that panics at the first acknowledgement.
#[derive(Clone, Debug)]
struct Broken(NewReno);

impl CongestionControl for Broken {
    fn on_ack(&mut self, _: &Ack) {
        // Like `panic!`, but without a message on standard error.
        std::panic::resume_unwind(Box::new("out of order".to_owned()));
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        self.0.on_loss(now, loss);
    }

    fn on_mark(&mut self, now: Time) {
        self.0.on_mark(now);
    }

    fn on_idle(&mut self, rtos: u32) {
        self.0.on_idle(rtos);
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.0.on_pmdcs(pmdcs);
    }

    fn cwnd(&self) -> u64 {
        self.0.cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.0.ssthresh()
    }
}

fn policies() -> CustomPolicies {
    CustomPolicies::default().with_congestion(CustomCongestion {
        name: "broken",
        signals: CongestionSignals::default(),
        make: |path| {
            let reno = NewReno::new(path.pmdcs, path.rules, path.initial);
            Box::new(Broken(reno))
        },
    })
}

#[test]
fn a_policy_that_panics_fails_its_run_alone() {
    let (_folder, store) = store();
    let scenario = UserScenario::read_with("link", LINK, policies()).expect("a scenario");
    let (runs, scenarios, stop) = (scenario.plan(None), [scenario], AtomicBool::new(false));
    let execution = Execution {
        scenarios: &scenarios,
        ..execution(&stop, Shard::WHOLE)
    };
    let failures = execute(&runs, &store, execution, |_| {}).expect("a store");
    assert_eq!(store.records().expect("records").len(), 1);
    assert_eq!(failures, [format!("{}: out of order", runs[1])]);
}

#[test]
fn a_run_whose_policy_panics_is_captured_until_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = UserScenario::read_with("link", LINK, policies()).expect("a scenario");
    let (runs, scenarios) = (scenario.plan(None), [scenario]);
    let broken = &runs[1..];
    capture_first_runs(broken, &scenarios, folder.path()).expect("captured");
    let file = folder.path().join("captures/link.pcapng");
    assert!(file.metadata().expect("a capture").len() > 1000);
    let captured = capture_run(&runs[1], &scenarios, &[Wanted::Packets], folder.path());
    let reason = captured.expect_err("a panic");
    assert!(
        reason.ends_with("cannot capture it: out of order"),
        "{reason}"
    );
}

#[test]
fn the_stop_sign_ends_a_scenario_under_way() {
    let scenario = UserScenario::read_with("link", LINK, policies()).expect("a scenario");
    let run = &scenario.plan(None)[0];
    let whole = scenario.execute_until(run, &AtomicBool::new(false));
    assert_eq!(whole, scenario.execute(run).map(Some));
    let stopped = scenario.execute_until(run, &AtomicBool::new(true));
    assert_eq!(stopped, Ok(None));
}

#[test]
fn another_version_of_a_policy_makes_other_runs_of_the_cases_that_name_it() {
    let plan = |version| {
        let scenario = UserScenario::read_versioned("link", LINK, policies(), version);
        scenario.expect("a scenario").plan(None)
    };
    let (one, other) = (plan("one"), plan("other"));
    assert_eq!(one[0], other[0]);
    assert_ne!(one[1], other[1]);
    assert_eq!(one, plan("one"));
}
