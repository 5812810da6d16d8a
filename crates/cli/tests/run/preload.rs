//! Programs whose calls come through a preloaded library.

use super::*;

/// Runs a part of `preload.c`, checked by the compiler's own guards of buffers.
fn bears(part: &str) {
    succeeds("preload.c", &[part, "5000"]);
}

/// Runs a program of this folder.
fn succeeds(source: &str, args: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build_c(source, folder.path()) else {
        return;
    };
    let program = [&[&*program], args].concat();
    let out = output(run(&free_port(), &["--door", "preload"], &program));
    assert!(out.contains("as it should be"), "{args:?}: {out}");
}

tests! {
    a_thread_that_is_cancelled_takes_no_message_with_it => bears("cancel");
    a_handler_makes_calls_while_that_of_its_thread_waits => bears("handler");
    a_waiting_call_ends_as_its_handler_and_its_socket_say => bears("patience");
    a_program_inherits_sockets => bears("exec");
    a_servant_that_closes_everything_is_served => bears("daemon");
    calls_of_many_threads_and_processes_get_their_own_answers => bears("hammer");
    a_program_may_close_descriptors_that_it_does_not_know => bears("closed");
    numbers_of_sockets_may_become_those_of_others_unnoticed => bears("numbers");
    a_program_that_scribbles_over_shared_memory_harms_no_other => bears("scribble");
    memory_is_lent_only_as_the_program_has_it => bears("memory");
    calls_reach_the_kernel_whole_where_no_function_can_be_looked_for => succeeds("bare.c", &["5000"]);
}

#[test]
fn a_run_within_a_run_preloads_and_says_so() {
    needs!("python3");
    let udp = free_port();
    let inner = [
        "run",
        "--udp",
        &udp,
        "--encap-port",
        &udp,
        "-X",
        "127.0.0.1",
    ];
    let program = ["--", "python3", ECHO, "both", "5000", "50"];
    let inner = [&[SHEAVE], &inner[..], &program].concat();
    let output = finish(run(&free_port(), &["--door", "listener"], &inner));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    assert!(err.contains("EBUSY") && err.contains("preloaded"), "{err}");
    assert!(out.contains("echoed 50"), "{out}{err}");
}

#[test]
fn a_program_that_becomes_another_user_is_served_on() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become somebody else");
        return;
    }
    bears("user");
}

#[test]
fn a_static_program_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("empty.c");
    fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let program = folder.path().join("empty");
    let mut cc = Command::new("cc");
    let built = cc
        .arg("-static")
        .arg("-o")
        .args([&program, &source])
        .output();
    if !built.is_ok_and(|built| built.status.success()) {
        eprintln!("skipped: no static C library");
        return;
    }
    let finished = finish(run(
        &free_port(),
        &["--door", "preload"],
        &[program.to_str().unwrap()],
    ));
    let err = text(&finished.stderr);
    assert!(
        finished.status.success() && err.contains("statically"),
        "{err}"
    );
}

/// The tests of programs that are linked dynamically, once more, through this door.
#[test]
fn whatever_dynamic_programs_do_they_do_preloaded() {
    if std::env::var_os(DOOR).is_some() {
        return;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again
        .args([
            "python::",
            "languages::",
            "libsctp::",
            "tools::",
            "telecom::",
            "a_hostile_program",
        ])
        .env(DOOR, "preload");
    let output = again.output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
}
