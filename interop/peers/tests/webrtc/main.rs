//! Data channels beside whole WebRTC stacks, both ends making the offer: ICE, DTLS, SCTP and channels.
//! The tests are made of `interop/peers.toml`, one of each stack, feature and role.

mod cases;
mod refused;

use cases::run;
use sheave_interop::webrtc::Offerer;

include!(concat!(env!("OUT_DIR"), "/channels.rs"));
