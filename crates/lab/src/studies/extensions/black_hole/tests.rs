use super::{BLACK_HOLE, DISCOVERS, DROPS, PART, PLAIN, REPORTS, SILENT, execute};
use crate::studies::extensions::NAME;
use crate::studies::extensions::claims_of;
use crate::studies::rivals;
use crate::{Finding, Measured, Record, Run, Settings, Summary, Verdict};

fn run(router: &str, transport: &str) -> Run {
    Run::new(
        NAME,
        BLACK_HOLE,
        Settings::new()
            .with("mtu", 1280_u32)
            .with("router", router)
            .with("transport", transport),
        1,
    )
}

fn measured(router: &str, transport: &str) -> Measured {
    execute(&run(router, transport)).expect("a run")
}

#[test]
fn only_a_sender_that_probes_or_may_be_fragmented_goes_on() {
    let flows = |router, transport| measured(router, transport).metrics.contains_key("again_s");
    assert!(flows(SILENT, DISCOVERS));
    assert!(flows(REPORTS, DISCOVERS));
    assert!(flows(SILENT, PLAIN), "in fragments");
    assert!(!flows(DROPS, PLAIN));
    for tcp in rivals::ALL {
        assert!(!flows(SILENT, tcp), "{tcp}");
    }
}

#[test]
fn the_mtu_that_is_found_is_the_paths() {
    let pmtu = measured(SILENT, DISCOVERS).metrics["pmtu"];
    assert!((1273.0..=1280.0).contains(&pmtu), "{pmtu}");
}

#[test]
fn a_transfer_that_does_not_resume_does_not_reproduce_the_claim() {
    let claim = claims_of(&PART)[0].clone();
    let record = |again: Option<f64>| {
        let measured = Measured::new()
            .without_chance()
            .with("before_mbit_per_s", 10.0)
            .with("last_mbit_per_s", again.map_or(0.0, |_| 9.9))
            .with("pmtu", again.map_or(1500.0, |_| 1280.0))
            .with("bytes_after", again.map_or(0.0, |_| 1e6));
        Record {
            run: run(SILENT, DISCOVERS),
            measured: again.map_or(measured.clone(), |s| measured.with("again_s", s)),
        }
    };
    let verdict = |again| {
        let finding = Finding::new(claim.clone(), &Summary::of(&[record(again)]));
        finding.judgement.map(|judgement| judgement.ruling.verdict)
    };
    assert_eq!(verdict(Some(3.0)), Some(Verdict::Reproduced));
    assert_eq!(verdict(None), Some(Verdict::NotReproduced));
}
