//! The processes of the demonstration.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use serde_json::Value;

use crate::failure::{Failure, While};

/// The two processes, which are killed with the demonstration.
#[derive(Clone, Default)]
pub struct Processes(Arc<Mutex<Vec<Child>>>);

/// A line of a process's output, or its end.
pub struct Line {
    /// The process.
    pub process: &'static str,
    /// The next line of its output; `None` at the end.
    pub value: Option<Value>,
}

impl Processes {
    /// Starts `sheave` with these arguments and sends its output to `to_here` under this name.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(
        &self,
        name: &'static str,
        args: &[String],
        to_here: &mpsc::Sender<Line>,
    ) -> Result<(), Failure> {
        let program = std::env::current_exe().while_doing("cannot find this program")?;
        let started = Command::new(program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = started.while_doing(format!("cannot start sheave {name}"))?;
        let stdout = child.stdout.take();
        self.lock().push(child);
        if let Some(stdout) = stdout {
            read_lines(name, stdout, to_here.clone());
        }
        Ok(())
    }

    /// Kills the processes.
    pub fn kill(&self) {
        for child in self.lock().iter_mut() {
            // The process may already have ended.
            let _ = child.kill();
        }
    }

    /// Waits for the processes; returns whether every one succeeded.
    pub fn wait(&self) -> bool {
        let children = std::mem::take(&mut *self.lock());
        let mut all = true;
        for mut child in children {
            all &= child.wait().is_ok_and(|status| status.success());
        }
        all
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_lines(process: &'static str, stdout: ChildStdout, to_here: mpsc::Sender<Line>) {
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let value = serde_json::from_str(&line).ok();
            if value.is_some() && to_here.send(Line { process, value }).is_err() {
                return;
            }
        }
        let _ = to_here.send(Line {
            process,
            value: None,
        });
    });
}
