//! Programs that were written for usrsctp, on this library: compiled with usrsctp's own header, linked
//! with its library, and started with this one in its place.

mod absent;
mod closed;
mod embedder;
mod exports;
mod hostile;
mod http;
mod installed;
mod janus;
mod locked;
mod programs;
mod rtcweb;
mod running;
