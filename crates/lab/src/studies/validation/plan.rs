use super::live::packets::LOST;
use super::{
    BULK, DYING, GILBERT, NAME, NS2, SAW_TOOTH, SCTP, SHEAVE, SHEAVE_LASTING, TCP, is_random,
};
use crate::{Effort, Parameter, Run, Settings};

pub(super) fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::ours("link", "100 Mb/s, 20 ms one way, 100 packets, drop-tail"),
        Parameter::ours("packets", "1500 bytes, one DATA chunk or one segment each"),
        Parameter::ours(
            "SCTP",
            "the profile rfc2960 with the windows of RFC 9260, which ns-2.35 has; receive window \
             44 chunks; SACKs for every second packet, 200 ms late at most; heartbeats every 30 s",
        ),
        Parameter::ours(
            "TCP",
            "NewReno with SACK, growth by acknowledgements, receive window 44 segments, least \
             timeout 1 s, acknowledgements for every second segment, 200 ms late at most",
        ),
        Parameter::ours(
            "losses",
            "on the way there, packet by packet: 0 to 10 %, or in the bad state of ns-2's \
             MultiState (2.5 s good, 0.5 s bad, which then go on with 0.9 and 0.3 for each packet)",
        ),
        Parameter::ours(
            "saw-tooth",
            "10 Mb/s, 10 to 40 packets, no losses but the queue's, receive window without bounds",
        ),
        Parameter::ours(
            "death of the primary path",
            "a second, equal path; from a moment after 10 s nothing of what is sent on the first \
             arrives",
        ),
        Parameter::ours(
            "live, beside simulated twins",
            "four associations at a time over UDP, each through a link of its own; RFC 9260's \
             parameters but a least timeout of 200 ms, receive buffer 64 KiB; 10 s after 2 s; \
             thrown out where timers of the machine are more than 0.15 ms late on average",
        ),
        Parameter::ours(
            "packet for packet, live beside simulated",
            format!(
                "one association over 2 Mb/s, 400 packets, 20 ms one way, receive buffer 256 KiB, \
                 5 s; where losses are listed these packets on the way there are lost: {LOST:?}; on \
                 the link simulated packets have the bytes of a UDP header, too"
            ),
        ),
        Parameter::ours(
            "measured",
            "from 10 s to the end: bytes delivered in order; the cycle of the congestion window; \
             from the death to the end of the longest pause in delivery",
        ),
    ]
}

/// All runs: each setting in both simulators.
pub(super) fn runs(effort: Effort) -> Vec<Run> {
    let mut runs = Vec::new();
    for (experiment, settings) in settings(effort) {
        let seeds = match is_random(experiment, &settings) {
            true => effort.seeds().collect(),
            false => effort.seeds().take(1).collect::<Vec<u64>>(),
        };
        let mut simulators = vec![SHEAVE, NS2];
        let has_losses = [BULK, GILBERT].contains(&experiment) && is_random(experiment, &settings);
        if has_losses && settings.text("transport") == SCTP {
            simulators.push(SHEAVE_LASTING);
        }
        for simulator in simulators {
            runs.extend(seeds.iter().map(|seed| Run {
                study: NAME.to_owned(),
                experiment: experiment.to_owned(),
                settings: settings.clone().with("simulator", simulator),
                seed: *seed,
            }));
        }
    }
    runs
}

fn settings(effort: Effort) -> Vec<(&'static str, Settings)> {
    let lasting = |seconds: f64| Settings::new().with("seconds", seconds);
    let long = lasting(effort.choose(60.0, 150.0));
    // ns-2 stops for good where a chunk is lost while the stream sequence number wraps: no run may
    // have 65,536 messages.
    let short = lasting(55.0);
    // Per cent.
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
