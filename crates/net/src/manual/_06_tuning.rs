//! Tuning: profiles, options, cores, what to measure.
//!
//! # Begin with a profile
//!
//! | profile | for |
//! | --- | --- |
//! | [`Modern`](crate::Profile::Modern) | the Internet: RACK-TLP, CUBIC, RTO.Min 200 ms, quick failover |
//! | [`Datacenter`](crate::Profile::Datacenter) | short round trips, high rates |
//! | [`Telecom`](crate::Profile::Telecom) | signalling: short messages, failover in a second |
//! | [`Linux`](crate::Profile::Linux) | the defaults of the kernel's SCTP |
//! | [`Rfc9260`](crate::Profile::Rfc9260), [`Rfc2960`](crate::Profile::Rfc2960) | studies and tests, to the letter |
//!
//! Change single [`Options`](crate::Options) from there; each field has its unit, range and default:
//!
//! ```no_run
//! use sheave::options::{CongestionAlgorithm, Interleaving};
//! use sheave::prelude::*;
//!
//! # fn example(endpoint: &Endpoint, target: Target) -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options {
//!     outbound_streams: 1000,
//!     send_buffer: 16 << 20,
//!     receive_buffer: 16 << 20,
//!     congestion: CongestionAlgorithm::Cubic,
//!     interleaving: Interleaving::On,
//!     ..Profile::Modern.options()
//! };
//! let association = endpoint.connect(target.with_options(options))?;
//! # Ok(())
//! # }
//! ```
//!
//! # Throughput
//!
//! * **Buffers**: an association carries at most one buffer per round trip. 100 Mbit/s over 100 ms
//!   need 1.25 MB; [`Options::buffers`](crate::Options::buffers) can adapt the buffers to the path.
//! * **Socket buffers**: [`Endpoint::warnings`](crate::handle::Endpoint::warnings) reports when the
//!   kernel granted less than [`Config::socket_buffer`](crate::Config::socket_buffer); raise
//!   `net.core.rmem_max` then. `CarrierStats::dropped` counts packets lost to full buffers.
//! * **Message size**: each message costs about 100 ns; messages of 8 KiB or more use a core fully.
//!
//! # Cores
//!
//! Many associations: use [`Shards`](crate::Shards), one endpoint per core with nothing shared. One
//! association with a high rate: raise [`Config::workers`](crate::Config::workers).
//!
//! # Latency
//!
//! A thread that repeatedly receives and answers polls the sockets itself, so that no other thread
//! has to wake it. [`Config::busy_poll`](crate::Config::busy_poll) lets the polling thread, this
//! one or a worker, spin before it sleeps;
//! [`Acknowledgement::Immediate`](crate::message::Acknowledgement::Immediate) asks the peer to
//! acknowledge a message at once; a [`StreamScheduler`](crate::streams::StreamScheduler) with
//! interleaving lets urgent streams go first.
//!
//! # Policies of your own
//!
//! You can supply the congestion control, the acknowledgement policy and the stream scheduler of an
//! association; each is a type that implements a trait of [`policies`](crate::policies) or
//! [`streams`](crate::streams). A congestion control with a fixed window, for a path of known
//! capacity:
//!
//! ```
//! use sheave::options::CongestionAlgorithm;
//! use sheave::policies::{
//!     Ack, CongestionControl, CongestionSignals, CustomCongestion, Loss, Time,
//! };
//! use sheave::prelude::*;
//!
//! #[derive(Clone, Debug)]
//! struct Fixed;
//!
//! impl CongestionControl for Fixed {
//!     fn on_ack(&mut self, _ack: &Ack) {}
//!     fn on_loss(&mut self, _now: Time, _loss: Loss) {}
//!     fn on_mark(&mut self, _now: Time) {}
//!     fn on_idle(&mut self, _rtos: u32) {}
//!     fn on_pmdcs(&mut self, _pmdcs: u64) {}
//!
//!     fn cwnd(&self) -> u64 {
//!         100_000
//!     }
//!
//!     fn ssthresh(&self) -> u64 {
//!         100_000
//!     }
//! }
//!
//! let options = Options {
//!     congestion: CongestionAlgorithm::Custom(CustomCongestion {
//!         name: "fixed",
//!         signals: CongestionSignals::Acknowledgements,
//!         make: |_path| Box::new(Fixed),
//!     }),
//!     ..Options::default()
//! };
//! assert!(options.validate().is_ok());
//! ```
//!
//! Policies run under the endpoint's lock and must be quick. A panic in a policy closes the
//! endpoint.
//!
//! # Inspect first
//!
//! ```no_run
//! use sheave::prelude::*;
//!
//! # fn example(endpoint: &Endpoint, association: &Association) {
//! for path in association.path_stats() {
//!     println!("{}: {} retransmissions, smoothed RTT {:?}", path.remote, path.retransmissions, path.srtt);
//! }
//! println!("{:?}\n{:?}", endpoint.stats(), endpoint.carrier_stats());
//! # }
//! ```
