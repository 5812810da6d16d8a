use super::{NAME, STUDY};
use crate::studies::rivals;
use crate::{
    Conclusion, Effort, Extent, Finding, Measured, Record, Run, Settings, Summary, Verdict,
};

fn run(experiment: &str, settings: Settings) -> Measured {
    let run = Run::new(NAME, experiment, settings, 1);
    STUDY.execute(&run).expect("a run")
}

#[test]
fn a_file_arrives_whole_over_either() {
    for transport in ["tcp, Linux 2.6", "tcp, RFC", "tcp, Linux today", "sctp"] {
        let settings = Settings::new()
            .with("transport", transport)
            .with("loss_percent", 5.0)
            .with("delay_ms", 5.0)
            .with("streams", 3.0)
            .with("buffer_kib", 64.0)
            .with("bytes", 100_000.0);
        let measured = run("stream-count", settings);
        assert!(measured.metrics["bytes"] >= 100_000.0);
    }
}

#[test]
fn streams_shorten_the_wait_for_others() {
    let delay = |streams: f64| {
        let settings = Settings::new()
            .with("transport", "sctp")
            .with("loss_percent", 5.0)
            .with("buffer_kib", 64.0)
            .with("streams", streams);
        run("head-of-line", settings).metrics["delay_mean_s"]
    };
    assert!(delay(10.0) < delay(1.0));
}

#[test]
fn streams_change_the_throughput_only_through_the_receive_buffer() {
    let rate = |kib: f64, streams: f64| {
        let settings = Settings::new()
            .with("transport", "sctp")
            .with("loss_percent", 10.0)
            .with("delay_ms", 50.0)
            .with("buffer_kib", kib)
            .with("bytes", 3e5)
            .with("streams", streams);
        run("stream-count", settings).metrics["mbit_per_s"]
    };
    assert_eq!(rate(1024.0, 1.0), rate(1024.0, 10.0));
    assert_ne!(rate(16.0, 1.0), rate(16.0, 10.0));
}

#[test]
fn every_live_run_has_a_simulated_twin() {
    let plan = STUDY.plan(Effort::default());
    let (live, others): (Vec<Run>, Vec<Run>) = plan
        .into_iter()
        .partition(|run| STUDY.live_time(run).is_some());
    assert!(!live.is_empty());
    for run in live {
        let twin = Run {
            settings: run.settings.clone().with("how", "simulated"),
            ..run
        };
        assert!(others.contains(&twin), "{twin}");
    }
}

#[test]
fn a_conclusion_is_drawn_from_todays_transports_alone() {
    let plan = STUDY.plan(Effort::default()).into_iter();
    let today = plan.filter(|run| {
        let settings = &run.settings;
        run.experiment == "delay" && settings.number("buffer_kib") == 1024.0
    });
    let records = today.map(|run| {
        let rate = match run.settings.text("transport") {
            rivals::SCTP_TODAY => 20.0,
            _ => 10.0,
        };
        let measured = Measured::new().with("mbit_per_s", rate);
        Record { run, measured }
    });
    let claims = STUDY.claims();
    let claim = claims.iter().find(|claim| claim.id == "ST-1");
    let summary = Summary::of(&records.collect::<Vec<Record>>());
    let finding = Finding::new(claim.expect("the claim").clone(), &summary);
    let (conclusion, ..) = finding.conclusion().expect("a paper's");
    assert_eq!(conclusion, Conclusion::Stands);
    assert!(
        finding.judgement.is_none(),
        "of the papers' there is no run"
    );
}

/// Records of the live runs over delays, with `tcp` as TCP's measurements.
fn over_delays(tcp: &Measured) -> Summary {
    let plan = STUDY.plan(Effort {
        extent: Extent::Full,
        ..Effort::default()
    });
    let wanted = plan
        .into_iter()
        .filter(|run| run.experiment == "live-delay");
    let records = wanted.map(|run| {
        let measured = match run.settings.text("transport") {
            "tcp" if STUDY.live_time(&run).is_some() => tcp.clone(),
            _ => Measured::new().with("mbit_per_s", 10.0),
        };
        Record { run, measured }
    });
    Summary::of(&records.collect::<Vec<Record>>())
}

fn first_live_claim(summary: &Summary) -> (Verdict, String) {
    let claims = STUDY.claims();
    let claim = claims.iter().find(|claim| claim.id == "ST-1 live");
    let judge = &claim.expect("the claim").judge;
    let judgement = judge(summary).expect("records");
    (judgement.ruling.verdict, judgement.ours + &judgement.why)
}

#[test]
fn a_live_claim_is_judged_by_the_live_runs() {
    let slow = Measured::new().with("mbit_per_s", 5.0);
    let (verdict, ours) = first_live_claim(&over_delays(&slow));
    assert_eq!(verdict, Verdict::Reproduced);
    let told = "2.000 (simulated 1.000) at 0 ms";
    assert!(ours.contains(told), "{ours}");
    let fast = Measured::new().with("mbit_per_s", 20.0);
    let (verdict, _) = first_live_claim(&over_delays(&fast));
    assert_eq!(verdict, Verdict::NotReproduced);
}

#[test]
fn without_the_kernels_tcp_a_live_claim_is_not_testable() {
    let (verdict, why) = first_live_claim(&over_delays(&Measured::skipped("no root")));
    assert_eq!((verdict, why.as_str()), (Verdict::NotTestable, "no root"));
}
