use super::{CONGESTION, DEATH, Failover, NAME};
use crate::{Effort, Measured, Run, Settings, Study};

fn first(experiment: &str) -> Run {
    let plan = Failover.plan(Effort::default());
    let mut runs = plan.into_iter();
    runs.find(|run| run.experiment == experiment)
        .expect("a run")
}

#[test]
fn the_transfer_is_whole_and_its_course_is_kept() {
    let Measured {
        metrics, series, ..
    } = Failover.execute(&first(CONGESTION)).expect("a run");
    assert_eq!(metrics["messages"], 100.0);
    assert!(metrics["cwnd_max"] > 6000.0);
    assert_eq!(series.len(), 6);
}

#[test]
fn a_dead_path_is_left_sooner_with_fewer_retransmissions_allowed() {
    let left = |limit: u16| {
        let run = Run {
            study: NAME.to_owned(),
            experiment: DEATH.to_owned(),
            settings: Settings::new()
                .with("rule", "RFC 9260")
                .with("path_max_retrans", limit),
            seed: 1,
        };
        Failover.execute(&run).expect("a run").metrics["left_s"]
    };
    assert!(left(0) < left(2));
}
