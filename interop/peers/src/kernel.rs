use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Child, skip};

/// The kernels without a test just now: a boot takes seconds, so each is the next test's, until one fails.
static IDLE: Mutex<Vec<Machine>> = Mutex::new(Vec::new());

/// Within which a kernel boots.
const BOOT: Duration = Duration::from_secs(60);

/// Longer than a test may take.
const BOUND: Duration = Duration::from_secs(400);

/// Shell script of a kernel's process: it runs the tests whose names it reads.
const RUN_TESTS: &str = "echo '=== up'; while read -r name; do \
    \"$0\" --exact \"$name\" --include-ignored --nocapture 2>&1; echo \"=== over $?\"; done";

/// A Linux kernel with SCTP that runs beside this process (`interop/kernel`).
pub struct KernelPeer {
    input: PathBuf,
    output: PathBuf,
}

/// Runs the test `name` again in a process of its own, in a network with a kernel peer, and
/// `scenario` there. Where that is impossible it says so and returns.
pub fn beside_kernel(name: &str, scenario: impl FnOnce(&KernelPeer)) {
    if let (Some(input), Some(output)) = (
        env::var_os("SHEAVE_PEER_INPUT"),
        env::var_os("SHEAVE_PEER_OUTPUT"),
    ) {
        let kernel = KernelPeer {
            input: input.into(),
            output: output.into(),
        };
        let _ = kernel.run("fresh");
        scenario(&kernel);
        return;
    }
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    // Whatever a test that fails leaves behind, the next one does not find it.
    let last = idle().pop();
    let mut machine = last.unwrap_or_else(Machine::boot);
    let text = match &mut machine {
        Machine::Missing(why) => {
            skip(why);
            idle().push(machine);
            return;
        }
        Machine::Running(process) => run_test(process, name),
    };
    print!("{text}");
    if text.ends_with("=== over 0\n") {
        idle().push(machine);
        assert!(text.contains("1 passed"), "no test is called {name}");
        return;
    }
    if let Machine::Running(mut process) = machine {
        process.hang_up(Duration::from_secs(10));
    }
    panic!("{name} failed beside the kernel peer");
}

/// The machine on which tests that need a kernel run.
enum Machine {
    Running(Child),
    /// There is none, and why.
    Missing(String),
}

impl Machine {
    fn boot() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/run.sh");
        let mut command = Command::new(script);
        command
            .args(["sh", "-c", RUN_TESTS])
            .arg(env::current_exe().expect("a test has a file"))
            .env("SHEAVE_PEER_BOUND", "3600");
        let mut process = Child::start(&mut command);
        let first = process.line_of(&["=== up", "skipped: "], BOOT);
        match first.strip_prefix("skipped: ") {
            Some(why) => Self::Missing(why.to_owned()),
            None => Self::Running(process),
        }
    }
}

/// The output of the test, up to its exit status.
fn run_test(process: &mut Child, name: &str) -> String {
    process.tell(name);
    let mut text = String::new();
    let deadline = Instant::now() + BOUND;
    loop {
        let Some(line) = process.next_line(deadline) else {
            return text + "=== out of time\n";
        };
        text.extend([&line, "\n"]);
        if line.starts_with("=== over ") {
            return text;
        }
    }
}

impl KernelPeer {
    /// Runs a shell command in the peer; its output, standard error included.
    /// Panics: it fails, or is not over within a minute.
    pub fn run(&self, command: &str) -> String {
        let (status, text) = self.attempt(command);
        assert_eq!(status, "0", "`{command}` fails in the peer: {text}");
        text
    }

    /// Runs a shell command in the peer that may fail; its exit status and output.
    /// Panics: it is not over within a minute.
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

    /// The content of a log; empty where there is none yet.
    pub fn log(&self, log: &str) -> String {
        self.attempt(&format!("cat /tmp/{log}.log")).1
    }

    /// Tells the association with that log, whose program was started with `control={log}`, to do
    /// something (`interop/kernel/control.h`), and waits until it has.
    /// Panics: it cannot, or takes longer than 20 s.
    pub fn tell(&self, log: &str, command: &str) {
        let line = self.command(log, command, &format!("did {command}"));
        assert!(line.starts_with("did "), "{line}");
    }

    /// Asks the association with that log for `question`; the last answer.
    /// Panics: it cannot answer, or takes longer than 20 s.
    pub fn ask(&self, log: &str, question: &str) -> String {
        let line = self.command(log, question, &format!("{question} "));
        assert!(!line.starts_with("failed "), "{line}");
        line
    }

    /// Writes a command and waits for one more line in the log that begins with `answer`, or says
    /// that it failed.
    fn command(&self, log: &str, command: &str, answer: &str) -> String {
        let failure = format!("failed {command}");
        let is_answer = |line: &&str| line.starts_with(answer) || line.starts_with(&failure);
        let before = self.log(log).lines().filter(is_answer).count();
        let fifo = format!("/tmp/{log}.control");
        // Opened for both, it waits for nobody.
        let _ = self.run(&format!(
            "until [ -p {fifo} ]; do usleep 5000; done; echo '{command}' 1<> {fifo}"
        ));
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let text = self.log(log);
            if let Some(line) = text.lines().filter(is_answer).nth(before) {
                return line.to_owned();
            }
            assert!(Instant::now() < deadline, "no `{answer}` in: {text}");
            thread::sleep(Duration::from_millis(10));
        }
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
