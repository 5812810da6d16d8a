//! `sheave demo`: a transfer to another process over two paths, one of which fails half-way.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};
use sheave::events::PathChange;
use sheave::{Association, Config, Endpoint, Event, Options, Target};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::paths;
use crate::screen::{Output, Screen};
use crate::send::SendSession;
use crate::transfer::manifest::{LinkPolicy, Manifest, Selection};
use crate::transfer::message::{Kind, Terms};
use crate::transfer::sender::Sender;
use crate::units::{byte_rate, bytes, parse_bytes};

const SENDER: [IpAddr; 2] = [ip(1), ip(2)];
const RECEIVER: [IpAddr; 2] = [ip(3), ip(4)];
/// The SCTP port; any, since the UDP ports are private.
const PORT: u16 = 5910;
/// Streams for files.
const STREAMS: u16 = 8;
/// Unanswered sends after which a path is down.
const PATH_MAX_RETRANS: u32 = 2;
/// Number of files of which one is large; the large files share what the others leave.
const LARGE: u64 = 50;
/// Interval of looking at the association's counters.
const GLANCE: Duration = Duration::from_millis(1);

const fn ip(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))
}

/// Shows failover.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../help/demo.txt").trim_end())]
pub struct DemoArgs {
    /// Demonstration to show; there is one
    #[arg(value_enum, default_value_t, hide = true)]
    what: What,

    /// Send this directory instead of a generated one
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Total size of the generated files, bytes
    #[arg(long, value_name = "SIZE", default_value = "500000000", value_parser = parse_bytes)]
    size: u64,

    /// Number of generated files
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    files: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum What {
    #[default]
    Transfer,
}

/// Runs the command.
/// Errors: the demonstration cannot be set up, or bytes are missing at the end.
pub fn run(args: &DemoArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let What::Transfer = args.what;
    let screen = Screen::new(output);
    let place = tempfile::Builder::new()
        .prefix("sheave-demo-")
        .tempdir()
        .while_doing("cannot make a temporary directory")?;
    let shown = show(args, &screen, place.path(), interrupts);
    // Closed explicitly: the directory is large, and an error must be reported.
    let path = place.path().to_owned();
    if let Err(error) = place.close() {
        eprintln!("sheave: {} is left over: {error}", path.display());
    }
    shown.map(|()| Exit::Success)
}

fn show(
    args: &DemoArgs,
    screen: &Screen,
    place: &Path,
    interrupts: &Interrupts,
) -> Result<(), Failure> {
    let source = source(args, place)?;
    let target = place.join("received");
    let selection = Selection {
        links: LinkPolicy::Keep,
        exclude: Vec::new(),
        input_name: String::new(),
    };
    // With the slash, only the directory's contents are sent.
    let contents = PathBuf::from(format!("{}/", source.display()));
    let manifest = Manifest::collect(&[contents], &selection).map_err(Failure::new)?;
    let files = files(&manifest);
    let (count, total) = (files.len(), manifest.bytes);
    let receiver = Receiver::start(&target, interrupts)?;
    let endpoint = Endpoint::bind(Config::udp(SENDER, 0)).map_err(|error| {
        Failure::new(error).fix("this needs 127.0.0.1 to 127.0.0.4, which Linux has by itself")
    })?;
    let options = Options {
        path_max_retrans: PATH_MAX_RETRANS,
        outbound_streams: STREAMS + 1,
        ..Options::default()
    };
    let to = Target::over_udp(RECEIVER, receiver.udp_port, PORT).with_options(options);
    let association = endpoint.connect(to).while_doing("cannot connect")?;
    let aborted = association.clone();
    interrupts.on_interrupt(move || aborted.abort("interrupted by the user"));
    screen.event(
        "connected",
        json!({ "files": count, "bytes": total }),
        || {
            format!(
                "{count} files, {}, over two paths: {} - {} and {} - {}",
                bytes(total),
                SENDER[0],
                RECEIVER[0],
                SENDER[1],
                RECEIVER[1]
            )
        },
    );
    paths::watch(&association, screen, "the receiver");
    let began = Instant::now();
    let cut = Cut::at(total / 2, &endpoint, &association, screen);
    let sender = Sender::new(manifest, Terms::default(), STREAMS);
    let tally = SendSession::new(sender, association.clone(), screen.clone()).run()?;
    let took = began.elapsed();
    let retransmissions = association.stats().map_or(0, |stats| stats.retransmissions);
    // The receiver has reported all files; its exit code shows how the association ended.
    let _ = association.shutdown_timeout(Duration::from_secs(10));
    let cut = cut.outcome()?;
    if !tally.is_complete() || !receiver.succeeds() {
        return Err(Failure::new("not every file arrived, see above"));
    }
    verify(&files, &source, &target)?;
    report(screen, count, total, (began, took), &cut, retransmissions);
    Ok(())
}

/// The directory to send.
fn source(args: &DemoArgs, place: &Path) -> Result<PathBuf, Failure> {
    let (source, needed) = match &args.from {
        Some(directory) => (directory.clone(), 0),
        None => (place.join("sent"), 2 * args.size),
    };
    let space = rustix::fs::statvfs(place).while_doing("cannot look at the temporary directory")?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    if free < needed {
        let place = place.parent().unwrap_or(place).display();
        let what = format!(
            "{place} has {} free, {} are needed",
            bytes(free),
            bytes(needed)
        );
        let fix = "set TMPDIR to a directory with more room, or ask for less with --size";
        return Err(Failure::new(what).fix(fix));
    }
    if args.from.is_none() {
        make(&source, args.files, args.size).while_doing("cannot make the files")?;
    }
    Ok(source)
}

/// Generates a typical tree below `top`: many small files, some large ones, some empty.
fn make(top: &Path, files: u64, bytes: u64) -> io::Result<()> {
    let average = bytes / files;
    let sizes = (0..files).map(|number| match number % LARGE {
        0 => None,
        1 => Some(0),
        small => Some(average * small / LARGE / 4),
    });
    let sizes: Vec<Option<u64>> = sizes.collect();
    let small: u64 = sizes.iter().flatten().sum();
    let (rest, large) = (bytes - small, files.div_ceil(LARGE));
    for (number, size) in (0..).zip(sizes) {
        let directory = top.join(format!("part-{:02}", number / 40));
        fs::create_dir_all(&directory)?;
        // The first large file takes the remainder.
        let first = if number == 0 { rest % large } else { 0 };
        let size = size.unwrap_or(rest / large + first);
        // Incompressible and reproducible.
        let mut noise = blake3::Hasher::new();
        noise.update(&u64::to_le_bytes(number));
        let mut noise = io::Read::take(noise.finalize_xof(), size);
        let mut file = File::create(directory.join(format!("größe {number}.dat")))?;
        io::copy(&mut noise, &mut file)?;
    }
    Ok(())
}

fn files(manifest: &Manifest) -> Vec<PathBuf> {
    let items = manifest.items.iter();
    let files = items.filter(|item| matches!(item.entry.kind, Kind::File { .. }));
    files.map(|item| item.path.clone()).collect()
}

/// Compares the files with those received.
fn verify(files: &[PathBuf], source: &Path, target: &Path) -> Result<(), Failure> {
    let hash = |path: &Path| {
        let mut hasher = blake3::Hasher::new();
        let hashed = File::open(path).and_then(|file| hasher.update_reader(file).map(|_| ()));
        hashed.while_doing(path.display())?;
        Ok::<_, Failure>(hasher.finalize())
    };
    for file in files {
        let name = file.strip_prefix(source).while_doing(file.display())?;
        if hash(file)? != hash(&target.join(name))? {
            let name = name.display();
            return Err(Failure::new(format!("NOT the same: {name}")));
        }
    }
    Ok(())
}

/// The receiving process, killed if it does not end by itself.
struct Receiver {
    child: Arc<Mutex<Child>>,
    udp_port: u16,
}

impl Receiver {
    /// Starts `sheave recv` and waits until it listens.
    fn start(target: &Path, interrupts: &Interrupts) -> Result<Self, Failure> {
        let program = std::env::current_exe().while_doing("cannot find this program")?;
        let local = RECEIVER.map(|ip| ip.to_string()).join(",");
        let mut child = Command::new(program)
            .args(["recv", "--once", "--json", "--udp-port", "0"])
            .args(["--local", &local, "--port", &PORT.to_string()])
            .args(["--path-max-retrans", &PATH_MAX_RETRANS.to_string()])
            .arg(target)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .while_doing("cannot start sheave recv")?;
        let mut line = String::new();
        let lines = child.stdout.take().map(BufReader::new);
        let child = Arc::new(Mutex::new(child));
        let killed = Arc::clone(&child);
        interrupts.on_interrupt(move || kill(&killed));
        let mut receiver = Self { child, udp_port: 0 };
        if let Some(mut lines) = lines {
            lines.read_line(&mut line).while_doing("sheave recv")?;
            // Read to the end, lest the receiver waits for room in the pipe.
            thread::spawn(move || io::copy(&mut lines, &mut io::sink()));
        }
        let listening: Value = serde_json::from_str(&line).unwrap_or_default();
        let port = listening["udp_port"].as_u64().map(u16::try_from);
        let Some(Ok(udp_port)) = port else {
            return Err(Failure::new("sheave recv did not start, see above"));
        };
        receiver.udp_port = udp_port;
        Ok(receiver)
    }

    /// Waits for the end; returns whether all went well.
    fn succeeds(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.wait().is_ok_and(|status| status.success())
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        kill(&self.child);
        self.succeeds();
    }
}

fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    // The process may already have ended.
    let _ = child.kill();
}

/// The failure of the first path.
struct Cut {
    at: Instant,
    /// User bytes sent before.
    sent: u64,
    /// Time until data flowed on the second path.
    gap: Duration,
    /// Time until the first path was declared down; `None` if the transfer ended before.
    down_after: Option<Duration>,
}

/// A thread that cuts the first path.
struct CutThread(JoinHandle<Option<Cut>>);

impl Cut {
    /// Unplugs the first path after so many bytes.
    fn at(sent: u64, from: &Endpoint, association: &Association, screen: &Screen) -> CutThread {
        let (from, association, screen) = (from.clone(), association.clone(), screen.clone());
        CutThread(thread::spawn(move || {
            let began = Instant::now();
            let events = association.events();
            let sent = loop {
                let so_far = association.stats()?.bytes_sent;
                if so_far >= sent {
                    break so_far;
                }
                thread::sleep(GLANCE);
            };
            let on_second = |association: &Association| {
                let paths = association.path_stats();
                let second = paths.iter().find(|path| path.remote == RECEIVER[1])?;
                Some(second.chunks_sent)
            };
            let before = on_second(&association)?;
            let at = Instant::now();
            from.unplug(SENDER[0]);
            let took = at - began;
            let fields = json!({ "bytes": sent, "seconds": took.as_secs_f64() });
            screen.event("cut", fields, || {
                let rate = byte_rate(sent, took);
                format!("{} is UNPLUGGED after {} ({rate})", SENDER[0], bytes(sent))
            });
            while on_second(&association)? == before {
                thread::sleep(GLANCE);
            }
            let gap = at.elapsed();
            let mut down_after = None;
            while let Some(event) = events.next() {
                let change = (RECEIVER[0], PathChange::Down);
                if matches!(event, Event::Path { remote, change: to } if (remote, to) == change) {
                    down_after = Some(at.elapsed());
                    break;
                }
            }
            Some(Self {
                at,
                sent,
                gap,
                down_after,
            })
        }))
    }
}

impl CutThread {
    fn outcome(self) -> Result<Cut, Failure> {
        let cut = self.0.join().ok().flatten();
        cut.ok_or_else(|| {
            Failure::new("the transfer was over before the path could be cut")
                .fix("send more: --size 500M")
        })
    }
}

fn report(
    screen: &Screen,
    files: usize,
    total: u64,
    (began, took): (Instant, Duration),
    cut: &Cut,
    retransmissions: u64,
) {
    let before = cut.at - began;
    let (rest, after) = (total.saturating_sub(cut.sent), took - before);
    let rate = |count: u64, over: Duration| count as f64 / over.as_secs_f64().max(1e-9);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let fields = json!({
        "files": files,
        "bytes": total,
        "seconds": took.as_secs_f64(),
        "bytes_before_cut": cut.sent,
        "bytes_per_second_before": rate(cut.sent, before),
        "bytes_per_second_after": rate(rest, after),
        "gap_ms": millis(cut.gap),
        "path_down_after_ms": cut.down_after.map(millis),
        "retransmissions": retransmissions,
        "identical": true,
    });
    screen.event("summary", fields, || {
        let down = cut.down_after.map(|down| format!("{:.0} ms", millis(down)));
        format!(
            "\nbefore the cut   {} in {:.2} s: {}\n\
             failover         data flows on the other path after {:.0} ms; the first path is \
             declared down after {}\n\
             after it         {} in {:.2} s: {}\n\
             in all           {} in {:.2} s: {}; {retransmissions} chunks retransmitted\n\
             verified         {files} files, {}: every byte is the same",
            bytes(cut.sent),
            before.as_secs_f64(),
            byte_rate(cut.sent, before),
            millis(cut.gap),
            down.as_deref().unwrap_or("the end"),
            bytes(rest),
            after.as_secs_f64(),
            byte_rate(rest, after),
            bytes(total),
            took.as_secs_f64(),
            byte_rate(total, took),
            bytes(total),
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_the_files_and_bytes_asked_for_and_a_changed_byte_is_found() {
        let top = tempfile::tempdir().unwrap();
        let (one, other) = (top.path().join("one"), top.path().join("other"));
        let mut made = Vec::new();
        for tree in [&one, &other] {
            make(tree, 300, 3_000_001).unwrap();
            let entries = fs::read_dir(tree).unwrap();
            made = entries
                .flat_map(|part| fs::read_dir(part.unwrap().path()).unwrap())
                .map(|file| file.unwrap().path())
                .collect::<Vec<_>>();
        }
        let size = |file: &PathBuf| fs::metadata(file).unwrap().len();
        assert_eq!(made.iter().map(size).sum::<u64>(), 3_000_001);
        assert!(made.len() == 300 && made.iter().any(|file| size(file) == 0));
        verify(&made, &other, &one).unwrap();
        let largest = made.iter().max_by_key(|file| size(file)).unwrap();
        let mut changed = fs::read(largest).unwrap();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(largest, changed).unwrap();
        assert!(verify(&made, &other, &one).is_err());
    }
}
