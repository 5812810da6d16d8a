//! `sheave doctor` as a process: on this machine, through networks whose router drops, rejects and
//! rewrites, and beside and inside a kernel with SCTP.

#[path = "doctor/finding.rs"]
mod finding;
#[path = "doctor/here.rs"]
mod here;
#[path = "doctor/kernel.rs"]
mod kernel;
#[path = "doctor/network.rs"]
mod network;
mod support;
#[path = "doctor/there.rs"]
mod there;
