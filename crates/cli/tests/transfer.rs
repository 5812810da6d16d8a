//! `sheave send` and `sheave recv` as processes.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Background, free_port, run, text, write_noise};

/// A directory to send from, one to receive into, and a UDP port.
struct Scene {
    top: tempfile::TempDir,
    port: String,
}

impl Scene {
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

    fn recv(&self, extra: &[&str]) -> Background {
        let to = self.to().display().to_string();
        let mut args = vec![
            "recv",
            &to,
            "--json",
            "--local",
            "127.0.0.1",
            "--udp-port",
            &self.port,
        ];
        args.extend(extra);
        let receiver = Background::start(&args);
        receiver.await_event("listening");
        receiver
    }

    fn send_args(&self, path: &str, extra: &[&str]) -> Vec<String> {
        let mut args = vec![
            "send",
            "--json",
            "--local",
            "127.0.0.1",
            "--peer-udp-port",
            &self.port,
        ];
        args.extend(extra);
        args.extend([path, "127.0.0.1"]);
        args.iter().map(ToString::to_string).collect()
    }

    /// Sends the contents of the directory; returns the exit code and the summary.
    fn send(&self, extra: &[&str]) -> (Option<i32>, serde_json::Value) {
        let path = format!("{}/", self.from().display());
        let args = self.send_args(&path, extra);
        let output = run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let summary = text(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .find(|line| line["event"] == "summary" || line["event"] == "error");
        (
            output.status.code(),
            summary.unwrap_or_else(|| panic!("{}", text(&output.stderr))),
        )
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
    let mut receiver = scene.recv(&["--once"]);
    let (code, summary) = scene.send(&[]);
    assert_eq!(code, Some(0), "{summary}");
    assert_eq!(summary["written"], 61 + 6);
    assert_eq!(summary["paths"][0]["state"], "active");
    let theirs = receiver.await_event("summary");
    assert_eq!(theirs["bytes"], summary["bytes"]);
    assert_eq!(receiver.wait(), Some(0));
    assert_same(&scene.from(), &scene.to());
}

#[test]
fn two_paths_may_be_named() {
    let scene = Scene::new();
    write_noise(&scene.from().join("file"), 2_000_000);
    let mut receiver = scene.recv(&["--once", "--local", "127.0.0.2"]);
    let (code, summary) = scene.send(&["--remote", "127.0.0.2"]);
    assert_eq!(code, Some(0), "{summary}");
    assert_eq!(summary["paths"].as_array().unwrap().len(), 2);
    assert_eq!(receiver.wait(), Some(0));
    assert_same(&scene.from(), &scene.to());
}

#[test]
fn what_is_there_is_kept_unless_overwriting_is_asked_for() {
    let scene = Scene::new();
    write_noise(&scene.from().join("file"), 1000);
    write_noise(&scene.to().join("file"), 1001);
    let mut receiver = scene.recv(&["--once"]);
    let (code, summary) = scene.send(&[]);
    assert_eq!((code, &summary["refused"]), (Some(1), &1.into()));
    assert_eq!(receiver.wait(), Some(1));
    assert_eq!(fs::metadata(scene.to().join("file")).unwrap().len(), 1001);
    let mut receiver = scene.recv(&["--once", "--overwrite"]);
    let (code, summary) = scene.send(&[]);
    assert_eq!((code, &summary["written"]), (Some(0), &1.into()));
    assert_eq!(receiver.wait(), Some(0));
    assert_same(&scene.from(), &scene.to());
}

/// Begins to send a large file and waits until some of it has gone.
fn begin_to_send(scene: &Scene) -> Background {
    let path = format!("{}/", scene.from().display());
    let args = scene.send_args(&path, &["--send-buffer", "256K"]);
    let sender = Background::start(&args.iter().map(String::as_str).collect::<Vec<_>>());
    sender.await_line(|line| {
        line["bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes > 8_000_000)
    });
    sender
}

#[test]
fn a_killed_sender_goes_on_where_it_stopped() {
    let scene = Scene::new();
    write_noise(&scene.from().join("large"), 200_000_000);
    let _receiver = scene.recv(&[]);
    begin_to_send(&scene).kill();
    let (code, summary) = scene.send(&[]);
    assert_eq!(code, Some(0), "{summary}");
    assert!(
        summary["sent_bytes"].as_u64().unwrap() < 196_000_000,
        "{summary}"
    );
    assert_same(&scene.from(), &scene.to());
}

#[test]
fn a_killed_receiver_goes_on_where_it_stopped() {
    let scene = Scene::new();
    write_noise(&scene.from().join("large"), 200_000_000);
    let mut receiver = scene.recv(&[]);
    let mut sender = begin_to_send(&scene);
    receiver.kill();
    let _receiver = scene.recv(&[]);
    // The new receiver knows nothing of the association, and says so.
    assert_eq!(sender.wait(), Some(1));
    let (code, summary) = scene.send(&[]);
    assert_eq!(code, Some(0), "{summary}");
    assert!(
        summary["sent_bytes"].as_u64().unwrap() < 196_000_000,
        "{summary}"
    );
    assert_same(&scene.from(), &scene.to());
}

#[test]
fn ctrl_c_ends_both_with_its_own_exit_code() {
    let scene = Scene::new();
    write_noise(&scene.from().join("large"), 200_000_000);
    let mut receiver = scene.recv(&[]);
    let mut sender = begin_to_send(&scene);
    sender.signal("-INT");
    assert_eq!(sender.wait(), Some(130));
    receiver.signal("-INT");
    assert_eq!(receiver.wait(), Some(130));
}

#[test]
fn nobody_there_is_a_failure_with_advice() {
    let scene = Scene::new();
    let path = format!("{}/", scene.from().display());
    let args = scene.send_args(&path, &["--connect-timeout", "500ms"]);
    let output = run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("is the server running there"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn wrong_usage_is_exit_code_2_and_names_the_field() {
    for (args, named) in [
        (&["send", "only-one"][..], "PATH"),
        (&["send", "/tmp", "host:99999"], "HOST"),
        (
            &["send", "/tmp", "127.0.0.1", "--sack-delay", "2s"],
            "--sack-delay",
        ),
        (
            &["send", "/tmp", "127.0.0.1", "--rto-min", "20 bananas"],
            "--rto-min",
        ),
        (&["recv"], "DIRECTORY"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            text(&output.stderr).contains(named),
            "{}",
            text(&output.stderr)
        );
    }
}
