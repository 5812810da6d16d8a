use std::thread;

use sheave_sim::scenario::CustomAlgorithms;

use super::{Experiment, Name, Versions};
use crate::{Claim, Effort, Exhibit, Finding, Measured, Record, Study, Summary, Verdict, studies};

const TEXT: &str = include_str!("tests/delays.toml");

fn read(text: &str) -> Result<Experiment, String> {
    let name = Name {
        study: "mine".to_owned(),
        experiment: "delays".to_owned(),
    };
    let read = Experiment::read(name, text, CustomAlgorithms::default(), Versions::One);
    read.map_err(|wrong| wrong.reason)
}

fn experiment() -> Experiment {
    read(TEXT).expect("an experiment")
}

/// Records of so many seeds of every case.
fn records(seeds: u32, measured: impl Fn(&str, f64, u64) -> Measured) -> Summary {
    let effort = Effort {
        seeds: Some(seeds),
        ..Default::default()
    };
    let experiment = experiment();
    let records = experiment.plan(effort).map(|run| Record {
        measured: measured(
            run.settings.text("side"),
            run.settings.number("delay_ms"),
            run.seed,
        ),
        run,
    });
    Summary::of(&records.collect::<Vec<_>>())
}

fn verdicts(summary: &Summary) -> Vec<Option<Verdict>> {
    let claims = experiment().claims().into_iter();
    let findings = claims.map(|claim| Finding::new(claim, summary));
    findings
        .map(|finding| finding.judgement.map(|judgement| judgement.ruling.verdict))
        .collect()
}

/// Rates and round-trip times that differ a little between seeds.
fn plausible(factor: f64) -> impl Fn(&str, f64, u64) -> Measured {
    move |side, delay, seed| {
        let noise = 1.0 + seed as f64 / 100.0;
        let rate = if side == "sctp" { factor * noise } else { 1.0 };
        Measured::new()
            .with("late_mbit_per_s", rate)
            .with("main.srtt_ms", delay + noise)
    }
}

#[test]
fn claims_are_judged_at_every_place_of_the_sweep() {
    use Verdict::{NotReproduced, Reproduced, Undecided};
    let all = verdicts(&records(8, plausible(2.0)));
    assert_eq!(all, [Some(Reproduced), Some(Reproduced)]);
    let all = verdicts(&records(8, plausible(1.0)));
    assert_eq!(all, [Some(NotReproduced), Some(Reproduced)]);
    let few = verdicts(&records(2, plausible(2.0)));
    assert_eq!(few, [Some(Undecided), Some(Undecided)]);
    assert_eq!(verdicts(&Summary::of(&[])), [None, None]);
}

#[test]
fn a_rule_for_every_run_falls_with_a_single_one() {
    let late = |side: &str, delay: f64, seed| {
        let measured = plausible(2.0)(side, delay, seed);
        match (delay, seed) {
            (5.0, 3) => measured.with("main.srtt_ms", 11.0),
            _ => measured,
        }
    };
    assert_eq!(verdicts(&records(8, late))[1], Some(Verdict::Partly));
}

#[test]
fn a_metric_that_no_run_has_is_named_with_the_nearest() {
    let text = TEXT.replace("late_mbit_per_s > 1.5", "main.late.mbit_per_sec > 1.5");
    let claims: Vec<Claim> = read(&text).expect("an experiment").claims();
    let summary = records(5, |side, delay, seed| {
        plausible(2.0)(side, delay, seed).with("main.late.mbit_per_s", 1.0)
    });
    let judgement = (claims[0].judge)(&summary).expect("a judgement");
    assert_eq!(judgement.ruling.verdict, Verdict::NotTestable);
    assert_eq!(
        judgement.why,
        "No run has the metric `main.late.mbit_per_sec`; did you mean `main.late.mbit_per_s`?"
    );
}

#[test]
fn tables_compare_series_and_charts_have_a_curve_for_each_value() {
    let exhibits = experiment().exhibits(&records(5, plausible(2.0)));
    let [Exhibit::Chart(chart), Exhibit::Table(table)] = &exhibits[..] else {
        panic!("{exhibits:?}");
    };
    let curves = chart.curves.iter();
    let curves: Vec<_> = curves
        .map(|one| (one.name.as_str(), one.points.len()))
        .collect();
    assert_eq!(curves, [("sctp", 2), ("tcp", 2)]);
    assert_eq!(table.rows.len(), 2);
    assert_eq!(table.rows[1][0], "20");
    assert!(table.rows[1][1].starts_with("2.060"), "{:?}", table.rows);
}

#[test]
fn a_window_counts_its_own_bytes() {
    let experiment = experiment();
    let case = &experiment.cases()[0];
    let measured = case
        .execute(1, &false.into())
        .expect("a run")
        .expect("its end");
    let metric = |name: &str| measured.metrics[name];
    // Of 1 Mbit/s, headers take some percent.
    let late = metric("late_mbit_per_s");
    assert!((0.9..1.0).contains(&late), "{late}");
    assert!(metric("main.late.bytes") < metric("main.bytes"));
    let reached = metric("main.late.reached_s");
    assert!((0.08..0.1).contains(&reached), "{reached}");
    let queue = metric("link.wire.late.queue_mean");
    assert!((1.0..=10.0).contains(&queue), "{queue}");
}

/// Mistakes: a text of the experiment, the text in its place, and the error; `|` is the end of a line.
const MISTAKES: &str = r#"
side = "tcp" } }|holds => side = "tpc" } }|holds => claim.MINE-1.series.tcp.side: the sweep has no tpc there; it has sctp, tcp
at = { side => at = { sides => claim.MINE-2.at.sides: the sweep has no such key; it has side, delay
tcp = { side = "tcp" } }|holds => tcp = { delay = "5 ms" } }|holds => claim.MINE-1.series.sctp: is several cases, such as (delay_ms = 5, side = sctp) and (delay_ms = 20, side = sctp)
1.5 * tcp.late => 1.5 * udp.late => claim.MINE-1.holds: `udp.late_mbit_per_s` begins with none of the series (sctp, tcp), and is no swept number
1.5 * tcp.late_mbit_per_s => 1.5 * tcp.mian.mbit_per_s => claim.MINE-1.holds: there is no flow or metric `mian`; did you mean `main`?
main.srtt_ms <= delay + 5 => 2 <= delay + 5 => claim.MINE-2.holds: `in every run: 2 <= delay + 5` compares no metric
holds = ["sctp.late_mbit_per_s > 1.5 * tcp.late_mbit_per_s"] =>  => claim.MINE-1.holds: is missing: a list of tests, such as ["one.main.mbit_per_s > other.main.mbit_per_s"]
delay = "$delay" => delay = "$dealy" => link.wire.delay: nothing under `let` is called `dealy`; did you mean `$delay`?
"#;

#[test]
fn errors_name_the_field_and_the_fix() {
    for line in MISTAKES.trim().lines() {
        let [from, to, error] = line.split(" => ").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let text = TEXT.replacen(&from.replace('|', "\n"), &to.replace('|', "\n"), 1);
        assert_ne!(text, TEXT, "{from}");
        assert_eq!(read(&text).err().as_deref(), Some(error));
    }
    for (from, to, words) in [
        (
            "> 1.5 *",
            "=> 1.5 *",
            ["claim.MINE-1", "expected in place of"],
        ),
        ("statement =", "sentence =", ["claim.MINE-1", "statement"]),
        ("from = \"1 s\"", "from = \"1\"", ["window", "such as"]),
        ("curve =", "curves =", ["chart", "curve"]),
    ] {
        let error = read(&TEXT.replacen(from, to, 1)).expect_err("an error");
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

/// Carries out the quick runs of a study's experiment with one seed, and judges its claims.
fn judge(study: &Study, experiment: &Experiment) {
    let runs = experiment.plan(Effort::default());
    let records = runs.filter(|run| run.seed == 1).map(|run| Record {
        measured: study.execute(&run).expect("a run"),
        run,
    });
    let (all, none) = (Summary::of(&records.collect::<Vec<_>>()), Summary::of(&[]));
    for claim in experiment.claims() {
        let finding = Finding::new(claim.clone(), &all);
        let (ours, why) = finding.account();
        println!("{} {}: {ours} ({why})", claim.id, finding.verdict());
        assert!(
            finding.judgement.is_some() && !ours.is_empty(),
            "{}",
            claim.id
        );
        assert!(Finding::new(claim, &none).judgement.is_none());
    }
    let shown = experiment.exhibits(&all);
    assert_eq!(shown.is_empty(), all.iter().next().is_none());
}

#[test]
fn every_claim_of_a_study_is_judged_from_a_single_seed_and_none_without_runs() {
    thread::scope(|scope| {
        for study in studies() {
            for experiment in study.experiments() {
                scope.spawn(move || judge(study, experiment));
            }
        }
    });
}
