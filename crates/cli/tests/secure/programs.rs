//! Unmodified programs under `sheave run --secure`.

use std::process::Command;

use sheave::secure::Decoder;
use sheave_wire::{Chunk, ChunkType, Packet, dtls};

use super::*;

/// A client that sends the marker, waits for an answer, and prints how that ends.
const CLIENT: &str = "
import socket, sys
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
try:
    sock.connect(('127.0.0.1', 5000))
    sock.sendall(sys.argv[1].encode())
    print('answer', sock.recv(1 << 16).decode(), flush=True)
except OSError as error:
    print('error', error.errno, flush=True)
";

/// A server that answers one message, and prints it.
const SERVER: &str = "
import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
sock.bind(('127.0.0.1', 5000))
sock.listen(5)
print('{\"event\": \"listening\"}', flush=True)
connection, _ = sock.accept()
message = connection.recv(1 << 16)
connection.sendall(message)
connection.recv(1)
";

fn has(programs: &[&str]) -> bool {
    let is_missing = |program: &&&str| {
        let search = format!("command -v {program} > /dev/null");
        let found = Command::new("sh").args(["-c", &search]).status();
        !found.unwrap().success()
    };
    let missing = programs.iter().find(is_missing);
    if let Some(program) = missing {
        eprintln!("skipped: {program} is not installed");
    }
    missing.is_none()
}

/// `sheave run` of a program at that address.
fn words(ip: &str, flags: &[&str], options: &[String], program: &[&str]) -> Vec<String> {
    let head = ["run", "--local", ip, "--linger", "1"];
    let all = [&head[..], flags, &strs(options), &["--"], program].concat();
    all.into_iter().map(str::to_owned).collect()
}

/// A client that runs a program of Python, with the marker as its argument.
fn client(port: &str, options: &[String], program: &str) -> Vec<String> {
    let flags = ["--udp", "0", "--encap-port", port];
    let program = ["python3", "-c", program, &text(MARKER)];
    words("127.0.0.2", &flags, options, &program)
}

/// Certificates for tests that run programs of Python; `None` where there is no Python.
fn certificates() -> Option<Certificates> {
    has(&["python3"]).then(|| Certificates::new(&["server", "client"]))
}

impl Certificates {
    /// The file with what a server complains of.
    fn complaints(&self) -> PathBuf {
        self.folder.path().join("stderr")
    }

    /// Starts a server that runs a program of Python; returns it with its port.
    fn serve(&self, options: &[String], program: &str) -> (String, Background) {
        let port = free_port();
        let program = ["python3", "-c", program];
        let mut command = sheave(&words("127.0.0.1", &["--udp", &port], options, &program));
        command.stderr(fs::File::create(self.complaints()).unwrap());
        let server = Background::spawn(command);
        server.await_event("listening");
        (port, server)
    }
}

#[test]
fn programs_speak_in_protected_packets_alone() {
    let Some(certificates) = certificates() else {
        return;
    };
    for (protected, options) in [
        (true, certificates.both()),
        (false, [Vec::new(), Vec::new()]),
    ] {
        let (port, _server) = certificates.serve(&options[0], SERVER);
        let relay = Relay::to(&port);
        let output = run(&client(&relay.port, &options[1], CLIENT));
        let expected = format!("answer {}\n", text(MARKER));
        assert_eq!(text(&output.stdout), expected, "{}", text(&output.stderr));
        assert_eq!(relay.has_seen_plain_text(), !protected);
        let mut counts = [0, 0];
        for datagram in relay.seen.lock().unwrap().iter() {
            let packet = Packet::parse(datagram).unwrap();
            for chunk in packet.chunks() {
                match chunk.unwrap() {
                    Chunk::Dtls(_) => counts[0] += 1,
                    Chunk::Data(data) => {
                        counts[1] += 1;
                        assert_eq!(data.ppid.0 == dtls::PPID, protected);
                    }
                    _ => {}
                }
            }
        }
        assert_eq!(counts[0] > 4, protected, "{counts:?}");
        assert!(counts[1] > 0);
        assert_eq!(fs::read_to_string(certificates.complaints()).unwrap(), "");
    }
}

#[test]
fn a_program_without_protection_gets_an_error_and_its_user_the_reason() {
    let Some(certificates) = certificates() else {
        return;
    };
    let strangers = Certificates::new(&["client"]);
    let ([server, caller], plain) = (certificates.both(), Vec::new());
    let stranger = strangers.options("client");
    let unprotected = "the peer does not protect packets";
    for (theirs, ours, at_client, at_server) in [
        (&server, &plain, "add --secure", unprotected),
        (&plain, &caller, unprotected, ""),
        // Either end may be the first to look at a certificate.
        (&server, &stranger, "authorit", "authorit"),
    ] {
        let (port, _server) = certificates.serve(theirs, SERVER);
        let output = run(&client(&port, ours, CLIENT));
        let told = text(&output.stderr);
        let refused = format!("error {}\n", libc::ECONNREFUSED);
        assert_eq!(text(&output.stdout), refused, "{told}");
        assert!(told.contains(at_client), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        await_text(&certificates.complaints(), at_server);
    }
}

#[test]
fn a_host_is_joined_with_the_same_certificate_alone() {
    let Some(certificates) = certificates() else {
        return;
    };
    let (port, _server) = certificates.serve(&certificates.options("server"), SERVER);
    for (options, joins) in [
        (Vec::new(), false),
        (certificates.options("client"), false),
        (certificates.options("server"), true),
    ] {
        let output = run(&words("127.0.0.1", &["--udp", &port], &options, &["true"]));
        let told = text(&output.stderr);
        assert_eq!(output.status.success(), joins, "{told}");
        assert_eq!(told.contains("with another certificate"), !joins, "{told}");
    }
    let listed = run(&["run", "--list", &format!("udp-{port}")]);
    assert!(text(&listed.stdout).contains("protected, fingerprint "));
}

#[test]
fn options_that_contradict_protection_are_named() {
    let certificates = Certificates::new(&["server"]);
    let secure = certificates.options("server");
    for (flags, told) in [
        (
            &["--set", "net.sctp.auth_enable=1"][..],
            "leave out net.sctp.auth_enable",
        ),
        (&["--peer-name", "no name"], "no name for a certificate"),
        (&["--list"], "cannot be used with"),
    ] {
        let line = [&["run"], flags, &strs(&secure)].concat();
        let program: &[&str] = if flags == ["--list"] {
            &[]
        } else {
            &["--", "true"]
        };
        let output = run(&[&line[..], program].concat());
        assert!(!output.status.success(), "{flags:?}");
        let said = text(&output.stderr);
        assert!(said.contains(told), "{said}");
    }
}

/// Serves one association for ever, and answers its messages.
const ECHO: &str = "
import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
sock.bind(('127.0.0.1', 5000))
sock.listen(5)
print('{\"event\": \"listening\"}', flush=True)
connection, _ = sock.accept()
while True:
    connection.sendall(connection.recv(1 << 16))
";

/// Sends the marker from a port of its own, and lives on after the answer.
const CALLER: &str = "
import socket, sys, time
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
sock.bind(('127.0.0.2', 6000))
sock.connect(('127.0.0.1', 5000))
sock.sendall(sys.argv[1].encode())
assert sock.recv(1 << 16) == sys.argv[1].encode()
print('{\"event\": \"answered\"}', flush=True)
time.sleep(60)
";

#[test]
fn a_program_that_was_killed_goes_on_in_its_association() {
    let Some(certificates) = certificates() else {
        return;
    };
    let options = ["server", "client"].map(|name| {
        let keys = ["--restart-keys", &certificates.path(&format!("{name}.d"))].words();
        [certificates.options(name), keys].concat()
    });
    let (port, _server) = certificates.serve(&options[0], ECHO);
    let relay = Relay::to(&port);
    let caller = client(&relay.port, &options[1], CALLER);
    for life in 0..3 {
        let begun = relay.seen.lock().unwrap().len();
        let client = Background::spawn(sheave(&caller));
        client.await_event("answered");
        // Both ends have keys for the next restart once those that were used are drained.
        for folder in ["server.d", "client.d"] {
            while fs::read_dir(certificates.path(folder)).unwrap().count() == 0 {
                thread::sleep(Duration::from_millis(50));
            }
        }
        // Killed.
        drop(client);
        let seen = relay.seen.lock().unwrap();
        let chunks = seen[begun..].iter().flat_map(|datagram| {
            let packet = Packet::parse(datagram).unwrap();
            packet
                .chunks()
                .map(|chunk| chunk.unwrap().chunk_type())
                .collect::<Vec<_>>()
        });
        let plain = chunks.filter(|kind| *kind != ChunkType::DTLS);
        let plain: Vec<ChunkType> = plain.collect();
        // The first handshake alone is in plain text.
        assert_eq!(
            plain == [ChunkType::INIT, ChunkType::INIT_ACK],
            life > 0,
            "{plain:?}"
        );
    }
    assert!(!relay.has_seen_plain_text());
}

/// Sends a message of the fragmentation point of a path of 1400 bytes, one that is a byte longer, and one in
/// fragments of 600 bytes at most (`SCTP_MAXSEG`).
const FRAGMENTS: &str = "
import socket, struct
SCTP = 132
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
fixed = 1 << 4
path = struct.pack('=i128sIHIIIIBx', 0, bytes(128), 0, 0, 1400, 0, fixed, 0, 0)
sock.setsockopt(SCTP, 9, path)
sock.connect(('127.0.0.1', 5000))
def exchange(length):
    sock.sendall(bytes(length))
    while length > 0:
        length -= len(sock.recv(1 << 16))
point = struct.unpack_from('=I', sock.getsockopt(SCTP, 14, 176), 20)[0]
exchange(point)
exchange(point + 1)
sock.setsockopt(SCTP, 13, struct.pack('=iI', 0, 600))
exchange(5000)
print(point, flush=True)
";

/// Reads what a program can know of its association's protection, and tries to change it.
const OPTIONS: &str = "
import socket, struct
SCTP = 132
sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
sock.connect(('127.0.0.1', 5000))
sock.sendall(b'hello')
message, _, flags, _ = sock.recvmsg(100)
none = bytes(4)
def read(name, size):
    return sock.getsockopt(SCTP, name, size)
def refused(name, value):
    try:
        sock.setsockopt(SCTP, name, value)
        return 0
    except OSError as error:
        return error.errno
role, methods, method = struct.unpack_from('=HHB', read(0x4101, 64), 4)
ours, theirs = (read(name, 300)[8:10].hex() for name in (0x4102, 0x4103))
enforced, window = (struct.unpack_from('=I', read(name, 8), 4)[0] for name in (0x4107, 0x4108))
plain, forged, received, sent = struct.unpack_from('=QQQQ', read(0x4109, 40), 8)
print(flags & 0x10000000, role in (1, 2), methods, method, ours, theirs, enforced, window)
print(forged, received > 2, sent > 2)
on, off = struct.pack('=iI', 0, 1), struct.pack('=iI', 0, 0)
print([refused(name, value) for name, value in ((0x4107, on), (0x4107, off), (0x4108, on), (0x4104, bytes(64)))])
";

#[test]
fn a_program_reads_how_it_is_protected_and_cannot_change_it() {
    let Some(certificates) = certificates() else {
        return;
    };
    let [theirs, ours] = certificates.both();
    let (port, _server) = certificates.serve(&theirs, SERVER);
    let output = run(&client(&port, &ours, OPTIONS));
    let expected = "268435456 True 1 192 8006 8006 1 2048\n0 True True\n[0, 22, 95, 95]\n";
    assert_eq!(text(&output.stdout), expected, "{}", text(&output.stderr));
}

#[test]
fn fragments_keep_room_for_what_protection_adds() {
    let Some(certificates) = certificates() else {
        return;
    };
    let [theirs, mut ours] = certificates.both();
    let (port, _server) = certificates.serve(&theirs, ECHO);
    let relay = Relay::to(&port);
    let log = certificates.path("keys");
    ours.extend(["--key-log", &log].words());
    let output = run(&client(&relay.port, &ours, FRAGMENTS));
    let point: usize = text(&output.stdout)
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    // IPv4, UDP, common header, DATA, and a DTLS chunk around it.
    assert_eq!(point, 1400 - 20 - 8 - 12 - 16 - 28);
    let mut decoder = Decoder::from_log(&fs::read_to_string(log).unwrap()).unwrap();
    let mut sent = Vec::new();
    for datagram in relay.seen.lock().unwrap().iter() {
        let packet = Packet::parse(datagram).unwrap();
        let Some(opened) = decoder
            .open(&packet)
            .filter(|_| packet.header.destination_port == 5000)
        else {
            continue;
        };
        for chunk in Packet::parse(&opened).unwrap().chunks() {
            if let Ok(Chunk::Data(data)) = chunk
                && data.ppid.0 != dtls::PPID
            {
                assert!(datagram.len() <= 1400 - 20 - 8);
                sent.push((data.tsn, data.payload.len()));
            }
        }
    }
    sent.sort_unstable_by_key(|(tsn, _)| tsn.0);
    sent.dedup();
    let lengths: Vec<usize> = sent.into_iter().map(|(_, length)| length).collect();
    let (whole, rest) = lengths.split_first().unwrap();
    assert_eq!(*whole, point);
    let (two, small) = rest.split_at(2);
    assert_eq!(two.iter().sum::<usize>(), point + 1);
    assert_eq!(small.iter().sum::<usize>(), 5000);
    assert!(
        small.len() == 9 && small.iter().all(|length| *length <= 600),
        "{small:?}"
    );
}

#[test]
fn keys_change_each_second_while_a_path_is_cut() {
    if !has(&[
        "iperf3", "python3", "ip", "nft", "unshare", "nsenter", "bash",
    ]) {
        return;
    }
    let certificates = Certificates::new(&["server", "client"]);
    let folder = certificates.folder.path();
    let mut command = Command::new("timeout");
    command.args([
        "300",
        "unshare",
        "--map-root-user",
        "--net",
        "--pid",
        "--fork",
    ]);
    command.args(["--kill-child", "--mount-proc", "bash"]);
    command.arg(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/secure/paths.sh"
    ));
    command.args([env!("CARGO_BIN_EXE_sheave"), "."]);
    let output = command.current_dir(folder).output().unwrap();
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}{}", text(&output.stderr));
    if out.contains("skipped: ") {
        return eprintln!("{out}");
    }
    assert!(out.contains("iperf Done"), "{out}");
    // Each line is one direction of one epoch.
    let epochs = out.lines().find_map(|line| line.strip_prefix("epochs: "));
    for lines in epochs.unwrap().split(' ') {
        assert!(lines.parse::<u32>().unwrap() >= 8, "{out}");
    }
    for link in ["near0.pcap", "near1.pcap"] {
        let capture = folder.join(link);
        let bytes = fs::read(&capture).unwrap();
        assert!(bytes.len() > 1_000_000, "{link}: {}", bytes.len());
        assert!(
            !bytes
                .windows(20)
                .any(|some| some == b"01234567890123456789")
        );
        let dump = run(&["dump", capture.to_str().unwrap(), "-J"]);
        let mut plain = 0;
        for line in support::lines(&text(&dump.stdout)) {
            // The last line sums up.
            for chunk in line["chunks"].as_array().into_iter().flatten() {
                let kind = chunk["type"].as_u64().unwrap();
                plain += u32::from(kind == 0 || kind == 64);
                // ABORT answers late packets of an association that is gone, and PAD makes long the
                // heartbeats before the handshake.
                assert!(
                    [0, 1, 2, 3, 4, 5, 6, 10, 11, 0x41, 0x84].contains(&kind),
                    "{chunk}"
                );
            }
        }
        // The first handshake alone.
        assert!(plain < 20, "{plain}");
        let Some(seen) = dissector::plain_chunk_types(&capture) else {
            continue;
        };
        // The handshakes and their heartbeats; late packets of an association that is gone are answered by ABORT.
        let clear: Vec<&u64> = seen
            .iter()
            .filter(|kind| ![0x41, 6].contains(*kind))
            .collect();
        assert!(clear.len() < 60 && seen.len() > 1000, "{clear:?}");
        let allowed = [0, 1, 2, 3, 4, 5, 10, 11, 0x84];
        assert!(
            clear.iter().all(|kind| allowed.contains(*kind)),
            "{clear:?}"
        );
    }
}
