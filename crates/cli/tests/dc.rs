//! `sheave dc`, as processes: with each other, and with a page in Chromium.
#![cfg(feature = "webrtc")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use support::{Background, fail, lines, sheave, succeed, text, write_noise};

/// A server at a free port, its URL, and the folder of files that came.
fn server(place: &Path, extra: &str) -> (Background, String, PathBuf) {
    let inbox = place.join("inbox");
    let common = "dc serve --json --listen 127.0.0.1:0";
    let server = Background::start(&format!("{common} --receive {} {extra}", inbox.display()));
    let url = url_of(&server);
    (server, url, inbox)
}

fn url_of(server: &Background) -> String {
    let listening = server.await_event("listening");
    listening["url"].as_str().unwrap().to_owned()
}

const LOOPBACK: &str = "--local 127.0.0.1";

#[test]
fn files_and_load_go_to_a_server() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("noise");
    write_noise(&file, 3_000_000);
    let empty = place.path().join("empty");
    fs::write(&empty, "").unwrap();
    let (mut server, url, inbox) = server(place.path(), &format!("--once {LOOPBACK}"));
    let (first, second) = (file.display(), empty.display());
    let call = format!("dc call {url} --json --load 1 {LOOPBACK}");
    let said = succeed(&format!("{call} --send {first} --send {second}"));
    assert_eq!(
        fs::read(inbox.join("noise")).unwrap(),
        fs::read(&file).unwrap()
    );
    assert_eq!(fs::read(inbox.join("empty")).unwrap(), b"");
    let events = lines(&said);
    let of = |name| -> Vec<&Value> { events.iter().filter(|one| one["event"] == name).collect() };
    let load = of("load")[0];
    assert!(load["bits_per_second"].as_f64().unwrap() > 0.0, "{load}");
    assert_eq!(of("sent").len(), 2);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_lite_end_is_found_too_and_a_file_that_is_not_taken_is_a_failure() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("noise");
    write_noise(&file, 1000);
    let lite = "dc serve --json --listen 127.0.0.1:0 --ice-lite";
    let server = Background::start(&format!("{lite} {LOOPBACK}"));
    let url = url_of(&server);
    let file = file.display().to_string();
    let call = format!("dc call {url} --send {file} {LOOPBACK}");
    fail(&call, 1, "--receive");
}

/// A program whose standard input the test writes.
struct Talker {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Talker {
    fn start(role: &str) -> Self {
        let mut command = sheave(&format!("dc {role} --json --local 127.0.0.1"));
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.lines.next().expect("it goes on").unwrap();
            let value: Value = serde_json::from_str(&line).unwrap();
            if wanted(&value) {
                return value;
            }
        }
    }
}

#[test]
fn two_terminals_chat_over_a_copied_offer_and_answer() {
    let [mut offerer, mut answerer] = ["offer", "answer"].map(Talker::start);
    let offer = offerer.line(|line| line["type"] == "offer");
    answerer.tell(&offer.to_string());
    let answer = answerer.line(|line| line["type"] == "answer");
    offerer.tell(&answer.to_string());
    offerer.tell("good day");
    answerer.tell("and to you \u{1b}[31m");
    let heard = answerer.line(|line| line["event"] == "chat");
    assert_eq!(heard["text"], "good day");
    let heard = offerer.line(|line| line["event"] == "chat");
    assert_eq!(heard["text"], "and to you \u{1b}[31m");
    // The end of the input ends the talk, at both ends.
    drop(offerer.child.stdin.take());
    assert_eq!(offerer.child.wait().unwrap().code(), Some(0));
    assert_eq!(answerer.child.wait().unwrap().code(), Some(0));
}

/// libdatachannel answers so.
#[test]
fn an_answer_with_the_offers_own_init_chunk_is_taken() {
    let [mut offerer, mut answerer] = ["offer", "answer"].map(Talker::start);
    let offer = offerer.line(|line| line["type"] == "offer");
    let init = init_of(&offer).to_owned();
    let without = text_of(&offer).replace(&init, "a=unknown");
    answerer.tell(&json!({ "type": "offer", "sdp": without }).to_string());
    let answer = answerer.line(|line| line["type"] == "answer");
    let end = "a=end-of-candidates";
    let copied = text_of(&answer).replace(end, &format!("{init}\r\n{end}"));
    offerer.tell(&json!({ "type": "answer", "sdp": copied }).to_string());
    offerer.tell("good day");
    let heard = answerer.line(|line| line["event"] == "chat");
    assert_eq!(heard["text"], "good day");
}

fn text_of(description: &Value) -> &str {
    description["sdp"].as_str().unwrap()
}

/// The line with the INIT chunk.
fn init_of(description: &Value) -> &str {
    let mut lines = text_of(description).lines();
    lines.find(|line| line.starts_with("a=sctp-init:")).unwrap()
}

#[test]
fn nonsense_is_refused_with_advice() {
    fail("dc call http://127.0.0.1:1", 1, "");
    fail("dc call https://example.net", 2, "http://HOST:PORT");
    fail("dc answer", 1, "\"type\":\"offer\"");
    fail("dc answer --local 203.0.113.77", 1, "--local");
}

#[test]
fn a_server_refuses_what_is_no_offer_and_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let (server, url, _) = server(place.path(), LOOPBACK);
    let address = url.strip_prefix("http://").unwrap();
    let offer = json!({ "type": "offer", "sdp": "v=0" }).to_string();
    let long = format!(
        "POST /offer HTTP/1.1\r\nContent-Length: {}\r\n\r\n",
        usize::MAX
    );
    let requests = [
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), "200 OK"),
        ("GET /else HTTP/1.1\r\n\r\n".to_owned(), "404"),
        (
            format!(
                "POST /offer HTTP/1.1\r\nContent-Length: {}\r\n\r\n{offer}",
                offer.len()
            ),
            "400",
        ),
        (long, ""),
        ("\u{0}\u{1}nonsense\r\n\r\n".to_owned(), ""),
    ];
    for (request, wanted) in requests {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        let _ = std::io::Read::read_to_string(&mut stream, &mut reply);
        assert!(reply.contains(wanted), "{request:?}: {reply:?}");
        assert!(
            !wanted.is_empty() || reply.is_empty(),
            "{request:?}: {reply:?}"
        );
    }
    server.signal("-INT");
}

#[test]
fn ctrl_c_ends_a_server_with_its_exit_code() {
    let place = tempfile::tempdir().unwrap();
    let (mut server, ..) = server(place.path(), LOOPBACK);
    server.signal("-INT");
    assert_eq!(server.wait(), Some(130));
}

#[test]
fn a_page_in_chromium_exchanges_files_with_a_server() {
    let browser = Path::new("/usr/bin/chromium");
    let has_node = Command::new("node").arg("--version").output().is_ok();
    if !browser.exists() || !has_node {
        eprintln!(
            "a_page_in_chromium_exchanges_files_with_a_server: skipped: no Chromium, or no Node"
        );
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (up, down) = (place.path().join("up.bin"), place.path().join("down.bin"));
    write_noise(&up, 5_000_000);
    write_noise(&down, 2_000_000);
    let send = down.display().to_string();
    let (server, url, inbox) = server(place.path(), &format!("--send {send}"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop/webrtc/chromium.js");
    let picture = std::env::var_os("SHEAVE_SCREENSHOT")
        .map_or_else(|| place.path().join("page.png"), PathBuf::from);
    let output = Command::new("node")
        .arg(script)
        .args([browser, &place.path().join("profile")])
        .args(["page", &url])
        .args([&up, &picture])
        .output()
        .unwrap();
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    for line in ["connected", "reloaded", "sent", "done"] {
        assert!(said.lines().any(|found| found == line), "{said}");
    }
    assert_eq!(
        fs::read(inbox.join("up.bin")).unwrap(),
        fs::read(&up).unwrap()
    );
    let hash = Command::new("sha256sum").arg(&down).output().unwrap();
    let hash = text(&hash.stdout);
    let hash = hash.split_whitespace().next().unwrap();
    assert!(said.contains(&format!("received {hash}")), "{said}");
    let chat = server.await_event("chat");
    assert_eq!(chat["text"], "hello from the page");
    let png = fs::read(picture).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5000);
}
