//! A deterministic network in virtual time.
//!
//! A [`World`] holds hosts, routers and links. An [`Agent`] runs on a host: the engine that also
//! runs on sockets, a TCP, or a traffic source. Packets are real bytes. Events are ordered by
//! (time, sequence number), time jumps from event to event, and equal seeds give equal runs, byte
//! for byte, in debug and release.
//!
//! The crate uses no clock and no threads.

mod agent;
mod capture;
mod corruption;
mod custom_keys;
mod custom_transport;
mod delay;
mod error_model;
mod event_log;
mod events;
mod files;
mod fingerprint;
mod first_sends;
mod icmp;
mod link;
mod long_packets;
mod packet;
mod packet_log;
mod packets;
mod program;
mod queue;
mod random;
mod rate;
pub mod scenario;
mod sctp;
pub mod tcp;
mod traffic;
mod transport;
mod udp;
mod visitor;
mod watch;
mod workload;
mod world;

/// Hash of this crate's sources, 16 hexadecimal digits.
pub const SOURCE_HASH: &str = env!("SHEAVE_SOURCE_HASH");

pub use agent::{Agent, Progress};
pub use capture::{Capture, Tap};
pub use corruption::{Corruption, Flips, Placement};
pub use custom_keys::{CustomKeys, KeyManagement};
pub use custom_transport::{CustomTransport, NewTransport};
pub use delay::{Delay, Order, Reordering, Variation};
pub use error_model::{BitErrorRate, Errors, Gilbert, Pattern, Reading, State};
pub use event_log::{VantagePoint, write_event_log};
pub use files::{
    FileReceipt, FileReceipts, FileReceiver, FileSender, Files, FtpClient, FtpServer, FtpStage,
    HttpClient, HttpServer, Requests, TransferMessage,
};
pub use fingerprint::Fingerprint;
pub use icmp::ErrorWarning;
pub use link::{LinkSpec, LinkStats, Outage};
pub use long_packets::{LongPackets, Narrowing};
pub use packet::{Packet, Protocol};
pub use program::Program;
pub use queue::{
    Codel, CustomQueue, Discipline, Limit, NewQueue, PacketQueue, QueuedPacket, Red, Signal,
};
pub use random::{Probability, Random};
pub use rate::{Bitrate, LinkTrace, LinkTraceError, Pace};
pub use sctp::Sctp;
pub use sheave_engine as engine;
pub use sheave_engine::Time;
pub use traffic::{Arrivals, Counter, Source, Traffic};
pub use transport::{Admission, Arrival, Standing, Transport};
pub use udp::{Udp, UdpStats, read_udp, write_udp};
pub use visitor::Visitor;
pub use watch::{Advertised, Sample, Stats};
pub use workload::{
    Bulk, Expected, Messages, Outgoing, Receipt, Sink, UrgentAndBulk, UrgentBesideBulk, Workload,
};
pub use world::{
    AgentId, HostId, InterfaceId, LinkId, Misdirected, Outcome, Port, RouterId, TopologyError,
    World,
};
