//! The names that most programs use: `use sheave::prelude::*;`.
//!
//! For tasks, add `use sheave::tokio::{Association, Endpoint, Listener};`, which take precedence.

pub use crate::{
    Association, CloseReason, Config, Delivery, Endpoint, Event, Listener, Message, Options,
    PeerAddress, Ppid, Profile, Received, Reliability, SendOptions, StreamId, Target,
};
