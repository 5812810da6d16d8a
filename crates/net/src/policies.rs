//! User-defined policies: congestion controls, acknowledgement policies; stream schedulers are in
//! [`streams`](crate::streams).
//!
//! ```
//! use core::time::Duration;
//!
//! use sheave::options::AcknowledgementPolicy;
//! use sheave::policies::{
//!     AckTiming, Acknowledge, ArrivalOrder, CustomAcknowledgement, DataArrival,
//! };
//! use sheave::prelude::*;
//!
//! /// A SACK for every tenth packet, and at once for what is out of order.
//! #[derive(Clone, Debug)]
//! struct EveryTenth;
//!
//! impl Acknowledge for EveryTenth {
//!     fn on_packet(&mut self, arrival: &DataArrival) -> AckTiming {
//!         match arrival.order {
//!             ArrivalOrder::InOrder if arrival.unacknowledged < 10 => {
//!                 AckTiming::Within(Duration::from_millis(20))
//!             }
//!             _ => AckTiming::Now,
//!         }
//!     }
//! }
//!
//! let options = Options {
//!     acknowledgement_policy: AcknowledgementPolicy::Custom(CustomAcknowledgement {
//!         name: "every-tenth",
//!         make: || Box::new(EveryTenth),
//!     }),
//!     ..Options::default()
//! };
//! assert!(options.validate().is_ok());
//! ```

pub use sheave_engine::{
    Ack, AckTiming, Acknowledge, ArrivalOrder, Bbr, CongestionControl, CongestionSignals, Cubic,
    Cumulative, CustomAcknowledgement, CustomCongestion, CustomPolicies, DataArrival, Excess,
    Flown, HighSpeed, Limit, Loss, NewPath, NewReno, Rate, RateSample, Recovery, Siblings, Time,
};
