//! A user-defined acknowledgement policy: SACKs a quarter of a round trip apart. Prints how much
//! arrived, and the number of packets sent in return.
//!
//! `cargo run --release -p sheave-sim --example own_acknowledgements`

use core::time::Duration;

use sheave_sim::engine::{
    AckTiming, Acknowledge, ArrivalOrder, CustomAcknowledgement, CustomPolicies, DataArrival,
};
use sheave_sim::scenario;

const SCENARIO: &str = r#"
    duration = "10 s"
    hosts = ["A", "B"]

    [link.wire]
    ends = ["A", "B"]
    rate = "50 Mbit/s"
    delay = "20 ms"
    queue = { kind = "drop-tail", packets = 200 }

    [flow.main]
    from = "A"
    to = "B"
    workload = { kind = "bulk", message = "8 KiB" }
    sctp = { receive_buffer = "4 MiB" }

    [sweep]
    "flow.main.sctp.acknowledgement_policy" = ["standard", "quarters"]
"#;

/// SACKs 10 ms apart, but one per packet at the start, and at once when data is missing.
#[derive(Clone, Debug, Default)]
struct Quarters {
    packets: u32,
}

impl Acknowledge for Quarters {
    fn on_packet(&mut self, arrival: &DataArrival) -> AckTiming {
        self.packets = self.packets.saturating_add(1);
        match arrival.order {
            ArrivalOrder::InOrder if self.packets > 200 => {
                AckTiming::Within(Duration::from_millis(10))
            }
            _ => AckTiming::Now,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quarters = CustomAcknowledgement {
        name: "quarters",
        make: || Box::<Quarters>::default(),
    };
    let policies = CustomPolicies::default().with_acknowledgement(quarters);
    for case in scenario::read_with(SCENARIO, &policies)? {
        let mut run = case.scenario.build(1)?;
        run.world.run_until(run.end);
        let bytes = run.sink("main").map_or(0, sheave_sim::Sink::bytes);
        let back = run.links.first().map(|link| run.world.link_stats(link.1));
        let packets = back.map_or(0, |stats| stats.sent);
        println!("{:?}: {bytes} bytes, {packets} packets back", case.settings);
    }
    Ok(())
}
