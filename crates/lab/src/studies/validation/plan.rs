use super::{
    BULK, DYING, GILBERT, NAME, NS2, SAW_TOOTH, SCTP, SHEAVE, SHEAVE_LASTING, TCP, is_random,
};
use crate::{Effort, Run, Settings};

/// The runs: each setting in both simulators.
pub(super) fn runs(effort: Effort) -> Vec<Run> {
    let mut runs = Vec::new();
    for (experiment, settings) in settings(effort) {
        let most = match is_random(experiment, &settings) {
            true => usize::MAX,
            false => 1,
        };
        let mut simulators = vec![SHEAVE, NS2];
        let has_losses = [BULK, GILBERT].contains(&experiment) && is_random(experiment, &settings);
        if has_losses && settings.text("transport") == SCTP {
            simulators.push(SHEAVE_LASTING);
        }
        for simulator in simulators {
            let settings = settings.clone().with("simulator", simulator);
            runs.extend(effort.runs(NAME, experiment, settings).take(most));
        }
    }
    runs
}

fn settings(effort: Effort) -> Vec<(&'static str, Settings)> {
    let lasting = |seconds: f64| Settings::new().with("seconds", seconds);
    let long = lasting(effort.choose(60.0, 150.0));
    // ns-2 hangs if a chunk is lost while the stream sequence number wraps, so no run may have
    // 65,536 messages.
    let short = lasting(55.0);
    // Loss rates, per cent.
    let losses = effort.choose(
        vec![0.0, 0.1, 1.0, 5.0, 10.0],
        vec![0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0],
    );
    let in_bad_state = effort.choose(vec![25.0], vec![10.0, 25.0, 50.0]);
    let queues = effort.choose(vec![20.0], vec![10.0, 20.0, 40.0]);
    let retransmissions = effort.choose(vec![0.0, 2.0, 5.0], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let mut all = Vec::new();
    let mut add = |experiment, one: &Settings, name, values: &[f64]| {
        all.extend(
            values
                .iter()
                .map(|at| (experiment, one.clone().with(name, *at))),
        );
    };
    for transport in [SCTP, TCP] {
        let one = long.clone().with("transport", transport);
        let (few, many): (Vec<f64>, Vec<f64>) = losses.iter().partition(|loss| **loss < 1.0);
        add(BULK, &one, "loss_percent", &many);
        let one = short.clone().with("transport", transport);
        add(BULK, &one, "loss_percent", &few);
        add(GILBERT, &one, "beta_percent", &in_bad_state);
        let one = lasting(75.0).with("transport", transport);
        add(SAW_TOOTH, &one, "queue", &queues);
    }
    let one = lasting(85.0).with("transport", SCTP);
    add(DYING, &one, "path_max_retrans", &retransmissions);
    all
}
