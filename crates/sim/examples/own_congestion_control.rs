//! A congestion control of one's own beside CUBIC, each alone on the same link:
//!
//! `cargo run --release -p sheave-sim --example own_congestion_control`

use sheave_sim::engine::{
    Ack, CongestionControl, CongestionSignals, CustomCongestion, CustomPolicies, Loss, NewPath,
    NewReno, Time,
};
use sheave_sim::scenario;

const SCENARIO: &str = r#"
    duration = "20 s"
    hosts = ["A", "B"]

    [link.long]
    ends = ["A", "B"]
    rate = "50 Mbit/s"
    delay = "40 ms"
    queue = { kind = "drop-tail", packets = 200 }
    loss = "0.1 %"

    [flow.main]
    from = "A"
    to = "B"
    workload = { kind = "bulk", message = "8 KiB" }
    sctp = { send_buffer = "4 MiB", receive_buffer = "4 MiB" }

    [sweep]
    "flow.main.sctp.congestion" = ["cubic", "gentle"]
"#;

/// New Reno, but a loss that gap reports show costs an eighth of the window, not half.
#[derive(Clone, Debug)]
struct Gentle(NewReno);

impl CongestionControl for Gentle {
    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        let window = self.0.cwnd();
        self.0.on_loss(now, loss);
        if loss != Loss::Timeout {
            // Windows left by another endpoint are taken over in the same way.
            self.0.on_resume(window / 8 * 7, window / 8 * 7);
        }
    }

    fn on_mark(&mut self, now: Time) {
        self.0.on_mark(now);
    }

    fn on_idle(&mut self, rtos: u32) {
        self.0.on_idle(rtos);
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.0.on_pmdcs(pmdcs);
    }

    fn cwnd(&self) -> u64 {
        self.0.cwnd()
    }

    fn ssthresh(&self) -> u64 {
        self.0.ssthresh()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gentle = CustomCongestion {
        name: "gentle",
        signals: CongestionSignals::Acknowledgements,
        make: |&NewPath {
                   pmdcs,
                   rules,
                   initial,
               }| { Box::new(Gentle(NewReno::new(pmdcs, rules, initial))) },
    };
    let policies = CustomPolicies::default().with_congestion(gentle);
    for case in scenario::read_with(SCENARIO, &policies)? {
        let mut run = case.scenario.build(1)?;
        run.world.run_until(run.end);
        let bytes = run.sink("main").map_or(0, sheave_sim::Sink::bytes);
        let rate = bytes as f64 * 8e-6 / run.world.now().as_secs_f64();
        println!("{:?}: {rate:.1} Mbit/s", case.settings);
    }
    Ok(())
}
