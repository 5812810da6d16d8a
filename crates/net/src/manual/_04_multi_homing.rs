//! Multi-homing: several addresses, failover, address changes.
//!
//! # Several paths
//!
//! Each end announces its addresses in the handshake. Data goes to the *primary* path; heartbeats
//! probe the others. When the primary path stops answering, data moves to another path without
//! action by the application, and moves back when the primary path recovers.
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
//! Each path uses the local address that the system's route to the peer selects; paths use
//! different local addresses if possible. For two paths through two gateways, routing must depend
//! on the source address (`ip rule`). Another local address is tried only while a path does not
//! answer, and regular heartbeats probe whether the path can return to its own.
//!
//! # How fast is failover?
//!
//! With [`Profile::Rfc9260`](crate::Profile::Rfc9260) a path fails after more than five
//! retransmission timeouts in a row, each twice as long as the one before: half a minute or more.
//! The other profiles, except `Rfc2960`, switch to another path after the first timeout (RFC 7829).
//! The options `rto_min`, `rto_max` and `path_max_retrans` tune this further.
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
//! # Address changes
//!
//! With [`Config::follow_addresses`](crate::Config::follow_addresses), associations continue
//! automatically when the machine changes networks. A program that chooses its addresses itself
//! makes these calls:
//!
//! `add_address` of the endpoint opens a socket for a new address of the machine; `add_address` of
//! an association announces it to the peer (RFC 5061), if both ends have the option
//! [`address_changes`](crate::Options::address_changes). An event reports the outcome.
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
