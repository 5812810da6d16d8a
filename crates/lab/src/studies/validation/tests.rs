use super::live::packets::{APART, DIFFERING, PACKETS};
use super::ns2::Said;
use super::simulated::{cycle, longest_pause};
use super::{BULK, DYING, NAME, NS2, SAW_TOOTH, SCTP, SHEAVE, STUDY, TCP};
use crate::{Effort, Extent, Finding, Measured, Record, Run, Settings, Summary, Verdict};

fn full() -> Effort {
    Effort {
        extent: Extent::Full,
        ..Effort::default()
    }
}

fn metric(experiment: &str) -> &'static str {
    match experiment {
        SAW_TOOTH => "cycle_s",
        DYING => "switch_over_s",
        _ => "mbit_per_s",
    }
}

/// Records in which our results are `factor` times ns-2's.
fn records(factor: f64) -> Vec<Record> {
    let plan = STUDY.plan(full()).into_iter();
    let record = |run: Run| {
        let value = 10.0 + 0.01 * run.seed as f64;
        let (simulator, how) = (run.settings.text("simulator"), run.settings.text("how"));
        let ours = simulator == SHEAVE || how == "live";
        let value = if ours { factor * value } else { value };
        let measured = match run.experiment == PACKETS {
            true => exchanged(factor),
            false => Measured::new().with(metric(&run.experiment), value),
        };
        let measured = match super::is_random(&run.experiment, &run.settings) {
            true => measured,
            false => measured.without_chance(),
        };
        Record { run, measured }
    };
    plan.map(record).collect()
}

/// Synthetic packet comparison, which matches only if `factor` is near 1.
fn exchanged(factor: f64) -> Measured {
    let differing = if factor < 1.1 { 0.0 } else { 10.0 };
    Measured::new()
        .with("packets", 1000.0)
        .with("common_packets", 1000.0 - differing)
        .with("further_packets", 0.0)
        .with(DIFFERING, differing)
        .with(APART, 100.0 * (factor - 1.0))
}

fn verdicts(records: &[Record]) -> Vec<Verdict> {
    let summary = Summary::of(records);
    let claims = STUDY.claims().into_iter();
    let verdict = |claim| {
        let judgement = Finding::new(claim, &summary).judgement;
        judgement.expect("it was run").ruling.verdict
    };
    claims.map(verdict).collect()
}

#[test]
fn equal_simulators_agree_and_different_ones_do_not() {
    let all = |verdict| vec![verdict; STUDY.claims().len()];
    assert_eq!(verdicts(&records(1.02)), all(Verdict::Reproduced));
    assert_eq!(verdicts(&records(1.2)), all(Verdict::NotReproduced));
}

#[test]
fn without_ns2_nothing_is_judged() {
    let mut records = records(1.0);
    for record in &mut records {
        if record.run.settings.text("simulator") == NS2 {
            record.measured = Measured::skipped("there is no ns-2: install ns2");
        }
    }
    let mut untested = vec![Verdict::NotTestable; STUDY.claims().len()];
    // The live claims do not need ns-2.
    untested[7..].fill(Verdict::Reproduced);
    assert_eq!(verdicts(&records), untested);
}

#[test]
fn a_busy_machine_says_nothing_about_live_agreement() {
    let mut records = records(1.0);
    for record in &mut records {
        if record.run.settings.text("how") == "live" && record.run.seed > 4 {
            record.measured = Measured::skipped("this machine is too busy");
        }
    }
    assert_eq!(verdicts(&records)[7], Verdict::NotTestable);
}

#[test]
fn a_difference_has_its_cause_beside_it() {
    let summary = Summary::of(&records(1.2));
    let exhibits = STUDY.exhibits(&summary);
    let tables = exhibits.iter().filter_map(|exhibit| match exhibit {
        crate::Exhibit::Table(table) if table.title.ends_with("beside ns-2") => Some(table),
        _ => None,
    });
    let causes: Vec<&String> = tables
        .flat_map(|table| table.rows.iter().filter_map(|row| row.last()))
        .collect();
    assert!(!causes.is_empty() && causes.iter().all(|cause| !cause.is_empty()));
}

#[test]
fn what_ns2_prints_is_read() {
    let mut said = Said::default();
    for line in [
        "+ 11.0 0 1 sctp 1500 -------D 0 0.0 1.0 1 1 1 0 0",
        "r 11.1 0 1 sctp 1500 -------D 0 0.0 1.0 1 1 1 0 0",
        "r 11.2 0 1 sctp 1500 -------D 0 0.0 1.0 1 3 3 0 2",
        "r 11.3 0 1 sctp 1500 -------D 0 0.0 1.0 1 2 4 0 1",
        "r 11.4 0 1 sctp 1500 -------D 0 0.0 1.0 1 2 5 0 1",
        "r 11.5 1 0 sctp 48 -------S 0 1.0 0.0 1 3 6 0 1",
    ] {
        said.take(line);
    }
    let settings = Settings::new()
        .with("transport", SCTP)
        .with("seconds", 11.0);
    // Three chunks per second.
    let rate = said.goodput(&settings).metrics["mbit_per_s"];
    assert!((rate - 3.0 * 1452.0 * 8e-6).abs() < 1e-9);
}

#[test]
fn cycles_and_pauses_are_found() {
    let windows: Vec<(f64, f64)> = (0..100)
        .map(|step| (20.0 + f64::from(step), f64::from(10 + step % 10)))
        .collect();
    assert_eq!(cycle(&windows).metrics["cycle_s"], 10.0);
    let pause = longest_pause(&[9.0, 10.5, 11.0, 15.0, 15.5], 10.0);
    assert_eq!(pause.metrics["switch_over_s"], 5.0);
}

fn mean(experiment: &str, settings: &Settings) -> Option<f64> {
    let mut values = Vec::new();
    for seed in 1..=4 {
        let run = Run::new(NAME, experiment, settings.clone(), seed);
        let measured = STUDY.execute(&run).expect("a run");
        if let Some(reason) = measured.skipped {
            eprintln!("skipped: {reason}");
            return None;
        }
        values.push(measured.metrics[metric(experiment)]);
    }
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

#[test]
fn a_few_points_are_as_in_ns2() {
    let sctp = Settings::new().with("transport", SCTP);
    let tcp = Settings::new().with("transport", TCP);
    let points = [
        (BULK, sctp.clone().with("loss_percent", 1.0), 60.0, 0.1),
        (BULK, tcp.clone().with("loss_percent", 1.0), 60.0, 0.15),
        (SAW_TOOTH, tcp.with("queue", 20.0), 60.0, 0.05),
        (DYING, sctp.with("path_max_retrans", 1.0), 20.0, 0.05),
    ];
    for (experiment, settings, seconds, apart) in points {
        let settings = settings.with("seconds", seconds);
        let of = |simulator: &str| mean(experiment, &settings.clone().with("simulator", simulator));
        let Some(theirs) = of(NS2) else {
            return;
        };
        let ratio = of(SHEAVE).expect("it was run") / theirs;
        assert!(
            (ratio - 1.0).abs() < apart,
            "{experiment} {settings}: {ratio}"
        );
    }
}
