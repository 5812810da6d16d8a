use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

/// A child process that reports on its standard output. Dropping it kills the process.
#[derive(Debug)]
pub struct Program {
    child: Child,
    /// Standard input, if piped.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    /// Starts a command with the given standard input.
    pub fn start(command: &mut Command, input: Stdio) -> io::Result<Self> {
        let mut child = command.stdin(input).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let (sender, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                // The receiver is gone if nobody wants the rest.
                lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
            });
        }
        Ok(Self {
            child,
            input,
            lines,
        })
    }

    /// Writes a line to the program.
    /// Errors: the program has ended, or its input is not piped.
    pub fn tell(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{line}")?;
        input.flush()
    }

    /// The next line of output.
    /// Errors: the program prints nothing for `patience`, or has ended.
    pub fn line(&self, patience: Duration) -> io::Result<String> {
        let line = self.lines.recv_timeout(patience);
        line.map_err(|error| match error {
            RecvTimeoutError::Timeout => io::Error::other("a program prints nothing"),
            RecvTimeoutError::Disconnected => io::Error::other("a program ended early"),
        })
    }

    /// The next line of output, which is JSON.
    /// Errors: there is no such line within `patience`.
    pub fn hear<T: DeserializeOwned>(&self, patience: Duration) -> io::Result<T> {
        parse(&self.line(patience)?)
    }

    /// Waits for the program's end and returns the rest of its output, which is JSON.
    /// Errors: the program failed, does not end within `patience`, or printed something else.
    pub fn finish<T: DeserializeOwned>(mut self, patience: Duration) -> io::Result<T> {
        self.input = None;
        let begin = Instant::now();
        let mut printed = String::new();
        loop {
            match self
                .lines
                .recv_timeout(patience.saturating_sub(begin.elapsed()))
            {
                Ok(line) => printed.push_str(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(io::Error::other("a program does not end"));
                }
            }
        }
        let status = self.child.wait()?;
        match status.success() {
            true => parse(&printed),
            false => Err(io::Error::other(format!(
                "a program failed ({status}): {printed}"
            ))),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // An ended program cannot be killed and need not be.
        let _ = (self.child.kill(), self.child.wait());
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> io::Result<T> {
    let parsed = serde_json::from_str(text);
    parsed.map_err(|error| io::Error::other(format!("a program printed {text:?}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> Program {
        let mut command = Command::new("sh");
        Program::start(command.args(["-c", script]), Stdio::piped()).unwrap()
    }

    #[test]
    fn a_program_answers_orders_and_reports_at_its_end() {
        let mut program = shell("read a; echo $a; read b; echo '['; echo \"$a, 2]\"");
        program.tell("1").unwrap();
        assert_eq!(program.hear::<u32>(PATIENCE).unwrap(), 1);
        assert_eq!(program.finish::<Vec<u32>>(PATIENCE).unwrap(), [1, 2]);
    }

    #[test]
    fn a_failed_program_reports_nothing() {
        assert!(shell("echo 1; exit 3").finish::<u32>(PATIENCE).is_err());
    }
}
