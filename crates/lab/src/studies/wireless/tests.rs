use super::{NAME, STUDY, THROUGHPUT};
use crate::{Measured, Record, Run, Settings, Summary, Verdict};

fn run(settings: Settings) -> Measured {
    let run = Run::new(
        NAME,
        "beta",
        settings.with("seconds", 20.0).with("beta", 0.25),
        1,
    );
    STUDY.execute(&run).expect("a run")
}

fn scheme(scheme: &str, homing: &str) -> Settings {
    Settings::new()
        .with("reading", "gilbert-ns2")
        .with("rules", "rfc2960")
        .with("scheme", scheme)
        .with("homing", homing)
}

#[test]
fn chunk_checksum_beats_plain_sctp_over_one_path_and_over_two() {
    for homing in ["single", "multi"] {
        let plain = run(scheme("sctp", homing)).metrics;
        let checked = run(scheme("chunk-checksum", homing)).metrics;
        assert!(plain["packets_damaged"] > 20.0);
        assert!(checked["again_damaged"] > 20.0);
        assert!(plain["again_damaged"] == 0.0);
        assert!(checked[THROUGHPUT] > 1.2 * plain[THROUGHPUT], "{homing}");
    }
}

/// Synthetic records of a sweep in one interpretation; `of` gives the throughput by x, scheme and
/// homing.
fn made_up_in(
    reading: &str,
    (experiment, x): (&str, &str),
    places: &[f64],
    of: fn(f64, &str, &str) -> f64,
) -> Vec<Record> {
    let mut records = Vec::new();
    for at in places {
        for homing in ["single", "multi"] {
            for name in ["sctp", "chunk-checksum"] {
                for seed in 1..=6_u32 {
                    let settings = scheme(name, homing).with("reading", reading).with(x, *at);
                    let noise = f64::from(seed) / 10.0;
                    let value = of(*at, name, homing) + noise;
                    records.push(Record {
                        run: Run::new(NAME, experiment, settings, seed.into()),
                        measured: Measured::new().with(THROUGHPUT, value),
                    });
                }
            }
        }
    }
    records
}

/// Synthetic records of a sweep in all interpretations.
fn made_up(sweep: (&str, &str), places: &[f64], of: fn(f64, &str, &str) -> f64) -> Summary {
    let readings = ["gilbert-ns2", "gilbert-periodic", "gilbert-exponential"];
    let all = readings.map(|reading| made_up_in(reading, sweep, places, of));
    Summary::of(&all.concat())
}

fn verdict(id: &str, summary: &Summary) -> Option<Verdict> {
    let claims = STUDY.claims();
    let claim = claims.iter().find(|claim| claim.id == id)?;
    Some((claim.judge)(summary)?.ruling.verdict)
}

#[test]
fn the_gains_of_the_paper_reproduce_its_claim_and_smaller_ones_do_not() {
    let sweep = ("loss", "loss_percent");
    let as_printed = made_up(sweep, &[0.0, 1.0, 5.0], |_, scheme, _| match scheme {
        "sctp" => 500.0,
        _ => 750.0,
    });
    assert_eq!(verdict("WL-3", &as_printed), Some(Verdict::Reproduced));
    let less = made_up(sweep, &[0.0, 1.0, 5.0], |_, scheme, _| match scheme {
        "sctp" => 500.0,
        _ => 600.0,
    });
    assert_eq!(verdict("WL-3", &less), Some(Verdict::Partly));
    let none = made_up(sweep, &[0.0, 1.0, 5.0], |_, scheme, _| match scheme {
        "sctp" => 500.0,
        _ => 400.0,
    });
    assert_eq!(verdict("WL-3", &none), Some(Verdict::NotReproduced));
}

#[test]
fn the_first_claim_wants_two_paths_to_be_best() {
    let sweep = ("beta", "beta");
    let places = [0.0, 0.25, 0.5];
    let as_printed = made_up(sweep, &places, |beta, scheme, homing| {
        match (scheme, homing) {
            ("sctp", "single") => 1300.0 - 2000.0 * beta,
            ("sctp", _) => 1300.0 - 1500.0 * beta,
            (_, "single") => 1300.0 - 1000.0 * beta,
            _ => 1300.0 - 500.0 * beta,
        }
    });
    assert_eq!(verdict("WL-1", &as_printed), Some(Verdict::Reproduced));
    let other = made_up(sweep, &places, |beta, scheme, homing| {
        match (scheme, homing) {
            ("sctp", _) => 1300.0 - 2000.0 * beta,
            (_, "single") => 1300.0 - 500.0 * beta,
            _ => 1300.0 - 1000.0 * beta,
        }
    });
    assert_eq!(verdict("WL-1", &other), Some(Verdict::Partly));
}

#[test]
fn each_reading_is_judged_by_its_own_runs() {
    let sweep = ("loss", "loss_percent");
    let gains = made_up(sweep, &[1.0], |_, scheme, _| match scheme {
        "sctp" => 500.0,
        _ => 750.0,
    });
    for id in ["WL-3", "WL-3p", "WL-3e"] {
        assert_eq!(verdict(id, &gains), Some(Verdict::Reproduced), "{id}");
    }
    let mut records = made_up_in("gilbert-ns2", sweep, &[1.0], |_, scheme, _| match scheme {
        "sctp" => 500.0,
        _ => 750.0,
    });
    records.extend(made_up_in("gilbert-periodic", sweep, &[1.0], |_, _, _| {
        500.0
    }));
    let summary = Summary::of(&records);
    assert_eq!(verdict("WL-3", &summary), Some(Verdict::Reproduced));
    assert_eq!(verdict("WL-3p", &summary), Some(Verdict::NotReproduced));
    assert_eq!(verdict("WL-3e", &summary), None, "it was not run");
}
