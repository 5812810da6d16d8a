//! Erlang's gen_sctp and Java's com.sun.nio.sctp.

use super::*;

/// Output and errors of a program of this folder, where the host has two addresses.
fn talk(interpreter: &str, source: &str) -> (String, String) {
    let source = Path::new(FOLDER).join(source);
    let program = [interpreter, source.to_str().unwrap()];
    let finished = finish(run(&free_port(), &["-X", "127.0.0.2"], &program));
    (text(&finished.stdout), text(&finished.stderr))
}

#[test]
fn an_erlang_program_talks_to_itself() {
    needs!("escript");
    let (out, err) = talk("escript", "talk.erl");
    assert_eq!(out, "answered 15\n", "{err}");
}

#[test]
fn a_java_program_talks_to_itself() {
    // Java runs a source where its compiler is there.
    needs!("java", "javac");
    let (out, err) = talk("java", "Talk.java");
    if err.contains("UnsupportedOperationException: libsctp.so.1") {
        eprintln!("skipped: no libsctp.so.1 (Debian: libsctp1)");
        return;
    }
    assert_eq!(out, "answered 16\n", "{err}");
}
