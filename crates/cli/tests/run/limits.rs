//! Ends of programs, and the cases that cannot be had.

use super::*;

#[test]
fn a_host_says_whom_it_waits_for_once_its_program_has_ended() {
    let program = ["sh", "-c", "sleep 4 & echo started"];
    let finished = finish(run(&free_port(), &[], &program));
    let err = text(&finished.stderr);
    assert!(finished.status.success(), "{err}");
    assert!(err.contains("it has left sleep ("), "{err}");
}

#[test]
fn exit_codes_and_signals_are_those_of_the_program() {
    let code = |program: &[&str]| finish(run(&free_port(), &[], program)).status.code();
    assert_eq!(code(&["sh", "-c", "exit 7"]), Some(7));
    assert_eq!(code(&["sh", "-c", "kill -9 $$"]), Some(137));
    assert_eq!(code(&["/etc/passwd"]), Some(126));
    assert_eq!(code(&["no-such-program"]), Some(127));
}

#[test]
fn an_unknown_option_is_no_program() {
    let finished = finish(run(&free_port(), &["--unknown"], &["true"]));
    let err = text(&finished.stderr);
    assert_eq!(finished.status.code(), Some(2), "{err}");
    assert!(err.contains("--unknown: no such option"), "{err}");
}

#[test]
fn a_listener_within_a_listener_says_what_to_do() {
    let inner = [
        SHEAVE, "run", "--udp", "0", "--door", "listener", "--", "true",
    ];
    let output = finish(run(&free_port(), &[], &inner));
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("EBUSY") && err.contains("sheave run -- sh -c"),
        "{err}"
    );
}

#[test]
fn a_ring_is_told_of_once_and_set_up_as_without() {
    needs!("python3");
    let rings = "import ctypes\n\
                 call = ctypes.CDLL(None).syscall\n\
                 made = [call(425, 4, ctypes.create_string_buffer(120)) for _ in range(2)]\n\
                 print(made[0] >= 0, made[1] >= 0)";
    let outside = Command::new("python3")
        .args(["-c", rings])
        .output()
        .unwrap();
    let finished = finish(run(&free_port(), &[], &["python3", "-c", rings]));
    let err = text(&finished.stderr);
    assert_eq!(finished.stdout, outside.stdout, "{err}");
    assert_eq!(err.matches("uses io_uring").count(), 1, "{err}");
    assert!(err.contains("sheave: python3"), "{err}");
}

#[test]
fn a_socket_copied_to_an_unseen_descriptor_is_told_of_once() {
    needs!("python3");
    let copies = "import os, socket\n\
                  s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)\n\
                  [os.dup2(s.fileno(), to) for to in (9, 8)]";
    let finished = finish(run(&free_port(), &[], &["python3", "-c", copies]));
    let err = text(&finished.stderr);
    assert_eq!(err.matches("copies an SCTP socket").count(), 1, "{err}");
    assert!(
        err.contains("to descriptor 9,") && err.contains("--fds low"),
        "{err}"
    );
    let finished = finish(run(
        &free_port(),
        &["--fds", "low"],
        &["python3", "-c", copies],
    ));
    assert!(finished.stderr.is_empty(), "{}", text(&finished.stderr));
}

#[test]
fn a_limit_of_open_files_below_the_numbers_of_sockets_is_told_of() {
    needs!("python3", "bash");
    let limited = "ulimit -n 256; python3 -c 'import socket; socket.socket(2, 1, 132)'";
    let finished = finish(run(
        &free_port(),
        &["--door", "listener"],
        &["bash", "-c", limited],
    ));
    let err = text(&finished.stderr);
    assert!(err.contains("no descriptor from 512 on"), "{err}");
}

#[test]
fn devices_and_scopes_that_do_not_exist_are_refused_at_once() {
    needs!("python3");
    let asks = "import errno, socket\n\
                def refused(family, call):\n\
                \x20   with socket.socket(family, socket.SOCK_STREAM, 132) as s:\n\
                \x20       try: call(s); print('taken')\n\
                \x20       except OSError as e: print(errno.errorcode[e.errno])\n\
                bound = lambda name: lambda s: s.setsockopt(1, 25, name)\n\
                refused(socket.AF_INET, bound(b'nowhere0'))\n\
                refused(socket.AF_INET, bound(b'lo'))\n\
                refused(socket.AF_INET6, lambda s: s.connect(('fe80::1', 5000)))";
    let out = output(run(&free_port(), &[], &["python3", "-c", asks]));
    assert_eq!(out, "ENODEV\ntaken\nEINVAL\n");
}

#[test]
fn a_program_that_would_gain_rights_is_told_of() {
    use std::os::unix::fs::PermissionsExt;

    if !has(&["setpriv"]) || !rustix::process::geteuid().is_root() {
        eprintln!("skipped: this takes root and setpriv");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("raised");
    fs::copy("/bin/true", &program).unwrap();
    let allow = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(folder.path(), 0o755);
    let as_nobody = |mode: u32| {
        allow(&program, mode);
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .args([SHEAVE, "run", "--udp", &free_port(), "--"])
            .arg(&program);
        let finished = finish(command);
        let err = text(&finished.stderr);
        assert!(finished.status.success(), "{err}");
        err
    };
    assert_eq!(as_nobody(0o755), "");
    let err = as_nobody(0o4755);
    assert!(err.contains("raised runs with more rights"), "{err}");
}
