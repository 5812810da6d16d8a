use super::*;
use crate::{Extent, Finding, Record, Summary};

/// A run of a plan, of the first cell with those settings.
fn run_of(experiment: &str, some: &[(&str, &str)]) -> Run {
    let plan = STUDY.plan(Effort::default()).into_iter();
    let mut runs = plan.filter(|run| run.experiment == experiment);
    let shown = |run: &Run, name: &str| run.settings.value(name).map(ToString::to_string);
    let found = runs.find(|run| {
        let mut all = some.iter();
        all.all(|(name, value)| shown(run, name).as_deref() == Some(*value))
    });
    found.expect("a run with these settings")
}

#[test]
fn every_run_of_a_plan_can_be_carried_out() {
    for extent in [Extent::Quick, Extent::Full] {
        let effort = Effort {
            extent,
            ..Effort::default()
        };
        for run in STUDY.plan(effort) {
            assert!(STUDY.scenario(&run).is_ok(), "{run}");
        }
    }
}

#[test]
fn both_shares_of_a_bottleneck_sum_to_what_it_carries() {
    for rival in [QUIC, QUIC_BBR] {
        let run = run_of(
            SHARED,
            &[("side", SCTP), ("rival", rival), ("rtt_ms", "20")],
        );
        let metrics = STUDY.execute(&run).expect("a run").metrics;
        let sum = metrics["mbit_per_s"] + metrics["rival_mbit_per_s"];
        // Of 10 Mb/s, headers take 3 to 5 %.
        assert!((9.2..9.75).contains(&sum), "{rival}: {sum}");
    }
}

#[test]
fn a_sample_of_each_experiment_is_measured_and_judged() {
    let small = [
        run_of(ALONE, &[("amount", "10 kB"), ("loss_percent", "0")]),
        run_of(
            streams::STREAMS,
            &[("streams", "16"), ("loss_percent", "1")],
        ),
    ];
    let mut records = Vec::new();
    for run in small {
        for side in SIDES {
            let mut run = run.clone();
            run.settings = run.settings.with("side", side);
            if run.experiment == streams::STREAMS && side == TCP {
                run.settings = run.settings.with("streams", 1_u16);
            }
            let measured = STUDY.execute(&run).expect("a run");
            assert!(measured.fingerprint.is_some(), "{run}");
            records.push(Record { run, measured });
        }
    }
    let summary = Summary::of(&records);
    for id in ["QU-3", "QU-4", "QU-5", "QU-7"] {
        let mut claims = STUDY.claims().into_iter();
        let claim = claims.find(|claim| claim.id == id).expect("a claim");
        assert!(Finding::new(claim, &summary).judgement.is_some(), "{id}");
    }
    let delay = |place: usize| records[place].measured.metrics[streams::MEAN];
    // One seed suffices here: a lost packet holds up every message behind it on one connection.
    assert!(
        delay(3) < 0.95 * delay(4),
        "SCTP {}, TCP {}",
        delay(3),
        delay(4)
    );
    assert!(
        delay(5) < 0.95 * delay(4),
        "QUIC {}, TCP {}",
        delay(5),
        delay(4)
    );
}

#[test]
fn only_runs_with_bbr_of_quinn_have_no_fingerprint() {
    let run = |side: &str| run_of(radio::RADIO, &[("side", side)]);
    let repeatable = |side: &str| is_repeatable(&scenario(&run(side)).expect("a scenario"));
    assert!(repeatable(QUIC) && repeatable(radio::SCTP_BBR));
    assert!(!repeatable(QUIC_BBR));
}

#[test]
fn runs_that_are_missing_give_no_judgement() {
    for claim in STUDY.claims() {
        let finding = Finding::new(claim, &Summary::of(&[]));
        assert!(finding.judgement.is_none(), "{}", finding.claim.id);
    }
}
