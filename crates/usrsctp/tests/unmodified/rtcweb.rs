//! usrsctp's `rtcweb`: data channels of before RFC 8831, each a stream either way.

use std::iter;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use sheave_interop::Child;

use crate::installed::{Library, on};
use crate::running::{PAIRS, PATIENCE, STEP, by_lines, found, ports, wait_for_server};

/// The server's SCTP port.
const PORT: &str = "5000";

/// The beginning of a status.
const STATUS: &str = "Association state: ";
/// The beginning of a channel's line in a status.
const CHANNEL: &str = "Channel with id = ";

/// Two programs that are connected.
struct Pair {
    server: Peer,
    client: Peer,
}

/// A program that takes commands by lines.
///
/// The program's threads print parts of lines. Only the lines that it prints under its lock are sure to be whole,
/// which that of a channel that was created and that of the connection are not.
struct Peer(Child);

impl Pair {
    fn connect(program: &Path, serving: Library, calling: Library) -> Self {
        let [theirs, ours] = ports();
        let mut command = on(serving, program);
        let mut server = Peer::start(command.args([&theirs, &ours, PORT]));
        wait_for_server(&theirs);
        let mut command = on(calling, program);
        let mut client = Peer::start(command.args([&ours, &theirs, "127.0.0.1", PORT]));
        // A peer that reads no commands yet would lose a request for a channel.
        for peer in [&mut server, &mut client] {
            peer.tell("status");
            peer.hears("Association state: ESTABLISHED");
        }
        Self { server, client }
    }

    /// Waits until both have exactly those channels.
    fn have(&mut self, channels: &[String]) {
        self.server.has(channels);
        self.client.has(channels);
    }

    /// Ends both programs on the client's command.
    fn quit(mut self) {
        self.client.tell("quit");
        self.server.hears("Shutdown event.");
        for peer in [&mut self.server, &mut self.client] {
            peer.hears("Association change SCTP_SHUTDOWN_COMP");
            assert!(peer.0.succeeds(PATIENCE));
        }
    }
}

impl Peer {
    fn start(command: &Command) -> Self {
        Self(Child::start(&mut by_lines(command)))
    }

    fn tell(&mut self, command: &str) {
        self.0.tell(command);
    }

    /// Waits for a line that begins so.
    fn hears(&mut self, beginning: &str) {
        self.0.line(beginning, PATIENCE);
    }

    /// Waits until the first channel's stream is reset either way, in whichever order.
    fn hears_of_resets(&mut self) {
        let mut next = || self.0.line("Stream reset event: ", PATIENCE);
        let mut events = [next(), next()];
        events.sort();
        let wanted = [
            "Stream reset event: flags = 1, incoming stream ids = 1.",
            "Stream reset event: flags = 2, outgoing stream ids = 1.",
        ];
        assert_eq!(events, wanted);
    }

    /// Sends that text on the channel, which the other hears on its own.
    fn says(&mut self, channel: u16, text: &str, other: &mut Self) {
        self.tell(&format!("send {channel}:{text}"));
        self.hears("Message sent.");
        let length = text.len();
        other.hears(&format!(
            "Message received of length {length} on channel with id {channel}: {text}"
        ));
    }

    /// Waits until exactly those channels are there.
    fn has(&mut self, wanted: &[String]) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let channels = self.channels();
            if channels == wanted {
                return;
            }
            assert!(Instant::now() < deadline, "{channels:?} and not {wanted:?}");
            thread::sleep(STEP);
        }
    }

    /// The channels: id, state, streams and reliability of each.
    fn channels(&mut self) -> Vec<String> {
        // A second status marks the end of the first.
        self.tell("status");
        self.tell("status");
        self.hears(STATUS);
        let next = || self.0.line_of(&[STATUS, CHANNEL], PATIENCE);
        iter::repeat_with(next)
            .map_while(|line| Some(line.strip_prefix(CHANNEL)?.to_owned()))
            .collect()
    }
}

/// The line of a channel that is open on that stream either way.
fn open(id: u16, stream: u16, kind: &str) -> String {
    format!(
        "{id}: state OPEN, flags = 0x00000000, stream id (in/out): ({stream}/{stream}), {kind}."
    )
}

/// Does that with each pair of libraries.
fn with_pairs(act: impl Fn(Pair)) {
    if let Some(programs) = found(&["rtcweb"]) {
        for (serving, calling) in PAIRS {
            act(Pair::connect(&programs[0], serving, calling));
        }
    }
}

#[test]
fn a_channel_carries_texts_both_ways_until_it_is_closed() {
    with_pairs(|mut pair| {
        let kind = "ordered, reliable";
        // The streams of a channel that was closed serve again.
        for round in 0..2 {
            pair.client.tell("open 0 0 0");
            pair.have(&[open(0, 1, kind)]);
            for number in 0..10 {
                let text = format!("from the client {round} {number}");
                pair.client.says(0, &text, &mut pair.server);
                let text = format!("from the server {round} {number}");
                pair.server.says(0, &text, &mut pair.client);
            }
            pair.client.tell("close 0");
            pair.client.hears_of_resets();
            pair.server.hears_of_resets();
            pair.have(&[]);
        }
        pair.quit();
    });
}

#[test]
fn channels_of_either_side_have_the_reliability_that_was_asked_for() {
    with_pairs(|mut pair| {
        let channels = [
            open(0, 1, "unordered, unreliable (timeout 60000ms)"),
            open(1, 2, "ordered, unreliable (max. 3 rtx)"),
        ];
        pair.server.tell("open 1 1 60000");
        pair.have(&channels[..1]);
        pair.client.tell("open 0 3 3");
        pair.have(&channels);
        for channel in [0, 1] {
            pair.client.says(channel, "a text", &mut pair.server);
            pair.server.says(channel, "another", &mut pair.client);
        }
        pair.quit();
    });
}

#[test]
fn a_channel_for_which_no_stream_is_left_has_one_added() {
    with_pairs(|mut pair| {
        let kind = "ordered, reliable";
        let channels = [0, 1, 2, 3, 4].map(|id| open(id, id + 1, kind));
        // Each side has five streams, the first of which is for no channel.
        for count in 1..=4 {
            pair.client.tell("open 0 0 0");
            pair.have(&channels[..count]);
        }
        pair.client.tell("open 0 0 0");
        let change = "Stream change event: streams (in/out) = ";
        for (server, client) in [("(6/5)", "(5/6)"), ("(6/6)", "(6/6)")] {
            pair.server.hears(&format!("{change}{server}, flags = 0."));
            pair.client.hears(&format!("{change}{client}, flags = 0."));
        }
        pair.have(&channels);
        pair.client.says(4, "a text", &mut pair.server);
        pair.server.says(4, "another", &mut pair.client);
        pair.quit();
    });
}
