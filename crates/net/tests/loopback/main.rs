//! Two endpoints in one process, over real sockets on the loopback interface.

mod addresses;
#[cfg(linux)]
mod aliased;
mod authentication;
mod backpressure;
mod close;
#[cfg(feature = "dtls")]
mod dtls;
mod echo;
mod errors;
mod fork;
mod handover;
mod interleaving;
mod marking;
#[cfg(linux)]
mod namespaces;
mod pair;
mod partial;
mod paths;
mod poll;
mod raw;
mod relay;
#[cfg(linux)]
mod roaming;
#[cfg(linux)]
mod routed;
mod scale;
mod scopes;
#[cfg(feature = "secure")]
mod secure;
mod shards;
mod streams;
mod swap;
#[cfg(feature = "tokio")]
mod tasks;
