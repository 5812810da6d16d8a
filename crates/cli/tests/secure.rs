//! The commands with `--secure`, as processes.
#![cfg(feature = "dtls")]

#[path = "secure/dissector.rs"]
mod dissector;
#[cfg(target_os = "linux")]
#[path = "secure/programs.rs"]
mod programs;
mod support;

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use serde_json::Value;
use support::{Background, Words, free_port, run, sheave, succeed, text};

/// Stands in the file that is sent.
const MARKER: &[u8] = b"nobody on the way may read this, which fills the whole of the file. ";

/// Certificates in a folder of their own.
struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    /// An authority `ca.pem`, and for each name a certificate of it with its key.
    fn new(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = CertifiedIssuer::self_signed(parameters, key).unwrap();
        let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
        write("ca.pem", pem("CERTIFICATE", authority.der()));
        for name in names {
            let mut parameters = CertificateParams::new(vec![(*name).to_owned()]).unwrap();
            if *name == "old" {
                parameters.not_after = date_time_ymd(2020, 1, 1);
            }
            let key = KeyPair::generate().unwrap();
            let signed = parameters.signed_by(&key, &authority).unwrap();
            write(&format!("{name}.pem"), pem("CERTIFICATE", signed.der()));
            let secret = pem("PRIVATE KEY", &key.serialize_der());
            write(&format!("{name}.key"), secret);
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The options of an end with a secret of that letter.
    fn secret(&self, letter: &str) -> Vec<String> {
        let path = self.path(&format!("{letter}.psk"));
        fs::write(&path, letter.repeat(32)).unwrap();
        ["--secure", "--psk-file", &path].words()
    }

    /// The options of the server and of the client.
    fn both(&self) -> [Vec<String>; 2] {
        ["server", "client"].map(|name| self.options(name))
    }

    /// The options of an end with that certificate.
    fn options(&self, name: &str) -> Vec<String> {
        let [cert, key] = ["pem", "key"].map(|end| self.path(&format!("{name}.{end}")));
        let ca = self.path("ca.pem");
        ["--secure", "--cert", &cert, "--key", &key, "--ca", &ca].words()
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    use base64ct::Encoding;
    let body = base64ct::Base64::encode_string(der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn server(command: &[&str], port: &str, options: &[String]) -> Background {
    let network = ["--json", "--local", "127.0.0.1", "--udp-port", port];
    let server = Background::start(&[command, &network, &strs(options)].concat());
    server.await_event("listening");
    server
}

fn write_marked(path: &Path, length: usize) {
    let bytes: Vec<u8> = MARKER.iter().copied().cycle().take(length).collect();
    fs::write(path, bytes).unwrap();
}

/// Carries datagrams between a client and a server, and keeps them.
struct Relay {
    port: String,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Relay {
    fn to(server: &str) -> Self {
        let near = UdpSocket::bind("127.0.0.1:0").unwrap();
        let far = UdpSocket::bind("127.0.0.1:0").unwrap();
        let server: SocketAddr = format!("127.0.0.1:{server}").parse().unwrap();
        let port = near.local_addr().unwrap().port().to_string();
        let seen: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let client: Arc<Mutex<Option<SocketAddr>>> = Arc::default();
        for (from, to, inbound) in [
            (near.try_clone().unwrap(), far.try_clone().unwrap(), true),
            (far, near, false),
        ] {
            let (seen, client) = (Arc::clone(&seen), Arc::clone(&client));
            thread::spawn(move || {
                let mut buffer = vec![0; 65_536];
                while let Ok((length, source)) = from.recv_from(&mut buffer) {
                    let datagram = &buffer[..length];
                    seen.lock().unwrap().push(datagram.to_vec());
                    let target = match inbound {
                        true => {
                            *client.lock().unwrap() = Some(source);
                            Some(server)
                        }
                        false => *client.lock().unwrap(),
                    };
                    if let Some(target) = target {
                        let _ = to.send_to(datagram, target);
                    }
                }
            });
        }
        Self { port, seen }
    }

    /// Whether any datagram holds the beginning of the marker.
    fn has_seen_plain_text(&self) -> bool {
        let start = &MARKER[..16];
        let seen = self.seen.lock().unwrap();
        let mut windows = seen.iter().flat_map(|datagram| datagram.windows(16));
        windows.any(|bytes| bytes == start)
    }
}

fn send_file(from: &Path, port: &str, options: &[String]) -> Output {
    let from = from.display().to_string();
    let send = ["send", &from, "127.0.0.1", "--peer-udp-port", port];
    run(&[&send[..], &strs(options)].concat())
}

/// A folder with a file to send and one to receive in.
fn folders(length: usize) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let (from, to) = (top.path().join("marked"), top.path().join("to"));
    write_marked(&from, length);
    (top, from, to)
}

/// Sends a file between ends with these options; returns what saw its packets.
fn deliver(theirs: &[String], ours: &[String]) -> Relay {
    let (_top, from, to) = folders(3_000_000);
    let (port, inbox) = (free_port(), to.display().to_string());
    let mut receiver = server(&["recv", &inbox, "--once"], &port, theirs);
    let relay = Relay::to(&port);
    let output = send_file(&from, &relay.port, ours);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(receiver.wait(), Some(0));
    let arrived = fs::read(to.join("marked")).unwrap();
    assert_eq!(arrived, fs::read(&from).unwrap());
    relay
}

/// Waits until the file holds this text.
fn await_text(file: &Path, wanted: &str) {
    let said = || fs::read_to_string(file).unwrap();
    for _ in 0..200 {
        if said().contains(wanted) {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{wanted}: {}", said());
}

#[test]
fn a_file_goes_over_protected_packets_alone() {
    let certificates = Certificates::new(&["server", "client"]);
    for (protected, options) in [
        (true, certificates.both()),
        (true, ["a", "a"].map(|letter| certificates.secret(letter))),
        (false, [Vec::new(), Vec::new()]),
    ] {
        let relay = deliver(&options[0], &options[1]);
        assert!(relay.seen.lock().unwrap().len() > 100);
        assert_eq!(relay.has_seen_plain_text(), !protected);
    }
}

#[test]
fn a_capture_is_decrypted_with_the_key_log_alone() {
    let certificates = Certificates::new(&["server", "client"]);
    let log = certificates.path("keys");
    let [theirs, mut ours] = certificates.both();
    ours.extend(["--key-log", &log].words());
    let relay = deliver(&theirs, &ours);
    let capture = certificates.path("capture.pcap");
    let seen = relay.seen.lock().unwrap();
    dissector::write_capture(&capture, seen.iter().map(Vec::as_slice));
    let mode = fs::metadata(&log).unwrap().permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o600
    );
    let dump = |keys: &[&str]| {
        let lines = succeed(&[&["dump", &capture, "-J"], keys].concat());
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let protected = lines.filter(|line: &Value| line["chunks"][0]["type"] == 0x41);
        protected.collect::<Vec<Value>>()
    };
    let (with, without) = (dump(&["--keys", &log]), dump(&[]));
    // Packets hold 16 KiB at most.
    assert!(with.len() > 180 && with.len() == without.len());
    assert!(without.iter().all(|line| line["decrypted"].is_null()));
    let types = |line: &Value| line["decrypted"][0]["type"].as_u64();
    assert!(with.iter().all(|line| types(line).is_some()));
    assert!(with.iter().filter(|line| types(line) == Some(0)).count() > 100);

    // The dissector for Wireshark finds the same. It takes its time, with ciphers in Lua.
    let most = 60;
    let Some(in_wireshark) = dissector::chunk_types(&capture, &log, most) else {
        return;
    };
    let in_wireshark: Vec<u64> = in_wireshark
        .into_iter()
        .filter(|types| types[0] == 0x41)
        .flat_map(|types| types.into_iter().skip(1))
        .collect();
    let chunks = |line: &Value| line["decrypted"].as_array().unwrap().clone();
    let found: Vec<u64> = with
        .iter()
        .flat_map(chunks)
        .map(|chunk| chunk["type"].as_u64().unwrap())
        .take(in_wireshark.len())
        .collect();
    assert!(in_wireshark.len() > 40, "{in_wireshark:?}");
    assert_eq!(in_wireshark, found);
}

#[test]
fn pinned_certificates_of_their_own_need_no_authority() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let path = |end: &str| format!("{}/{name}.{end}", folder.path().display());
        let (cert, key) = (path("pem"), path("key"));
        let shown = || {
            let shown = succeed(&["certificate", &cert, &key, "--json"]);
            let shown: Value = serde_json::from_str(&shown).unwrap();
            shown["fingerprint"].as_str().unwrap().to_owned()
        };
        let fingerprint = shown();
        assert_eq!(shown(), fingerprint, "a second call shows the first one's");
        ([cert, key], fingerprint)
    };
    let ((server_files, of_server), (client_files, of_client)) = (make("server"), make("client"));
    let options = |files: &[String; 2], trusted: &str| {
        let [cert, key] = files;
        let files = ["--secure", "--cert", cert, "--key", key];
        [&files[..], &["--fingerprint", trusted]].concat().words()
    };
    let port = free_port();
    let theirs = options(&server_files, &of_client);
    let _server = server(&["ping", "--serve"], &port, &theirs);
    let ping = |trusted: &str, mode: &str| {
        let words = ["ping", "127.0.0.1", "-c", "2", "-i", "0.05", "--mode", mode];
        let network = ["--peer-udp-port", &port];
        let options = options(&client_files, trusted);
        run(&[&words[..], &network, &strs(&options)].concat())
    };
    for mode in ["echo", "heartbeat"] {
        let output = ping(&of_server, mode);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("2 received, 0% packet loss"));
    }
    let output = ping(&of_client, "echo");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("none of the authorities"));
}

#[test]
fn each_fault_is_named_at_both_ends() {
    let certificates = Certificates::new(&["server", "client", "old"]);
    let strangers = Certificates::new(&["client"]);
    // It trusts the server, which does not trust it.
    let mut stranger = strangers.options("client");
    stranger.pop();
    stranger.push(certificates.path("ca.pem"));
    let mut misnamed = certificates.options("client");
    misnamed.extend(["--peer-name", "other.example"].words());
    let [server, client, old] = ["server", "client", "old"].map(|name| certificates.options(name));
    let [a, b] = ["a", "b"].map(|letter| certificates.secret(letter));
    let (distrust, unprotected) = ("does not trust the authority", "does not protect packets");
    for (theirs, ours, at_client, at_server) in [
        (&server, &stranger, distrust, "none of the authorities"),
        (&old, &client, "certificate has expired", "it has expired"),
        (
            &server,
            &misnamed,
            "for another name",
            "expects another name",
        ),
        (&server, &Vec::new(), "add --secure", unprotected),
        (&Vec::new(), &client, unprotected, ""),
        (&a, &b, "different secrets", "different secrets"),
        (&a, &client, "how they get keys", "how they get keys"),
    ] {
        let (_top, from, to) = folders(1000);
        let (port, inbox) = (free_port(), to.display().to_string());
        let network = ["--json", "--local", "127.0.0.1", "--udp-port", &port];
        let complaints = to.with_extension("stderr");
        let mut command = sheave(&["recv", &inbox]);
        command.args(network).args(theirs);
        command.stderr(fs::File::create(&complaints).unwrap());
        let receiver = Background::spawn(command);
        receiver.await_event("listening");
        let output = send_file(&from, &port, ours);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(at_client), "{told}");
        await_text(&complaints, at_server);
        assert!(!to.join("marked").exists());
    }
}

#[test]
fn keys_change_each_second_under_load() {
    let certificates = Certificates::new(&["server", "client"]);
    let port = free_port();
    let [mut theirs, mut options] = certificates.both();
    theirs.extend("--rekey 1s".words());
    let mut server = server(&["perf", "-s", "-1"], &port, &theirs);
    let log = certificates.path("keys");
    options.extend(["--rekey", "1s", "--key-log", &log].words());
    let client = ["perf", "-c", "127.0.0.1", "-J", "-n", "100M", "-b", "200M"];
    let network = ["--peer-udp-port", &port];
    let output = run(&[&client[..], &network, &strs(&options)].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(server.wait(), Some(0));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let received = result["end"]["sum_received"]["bytes"].as_f64().unwrap();
    assert!(received >= 100e6, "{received}");
    let epochs = fs::read_to_string(&log).unwrap().lines().count() / 2;
    assert!(epochs >= 3, "{epochs} epochs");
}

#[test]
fn options_that_lack_others_are_named() {
    let certificates = Certificates::new(&["client"]);
    let (cert, key) = (
        certificates.path("client.pem"),
        certificates.path("client.key"),
    );
    let ping = ["ping", "127.0.0.1", "--mode", "echo"];
    for (words, told) in [
        (&["--secure"][..], "--ca"),
        (&["--secure", "--cert", &cert], "--key"),
        (&["--cert", &cert, "--key", &key], "--secure"),
        (&["--secure", "--dtls"], "--dtls"),
        (&["--secure", "--ca", "/nowhere"], "/nowhere"),
        (
            &["--secure", "--cert", &key, "--key", &cert],
            "no certificate",
        ),
        (
            &["--secure", "--psk-file", &cert, "--rekey", "1s"],
            "cannot be used with",
        ),
        (&["--secure", "--rekey", "0"], "above zero"),
        (&["--protection", "strict"], "needs keys"),
        (&["--set", "protection=strict"], "use --secure"),
    ] {
        let mut lines = Vec::new();
        if words[0] != "--set" {
            lines.push([&ping[..], words].concat());
        }
        // What is no option of `run` is the name of a program.
        if !["--dtls", "needs keys"].contains(&told) {
            lines.push([&["run"], words, &["--", "true"]].concat());
        }
        for line in lines {
            let output = run(&line);
            let said = text(&output.stderr);
            assert!(!output.status.success(), "{line:?}");
            assert!(said.contains(told), "{said}");
        }
    }
}
