//! The same API as the crate's root, with `async` functions. It runs on tokio and on any other
//! executor: the driver's thread wakes tasks through their wakers. Use `tokio::time::timeout`
//! around a call that shall not wait for ever; every call may be cancelled without harm.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;

use crate::{
    AssocStats, BindError, CarrierStats, CloseReason, Config, ConnectError, EndpointStats, Event,
    ListenError, Message, Options, PathError, PathStats, ReceiveError, Received, SendError,
    SendOptions, Target, Warning,
};
