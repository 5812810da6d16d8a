//! Multi-homing: several addresses, failover, address changes.
//!
//! # Several paths
//!
//! Each end tells the other its addresses in the handshake. Data goes to the *primary* path;
//! heartbeats watch the others. When the primary path stops answering, data moves to another one
//! without the application's doing, and moves back when the path recovers.
//!
//! ```no_run
//! use sheave::events::PathChange;
//! use sheave::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Two local addresses, in two networks.
//! let endpoint = Endpoint::bind(Config::udp(["192.0.2.1".parse()?, "198.51.100.1".parse()?], 9899))?;
//! // One address of the peer is enough to begin with; a second one helps if the first is down.
//! let remote = ["192.0.2.7".parse()?, "198.51.100.7".parse()?];
//! let association = endpoint.connect(Target::over_udp(remote, 9899, 5001))?;
//! let events = association.events();
//! std::thread::spawn(move || {
//!     for event in events {
//!         if let Event::Path { remote, change: PathChange::Down } = event {
//!             println!("no way to {remote} at present");
//!         }
//!     }
//! });
//! for path in association.path_stats() {
//!     println!("{}: {:?}, smoothed RTT {:?}", path.remote, path.state, path.srtt);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A path leaves from the address of ours to which the system's route to the peer leads; among
//! several of them paths share none if that can be. For two paths through two gateways, routing must
//! depend on the source (`ip rule`). Another address is tried only while a path does not answer, and
//! regular heartbeats ask when it can go back.
//!
//! # How fast is failover?
//!
//! With [`Profile::Rfc9260`](crate::Profile::Rfc9260) a path fails after five retransmission
//! timeouts in a row, each twice as long as the one before: half a minute or more. The other
//! profiles, but `Rfc2960`, leave a path after its first timeout (RFC 7829). `rto_min`, `rto_max`
//! and `path_max_retrans` set the rest.
//!
//! ```
//! use std::time::Duration;
//!
//! use sheave::prelude::*;
//!
//! let options = Options {
//!     rto_min: Duration::from_millis(100),
//!     rto_max: Duration::from_secs(1),
//!     path_max_retrans: 2,
//!     ..Profile::Telecom.options()
//! };
//! assert!(options.potentially_failed_max_retrans.is_some());
//! ```
//!
//! # Addresses that come and go
//!
//! With [`Config::follow_addresses`](crate::Config::follow_addresses) associations go on by themselves when the
//! machine changes networks. A program that chooses its addresses makes the calls itself:
//!
//! `add_address` of the endpoint opens a socket for an address that the machine got; `add_address`
//! of an association tells the peer (RFC 5061), if both ends have the option
//! [`address_changes`](crate::Options::address_changes). The outcome is an event.
//!
//! ```no_run
//! use sheave::prelude::*;
//!
//! # fn example(endpoint: &Endpoint, association: &Association)
//! #     -> Result<(), Box<dyn std::error::Error>> {
//! let wireless = "203.0.113.9".parse()?;
//! endpoint.add_address(wireless)?;
//! association.add_address(wireless)?;
//! association.set_peer_primary(wireless)?;
//! # Ok(())
//! # }
//! ```
