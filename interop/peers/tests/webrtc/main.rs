//! Data channels beside whole WebRTC stacks, both ends making the offer: ICE, DTLS, SCTP and channels.

mod aiortc;
mod cases;
mod chromium;
mod pion;
mod rtc;
mod str0m;
mod werift;
