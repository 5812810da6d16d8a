//! Programs that mean harm, signals, and machines that refuse things.

use super::*;

#[test]
fn nothing_needs_a_privilege() {
    needs!("python3", "setpriv");
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: this test is without a privilege already");
        return;
    }
    // Nobody may be unable to reach the build's folder.
    let folder = tempfile::tempdir().unwrap();
    let copies = [SHEAVE, ECHO].map(|file| {
        let copy = folder.path().join(Path::new(file).file_name().unwrap());
        fs::copy(file, &copy).unwrap();
        copy
    });
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), open).unwrap();
    let udp = free_port();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command
        .arg(&copies[0])
        .args(["run", "--udp", &udp, "--encap-port", &udp]);
    command
        .args(["-X", "127.0.0.1", "--", "/usr/bin/env", "python3"])
        .arg(&copies[1]);
    command
        .args(["both", "5000", "50"])
        .current_dir("/")
        .env("PATH", "/usr/bin:/bin");
    let out = output(command);
    assert!(out.contains("echoed 50"), "{out}");
}

#[test]
fn no_socket_is_lost_on_its_way_where_descriptors_cannot_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = build_c("ends.c", folder.path()).filter(|_| has(&["python3"])) else {
        return;
    };
    for door in ["listener", "preload"] {
        let mut command = Command::new("python3");
        command.args([REFUSE, SHEAVE, "run", "--udp", "0", "--door", door]);
        command.args(["--", &program, "fresh", "5000"]);
        let out = output(command);
        assert!(out.contains("as it should be"), "{out}");
    }
}

#[test]
fn programs_run_where_descriptors_cannot_be_copied() {
    needs!("python3");
    let udp = free_port();
    let mut command = Command::new("python3");
    command.args([REFUSE, SHEAVE, "run", "--udp", &udp, "--encap-port", &udp]);
    command.args([
        "-X",
        "127.0.0.1",
        "--",
        "python3",
        ECHO,
        "both",
        "5000",
        "100",
    ]);
    let out = output(command);
    assert!(
        out.contains("echoed 100") && out.contains("served 100"),
        "{out}"
    );
}

#[test]
fn a_hostile_program_gets_errors_and_its_host_serves_others() {
    needs!("python3");
    let udp = free_port();
    let mut server = Guarded::start(run(&udp, &[], &["python3", ECHO, "server", "5000"]));
    server.wait_for("ready");
    for seed in ["1", "2", "3"] {
        let out = output(run(&udp, &[], &["python3", HOSTILE, seed]));
        assert!(out.contains("survived"), "{out}");
    }
    let out = output(run(&udp, &[], &["python3", ECHO, "client", "5000", "50"]));
    assert!(out.contains("echoed 50"), "{out}");
    server.succeed();
}
