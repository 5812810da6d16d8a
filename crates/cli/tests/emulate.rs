//! `sheave emulate` as a process, between other processes.
#![cfg(feature = "lab")]

mod support;

use std::fs;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Background, fail, free_port, run, sheave, succeed, text};

/// An emulator from `front` to `back`, both UDP ports of 127.0.0.1.
fn emulate(front: &str, back: &str, extra: &str) -> Background {
    let way = format!("--listen 127.0.0.1:{front} --to 127.0.0.1:{back}");
    let emulator = Background::start(&format!("emulate --json {way} {extra}"));
    emulator.await_event("relaying");
    emulator
}

/// An emulator of two links, at two addresses.
fn emulate_two(file: &Path, front: &str, back: &str) -> Background {
    let way = |ip| format!("--listen {ip}:{front} --to {ip}:{back}");
    let (one, two, file) = (way("127.0.0.1"), way("127.0.0.2"), file.display());
    let emulator = Background::start(&format!("emulate {file} --json {one} {two}"));
    emulator.await_event("relaying");
    emulator.await_event("relaying");
    emulator
}

fn server(command: &str, port: &str) -> Background {
    let place = format!("--local 127.0.0.1 --udp-port {port}");
    Background::listening(&format!("{command} --json {place}"))
}

/// The report of a measurement.
fn measure(port: &str, extra: &str) -> Value {
    let client = format!("perf -c 127.0.0.1 -J --peer-udp-port {port}");
    serde_json::from_str(&succeed(&format!("{client} {extra}"))).unwrap()
}

/// Megabits per second that arrive.
fn rate(result: &Value) -> f64 {
    let rate = &result["end"]["sum_received"]["bits_per_second"];
    rate.as_f64().unwrap() * 1e-6
}

/// The congestion window in the middle of all that were seen, bytes. Unlike the rate it does not
/// depend on how busy the machine is.
fn median_cwnd(result: &Value) -> u64 {
    let intervals = result["intervals"].as_array().unwrap().iter();
    let streams = intervals.flat_map(|interval| interval["streams"].as_array().unwrap());
    let mut seen: Vec<u64> = streams
        .map(|stream| stream["snd_cwnd"].as_u64().unwrap())
        .collect();
    seen.sort_unstable();
    seen[seen.len() / 2]
}

/// The last counters after Ctrl-C, of the only link.
fn totals(mut emulator: Background) -> Value {
    emulator.signal("-INT");
    let totals = emulator.await_event("totals");
    assert_eq!(emulator.wait(), Some(0));
    totals["links"][0].clone()
}

#[test]
fn with_damage_the_chunk_checksum_is_worth_its_bytes() {
    let (front, back) = (free_port(), free_port());
    let _server = server("perf -s -p 15220 --chunk-checksum", &back);
    let link = "--delay 10ms --rate 200Mbit/s --corruption 3%,0%";
    let emulator = emulate(&front, &back, link);
    let windows = |extra: &str| {
        // A single association may be lucky or not. With RACK-TLP, or in few large packets, losses
        // cost so little here that nothing is left to be gained.
        let flags = "-p 15220 -P 5 -t 2 -i 0.1 -l 1400 --send-buffer 64K --profile rfc9260 \
                     --path-mtu-discovery off";
        let result = measure(&front, &format!("{flags} {extra}"));
        println!("{:.1} Mbit/s", rate(&result));
        median_cwnd(&result)
    };
    let plain = windows("");
    let checked = windows("--chunk-checksum");
    println!("plain {plain}, checked {checked} bytes");
    let link = totals(emulator);
    assert!(link["there"]["corrupted"].as_u64() > Some(20), "{link}");
    assert_eq!(link["back"]["corrupted"], 0);
    // By how much depends on what else the machine does; the laboratory's studies say it.
    assert!(checked > plain, "{checked} {plain}");
}

#[test]
fn delay_and_loss_are_as_asked() {
    let (front, back) = (free_port(), free_port());
    let _server = server("ping --serve -p 15221", &back);
    let emulator = emulate(&front, &back, "--delay 40ms,20ms --loss 20%,0%");
    let ping = format!("ping 127.0.0.1 -q -p 15221 -c 200 --peer-udp-port {front}");
    let said = text(&run(&format!("{ping} -i 0.005 -W 5")).stdout);
    let after = |word: &str| -> f64 {
        let (_, rest) = said.split_once(word).expect(&said);
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        rest[..end.unwrap_or(rest.len())].parse().unwrap()
    };
    let (least, loss) = (after("mdev = "), after(" received, "));
    // The best of 160 is exact, unless the machine is busy all the time.
    assert!((60.0..120.0).contains(&least), "{said}");
    assert!((12.0..28.0).contains(&loss), "{said}");
    let link = totals(emulator);
    let count = |way: &str, what: &str| link[way][what].as_f64().unwrap();
    let lost = count("there", "lost") / count("there", "packets");
    assert!((0.12..0.28).contains(&lost), "{link}");
    assert_eq!(count("back", "lost"), 0.0);
}

#[test]
fn files_pass_over_two_lossy_links_at_once() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("links.toml");
    let links = r#"
        duration = "1 s"
        hosts = ["client", "server"]
        link.one = { ends = ["client", "server"], rate = "20 Mbit/s", loss = "1 %" }
        link.two = { ends = ["client", "server"], rate = "20 Mbit/s", loss = "1 %" }
    "#;
    fs::write(&file, links).unwrap();
    let source = top.path().join("noise");
    support::write_noise(&source, 3_000_000);
    let inbox = top.path().join("inbox");
    let (front, back) = (free_port(), free_port());
    let both = format!("--local 127.0.0.1,127.0.0.2 --udp-port {back}");
    let _receiver = Background::listening(&format!("recv {} --json {both}", inbox.display()));
    let emulator = emulate_two(&file, &front, &back);
    let to = format!("127.0.0.1 --peer-udp-port {front} --local 127.0.0.3,127.0.0.4");
    succeed(&format!("send {} {to} --heartbeats 50ms", source.display()));
    let arrived = fs::read(top.path().join("inbox/noise")).unwrap();
    assert!(arrived == fs::read(source).unwrap());
    let totals = {
        emulator.signal("-INT");
        emulator.await_event("totals")
    };
    // The second path is probed, whether or not data takes it.
    for link in totals["links"].as_array().unwrap() {
        assert!(link["there"]["delivered"].as_u64() > Some(0), "{totals}");
        assert!(link["back"]["delivered"].as_u64() > Some(0), "{totals}");
    }
}

#[test]
fn a_limit_of_time_ends_it_with_a_table() {
    let port = free_port();
    let (listen, to) = (format!("127.0.0.1:{port}"), "127.0.0.1:9");
    let said = succeed(&format!(
        "emulate --listen {listen} --to {to} --duration 100ms"
    ));
    assert!(
        said.starts_with(&format!("from {listen} to {to}\n")),
        "{said}"
    );
    assert!(
        said.contains("\nlink there ") && said.contains("0 clients"),
        "{said}"
    );
}

#[test]
fn mistakes_are_named() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("link.toml");
    let path = file.to_str().unwrap();
    let ends = "--listen 127.0.0.1:0 --to 127.0.0.1:9";
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let with_file = format!("{path} {ends}");
    let check = |text: &str, args: &str, code, named: &str| {
        fs::write(&file, text).unwrap();
        fail(&format!("emulate {args}"), code, named);
    };
    let unknown = format!("{path}: dely: there is no such key; did you mean `delay`?");
    check("dely = \"20 ms\"", &with_file, 2, &unknown);
    check("delay = ", &with_file, 2, "line 1");
    check("delay = ", &with_file, 2, path);
    let listening = format!("cannot listen at {taken}");
    let again = "--listen 127.0.0.1:9000: its datagrams come back";
    for (args, code, named) in [
        (
            &*format!("--delay soon {ends}"),
            2,
            "--delay: must be a time, such as",
        ),
        (&*format!("{path} --delay 1ms {ends}"), 2, "not both"),
        (&*format!("{path} {ends} {ends}"), 2, "1 ways"),
        ("--listen 127.0.0.1:0", 2, "each --listen needs its --to"),
        (
            &*format!("--listen {taken} --to 127.0.0.1:9"),
            1,
            &listening,
        ),
        (
            &*format!("--listen {taken} --to 127.0.0.1:9"),
            1,
            "choose another with --listen",
        ),
        // Loops, which burnt a processor.
        ("--listen 127.0.0.1:9000 --to 127.0.0.1:9000", 2, again),
        ("--listen [::]:9000 --to [::1]:9000", 2, "come back"),
        (
            "--listen [::1]:1 --to [::1]:2 --listen [::1]:2 --to [::1]:1",
            2,
            "come back",
        ),
    ] {
        check("", args, code, named);
    }
}

/// Whether network namespaces and TUN devices can be made here.
fn may_tunnel(name: &str) -> bool {
    let made = ip(&format!("netns add {name}"));
    made && ip(&format!("tuntap add mode tun name {name}"))
        && ip(&format!("tuntap del mode tun name {name}"))
}

fn ip(args: &str) -> bool {
    match Command::new("ip").args(args.split(' ')).output() {
        Ok(output) => output.status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("ip: {error}"),
    }
}

/// Removes network namespaces.
struct Namespaces([String; 2]);

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.0 {
            ip(&format!("netns del {name}"));
        }
    }
}

#[test]
fn the_kernels_packets_cross_the_link_between_two_namespaces() {
    let id = std::process::id();
    let spaces = Namespaces(["n", "f"].map(|end| format!("sv{id}{end}")));
    let [near, far] = &spaces.0;
    if !(may_tunnel(near) && ip(&format!("netns add {far}"))) {
        eprintln!("skipped: no right to make network namespaces and TUN devices");
        return;
    }
    let emulator = Background::start(&format!("emulate --json --tun {near} {far} --delay 25ms"));
    emulator.await_event("tunnelling");
    for (name, address) in [(near, "10.9.0.1/30"), (far, "10.9.0.2/30")] {
        assert!(ip(&format!("link set {name} netns {name}")));
        assert!(ip(&format!("-n {name} addr add {address} dev {name}")));
        assert!(ip(&format!("-n {name} link set {name} up")));
    }
    let mut within = Command::new("ip");
    within.args(["netns", "exec", far]);
    let server = Background::start_in(within, "perf -s -1 --local 10.9.0.2 --json");
    server.await_event("listening");
    let mut client = Command::new("ip");
    client.args(["netns", "exec", near]);
    client.arg(sheave("").get_program());
    client.args(["ping", "10.9.0.2", "-c", "5", "-i", "0.1", "--mode", "init"]);
    let output = client.args(["-W", "20"]).output().unwrap();
    drop(server);
    let said = text(&output.stdout);
    let (_, times) = said.split_once("mdev = ").expect(&said);
    let least: f64 = times.split('/').next().unwrap().parse().unwrap();
    // Only the link takes 50 ms; a busy machine takes more, five times out of five.
    assert!((50.0..1000.0).contains(&least), "{said}");
    emulator.signal("-INT");
    let totals = emulator.await_event("totals");
    let there = &totals["links"][0]["there"];
    assert!(there["delivered"].as_u64() >= Some(3), "{totals}");
}

/// Bytes that went over each of two links, of a client that measures with these flags.
fn bytes_on_two_links(extra: &str) -> [u64; 2] {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("links.toml");
    let links = r#"
        duration = "1 s"
        hosts = ["client", "server"]
        link.one = { ends = ["client", "server"], rate = "20 Mbit/s", delay = "5 ms" }
        link.two = { ends = ["client", "server"], rate = "15 Mbit/s", delay = "15 ms" }
    "#;
    fs::write(&file, links).unwrap();
    let (front, back) = (free_port(), free_port());
    let both = format!("--local 127.0.0.1,127.0.0.2 --udp-port {back}");
    let _server = Background::listening(&format!("perf -s --json -p 15225 --multipath {both}"));
    let emulator = emulate_two(&file, &front, &back);
    // A link fails by many timeouts alone, which a machine that stands still does not make.
    let flags = "-p 15225 -n 6M -l 1400 --profile rfc9260 --heartbeats 100ms";
    let local = "--local 127.0.0.3,127.0.0.4";
    measure(&front, &format!("{flags} {local} {extra}"));
    emulator.signal("-INT");
    let totals = emulator.await_event("totals");
    [0, 1].map(|link| totals["links"][link]["there"]["bytes"].as_u64().unwrap())
}

#[test]
fn two_links_at_a_time_share_what_one_carries_else() {
    let [first, second] = bytes_on_two_links("");
    assert!(second * 10 < first, "{second} of {first}");
    // 15 of 35 Mbit/s, less what the second link misses before it is proved.
    let [first, second] = bytes_on_two_links("--multipath");
    assert!(second * 4 > first, "{second} beside {first}");
}

#[test]
fn abandoned_messages_are_counted_at_both_ends() {
    let (front, back) = (free_port(), free_port());
    let _server = server("perf -s -p 15226", &back);
    let _emulator = emulate(&front, &back, "--rate 10Mbit/s");
    let common = format!("perf -c 127.0.0.1 --peer-udp-port {front}");
    // More is waiting to be sent than leaves while it is worth anything.
    let plan = "-p 15226 -t 1 -l 20K --lifetime 30ms";
    let args = |extra: &str| succeed(&format!("{common} {plan} {extra}"));
    let result: Value = serde_json::from_str(&args("-J --bidir")).unwrap();
    let sctp = &result["end"]["sctp"];
    for end in ["host", "remote"] {
        let abandoned = &sctp["abandoned"][end];
        assert!(abandoned["timed"]["unsent"].as_u64() > Some(5), "{sctp}");
        assert_eq!(abandoned["retransmissions"]["sent"], 0);
    }
    let only = &sctp["associations"][0]["abandoned"];
    assert_eq!(only, &sctp["abandoned"]["host"]);
    let printed = args("-R");
    assert!(
        printed.contains("messages given up: here 0, there "),
        "{printed}"
    );
    assert!(printed.contains("(too late: "), "{printed}");
}
