//! The project's own embedder of usrsctp, `interop/usrsctp/peer.c`, on this library.

use std::net::{IpAddr, Ipv4Addr};

use sheave_interop::session::{Load, PATIENCE, options};
use sheave_interop::{Child, Neighbours, Program, skip, tests};

use crate::installed::library;

fn on_ours() -> Result<Program, &'static str> {
    Program::usrsctp().map(|program| program.with_library(library()))
}

fn beside(talk: impl FnOnce(Neighbours)) {
    if let Some(near) = Neighbours::beside(on_ours()) {
        talk(near);
    }
}

fn pings(load: &Load) {
    beside(|near| near.ping(load, options(), ""));
}

tests! {
    the_embedder_echoes_what_sheave_sends => pings(&Load::new(1000, 500, 20));
    the_embedder_echoes_messages_of_a_megabyte => pings(&Load::new(1_000_000, 5, 2));
    the_embedder_echoes_unordered_messages => pings(&Load::new(3000, 200, 3).unordered());
    sheave_echoes_what_the_embedder_sends =>
        beside(|near| near.be_pinged(&Load::new(1000, 500, 20), options(), ""));
}

/// Has one program call another, both made of the same source.
fn converse(server: &Program, client: &Program, words: &str) {
    let mut serving = server.serve("echo", "");
    let mut calling: Child = client.call("ping", server.udp_port, &format!("2000 400 {words}"));
    let end = calling.line("ping bytes", PATIENCE);
    assert_eq!(end, "ping bytes 800000 messages 400 wrong 0 end shutdown");
    assert!(calling.succeeds(PATIENCE));
    let end = serving.line("echo bytes", PATIENCE);
    assert_eq!(end, "echo bytes 800000 messages 400 wrong 0 end shutdown");
}

/// The embedder with usrsctp and with this library.
fn both() -> Option<(Program, Program)> {
    let both = Program::usrsctp().and_then(|theirs| Ok((theirs, on_ours()?)));
    both.map_err(skip).ok()
}

fn with_both(talk: impl FnOnce(&Program, &Program)) {
    if let Some((theirs, ours)) = both() {
        talk(&theirs, &ours);
    }
}

tests! {
    usrsctp_serves_the_embedder => with_both(|theirs, ours| converse(theirs, ours, "streams=7"));
    the_embedder_serves_usrsctp => with_both(|theirs, ours| converse(ours, theirs, "streams=7"));
    the_embedder_serves_the_embedder =>
        with_both(|_, ours| converse(ours, &ours.clone().with_library(library()), "unordered"));
}

#[test]
fn an_abort_of_the_embedder_reaches_usrsctp() {
    let Some((theirs, ours)) = both() else { return };
    let mut serving = theirs.serve("echo", "");
    let mut calling = ours.call("ping", theirs.udp_port, "100 10 end=abort");
    assert_eq!(
        calling.line("ping bytes", PATIENCE),
        "ping bytes 1000 messages 10 wrong 0 end abort"
    );
    assert_eq!(
        serving.line("echo bytes", PATIENCE),
        "echo bytes 1000 messages 10 wrong 0 end Connection reset by peer"
    );
}

#[test]
fn nobody_listens_where_the_embedder_calls() {
    let Ok(ours) = on_ours().map_err(skip) else {
        return;
    };
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let sheave = sheave::Endpoint::bind(sheave::Config::udp([here], 0)).unwrap();
    let mut calling = ours.call("ping", sheave.udp_port().unwrap(), "1 1");
    let end = calling.line("failed", PATIENCE);
    assert_eq!(end, "failed connect: Connection refused");
}
