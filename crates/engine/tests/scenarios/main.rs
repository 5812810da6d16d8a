//! The engine from outside, in virtual time: every test is a script over a simulated network.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

mod acknowledgement;
mod addresses;
mod authentication;
mod bbr;
mod buffer_sizes;
mod buffers;
mod congestion;
mod custom;
mod data;
mod driver;
mod ecn;
mod encapsulation;
mod establishment;
mod failover;
mod handover;
mod hostile;
mod interleaving;
mod listening;
mod many;
mod multihoming;
mod multipath;
mod nat;
mod nr_sack;
mod options;
mod out_of_the_blue;
mod pacing;
mod packet_drop;
mod papers;
mod partial;
mod path_mtu;
mod prelude;
mod protection;
mod rack;
mod reconfig;
mod resized;
mod restart;
mod scheduler;
mod scopes;
mod send_buffer;
mod settings_of_one;
mod shared_memory;
mod shutdown;
mod sources;
mod standing_queue;
mod stream_buffers;
mod tags;
mod unknown;
mod world;
mod zero_checksum;
