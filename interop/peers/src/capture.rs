use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Child;

/// The pcap link type of bare SCTP packets.
const LINKTYPE_SCTP: u32 = 248;

/// A capture of a network interface that runs beside a test.
pub struct Capture {
    child: Child,
    file: PathBuf,
}

impl Capture {
    /// Captures all packets of `interface`; `None` where there is no `dumpcap`.
    pub fn start(interface: &str) -> Option<Self> {
        if !Path::new("/usr/bin/dumpcap").exists() {
            return None;
        }
        let file = temporary("pcap");
        // Its messages go to standard error; the shell turns them over to us.
        let command = format!("exec dumpcap -P -i {interface} -w {} 2>&1", file.display());
        let mut child = Child::start(Command::new("sh").args(["-c", &command]));
        child.line("File:", Duration::from_secs(10));
        Some(Self { child, file })
    }

    /// Ends the capture; the file that holds it.
    pub fn finish(mut self) -> PathBuf {
        self.child.interrupt();
        self.child.succeeds(Duration::from_secs(10));
        self.file.clone()
    }
}

/// Writes bare SCTP packets into a new pcap file.
pub fn packets_to_pcap<'a>(packets: impl IntoIterator<Item = &'a [u8]>) -> PathBuf {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, LINKTYPE_SCTP] {
        bytes.extend_from_slice(&u32::to_ne_bytes(word));
    }
    for packet in packets {
        let length = u32::try_from(packet.len()).expect("packets are short");
        for word in [0, 0, length, length] {
            bytes.extend_from_slice(&u32::to_ne_bytes(word));
        }
        bytes.extend_from_slice(packet);
    }
    let file = temporary("pcap");
    fs::File::create(&file)
        .and_then(|mut file| file.write_all(&bytes))
        .expect("a temporary file can be written");
    file
}

/// Faults that `tshark` finds in a capture: a line for each SCTP packet that is malformed or has a
/// bad checksum. Also how many SCTP packets it saw. `None` where there is no `tshark`.
pub fn tshark(file: &Path) -> Option<(usize, Vec<String>)> {
    let all = matching(file, "sctp")?;
    let wrong = "sctp && (_ws.malformed || sctp.checksum.status == \"Bad\")";
    Some((all, list(file, wrong)?))
}

/// Number of packets of a capture that `tshark` shows under a display filter; `None` where there is
/// no
/// `tshark`.
pub fn matching(file: &Path, filter: &str) -> Option<usize> {
    list(file, filter).map(|lines| lines.len())
}

/// A line for each packet that passes the filter.
fn list(file: &Path, filter: &str) -> Option<Vec<String>> {
    let run = Command::new("tshark")
        .args(["-n", "-o", "sctp.checksum:TRUE", "-Y", filter, "-r"])
        .arg(file)
        .output()
        .ok()?;
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "tshark: {errors}");
    let text = String::from_utf8_lossy(&run.stdout);
    Some(text.lines().map(str::to_owned).collect())
}

/// A new path for a temporary file.
fn temporary(ending: &str) -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("sheave-{}-{number}.{ending}", std::process::id());
    env::temp_dir().join(name)
}
