//! Every option in every state of a socket, with ids, lengths and values of every kind, beside usrsctp's own
//! library.

use std::thread;

use sheave_interop::skip;

use crate::program::Program;
use crate::script::Script;

/// The states of a socket: the calls that lead to it, and its number. `T` is the style.
const STATES: [(&str, u32); 10] = [
    ("socket 0 0 T 0", 0),
    ("socket 0 1 T 0", 0),
    ("socket 0 2 T 0", 0),
    ("socket 0 0 T 0\nbind 0 1 5000", 0),
    (LISTENING, 0),
    (
        "socket 0 0 T 0\nbind 0 1 5000\nsocket 1 0 T 0\ncut 0 1\nconnect 1 0 5000",
        1,
    ),
    (CALLED, 1),
    (CALLED, 0),
    ("CALLED\naccept 0 2", 2),
    ("CALLED\npeeloff 1 3 3", 3),
];
const LISTENING: &str = "socket 0 0 T 0\nbind 0 1 5000\nlisten 0 1";
const CALLED: &str =
    "socket 0 0 T 0\nbind 0 1 5000\nlisten 0 1\nsocket 1 0 T 0\nconnect 1 0 5000\npass 300";

/// What is set: three numbers, of which most options have but one.
const VALUES: [&str; 11] = [
    "0 0 0",
    "1 0 0",
    "1 1 1",
    "2 0 0",
    "3 7 0",
    "100 2000 50",
    "5000 60000 1000",
    "0 0 1",
    "65535 65535 65535",
    "-1 -1 -1",
    "10 1200 4",
];

/// All, none, one of the socket's, and one that nobody has.
const IDS: [u32; 5] = [0, 1, 2, 3, 4];
/// Bytes more than the option has.
const LENGTHS: [i32; 6] = [-400, -4, -1, 1, 4, 100];

/// Calls about more than one option.
const SCRIPTS: [&str; 3] = [
    // An address that is bound already, over IP.
    "socket 0 1 T 0\nbindx 0 100 5000 1 32769\nbindx 0 100 5000 1 32769\nbindx 0 100 0 1 32769\n\
     bindx 0 100 5001 1 32769\nbindx 0 100 5000 1 32770\nown 0 0",
    // SCTP_ADDR_OVER without an address, with one, and with one without a port.
    "CALLED\nsend 1 10 1 1 0 0 2048\nsend 1 10 1 1 0 0 2048 0 0 0 1\nsend 1 10 1 1 0 0 2048 0 0 0 5",
    "settings 0 0\nsettings 0 1\nsettings 0 2\nsettings 0 3\nsettings 0 100\nsettings 0 5000\n\
     settings 0 65535\nsettings 0 65536\nsettings 0 -1",
];

#[test]
fn every_option_in_every_state_is_answered_as_usrsctp_answers_it() {
    let Ok(program) = Program::compile()
        .and_then(Program::beside_usrsctp)
        .map_err(skip)
    else {
        return;
    };
    let (program, scripts) = (&program, &scripts());
    let found = thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            scope.spawn(move || {
                let own = scripts.iter().skip(half).step_by(2);
                let compared = own.filter_map(|script| program.compare(script));
                let found = compared.map(|finding| format!("{finding:?}"));
                found.collect::<Vec<String>>()
            })
        });
        halves.map(|half| half.join().unwrap()).concat()
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn scripts() -> Vec<Script> {
    let mut scripts = Vec::new();
    for style in ["0", "1"] {
        let of_style = |calls: &str| calls.replace("CALLED", CALLED).replace('T', style);
        for option in options() {
            for (state, slot) in STATES {
                scripts.push(Script::new(&calls(&of_style(state), slot, option)));
            }
        }
        scripts.extend(SCRIPTS.map(|calls| Script::new(&of_style(calls))));
    }
    scripts
}

/// The options that the program knows. When the peer has reset an association is not compared.
fn options() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("option.c").lines();
    let names = lines.filter_map(|line| {
        let rest = line.trim_start().strip_prefix("{IPPROTO_SCTP, ");
        let rest = rest.or_else(|| line.trim_start().strip_prefix("{SOL_SOCKET, "))?;
        rest.split('"').nth(1)
    });
    names.filter(|name| *name != "RESET_ASSOC")
}

fn calls(state: &str, slot: u32, option: &str) -> String {
    let mut calls = format!("{state}\n");
    let get = |id: u32, longer: i32| format!("get {slot} {option} {id} {longer} 0 0 0\n");
    let set =
        |id: u32, longer: i32, value: &str| format!("set {slot} {option} {id} {longer} {value}\n");
    calls.extend(IDS.map(|id| get(id, 0)));
    calls.extend(LENGTHS.map(|longer| get(0, longer)));
    for id in IDS {
        calls.extend(VALUES.map(|value| set(id, 0, value) + &get(id, 0)));
    }
    calls.extend(LENGTHS.map(|longer| set(0, longer, "1 0 0")));
    calls.extend(IDS.map(|id| format!("info {slot} {option} {id} 0 0 0 0\n")));
    calls
}
