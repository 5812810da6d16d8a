//! The vocabulary of every scenario: the engine's and the wire's names, and the world's.

pub(crate) use core::net::{IpAddr, Ipv4Addr};
pub(crate) use core::time::Duration;

pub(crate) use sheave_engine::wire::*;
pub(crate) use sheave_engine::*;

pub(crate) use crate::world::*;
