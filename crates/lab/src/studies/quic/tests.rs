use super::STUDY;
use crate::quic::is_repeatable;
use crate::{Effort, Run};

/// A run of the quick plan, of the first case with those settings.
fn run_of(experiment: &str, some: &[(&str, &str)]) -> Run {
    let mut runs = STUDY.plan(Effort::default()).into_iter();
    let shown = |run: &Run, name: &str| run.settings.value(name).map(ToString::to_string);
    let found = runs.find(|run| {
        let mut all = some.iter();
        run.experiment == experiment
            && all.all(|(name, value)| shown(run, name).as_deref() == Some(*value))
    });
    found.expect("a run with these settings")
}

#[test]
fn both_shares_of_a_bottleneck_sum_to_what_it_carries() {
    for rival in ["quic", "quic-bbr"] {
        let network = "10 Mb/s, 20 ms";
        let run = run_of(
            "shared",
            &[("side", "sctp"), ("rival", rival), ("network", network)],
        );
        let metrics = STUDY.execute(&run).expect("a run").metrics;
        let sum = metrics["mbit_per_s"] + metrics["rival_mbit_per_s"];
        // Of 10 Mb/s, headers take 3 to 5 %.
        assert!((9.2..9.75).contains(&sum), "{rival}: {sum}");
    }
}

#[test]
fn only_runs_with_bbr_of_quinn_have_no_fingerprint() {
    let repeatable = |side: &str| {
        let run = run_of("radio", &[("side", side)]);
        let scenario = STUDY.scenario(&run).expect("a scenario");
        is_repeatable(&scenario.expect("a network"))
    };
    assert!(repeatable("quic") && repeatable("sctp-bbr"));
    assert!(!repeatable("quic-bbr"));
}
