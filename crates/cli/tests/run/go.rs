//! Programs in Go, whose calls no library could stand in for.

use super::*;

/// Builds a package as a static program, in a module of the folder `interop`; whether that was possible, with a line
/// that says why if not.
pub(crate) fn is_built(module: &str, package: &str, program: &Path) -> bool {
    if !has(&["go"]) {
        return false;
    }
    let interop = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(program).arg(package);
    build.env("CGO_ENABLED", "0");
    build.current_dir(Path::new(interop).join(module));
    let built = finish(build);
    if !built.status.success() {
        // The module's proxy cannot be reached, or Go is too old.
        eprintln!("skipped: go build {package}: {}", text(&built.stderr));
    }
    built.status.success()
}

#[test]
fn a_static_go_program_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("go-sctp");
    if !is_built("go-sctp", ".", &program) {
        return;
    }
    let program = [program.to_str().unwrap(), "5000", "300"];
    let out = output(run(&free_port(), &[], &program));
    assert!(out.contains("echoed 900"), "{out}");
}

#[test]
fn the_own_tests_of_the_go_module_pass() {
    needs!("go");
    let folder = tempfile::tempdir().unwrap();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/go-sctp");
    let script = "set -e; name=github.com/ishidawataru/sctp; \
                  cd \"$1\"; go mod download $name; from=$(go list -m -f '{{.Dir}}' $name); \
                  cp -r \"$from\" \"$2/src\"; chmod -R u+w \"$2/src\"; cd \"$2/src\"; \
                  go test -c -o ../sctp.test .";
    let mut build = Command::new("sh");
    build
        .args(["-c", script, "sh", module])
        .arg(folder.path())
        .env("CGO_ENABLED", "0")
        .env("GOFLAGS", "-mod=mod");
    let built = finish(build);
    if !built.status.success() {
        // The module's proxy cannot be reached.
        eprintln!("skipped: go test -c: {}", text(&built.stderr));
        return;
    }
    let program = folder.path().join("sctp.test");
    let program = [program.to_str().unwrap(), "-test.v"];
    for flags in [&[][..], &["--fds", "low"]] {
        let mut command = run(&free_port(), flags, &program);
        // A test of theirs leaves a file to the garbage collector that closes another one's number.
        command.env("GOGC", "off");
        // Its ports are drawn: a port of before, whose connection is still open, is taken.
        command.env("GODEBUG", "randautoseed=0");
        command.current_dir(folder.path().join("src"));
        let finished = finish(command);
        let out = text(&finished.stdout);
        let failed = out.lines().filter(|line| line.contains("--- FAIL"));
        let failed: Vec<&str> = failed.collect();
        assert!(
            finished.status.success(),
            "{failed:?} {}",
            text(&finished.stderr)
        );
        let passed = out.matches("\n--- PASS").count();
        assert!(passed >= 10, "{passed} tests: {out}");
    }
}
