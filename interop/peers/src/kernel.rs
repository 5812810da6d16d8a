use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::skip;

/// One kernel at a time: two would only slow each other down.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A Linux kernel with SCTP that runs beside this process (`interop/kernel`).
pub struct KernelPeer {
    input: PathBuf,
    output: PathBuf,
}

/// Runs the test `name` again in a process of its own, in a network with a kernel peer, and
/// `scenario` there. Where that is impossible it says so and returns.
///
/// # Panics
/// The scenario fails.
pub fn beside_kernel(name: &str, scenario: impl FnOnce(&KernelPeer)) {
    if let (Some(input), Some(output)) = (
        env::var_os("SHEAVE_PEER_INPUT"),
        env::var_os("SHEAVE_PEER_OUTPUT"),
    ) {
        scenario(&KernelPeer {
            input: input.into(),
            output: output.into(),
        });
        return;
    }
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/run.sh");
    let run = Command::new(script)
        .arg(env::current_exe().expect("a test has a file"))
        .args(["--exact", name, "--nocapture"])
        .output()
        .expect("the script can be run");
    let text = String::from_utf8_lossy(&run.stdout);
    print!("{text}{}", String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{name} failed beside the kernel peer");
    match text.lines().find_map(|line| line.strip_prefix("skipped: ")) {
        Some(why) => skip(why),
        None => assert!(text.contains("1 passed"), "no test is called {name}"),
    }
}

impl KernelPeer {
    /// Runs a shell command in the peer; its output, standard error included.
    ///
    /// # Panics
    /// It fails, or is not over within a minute.
    #[must_use]
    pub fn run(&self, command: &str) -> String {
        let (status, text) = self.attempt(command);
        assert_eq!(status, "0", "`{command}` fails in the peer: {text}");
        text
    }

    /// Runs a shell command in the peer that may fail; its exit status and output.
    ///
    /// # Panics
    /// It is not over within a minute.
    #[must_use]
    pub fn attempt(&self, command: &str) -> (String, String) {
        let before = self.read().len();
        let mut input = OpenOptions::new()
            .write(true)
            .open(&self.input)
            .expect("the peer listens");
        writeln!(input, "{command}").expect("the peer listens");
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let output = self.read();
            let new = output.get(before..).unwrap_or_default();
            if let Some((text, status)) = split_at_status(new) {
                return (status.to_owned(), text.to_owned());
            }
            assert!(
                Instant::now() < deadline,
                "`{command}` takes too long: {new}"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts a shell command in the peer; its output goes to `/tmp/{log}.log` there.
    pub fn start(&self, log: &str, command: &str) {
        let _ = self.run(&format!("{command} > /tmp/{log}.log 2>&1 &"));
    }

    /// Waits until the log has a line that begins so, and returns all of the log.
    ///
    /// # Panics
    /// None comes within `limit`.
    #[must_use]
    pub fn wait_for_line(&self, log: &str, beginning: &str, limit: Duration) -> String {
        let deadline = Instant::now() + limit;
        loop {
            let text = self.log(log);
            if text.lines().any(|line| line.starts_with(beginning)) {
                return text;
            }
            assert!(
                Instant::now() < deadline,
                "no line `{beginning}` in {log}.log: {text}"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// What a log holds; nothing where there is none yet.
    #[must_use]
    pub fn log(&self, log: &str) -> String {
        self.attempt(&format!("cat /tmp/{log}.log")).1
    }

    fn read(&self) -> String {
        let bytes = fs::read(&self.output).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\r', "")
    }
}

/// A command's output and its status, once the line with the status has come.
fn split_at_status(output: &str) -> Option<(&str, &str)> {
    let at = output.find("=== ")?;
    let (text, rest) = output.split_at(at);
    let (line, _) = rest.split_once('\n')?;
    Some((text, line.trim_start_matches("=== ").trim()))
}

#[cfg(test)]
mod tests {
    use super::split_at_status;

    #[test]
    fn a_status_counts_only_as_a_whole_line() {
        assert_eq!(split_at_status("text\n=== 1"), None);
        assert_eq!(split_at_status("text\n=== 1\n"), Some(("text\n", "1")));
    }
}
