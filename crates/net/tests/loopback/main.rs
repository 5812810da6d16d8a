//! Two endpoints in one process, over real sockets on the loopback interface.

mod addresses;
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
mod namespaces;
mod pair;
mod partial;
mod paths;
mod poll;
mod raw;
mod relay;
#[cfg(target_os = "linux")]
mod roaming;
#[cfg(target_os = "linux")]
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
