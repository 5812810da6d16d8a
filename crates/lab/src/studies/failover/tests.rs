use super::{CONGESTION, DEATH, NAME, STUDY, TEMPORARY, paper, plan};
use crate::{Effort, Exhibit, Judgement, Measured, Record, Run, Settings, Summary, Verdict};

/// Number of seeds in synthetic records.
const SEEDS: u64 = 12;

fn run(experiment: &str, settings: Settings, seed: u64) -> Run {
    Run::new(NAME, experiment, settings, seed)
}

fn compared(algorithm: &str) -> Settings {
    plan::Cross::found()
        .settings()
        .with("algorithm", algorithm)
        .with("queue", "drop-tail")
}

/// Synthetic records of the comparison: the paper's columns with a little noise.
fn papers(modified: impl Fn(&paper::Quantity) -> f64) -> Summary {
    let mut records = Vec::new();
    for algorithm in plan::ALGORITHMS {
        for seed in 1..=SEEDS {
            let noise = 1.0 + 0.001 * (seed as f64 - 3.5);
            let mut measured = Measured::new();
            for quantity in paper::QUANTITIES.iter() {
                let value = match algorithm {
                    "always" => modified(quantity),
                    _ => quantity.standard,
                };
                measured = measured.with(&quantity.metric, value * noise);
            }
            for count in ["timeouts", "fast_retransmissions", "failovers"] {
                measured = measured.with(count, 4.0);
            }
            let run = run(CONGESTION, compared(algorithm), seed);
            records.push(Record { run, measured });
        }
    }
    Summary::of(&records)
}

fn judged(summary: &Summary, id: &str) -> Judgement {
    let claims = STUDY.claims();
    let claim = claims.iter().find(|claim| claim.id == id).expect("a claim");
    (claim.judge)(summary).expect("a judgement")
}

#[test]
fn the_papers_own_numbers_reproduce_the_paper() {
    let summary = papers(|quantity| quantity.modified);
    for number in 1..=9 {
        let judgement = judged(&summary, &format!("FO-{number}"));
        assert_eq!(
            judgement.ruling.verdict,
            Verdict::Reproduced,
            "{judgement:?}"
        );
        assert!(judgement.ours.contains("(always)"));
    }
}

#[test]
fn a_modification_without_effect_is_told_from_one_with() {
    let summary = papers(|quantity| quantity.standard);
    assert_eq!(
        judged(&summary, "FO-1").ruling.verdict,
        Verdict::NotReproduced
    );
    // The largest window equals the paper's by construction, which does not count.
    assert_eq!(
        judged(&summary, "FO-4").ruling.verdict,
        Verdict::NotReproduced
    );
    // All messages arrive, but not earlier.
    assert_eq!(judged(&summary, "FO-8").ruling.verdict, Verdict::Partly);
}

#[test]
fn the_distance_of_the_papers_own_column_is_0_and_of_twice_of_it_1() {
    let summary = papers(|quantity| quantity.standard * 2.0);
    let distance = |algorithm| {
        let cell = paper::cell(&summary, algorithm, "drop-tail").expect("a cell");
        paper::distance(cell).expect("a distance")
    };
    assert!(distance("standard") < 0.01);
    assert!((distance("always") - 1.0).abs() < 0.01);
}

/// Synthetic records of temporary congestion, with the given failovers for each exposed
/// association.
fn exposed(failovers: [f64; 4]) -> Summary {
    let mut records = Vec::new();
    for ((_, algorithm, rule), count) in plan::EXPOSED.into_iter().zip(failovers) {
        for seed in 1..=SEEDS {
            let settings = Settings::new()
                .with("spell_s", 10.0)
                .with("path_max_retrans", 0.0)
                .with("algorithm", algorithm)
                .with("rule", rule);
            let measured = Measured::new()
                .with("failovers", count)
                .with("primary_heartbeats", 0.0);
            let run = run(TEMPORARY, settings, seed);
            records.push(Record { run, measured });
        }
    }
    Summary::of(&records)
}

#[test]
fn failovers_count_as_prevented_if_there_are_fewer() {
    let verdict = |failovers| judged(&exposed(failovers), "FO-10").ruling.verdict;
    assert_eq!(verdict([3.0, 3.0, 1.0, 3.0]), Verdict::Reproduced);
    assert_eq!(verdict([3.0, 3.0, 2.0, 3.0]), Verdict::Partly);
    assert_eq!(verdict([2.0, 2.0, 2.0, 1.0]), Verdict::NotReproduced);
    assert_eq!(verdict([2.0, 3.0, 3.0, 2.0]), Verdict::NotReproduced);
    assert_eq!(verdict([0.0, 0.0, 0.0, 0.0]), Verdict::NotReproduced);
}

#[test]
fn the_network_that_was_found_is_part_of_the_search() {
    let found = plan::Cross::found().settings();
    let plan = STUDY.plan(Effort::default());
    let mut surface = plan.iter().filter(|run| run.experiment == super::SURFACE);
    assert!(surface.any(|run| run.settings.include(&found)));
}

#[test]
fn the_transfer_is_whole_and_its_course_is_kept() {
    let Measured {
        metrics, series, ..
    } = STUDY
        .execute(&run(CONGESTION, compared("standard"), 1))
        .expect("a run");
    assert_eq!(metrics["received_bytes_count"], 100.0);
    assert_eq!(metrics["received_bytes_max"], 400_000.0);
    assert!(metrics["sent_bytes"] - metrics["again_bytes"] == 400_000.0);
    assert!(metrics["sender_life_s"] > metrics["delay_s_max"]);
    assert!(metrics["rto_s_count"] >= metrics["rtt_s_count"] + metrics["timeouts"] - 1.0);
    assert!(metrics["rwnd_max"] <= 65_535.0);
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let wanted = [
        "cwnd",
        "rto_s",
        "rtt_s",
        "delay_s",
        "received_bytes",
        "rwnd",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn without_cross_traffic_the_transfer_loses_nothing() {
    let quiet = compared("standard").with("burst_load", 0.0);
    let metrics = STUDY
        .execute(&run(CONGESTION, quiet, 1))
        .expect("a run")
        .metrics;
    assert_eq!((metrics["again_bytes"], metrics["timeouts"]), (0.0, 0.0));
    assert!(metrics["sender_life_s"] < 1.0);
}

#[test]
fn an_overloaded_path_is_given_up_where_no_timeout_is_allowed_and_not_where_many_are() {
    let given_up = |limit: u16| {
        let settings = Settings::new()
            .with("bottleneck_mbit", 5.0)
            .with("spell_load", 3.0)
            .with("spell_s", 10.0)
            .with("rule", "RFC 9260")
            .with("path_max_retrans", limit);
        let measured = STUDY.execute(&run(TEMPORARY, settings, 1)).expect("a run");
        measured.metrics["failovers"]
    };
    assert!(given_up(0) > 0.0);
    assert_eq!(given_up(5), 0.0);
}

#[test]
fn a_dead_path_is_left_sooner_with_fewer_retransmissions_allowed() {
    let left = |limit: u16| {
        let settings = Settings::new()
            .with("rule", "RFC 9260")
            .with("path_max_retrans", limit);
        STUDY
            .execute(&run(DEATH, settings, 1))
            .expect("a run")
            .metrics["left_s"]
    };
    assert!(left(0) < left(2));
}

#[test]
fn a_path_that_dies_in_either_direction_under_bulk_is_left() {
    for cut in ["both", "there", "back"] {
        for rule in ["RFC 9260", plan::MODERN] {
            let settings = Settings::new()
                .with("workload", "bulk")
                .with("cut", cut)
                .with("rule", rule)
                .with("path_max_retrans", 1_u16);
            let measured = STUDY.execute(&run(DEATH, settings, 1)).expect("a run");
            // A path may stay in use if its data is acknowledged over the other path
            // (RFC 9260 §8.2).
            let left = measured.metrics.get("left_s").copied();
            let in_time = |left: f64| left > 0.0 && left < 10.0;
            let may_stay = rule != plan::MODERN;
            assert!(left.map_or(may_stay, in_time), "{cut}, {rule}: {left:?}");
        }
    }
}

/// Synthetic records of the search: the paper's standard column, times a factor for each load.
fn searched(factors: &[(f64, f64)]) -> Summary {
    let mut records = Vec::new();
    for (load, factor) in factors {
        for algorithm in ["standard", "always"] {
            let settings = compared(algorithm).with("burst_load", *load);
            let measured = paper::QUANTITIES
                .iter()
                .fold(Measured::new(), |measured, quantity| {
                    measured.with(&quantity.metric, quantity.standard * factor)
                });
            let run = run(super::SURFACE, settings, 1);
            records.push(Record { run, measured });
        }
    }
    Summary::of(&records)
}

#[test]
fn the_search_shows_the_nearest_network_first() {
    let exhibits = STUDY.exhibits(&searched(&[(0.5, 3.0), (1.0, 1.1), (2.0, 0.5)]));
    let table = exhibits.iter().find_map(|exhibit| match exhibit {
        Exhibit::Table(table) if table.title.starts_with("The search") => Some(table),
        _ => None,
    });
    let loads: Vec<&str> = table
        .expect("a table")
        .rows
        .iter()
        .map(|row| row[1].as_str())
        .collect();
    assert_eq!(loads, ["1", "2", "0.5"]);
}
