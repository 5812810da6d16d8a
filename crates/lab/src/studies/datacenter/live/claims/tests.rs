use super::super::super::{NAME, STUDY};
use super::super::plan::{LARGE, LOSSES, THROUGHPUT};
use crate::{Judgement, Measured, Record, Run, Settings, Summary, Verdict};

fn judged(id: &str, summary: &Summary) -> Judgement {
    let mut claims = STUDY.claims().into_iter();
    let claim = claims.find(|claim| claim.id == id).expect("the claim");
    (claim.judge)(summary).expect("it was run")
}

/// A round with 12 KB messages and the given CPU time per byte at each end.
fn record(variant: &str, round: u64, [send, receive]: [f64; 2]) -> Record {
    Record {
        run: run(LARGE.settings(variant).with("duration_s", 0.12), round),
        measured: Measured::new()
            .with("send_cpu_ns_per_byte", send)
            .with("receive_cpu_ns_per_byte", receive),
    }
}

fn run(settings: Settings, seed: u64) -> Run {
    Run::new(NAME, THROUGHPUT, settings, seed)
}

fn verdict_on_checksum(send: f64, receive: f64) -> Verdict {
    let rounds = (1..=5).flat_map(|round| {
        // The machine slows down from round to round; the ratio is constant.
        let slow = round as f64;
        [
            record("sctp", round, [slow, slow]),
            record("sctp, CRC32c", round, [slow * send, slow * receive]),
        ]
    });
    let summary = Summary::of(&rounds.collect::<Vec<_>>());
    judged("DC-9", &summary).ruling.verdict
}

#[test]
fn the_checksum_is_judged_by_the_ratios_within_rounds() {
    assert_eq!(verdict_on_checksum(1.25, 1.4), Verdict::Reproduced);
    assert_eq!(verdict_on_checksum(1.25, 1.1), Verdict::Partly);
    assert_eq!(verdict_on_checksum(1.05, 1.1), Verdict::NotReproduced);
}

#[test]
fn live_losses_are_judged_by_the_ratios_within_rounds() {
    let verdict = |at_few: f64, at_many: f64| {
        let rounds = (1..=10).flat_map(|round| {
            let cells = [
                (0.1, at_few),
                (0.5, at_few),
                (5.0, at_many),
                (10.0, at_many),
            ];
            cells.into_iter().flat_map(move |(loss, ratio)| {
                [("tcp", 1.0), ("sctp", ratio)].map(|(variant, times)| Record {
                    run: Run {
                        experiment: LOSSES.to_owned(),
                        ..run(LARGE.settings(variant).with("loss_percent", loss), round)
                    },
                    measured: Measured::new()
                        .with("receive_mbit_per_s", 100.0 * round as f64 * times),
                })
            })
        });
        let summary = Summary::of(&rounds.collect::<Vec<_>>());
        judged("DC-7 live", &summary).ruling.verdict
    };
    assert_eq!(verdict(1.2, 0.8), Verdict::Reproduced);
    assert_eq!(verdict(1.2, 1.2), Verdict::Partly);
    assert_eq!(verdict(0.8, 1.2), Verdict::NotReproduced);
}

#[test]
fn the_optimisations_are_held_against_tcp_and_against_none() {
    let rounds = (1..=5).flat_map(|round| {
        let slow = round as f64;
        [
            record("tcp", round, [slow, slow]),
            record("sctp-classic", round, [slow * 3.7, slow * 1.9]),
            record("sctp", round, [slow * 1.16, slow * 1.42]),
        ]
    });
    let records: Vec<Record> = rounds.collect();
    let judgement = judged("DC-4", &Summary::of(&records));
    assert_eq!(judgement.ruling.verdict, Verdict::Reproduced);
    assert_eq!(
        judgement.ours,
        "send: 3.700 (3.700 to 3.700) times TCP's before, 1.160 (1.160 to 1.160) after; receive: \
         1.900 (1.900 to 1.900) times TCP's before, 1.420 (1.420 to 1.420) after"
    );
}

#[test]
fn a_disturbed_round_is_made_up_for_by_others_if_those_are_enough() {
    let verdict = |rounds: u64| {
        let mut records: Vec<Record> = (1..=rounds)
            .flat_map(|round| {
                let measured = |variant, cost: f64| {
                    let mut one = record(variant, round, [cost, cost]);
                    one.measured = one.measured.with("receive_mbit_per_s", 1000.0);
                    one
                };
                [measured("sctp", 1.0), measured("sctp, CRC32c", 2.0)]
            })
            .collect();
        let mut disturbed = record("sctp", rounds + 1, [0.0, 0.0]);
        disturbed.measured = Measured::skipped("disturbed");
        records.push(disturbed);
        let judgement = judged("DC-9", &Summary::of(&records));
        (judgement.ruling.leaning, judgement.why == "disturbed")
    };
    assert_eq!(verdict(4), (Verdict::NotTestable, true));
    assert_eq!(verdict(5), (Verdict::Reproduced, false));
}

#[test]
fn a_claim_that_cannot_run_is_not_testable() {
    let skipped = Record {
        run: run(LARGE.settings("tcp"), 1),
        measured: Measured::skipped("no network"),
    };
    let judgement = judged("DC-9", &Summary::of(&[skipped]));
    assert_eq!(judgement.ruling.verdict, Verdict::NotTestable);
    assert_eq!(judgement.why, "no network");
}
