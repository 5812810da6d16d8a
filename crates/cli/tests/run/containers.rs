//! Programs in containers of Docker, under its default seccomp profile and with its default capabilities.
//!
//! A daemon of the test's own, which touches no network, runs other tests of this file's program in a
//! container that has the system's and the project's files.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;

/// A daemon of Docker, in a mount namespace of its own: it writes to `/etc` and `/opt` otherwise.
struct Daemon {
    process: Guarded,
    folder: tempfile::TempDir,
}

impl Daemon {
    /// Starts one; `None`, with a line that says why, where that is impossible.
    fn start() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only root can start Docker's daemon");
            return None;
        }
        if !has(&["dockerd", "docker", "unshare", "tar"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(Path::new(FOLDER).join("dockerd.sh"));
        command
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let process = Guarded(Some(command.spawn().unwrap()));
        let mut daemon = Self { process, folder };
        let began = Instant::now();
        while daemon.process.runs() && began.elapsed() < PATIENCE {
            let answer = daemon.client(&["version"]).output().unwrap();
            if answer.status.success() {
                return Some(daemon);
            }
            thread::sleep(Duration::from_millis(100));
        }
        let log = fs::read_to_string(daemon.folder.path().join("log")).unwrap_or_default();
        let last = log.lines().last().unwrap_or_default();
        eprintln!("skipped: Docker's daemon does not run here: {last}");
        None
    }

    fn client(&self, args: &[&str]) -> Command {
        let socket = self.folder.path().join("socket");
        let mut client = Command::new("docker");
        client
            .arg("--host")
            .arg(format!("unix://{}", socket.display()));
        client.args(args);
        client
    }

    /// Makes an image that has nothing but the links in a system's root.
    fn make_image(&self) {
        let root = self.folder.path().join("root");
        fs::create_dir(&root).unwrap();
        for name in ["bin", "lib", "lib64", "sbin"] {
            if let Ok(target) = fs::read_link(Path::new("/").join(name)) {
                symlink(target, root.join(name)).unwrap();
            }
        }
        let archive = self.folder.path().join("root.tar");
        let mut tar = Command::new("tar");
        tar.arg("-C").arg(&root).arg("-cf").arg(&archive).arg(".");
        output(tar);
        output(self.client(&["import", archive.to_str().unwrap(), "system"]));
    }

    /// A container with these flags, and with the system's and the project's files.
    fn container(&self, flags: &[&str], program: &[&str]) -> Command {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target = Path::new(SHEAVE).parent().unwrap().to_owned();
        let system = ["/usr", "/etc"].map(PathBuf::from);
        let mut client = self.client(&["run", "--rm", "--network=none"]);
        client.arg("--tmpfs=/tmp:exec,mode=1777");
        // Docker takes IPv6 away where no network has it.
        client.arg("--sysctl=net.ipv6.conf.all.disable_ipv6=0");
        for path in system
            .into_iter()
            .chain([project.canonicalize().unwrap(), target])
        {
            client.arg(format!("--volume={0}:{0}:ro", path.display()));
        }
        client.args(flags).arg("system").args(program);
        client
    }

    /// Whether containers with these flags run here, and can read this program; says why if not.
    fn has_containers(&self, flags: &[&str]) -> bool {
        let own = std::env::current_exe().unwrap();
        let program = ["test", "-x", own.to_str().unwrap(), "-a", "-r", ECHO];
        let tried = self.container(flags, &program).output().unwrap();
        if !tried.status.success() {
            let err = text(&tried.stderr);
            eprintln!("skipped: no container of Docker with {flags:?} runs here: {err}");
        }
        tried.status.success()
    }

    /// Runs tests of this program in a container with these flags.
    fn test(&self, flags: &[&str], names: &[&str], without: &[&str]) {
        test_within(self.container(flags, FIRST), names, without);
    }
}

/// The first process of a container, which waits for those that lose their parents.
pub(crate) const FIRST: &[&str] = &["sh", "-c", "\"$@\"; exit $?", "sh"];

/// Runs tests of this program within a container whose first process that command starts: those that have one of
/// `names` in theirs, and none of `without`.
pub(crate) fn test_within(mut container: Command, names: &[&str], without: &[&str]) {
    container.arg(std::env::current_exe().unwrap());
    container.args(["--test-threads=2"]).args(names);
    for name in without {
        container.args(["--skip", name]);
    }
    let out = output(container);
    for name in names {
        let is_one = |line: &&str| line.contains(name) && line.ends_with("... ok");
        assert!(out.lines().any(|line| is_one(&line)), "{name}: {out}");
    }
}

/// Tests that are left out.
const WITHOUT: &[&str] = &[
    // Docker's profile takes `pidfd_getfd` away, without which the own position of a file that
    // `sendfile` reads cannot be moved from outside.
    "a_file_is_sent_from_its_position_once",
    // It looks for names by a way that needs a network.
    "gensiot_carries_a_file_each_way",
    // They take a minute, and tell nothing new there.
    "the_tests_that_lksctp_tools_has",
];

#[test]
fn programs_run_in_a_container_as_outside() {
    let Some(daemon) = Daemon::start() else {
        return;
    };
    daemon.make_image();
    if !daemon.has_containers(&[]) {
        return;
    }
    daemon.test(&[], &["python::", "libsctp::", "tools::"], WITHOUT);
    let nobody = [
        "--user=65534:65534",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        "--read-only",
    ];
    if daemon.has_containers(&nobody) {
        daemon.test(&nobody, &["python::", "tools::"], WITHOUT);
    }
    // The other door.
    let preloaded = format!("--env={DOOR}=preload");
    daemon.test(&[&preloaded], &["tools::"], WITHOUT);
}
