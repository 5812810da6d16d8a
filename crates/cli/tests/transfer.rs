//! `sheave send` and `sheave recv` as processes.

mod support;

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::{Background, fail, free_port, lines, run, sheave, succeed, text, write_noise};

/// A directory to send from, one to receive into, and a UDP port.
struct Scene {
    top: tempfile::TempDir,
    port: String,
}

impl Scene {
    /// A directory with one file to send.
    fn with(name: &str, len: usize) -> Self {
        let scene = Self::new();
        write_noise(&scene.from().join(name), len);
        scene
    }

    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir(top.path().join("from")).unwrap();
        Self {
            top,
            port: free_port(),
        }
    }

    fn from(&self) -> PathBuf {
        self.top.path().join("from")
    }

    fn to(&self) -> PathBuf {
        self.top.path().join("to")
    }

    fn recv(&self, extra: &str) -> Background {
        Background::listening(&self.recv_args(extra))
    }

    fn recv_args(&self, extra: &str) -> String {
        let (to, port) = (self.to(), &self.port);
        let place = format!("--local 127.0.0.1 --udp-port {port}");
        format!("recv {} --json {place} {extra}", to.display())
    }

    /// Arguments that send `what`, a path, the contents of the directory (`""`), or `-`.
    fn send_args(&self, what: &str, extra: &str) -> String {
        let port = &self.port;
        let what = match what {
            "-" => what.to_owned(),
            name => self.from().join(name).display().to_string(),
        };
        // Options may stand between what is sent and its receiver.
        format!("send --json --local 127.0.0.1 {extra} {what} --peer-udp-port {port} 127.0.0.1")
    }

    /// Sends the contents of the directory; returns the exit code and the summary.
    fn send(&self, extra: &str) -> (Option<i32>, serde_json::Value) {
        let output = run(&self.send_args("", extra));
        let mut lines = lines(&text(&output.stdout)).into_iter();
        let summary = lines.find(|line| line["event"] == "summary" || line["event"] == "error");
        (
            output.status.code(),
            summary.unwrap_or_else(|| panic!("{}", text(&output.stderr))),
        )
    }

    /// The same, where all must arrive; returns the summary.
    fn deliver(&self, extra: &str) -> serde_json::Value {
        let (code, summary) = self.send(extra);
        assert_eq!(code, Some(0), "{summary}");
        summary
    }

    /// Sends what an earlier transfer of 200 MB has left.
    fn deliver_the_rest(&self) {
        let summary = self.deliver("");
        let sent = summary["sent_bytes"].as_u64().unwrap();
        assert!(sent < 196_000_000, "{summary}");
        assert_same(&self.from(), &self.to());
    }
}

fn assert_same(one: &Path, other: &Path) {
    let names = |path: &Path| {
        let mut names: Vec<_> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(one), names(other));
    for name in names(one) {
        let (one, other) = (one.join(&name), other.join(&name));
        if one.is_dir() {
            assert_same(&one, &other);
        } else {
            assert!(
                fs::read(&one).unwrap() == fs::read(&other).unwrap(),
                "{}",
                one.display()
            );
        }
    }
}

#[test]
fn an_address_where_nobody_listens_does_not_keep_the_others_from_being_tried() {
    let scene = Scene::with("file", 1000);
    let _receiver = scene.recv("");
    let args = scene.send_args("file", "--remote 127.0.0.1");
    succeed(&args.replace("file 127.0.0.1", "file 127.0.0.2"));
}

#[test]
fn a_tree_arrives_and_both_ends_say_so() {
    let scene = Scene::new();
    for number in 0..60 {
        write_noise(
            &scene.from().join(format!("d{}/f{number}", number % 5)),
            number * 997,
        );
    }
    write_noise(&scene.from().join("large"), 3_000_000);
    fs::create_dir(scene.from().join("empty")).unwrap();
    let mut receiver = scene.recv("--once");
    let summary = scene.deliver("");
    assert_eq!(summary["written"], 61 + 6);
    assert_eq!(summary["paths"][0]["state"], "active");
    let theirs = receiver.await_event("summary");
    assert_eq!(theirs["bytes"], summary["bytes"]);
    assert_eq!(receiver.wait(), Some(0));
    assert_same(&scene.from(), &scene.to());
}

#[test]
fn existing_files_are_kept_unless_overwriting_is_asked_for() {
    let scene = Scene::with("file", 1000);
    write_noise(&scene.to().join("file"), 1001);
    let mut receiver = scene.recv("--once");
    let (code, summary) = scene.send("");
    assert_eq!((code, &summary["refused"]), (Some(1), &1.into()));
    assert_eq!(receiver.wait(), Some(1));
    assert_eq!(fs::metadata(scene.to().join("file")).unwrap().len(), 1001);
    let mut receiver = scene.recv("--once --overwrite");
    let (code, summary) = scene.send("");
    assert_eq!((code, &summary["written"]), (Some(0), &1.into()));
    assert_eq!(receiver.wait(), Some(0));
    assert_same(&scene.from(), &scene.to());
}

/// Begins to send a large file and waits until some of it has gone.
fn begin_to_send(scene: &Scene) -> Background {
    // So slowly that much is left, however late the test is.
    let slowly = "--send-buffer 256K --bwlimit 10M";
    let sender = Background::start(&scene.send_args("", slowly));
    sender.await_line(|line| {
        line["bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes > 8_000_000)
    });
    sender
}

#[test]
fn a_killed_sender_goes_on_where_it_stopped() {
    let scene = Scene::with("large", 200_000_000);
    let _receiver = scene.recv("");
    begin_to_send(&scene).kill();
    scene.deliver_the_rest();
}

#[test]
fn a_killed_receiver_goes_on_where_it_stopped() {
    let scene = Scene::with("large", 200_000_000);
    let mut receiver = scene.recv("");
    let mut sender = begin_to_send(&scene);
    receiver.kill();
    let _receiver = scene.recv("");
    // The new receiver knows nothing of the association, and says so.
    assert_eq!(sender.wait(), Some(1));
    scene.deliver_the_rest();
}

#[test]
fn ctrl_c_ends_both_with_its_own_exit_code() {
    let scene = Scene::with("large", 200_000_000);
    let mut receiver = scene.recv("");
    let mut sender = begin_to_send(&scene);
    sender.signal("-INT");
    assert_eq!(sender.wait(), Some(130));
    receiver.signal("-INT");
    assert_eq!(receiver.wait(), Some(130));
}

#[test]
fn a_missing_server_is_a_failure_with_advice() {
    let scene = Scene::new();
    let send = scene.send_args("", "--connect-timeout 500ms");
    fail(&send, 1, "is the server running there");
}

#[test]
fn wrong_usage_is_exit_code_2_and_names_the_field() {
    for (args, named) in [
        ("send only-one", "PATH"),
        ("send /tmp host:99999", "HOST"),
        ("send /tmp 127.0.0.1 --sack-delay 2s", "--sack-delay"),
        ("send /tmp 127.0.0.1 --rto-min 20bananas", "--rto-min"),
        ("recv", "DIRECTORY"),
    ] {
        fail(args, 2, named);
    }
}

#[test]
fn an_archive_keeps_hard_links_and_directory_times() {
    let scene = Scene::with("d/a", 100);
    fs::hard_link(scene.from().join("d/a"), scene.from().join("d/b")).unwrap();
    let time = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let directory = fs::File::open(scene.from().join("d")).unwrap();
    directory.set_modified(time).unwrap();
    let _receiver = scene.recv("");
    scene.deliver("--archive");
    let there = |name: &str| fs::metadata(scene.to().join(name)).unwrap();
    assert_eq!(there("d/a").ino(), there("d/b").ino());
    assert_eq!(there("d").mtime(), 1_000_000_000);
}

#[test]
fn a_dry_run_lists_what_would_be_sent_but_for_what_is_excluded() {
    let scene = Scene::with("src/main.rs", 1000);
    write_noise(&scene.from().join("src/main.o"), 1000);
    write_noise(&scene.from().join("target/x"), 1000);
    let _receiver = scene.recv("");
    let exclude = "--dry-run --exclude *.o --exclude target/";
    let lines = lines(&succeed(&scene.send_args("", exclude)));
    let would_send = lines.iter().filter(|line| line["event"] == "would_send");
    let names: Vec<&str> = would_send
        .map(|line| line["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["src", "src/main.rs"]);
    let summary = lines
        .iter()
        .find(|line| line["event"] == "summary")
        .unwrap();
    assert_eq!(
        (&summary["dry_run"], &summary["sent_bytes"]),
        (&true.into(), &0.into())
    );
    assert_eq!(summary["bytes"], 1000);
    assert_eq!(fs::read_dir(scene.to()).unwrap().count(), 0);
}

#[test]
fn an_update_keeps_what_is_newer_at_the_receiver() {
    let scene = Scene::with("file", 1000);
    let old = fs::File::open(scene.from().join("file")).unwrap();
    old.set_modified(std::time::UNIX_EPOCH).unwrap();
    write_noise(&scene.to().join("file"), 999);
    let _receiver = scene.recv("--overwrite");
    let (code, summary) = scene.send("--update");
    assert_eq!((code, &summary["newer"]), (Some(0), &1.into()));
    assert_eq!(fs::metadata(scene.to().join("file")).unwrap().len(), 999);
}

#[test]
fn standard_input_is_sent_under_a_name_of_its_own() {
    let scene = Scene::new();
    let mut receiver = scene.recv("--once");
    let args = scene.send_args("-", "--name backup.tar");
    let mut child = sheave(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut expected = Vec::new();
    for number in 0..200_u8 {
        let bytes = vec![number; usize::from(number) * 113];
        input.write_all(&bytes).unwrap();
        expected.extend(bytes);
        if number % 50 == 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(receiver.wait(), Some(0));
    assert!(fs::read(scene.to().join("backup.tar")).unwrap() == expected);
    assert_eq!(fs::read_dir(scene.to()).unwrap().count(), 1);
}

#[test]
fn a_limit_on_the_rate_is_kept() {
    let scene = Scene::with("file", 1_000_000);
    let _receiver = scene.recv("");
    let began = Instant::now();
    let summary = scene.deliver("--bwlimit 1M");
    assert!(began.elapsed() > Duration::from_millis(700), "{summary}");
    assert_same(&scene.from(), &scene.to());
}

#[test]
fn each_sender_is_reported_once_and_its_paths_by_its_name() {
    let scene = Scene::with("file", 100_000);
    let receiver = scene.recv("--once --local 127.0.0.2");
    let summary = scene.deliver("--remote 127.0.0.2");
    assert_eq!(summary["paths"].as_array().unwrap().len(), 2);
    let mut connected = Vec::new();
    let mut paths = Vec::new();
    loop {
        let line = receiver.await_line(|_| true);
        match line["event"].as_str() {
            Some("connected") => connected.push(line["peer"].clone()),
            Some("path") => paths.push(line),
            Some("summary") => break,
            _ => {}
        }
    }
    assert_eq!(connected.len(), 1, "{connected:?}");
    assert!(
        paths.iter().all(|path| path["peer"] == connected[0]),
        "{paths:?}"
    );
    // A path may fail and come back on a busy machine, more than once; none does so twice in a row.
    paths.sort_by_key(|path| path["remote"].to_string());
    let count = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), count, "an event was told twice");
}

#[test]
fn a_full_disk_is_named_as_the_receivers() {
    let scene = Scene::with("file", 2_000_000);
    let disk = scene.to();
    fs::create_dir(&disk).unwrap();
    // A small disk in a mount namespace, where the machine lets us have one.
    let script = "mount -t tmpfs -o size=512k none \"$1\" && shift && exec \"$@\"";
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["--mount", "--map-root-user", "sh", "-c", script, "sh"]);
    unshare.arg(&disk);
    let mut probe = std::process::Command::new("unshare");
    probe.args(["--mount", "--map-root-user", "sh", "-c", script, "sh"]);
    probe.arg(&disk).arg("true").stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this machine gives us no small disk");
        return;
    }
    let receiver = Background::start_in(unshare, &scene.recv_args(""));
    receiver.await_event("listening");
    let send = scene.send_args("", "");
    let errors = fail(&send, 1, "the receiver's disk is full");
    // What fills the disk, and what to do about it.
    assert!(
        errors.contains(" of it stay in .sheave-partial there: make room"),
        "{errors}"
    );
}

#[test]
fn a_link_to_nothing_is_named_and_the_rest_is_sent() {
    for follow in ["", "--links follow"] {
        let scene = Scene::with("file", 1000);
        let dangling = scene.from().join("dangling");
        std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
        let _receiver = scene.recv("");
        let both = format!("{follow} {}", dangling.display());
        let unsent = "dangling: not sent: a symbolic link to nothing";
        fail(&scene.send_args("file", &both), 1, unsent);
        assert!(scene.to().join("file").exists());
    }
}

#[test]
fn what_cannot_be_read_in_a_directory_is_exit_code_1() {
    let scene = Scene::with("file", 1000);
    std::os::unix::fs::symlink("nowhere", scene.from().join("dangling")).unwrap();
    let _receiver = scene.recv("");
    let (code, summary) = scene.send("--links follow");
    assert_eq!(
        (code, &summary["unreadable"]),
        (Some(1), &1.into()),
        "{summary}"
    );
    assert!(scene.to().join("file").exists());
    // A link that is sent as a link needs no target.
    let (code, summary) = scene.send("");
    assert_eq!(
        (code, &summary["unreadable"]),
        (Some(0), &0.into()),
        "{summary}"
    );
}

#[test]
fn a_link_that_leads_outside_is_refused_with_that_reason_and_the_rest_is_sent() {
    let scene = Scene::with("file", 1000);
    std::os::unix::fs::symlink("../outside", scene.from().join("link")).unwrap();
    let _receiver = scene.recv("");
    let outside = "link: refused: the link leads outside the directory, or its target has \"..\" \
                   behind a name";
    fail(&scene.send_args("", "").replace("--json ", ""), 1, outside);
    assert!(scene.to().join("file").exists());
    assert!(fs::symlink_metadata(scene.to().join("link")).is_err());
}
