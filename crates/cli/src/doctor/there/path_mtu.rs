//! Measures the largest packets that arrive in each direction.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use super::answer::Answer;
use super::probe::{Heard, ask};
use super::question::{Filling, Question};
use super::way::{Over, Way};
use crate::doctor::check::{Check, State};

/// Common packet sizes of links and tunnels, bytes.
const SIZES: [usize; 14] = [
    576, 1280, 1380, 1400, 1420, 1440, 1452, 1460, 1472, 1480, 1492, 1500, 4000, 9000,
];

/// The largest size tried: jumbo frames.
const LARGEST: usize = 9000;
/// Bytes to be returned in the trial question.
const TRIAL: usize = 64;
/// Size of a parameter header: type and length.
const HEADER: usize = 4;

/// The measured sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMtu {
    /// MTU of the local interface.
    pub link: usize,
    /// The largest question that was answered.
    pub up: Option<usize>,
    /// The smallest path MTU reported by a router.
    pub reported: Option<usize>,
    /// The result for the direction from the peer.
    pub down: Down,
}

/// The largest answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Down {
    /// The largest answer received; longer ones were requested but lost.
    Stops(usize),
    /// The largest answer requested, which arrived.
    All(usize),
    /// The peer does not return unknown parameters, so its answers stay short.
    NoEcho,
}

impl PathMtu {
    /// Sends questions of every size with DF set, and requests answers of every size.
    /// Errors: no socket could be opened.
    pub fn look(way: &Way, port: u16, link: usize, wait: Duration) -> io::Result<Self> {
        let headers = headers(way);
        let sizes: Vec<usize> = sizes(link);
        let padded = sizes.iter().map(|size| Filling::PadTo(size - headers));
        let questions: Vec<Question> = padded.map(|filling| Question::new(port, filling)).collect();
        let heard = ask(way, &questions, wait)?;
        let up = largest(&sizes, &heard);
        let reported = heard
            .iter()
            .filter_map(|heard| heard.report)
            .filter_map(|report| {
                let size = usize::try_from(report.info).unwrap_or(0);
                (size > 0).then_some(size)
            });
        Ok(Self {
            link,
            up,
            reported: reported.min(),
            down: down(way, port, link, question_limit(link, &sizes, &heard), wait)?,
        })
    }

    /// Reports the path MTU.
    pub fn check(&self) -> Check {
        let name = "Path MTU";
        let Some(up) = self.up else {
            let means = "No long question was answered: the peer takes none, or a firewall drops \
                         them.";
            return Check::new(State::Unknown, name, "not even 576 bytes", means);
        };
        let down = match self.down {
            Down::All(size) => format!("{size} bytes back at least"),
            Down::Stops(size) => format!("no more than {size} bytes back"),
            Down::NoEcho => "back unknown (the peer's answers stay short)".to_owned(),
        };
        let saw = format!(
            "{up} bytes there, {down}; the interface here has {}",
            self.link
        );
        let is_short = matches!(self.down, Down::Stops(size) if size < up);
        match (up < largest_asked(self.link), self.reported) {
            (false, _) if is_short => Check::new(
                State::Warn,
                name,
                saw,
                "Large packets of the peer do not arrive: transfers from there may stall.",
            )
            .fix("set the peer's MTU to what arrives: ip link set INTERFACE mtu BYTES there"),
            (false, _) => Check::new(State::Ok, name, saw, "Packets of every size tried arrive."),
            (true, Some(size)) => Check::new(
                State::Ok,
                name,
                format!("{saw}; a router reports {size}"),
                "The path is narrower than the interface, and routers say so.",
            ),
            (true, None) => Check::new(
                State::Warn,
                name,
                format!("{saw}; no router reports it"),
                "Larger packets vanish without a word: stacks that wait for ICMP stall. Sheave finds \
                 the size out by probing.",
            )
            .fix(format!(
                "let ICMP (fragmentation needed) pass on the way, or sudo ip link set INTERFACE mtu \
                 {up} here"
            )),
        }
    }
}

/// Bytes before the SCTP packet.
fn headers(way: &Way) -> usize {
    let ip = match way.remote {
        IpAddr::V4(_) => 20,
        IpAddr::V6(_) => 40,
    };
    match way.over {
        Over::Udp(_) => ip + 8,
        Over::Ip => ip,
    }
}

/// The sizes to try on this link; SCTP packets are multiples of four.
fn sizes(link: usize) -> Vec<usize> {
    let largest = largest_asked(link);
    let smaller = SIZES.iter().copied().filter(|size| *size < largest);
    smaller.chain([largest]).collect()
}

/// The largest size to try on this link.
fn largest_asked(link: usize) -> usize {
    floor(link.min(LARGEST))
}

/// Rounds down to a multiple of four.
const fn floor(size: usize) -> usize {
    size - size % 4
}

/// The largest size that was answered.
fn largest(sizes: &[usize], heard: &[Heard]) -> Option<usize> {
    let answered = sizes.iter().zip(heard).filter(|(_, heard)| accepts(heard));
    answered.map(|(size, _)| *size).max()
}

fn accepts(heard: &Heard) -> bool {
    let answer = heard.answer.as_ref().map(|reply| &reply.answer);
    matches!(answer, Some(Answer::Accepted(_) | Answer::Aborted(_)))
}

/// The longest question that is sure to arrive. If answers grow with their questions, because the
/// cookie contains the INIT, a missing answer may have been lost on the way back; then every length
/// may arrive.
fn question_limit(link: usize, sizes: &[usize], heard: &[Heard]) -> usize {
    let answered = sizes.iter().zip(heard);
    let answered = answered.filter_map(|(size, heard)| Some((*size, length(heard)?)));
    let mut answered: Vec<(usize, usize)> = answered.collect();
    answered.sort_unstable();
    let (Some(first), Some(last)) = (answered.first(), answered.last()) else {
        return link;
    };
    let grows = 2 * last.1.saturating_sub(first.1) > last.0 - first.0;
    match grows || first == last {
        true => link,
        false => last.0,
    }
}

/// Requests answers up to the link's MTU with questions of at most `limit` bytes.
fn down(way: &Way, port: u16, link: usize, limit: usize, wait: Duration) -> io::Result<Down> {
    let trial = [Filling::None, Filling::Reported(TRIAL)].map(|one| Question::new(port, one));
    let heard = ask(way, &trial, wait)?;
    let lengths: Vec<usize> = heard.iter().filter_map(length).collect();
    let &[base, grown] = lengths.as_slice() else {
        return Ok(Down::NoEcho);
    };
    let Some(echo) = Echo::of(base, grown) else {
        return Ok(Down::NoEcho);
    };
    let limit = limit.saturating_sub(headers(way));
    let (wanted, questions): (Vec<usize>, Vec<Question>) = sizes(link)
        .into_iter()
        .filter_map(|size| Some((size, Question::new(port, echo.filling(size)?))))
        .filter(|(_, question)| question.packet.len() <= limit)
        .unzip();
    let heard = ask(way, &questions, wait)?;
    Ok(judge_down(base, &wanted, &heard))
}

fn length(heard: &Heard) -> Option<usize> {
    heard.answer.as_ref().map(|reply| reply.length)
}

/// The growth of answers with the reported bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Echo {
    /// Size of an answer without a report.
    base: usize,
    /// Copies of the parameter: one in the report, and one in the cookie if it contains the INIT.
    copies: usize,
}

impl Echo {
    /// Computed from an answer without a report and one with [`TRIAL`] reported bytes; `None` if
    /// the second is no larger.
    fn of(base: usize, grown: usize) -> Option<Self> {
        let copies = grown.checked_sub(base)? / (TRIAL + HEADER);
        (copies > 0).then_some(Self { base, copies })
    }

    /// The filling for an answer of at most `size` bytes; `None` if answers are always larger.
    fn filling(self, size: usize) -> Option<Filling> {
        let room = size.checked_sub(self.base + HEADER)? / self.copies;
        Some(Filling::Reported(floor(room.checked_sub(HEADER)?)))
    }
}

/// Evaluates the answers to questions for answers of these sizes.
fn judge_down(base: usize, wanted: &[usize], heard: &[Heard]) -> Down {
    let lengths: Vec<Option<usize>> = heard.iter().map(length).collect();
    let longest = lengths.iter().flatten().max().copied().unwrap_or(base);
    let Some(first) = wanted.first() else {
        return Down::NoEcho;
    };
    let is_all = lengths.last().copied().flatten().is_some();
    // A complete echo has the requested size, up to padding of the cookie.
    if longest + 64 < *first {
        return Down::NoEcho;
    }
    let largest = wanted.last().copied().unwrap_or(0);
    match is_all && longest + 64 < largest {
        true => Down::NoEcho,
        false if is_all => Down::All(longest),
        false => Down::Stops(longest),
    }
}

#[cfg(test)]
mod tests;
