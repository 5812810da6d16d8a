//! A `sheave run` whose program another one serves.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{WaitOptions, wait as wait_for_child};

use crate::Ending;
use crate::sys::signals::{self, Origin, Signals};

/// Grace period for a program whose host has ended.
const GRACE: Duration = Duration::from_millis(200);

/// Kills a program without a host.
pub(crate) fn end(process: u32) {
    let _ = signals::send(process, process, libc::SIGKILL);
    let _ = wait_for_child(WaitOptions::empty());
}

/// Waits until the program has ended and, for at most `linger`, until the host has closed its
/// sockets.
pub(crate) fn wait(
    process: u32,
    signals: &Signals,
    host: &OwnedFd,
    linger: Duration,
) -> io::Result<Ending> {
    let mut ended: Option<(Ending, Instant)> = None;
    let mut hosted = true;
    // The kernel reports the end of the filter before that of the program.
    let mut lost: Option<Instant> = None;
    loop {
        if let Some((ending, at)) = ended
            && (!hosted || at.elapsed() >= linger)
        {
            return Ok(ending);
        }
        poll(
            signals,
            hosted.then_some(host),
            (ended.is_some() || lost.is_some()).then_some(Duration::from_millis(20)),
        )?;
        if hosted && is_over(host) {
            hosted = false;
            lost = Some(Instant::now());
        }
        if ended.is_none() && lost.take_if(|at| at.elapsed() >= GRACE).is_some() {
            eprintln!("sheave: the host of this program has ended: its SCTP sockets are gone");
        }
        while let Some(signal) = signals.take() {
            match signal.number {
                libc::SIGCHLD => {
                    while let Ok(Some((child, status))) = wait_for_child(WaitOptions::NOHANG) {
                        if child.as_raw_nonzero().get().unsigned_abs() == process {
                            let ending = match status.terminating_signal() {
                                Some(signal) => Ending::Signal(signal),
                                None => Ending::Code(status.exit_status().unwrap_or(0)),
                            };
                            ended = Some((ending, Instant::now()));
                        }
                    }
                }
                libc::SIGINT | libc::SIGQUIT if signal.origin == Origin::Kernel => {}
                number => {
                    let _ = signals::send(process, process, number);
                }
            }
        }
    }
}

fn poll(signals: &Signals, host: Option<&OwnedFd>, span: Option<Duration>) -> io::Result<()> {
    let mut polled = vec![PollFd::new(signals, PollFlags::IN)];
    polled.extend(host.map(|host| PollFd::new(host, PollFlags::IN)));
    let span = span.map(|span| Timespec {
        tv_sec: 0,
        tv_nsec: span.subsec_nanos().into(),
    });
    match rustix::event::poll(&mut polled, span.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the host has closed the connection.
fn is_over(host: &OwnedFd) -> bool {
    let mut room = [0; 8];
    let flags = rustix::net::RecvFlags::DONTWAIT;
    matches!(rustix::net::recv(host, &mut room, flags), Ok((0, _)))
}
