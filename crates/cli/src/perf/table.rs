//! iperf3's table.

use std::time::Duration;

use super::control::Direction;
use super::presentation::Presentation;
use super::report::End;
use super::row::{Way, bits_per_second};
use crate::screen::{Output, Screen};
use crate::units::iperf_bytes;

/// Prints the rows of a test as text; does nothing with JSON output.
#[derive(Clone)]
pub struct Table {
    screen: Screen,
    look: Presentation,
    end: End,
    direction: Direction,
}

/// The columns of a line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The association's number, or `SUM`.
    pub id: &'a str,
    /// The direction.
    pub way: Way,
    /// The start of the interval.
    pub start: Duration,
    /// The end of the interval.
    pub end: Duration,
    /// User bytes in the interval.
    pub bytes: u64,
    /// DATA chunks retransmitted in the interval.
    pub retransmits: Option<u64>,
    /// The congestion window at the end of the interval, bytes.
    pub cwnd: Option<u64>,
    /// The mark at the end of the line.
    pub mark: &'static str,
}

impl Table {
    /// Creates a table.
    pub fn new(screen: Screen, look: Presentation, end: End, direction: Direction) -> Self {
        Self {
            screen,
            look,
            end,
            direction,
        }
    }

    /// The first line of the table, with `extra` columns.
    pub fn head(&self, extra: &str) {
        let role = match self.direction {
            Direction::Both => "[Role]",
            Direction::Forward | Direction::Reverse => "",
        };
        self.text(&format!(
            "[ ID]{role} Interval           Transfer     Bitrate{extra}"
        ));
    }

    /// The line between intervals.
    pub fn rule(&self) {
        self.text("- - - - - - - - - - - - - - - - - - - - - - - - -");
    }

    /// Prints a line of the table.
    pub fn line(&self, line: &Line<'_>) {
        let role = match (self.direction, line.way, self.end) {
            (Direction::Forward | Direction::Reverse, ..) => "",
            (_, Way::Sent, End::Client) => "[TX-C]",
            (_, Way::Sent, End::Server) => "[TX-S]",
            (_, Way::Received, End::Client) => "[RX-C]",
            (_, Way::Received, End::Server) => "[RX-S]",
        };
        let took = line.end.saturating_sub(line.start);
        let text = format!(
            "[{:>3}]{role} {:>6.2}-{:<6.2} sec {:>12} {:>15} {:>4}  {:>12}  {}",
            line.id,
            line.start.as_secs_f64(),
            line.end.as_secs_f64(),
            iperf_bytes(line.bytes),
            self.look.rate(bits_per_second(line.bytes, took)),
            line.retransmits
                .map_or(String::new(), |count| count.to_string()),
            line.cwnd.map_or(String::new(), iperf_bytes),
            line.mark,
        );
        self.text(text.trim_end());
    }

    /// Prints another line.
    pub fn text(&self, text: &str) {
        if self.screen.output() == Output::Human {
            self.screen.line(text);
        }
    }
}
