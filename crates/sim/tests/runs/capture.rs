use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

use sheave_engine::{ExplicitCongestion, Options, Profile, Time};
use sheave_sim::tcp::{self, Tcp};
use sheave_sim::{
    Arrivals, Bitrate, Bulk, Discipline, ErrorWarning, Errors, Expected, LinkId, LinkSpec,
    Probability, Program, Red, Signal, Sink, Source, Tap, Traffic, VantagePoint, World,
    write_event_log,
};

use crate::town::{Client, PORT, address, ms, secs, town};

/// The values of those fields that tshark reads in each packet of a capture; `None` where there is
/// no tshark.
fn dissect(file: &PathBuf, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut tshark = Command::new("tshark");
    tshark.args(["-r"]).arg(file);
    tshark.args([
        "-o",
        "sctp.checksum:CRC 32c",
        "-o",
        "ip.check_checksum:TRUE",
        "-o",
        "tcp.check_checksum:TRUE",
        "-T",
        "fields",
    ]);
    for field in fields {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().ok()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    Some(text.lines().map(row).collect())
}

#[test]
fn tshark_reads_what_passed_a_link() {
    let file = std::env::temp_dir().join(format!("sheave-sim-{}.pcapng", std::process::id()));
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(10), ms(20))]);
    let out = Box::new(fs::File::create(&file).expect("a file"));
    town.world.capture(town.links[0].0, Tap::Arrival, out);
    town.greedy(&Profile::Rfc9260.options());
    town.world.run_until(secs(1));
    town.world.finish_captures().expect("written");
    let fields = [
        "frame.time_epoch",
        "ip.src",
        "ip.len",
        "ip.checksum.status",
        "sctp.checksum.status",
        "sctp.chunk_type",
        "_ws.malformed",
    ];
    let rows = dissect(&file, &fields);
    fs::remove_file(&file).expect("removed");
    let Some(rows) = rows else {
        return eprintln!("no tshark here");
    };
    let delivered = town.world.link_stats(town.links[0].0).delivered;
    assert_eq!(rows.len() as u64, delivered);
    for row in &rows {
        assert_eq!(row[1], "10.0.0.1");
        assert_eq!((row[3].as_str(), row[4].as_str()), ("1", "1"), "{row:?}");
        assert_eq!(row[6], "");
    }
    // The INIT was sent at 0 and took its bits and 20 ms.
    let len: u64 = rows[0][2].parse().expect("a length");
    let nanos = 20_000_000 + len * 800;
    assert_eq!(rows[0][0], format!("0.{nanos:09}"));
    assert_eq!(rows[0][5], "1");
}

/// A capture of all that arrives over one link of a world, and over the one back.
struct Capture(Vec<PathBuf>);

impl Capture {
    fn begin(name: &str, world: &mut World, links: (LinkId, LinkId)) -> Self {
        let files = [("there", links.0), ("back", links.1)].map(|(way, link)| {
            let file = format!("sheave-sim-{name}-{way}-{}.pcapng", std::process::id());
            let file = std::env::temp_dir().join(file);
            let out = Box::new(fs::File::create(&file).expect("a file"));
            world.capture(link, Tap::Arrival, out);
            file
        });
        Self(files.to_vec())
    }

    /// The fields of each packet, which tshark finds neither malformed nor otherwise in error;
    /// `None`, with a line on standard error, where there is no tshark.
    fn read(self, world: &mut World, fields: &[&str]) -> Option<Vec<Vec<String>>> {
        world.finish_captures().expect("written");
        let mut all = vec!["_ws.malformed", "_ws.expert.severity"];
        all.extend(fields);
        let read = self.0.iter().map(|file| dissect(file, &all));
        let Some(rows) = read.collect::<Option<Vec<_>>>() else {
            eprintln!("skipped: no tshark on this machine");
            return None;
        };
        let rows = rows.concat();
        assert!(rows.len() > 100, "{} packets", rows.len());
        for row in &rows {
            assert_eq!(row[0], "", "{row:?}");
            // Errors; tshark has chats, notes and warnings for losses and the like.
            let severities = row[1].split(',').filter_map(|text| text.parse().ok());
            assert!(severities.max().unwrap_or(0) < 8_388_608_u32, "{row:?}");
        }
        let fields = rows.into_iter().map(|row| row[2..].to_vec());
        Some(fields.collect())
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        for file in &self.0 {
            let _ = fs::remove_file(file);
        }
    }
}

/// Number of rows with that text in that column.
fn count(rows: &[Vec<String>], column: usize, text: &str) -> usize {
    let has = |row: &&Vec<String>| row[column].split(',').any(|part| part == text);
    rows.iter().filter(has).count()
}

#[test]
fn tshark_reads_a_run_with_ecn() {
    let spec = LinkSpec {
        queue: Discipline::Red(Red {
            weight: 0.02,
            ..Red::for_limit(60, Signal::Mark)
        }),
        ..LinkSpec::new(Bitrate::mbit(10), ms(20))
    };
    let mut town = town(1, &[spec]);
    let capture = Capture::begin("ecn", &mut town.world, town.links[0]);
    let options = Options {
        ecn: ExplicitCongestion::On,
        ..Profile::Rfc9260.options()
    };
    town.greedy(&options);
    town.world.run_until(secs(5));
    let marked = town.world.link_stats(town.links[0].0).marked;
    let fields = ["ip.dsfield.ecn", "sctp.checksum.status", "sctp.chunk_type"];
    let Some(rows) = capture.read(&mut town.world, &fields) else {
        return;
    };
    assert_eq!(count(&rows, 1, "1"), rows.len(), "good checksums");
    assert!(marked > 0, "the queue marks");
    let ce = count(&rows, 0, "3") as u64;
    // The last may still be on its way.
    assert!(ce <= marked && ce + 2 >= marked, "{ce} of {marked}");
    let (ecne, cwr) = (count(&rows, 2, "12"), count(&rows, 2, "13"));
    assert!(ecne > 0 && cwr > 0, "{ecne} ECNE, {cwr} CWR");
}

#[test]
fn tshark_reads_a_run_of_the_simulated_tcp() {
    for options in [tcp::Options::default(), tcp::Options::linux_like()] {
        let spec = LinkSpec {
            loss: Errors::Uniform(Probability::new(0.01)),
            ..LinkSpec::new(Bitrate::mbit(10), ms(20))
        };
        let mut town = town(1, &[spec]);
        let capture = Capture::begin("tcp", &mut town.world, town.links[0]);
        let (near, far) = (address(0, 1), address(0, 2));
        let seed = town.world.seed("tcp");
        let client = Tcp::client(near, (far, PORT), options.clone(), seed);
        let bulk = Program::new(client, Bulk::counted(1460, 1, 2000), Time::ZERO);
        let server = Tcp::server(PORT, options, seed);
        let sink = Sink::counting(Expected::Messages(2000));
        let sink = Program::new(server, sink, Time::ZERO);
        town.world.add_agent(town.hosts[0], Box::new(bulk));
        town.world.add_agent(town.hosts[1], Box::new(sink));
        town.world.run_until(secs(120));
        let fields = ["ip.checksum.status", "tcp.checksum.status", "tcp.flags.fin"];
        let Some(rows) = capture.read(&mut town.world, &fields) else {
            return;
        };
        assert_eq!(count(&rows, 0, "1"), rows.len(), "good headers");
        assert_eq!(count(&rows, 1, "1"), rows.len(), "good checksums");
        assert!(rows.len() > 3000, "{} packets", rows.len());
    }
}

#[test]
fn tshark_reads_an_error_warning() {
    let hit = LinkSpec {
        loss: Errors::Uniform(Probability::new(0.05)),
        error_warning: ErrorWarning::On,
        ..LinkSpec::new(Bitrate::mbit(10), ms(20))
    };
    let mut world = World::new(1);
    let router = world.add_router("router");
    let [one, other] = [1, 2].map(|host| {
        let host = address(0, host);
        let id = world.add_host("host", &[host]).expect("fresh");
        (id, world.interface(host).expect("an interface"))
    });
    let wired = LinkSpec::new(Bitrate::mbit(100), ms(5));
    let links = world
        .add_links("wired", one.1, router, &wired)
        .expect("links");
    world
        .add_links("radio", router, other.1, &hit)
        .expect("links");
    let capture = Capture::begin("warning", &mut world, links);
    let traffic = Traffic {
        source: SocketAddr::new(address(0, 1), 9),
        destination: SocketAddr::new(address(0, 2), 9),
        len: 1000,
        arrivals: Arrivals::Constant { interval: ms(5) },
        start: Time::ZERO,
        stop: secs(5),
    };
    let source = Source::new(traffic, world.random("traffic"));
    world.add_agent(one.0, Box::new(source));
    world.run_until(secs(6));
    let fields = ["icmp.type", "icmp.checksum.status", "udp.dstport"];
    let Some(rows) = capture.read(&mut world, &fields) else {
        return;
    };
    let notices = count(&rows, 0, "253");
    assert!(notices > 20, "{notices}");
    assert_eq!(count(&rows, 1, "1"), notices, "good checksums");
}

#[test]
fn the_event_log_is_a_sequence_of_json_texts_in_order_of_time() {
    let lossy = LinkSpec {
        loss: Errors::Uniform(Probability::new(0.02)),
        ..LinkSpec::new(Bitrate::mbit(10), ms(20))
    };
    let mut town = town(1, &[lossy]);
    let (client, _) = town.greedy(&Profile::Rfc9260.options());
    town.world.run_until(secs(20));
    let client: &Client<Bulk> = town.world.agent(client).expect("a client");
    let mut log = Vec::new();
    let title = "a \"lossy\" link";
    write_event_log(&mut log, title, VantagePoint::Client, client.transport()).expect("written");
    let log = String::from_utf8(log).expect("text");
    let mut texts = log.split('\u{1e}').skip(1);
    let head = texts.next().expect("a head");
    assert!(head.contains(r#""title":"a \"lossy\" link""#), "{head}");
    let mut last = 0.0;
    let mut names = BTreeSet::new();
    for text in texts {
        let rest = text.strip_prefix("{\"time\":").expect("a time");
        let (time, rest) = rest.split_once(",\"name\":\"sctp:").expect("a name");
        let time: f64 = time.parse().expect("a number");
        assert!(time >= last, "{time} after {last}");
        last = time;
        names.insert(rest.split('"').next().unwrap_or_default().to_owned());
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }
    for name in
        "association_established chunks_retransmitted metrics_updated path_state_updated".split(' ')
    {
        assert!(names.contains(name), "{name} in {names:?}");
    }
}

#[test]
fn packets_of_the_hosts_are_captured_with_checksums_until_the_file_is_full() {
    let file = std::env::temp_dir().join(format!("sheave-sim-hosts-{}.pcapng", std::process::id()));
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(10), ms(20))]);
    let out = Box::new(fs::File::create(&file).expect("a file"));
    town.world.capture_hosts(100, out);
    town.greedy(&Profile::Rfc9260.options());
    assert!(!town.world.capture_is_full());
    town.world.run_until(secs(1));
    assert!(town.world.capture_is_full());
    town.world.finish_captures().expect("written");
    let fields = ["ip.src", "frame.interface_name", "sctp.checksum.status"];
    let rows = dissect(&file, &fields);
    fs::remove_file(&file).expect("removed");
    let Some(rows) = rows else {
        return eprintln!("no tshark here");
    };
    assert_eq!(rows.len(), 100);
    let sources: BTreeSet<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let interfaces: BTreeSet<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!((sources.len(), interfaces.len()), (2, 2));
    assert!(rows.iter().all(|row| row[2] == "1"));
}
