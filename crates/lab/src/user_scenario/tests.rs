use std::collections::BTreeSet;

use super::UserScenario;
use crate::palette::Palette;
use crate::{Chart, Exhibit, Lines, Machine, Manifest, Measured, Record, Report, Run, Setting};

const TEXT: &str = include_str!("tests/lossy.toml");

fn scenario(text: &str) -> UserScenario {
    UserScenario::read("lossy", text).expect("a scenario")
}

#[test]
fn every_case_is_run_with_every_seed() {
    let scenario = scenario(TEXT);
    assert_eq!(scenario.title(), "a lossy link");
    let runs = scenario.plan(None);
    assert_eq!(runs.len(), 8);
    assert_eq!(scenario.plan(Some(5)).len(), 20);
    // Numbers of one quantity share a unit, whatever the file uses.
    let delays: Vec<f64> = runs
        .iter()
        .map(|run| run.settings.number("link.near.delay_ms"))
        .collect();
    assert_eq!(delays, [0.5, 0.5, 20.0, 20.0, 0.5, 0.5, 20.0, 20.0]);
    let tcp = runs.last().expect("a run");
    assert_eq!(tcp.settings.text("flow.files.transport"), "tcp");
    assert!(runs.iter().all(|run| scenario.scenario(run).is_some()));
}

#[test]
fn the_transports_of_the_laboratory_are_among_those_that_an_error_lists() {
    let text = TEXT.replace("transport = \"udp\"", "transport = \"quik\"");
    let error = UserScenario::read("lossy", &text).expect_err("no such transport");
    let error = error.to_string();
    for transport in crate::quic::TRANSPORTS {
        assert!(error.contains(transport.name), "{error}");
    }
}

#[test]
fn a_change_of_what_is_run_makes_other_runs_and_a_comment_does_not() {
    let first = scenario(TEXT).plan(None);
    let commented = scenario(&format!("# why\n{TEXT}")).plan(None);
    assert_eq!(first, commented);
    let slower = scenario(&TEXT.replace("10 Mbit/s", "9 Mbit/s")).plan(None);
    assert!(first.iter().all(|run| !slower.contains(run)));
}

#[test]
fn flows_and_links_are_measured() {
    let scenario = scenario(TEXT);
    let runs = scenario.plan(None);
    for run in [&runs[0], &runs[4]] {
        let measured = scenario.execute(run).expect("a run");
        let metric = |name: &str| {
            let value = measured.metrics.get(name);
            *value.unwrap_or_else(|| panic!("{name} is not in {:?}", measured.metrics))
        };
        assert_eq!(metric("files.messages"), 200.0);
        assert_eq!(metric("files.finished"), 1.0);
        assert!(metric("files.bytes") >= 200_000.0);
        assert!(metric("files.delay_p50_ms") <= metric("files.delay_p99_ms"));
        assert!(metric("files.delay_mean_ms") > 0.5);
        assert!(metric("files.mbit_per_s") < 10.0);
        assert!(metric("files.srtt_ms") > 1.0);
        assert!(metric("noise.packets_received") > 0.0);
        // Each packet offered to a link was lost or delivered.
        let offered = metric("link.far.offered");
        assert_eq!(offered, metric("link.near.delivered"));
        assert!(metric("link.far.lost") + metric("link.far.delivered") <= offered);
        if metric("link.far.lost") > 3.0 {
            assert!(metric("files.retransmissions") > 0.0);
        }
        assert!(
            measured
                .series
                .iter()
                .any(|series| series.name == "files.cwnd_kib")
        );
    }
}

#[test]
fn the_delay_since_the_first_send_leaves_out_the_wait_at_the_sender() {
    let text = r#"
        duration = "20 s"
        hosts = ["A", "B"]
        [link.wire]
        ends = ["A", "B"]
        rate = "1 Mbit/s"
        delay = "40 ms"
        [flow.main]
        from = "A"
        to = "B"
        workload = { kind = "messages", message = 1000, count = 100 }
    "#;
    let scenario = scenario(text);
    let measured = scenario.execute(&scenario.plan(None)[0]).expect("a run");
    let metric = |name: &str| measured.metrics[&format!("main.{name}")];
    // A packet of 1048 bytes takes 8.4 ms, plus 40 ms; all messages are available at once.
    assert!(metric("delay_max_ms") > 100.0 * 8.3);
    assert!(metric("first_send_delay_p50_ms") >= 48.3);
    assert!(metric("first_send_delay_mean_ms") < metric("delay_mean_ms") / 2.0);
}

#[test]
fn steps_change_nothing_of_a_run() {
    let scenario = scenario(TEXT);
    let run = &scenario.plan(None)[1];
    let measured = scenario.execute(run).expect("a run");
    let mut whole = scenario
        .scenario(run)
        .expect("a scenario")
        .build(run.seed)
        .expect("a world");
    whole.world.run_to_completion(whole.end);
    let fingerprint = whole.world.fingerprint().to_string();
    assert_eq!(measured.fingerprint, Some(fingerprint));
}

#[test]
fn the_report_shows_a_curve_for_each_transport_over_what_is_swept() {
    let scenario = scenario(TEXT);
    let records = scenario.plan(None).into_iter().map(|run| Record {
        measured: scenario.execute(&run).expect("a run"),
        run,
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run lossy.toml");
    let report = Report::render(&records, &[scenario], manifest);
    assert_eq!(report.chapters.len(), 1);
    let charts = report.chapters[0].exhibits.iter().filter_map(|exhibit| {
        let Exhibit::Chart(chart) = exhibit else {
            return None;
        };
        Some((chart.x.as_str(), chart.curves.len()))
    });
    let charts: Vec<_> = charts.collect();
    assert_eq!(charts[0], ("near.delay (ms)", 4));
    let page = &report.pages()[0].text;
    assert!(page.contains("What each flow achieved"));
    assert!(page.contains("files, sctp"));
}

/// The report on a sweep of two delays for each of so many rates.
fn swept(series: u32) -> Report {
    let rates: Vec<String> = (1..=series)
        .map(|rate| format!("\"{rate} Mbit/s\""))
        .collect();
    let text = format!(
        r#"
        duration = "1 s"
        hosts = ["A", "B"]
        [link.wire]
        ends = ["A", "B"]
        [flow.main]
        from = "A"
        to = "B"
        workload = {{ kind = "bulk", message = 1000 }}
        [sweep]
        "link.wire.delay" = ["1 ms", "10 ms"]
        "link.wire.rate" = [{}]
        "#,
        rates.join(", ")
    );
    let scenario = scenario(&text);
    let records = scenario.plan(Some(1)).into_iter().map(|run| Record {
        measured: Measured::new().with("main.mbit_per_s", 1.0),
        run,
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run lossy.toml");
    Report::render(&records, &[scenario], manifest)
}

#[test]
fn every_series_of_a_sweep_is_shown_up_to_limits_that_titles_say() {
    for (series, charts, curves, rows, charts_say, table_says) in [
        (1, 1, 1, 2, "", ""),
        (8, 1, 8, 16, "", ""),
        (12, 2, 12, 24, " of 2)", ""),
        (30, 4, 30, 60, " of 4)", ""),
        (
            70,
            8,
            64,
            60,
            " of 8; the first 64 of 70 series, the data has all)",
            " (the first 60 of 140 rows; the data has all)",
        ),
    ] {
        let report = swept(series);
        let exhibits = &report.chapters[0].exhibits;
        let found = exhibits.iter().filter_map(|exhibit| match exhibit {
            Exhibit::Chart(chart) => Some(chart),
            _ => None,
        });
        let found: Vec<&Chart> = found.collect();
        let palette = Palette::of(found.iter().copied());
        let mut named = BTreeSet::new();
        for chart in &found {
            assert!(chart.title.ends_with(charts_say), "{}", chart.title);
            let looks = palette.looks(chart);
            let looks: BTreeSet<(usize, usize)> =
                looks.iter().map(|look| (look.colour, look.dash)).collect();
            assert_eq!(looks.len(), chart.curves.len(), "{}", chart.title);
            named.extend(chart.curves.iter().map(|curve| curve.name.as_str()));
        }
        assert_eq!((found.len(), named.len()), (charts, curves));
        let flows = exhibits.iter().find_map(|exhibit| match exhibit {
            Exhibit::Table(table) if table.title.starts_with("What each flow") => Some(table),
            _ => None,
        });
        let flows = flows.expect("a table of the flows");
        let title = format!("What each flow achieved{table_says}");
        assert_eq!((&flows.title, flows.rows.len()), (&title, rows));
        // The figures' own tables have all that the figures show.
        let page = &report.pages()[0].text;
        for name in named {
            let head = format!("<th scope=\"col\">{name}<");
            assert_eq!(page.matches(&head).count(), 1, "{name}");
        }
    }
}

#[test]
fn a_wrong_word_is_named_with_the_nearest_right_one() {
    let wrong = |from: &str, to: &str| {
        let error = UserScenario::read("mine", &TEXT.replacen(from, to, 1));
        error.expect_err("something is wrong").to_string()
    };
    assert_eq!(
        wrong("duration", "durration"),
        "mine: durration: there is no such key; did you mean `duration`?"
    );
    assert_eq!(
        wrong("delay = ", "dealy = "),
        "mine: link.near.dealy: there is no such key; did you mean `delay`?"
    );
    let taken = UserScenario::read("streams", TEXT).expect_err("a study is called that");
    assert_eq!(taken.to_string(), "streams: a study is called that");
}

#[test]
fn texts_stay_texts_and_units_do_not_mix() {
    let mixed = TEXT.replace(r#"["500 us", "0.02 s"]"#, r#"["1 ms", "0 s"]"#);
    let runs: Vec<Run> = scenario(&mixed).plan(Some(1));
    let value = runs[1].settings.value("link.near.delay_ms");
    assert_eq!(value, Some(&Setting::Number(0.0)));
}

#[test]
fn the_report_shows_keys_that_change_together_as_one_axis() {
    let text = TEXT.replace(
        r#""link.near.delay" = ["500 us", "0.02 s"]"#,
        r#""link.near.delay, link.far.delay" = ["500 us", "0.02 s"]"#,
    );
    let report = report(&scenario(&text));
    let charts = charts(&report);
    assert_eq!(
        (charts[0].x.as_str(), charts[0].curves.len()),
        ("near.delay (ms)", 4)
    );
    assert_eq!(charts[0].curves[0].points.len(), 2);
}

#[test]
fn the_report_shows_sampled_points_without_lines_between_them() {
    let (text, _) = TEXT.split_once("[sweep]").expect("a sweep");
    let text = format!(
        "{text}[sweep.sample]\ncount = 5\n\
         \"link.near.delay\" = {{ from = \"1 ms\", to = \"20 ms\" }}\n\
         \"link.far.loss\" = {{ from = \"1 %\", to = \"3 %\" }}\n"
    );
    let scenario = scenario(&text);
    assert_eq!(scenario.plan(Some(1)).len(), 5);
    let report = report(&scenario);
    let charts = charts(&report);
    assert_eq!(charts[0].lines, Lines::None);
    assert_eq!(charts[0].curves[0].points.len(), 5);
}

fn report(scenario: &UserScenario) -> Report {
    let records = scenario.plan(Some(1)).into_iter().map(|run| Record {
        measured: scenario.execute(&run).expect("a run"),
        run,
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run lossy.toml");
    Report::render(&records, std::slice::from_ref(scenario), manifest)
}

fn charts(report: &Report) -> Vec<&Chart> {
    let exhibits = report.chapters[0].exhibits.iter();
    let charts = exhibits.filter_map(|exhibit| match exhibit {
        Exhibit::Chart(chart) => Some(chart),
        _ => None,
    });
    charts.collect()
}

#[test]
fn a_claim_of_a_scenario_gets_a_verdict_from_the_seeds() {
    let claim = r#"
        [[claim]]
        id = "MINE-1"
        statement = "SCTP is faster"
        series = { sctp = { "flow.files.transport" = "sctp" }, tcp = { "flow.files.transport" = "tcp" } }
        holds = ["sctp.files.mbit_per_s > tcp.files.mbit_per_s"]
    "#;
    let scenario = scenario(&format!("{TEXT}{claim}"));
    let records = scenario.plan(Some(9)).into_iter().map(|run| {
        let is_sctp = run.settings.text("flow.files.transport") == "sctp";
        let rate = if is_sctp { 2.0 + run.seed as f64 } else { 1.0 };
        let measured = Measured::new().with("files.mbit_per_s", rate);
        Record { run, measured }
    });
    let records: Vec<Record> = records.collect();
    let manifest = Manifest::new(&records, Machine::this(), "sheave lab run lossy.toml");
    let report = Report::render(&records, &[scenario], manifest);
    let verdicts = report.findings().map(crate::Finding::verdict);
    assert_eq!(verdicts.collect::<Vec<_>>(), ["reproduced"]);
    assert!(report.markdown().contains("### MINE-1: reproduced"));
    let quick = UserScenario::read("lossy", &format!("quick = []\n{TEXT}"));
    let error = quick.expect_err("a study's key").to_string();
    assert!(error.starts_with("lossy: quick: only"), "{error}");
}
