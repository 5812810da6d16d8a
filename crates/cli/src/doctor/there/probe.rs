//! Sends questions and collects the replies.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use sheave::error_queue::{self, QueuedError};
use socket2::{Domain, Protocol, Socket, Type};

use super::answer::Answer;
use super::question::Question;
use super::way::{Over, Way};

/// Most transmissions of a question without an answer.
const ATTEMPTS: u32 = 3;
/// Interval of reading the error queue.
const SLICE: Duration = Duration::from_millis(20);

/// Replies to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub answer: Option<Reply>,
    /// An ICMP report of a router or host.
    pub report: Option<QueuedError>,
    /// The local error of sending.
    pub refused: Option<i32>,
}

/// An answer and its circumstances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The content.
    pub answer: Answer,
    /// The sender; port 0 over plain IP.
    pub from: SocketAddr,
    /// Time since the last transmission of the question.
    pub rtt: Duration,
    /// Size of the packet with its IP header, bytes.
    pub length: usize,
}

impl Heard {
    /// Whether no further reply is expected.
    fn is_over(&self) -> bool {
        self.answer.is_some() || self.refused.is_some()
    }
}

/// Sends the questions on this route and collects replies within `wait`.
/// Errors: no socket could be opened: `PermissionDenied` for plain IP without `CAP_NET_RAW`.
pub fn ask(way: &Way, questions: &[Question], wait: Duration) -> io::Result<Vec<Heard>> {
    let socket = open(way)?;
    let mut session = Session {
        // A raw socket is read like a UDP socket.
        reader: socket.try_clone()?.into(),
        socket,
        way,
        questions,
        sent: vec![Instant::now(); questions.len()],
        heard: vec![Heard::default(); questions.len()],
    };
    for _ in 0..ATTEMPTS {
        session.send();
        session.listen(Instant::now() + wait / ATTEMPTS)?;
    }
    Ok(session.heard)
}

struct Session<'a> {
    socket: Socket,
    reader: UdpSocket,
    way: &'a Way,
    questions: &'a [Question],
    sent: Vec<Instant>,
    heard: Vec<Heard>,
}

impl Session<'_> {
    /// Sends unanswered questions.
    fn send(&mut self) {
        let to = SocketAddr::new(self.way.remote, self.way.over.port()).into();
        for (at, question) in self.questions.iter().enumerate() {
            if self.heard[at].answer.is_some() {
                continue;
            }
            self.sent[at] = Instant::now();
            let mut sent = self.socket.send_to(&question.packet, &to);
            if sent.is_err() {
                // The error may stem from an earlier question.
                self.take_reports();
                sent = self.socket.send_to(&question.packet, &to);
            }
            self.heard[at].refused = sent.err().and_then(|error| error.raw_os_error());
        }
    }

    /// Collects replies until every question is settled or the time is up.
    fn listen(&mut self, until: Instant) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        while !self.heard.iter().all(Heard::is_over) {
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                break;
            }
            let slice = rest.min(SLICE).max(Duration::from_millis(1));
            self.socket.set_read_timeout(Some(slice))?;
            match self.reader.recv_from(&mut buffer) {
                Ok((length, from)) => self.take(&buffer[..length], from),
                // Nothing arrived, or an ICMP report is in the error queue.
                Err(_) => self.take_reports(),
            }
        }
        self.take_reports();
        Ok(())
    }

    fn take(&mut self, datagram: &[u8], from: SocketAddr) {
        let ip_header = match from {
            SocketAddr::V4(_) => 20,
            SocketAddr::V6(_) => 40,
        };
        let (packet, length) = match (self.way.over, from) {
            (Over::Udp(_), _) => (datagram, datagram.len() + 8 + ip_header),
            // A raw socket also returns the IPv4 header.
            (Over::Ip, SocketAddr::V4(_)) => {
                let header = usize::from(datagram.first().unwrap_or(&0) & 15) * 4;
                (datagram.get(header..).unwrap_or_default(), datagram.len())
            }
            (Over::Ip, SocketAddr::V6(_)) => (datagram, datagram.len() + ip_header),
        };
        let Some((at, answer)) = Answer::read(packet, self.questions) else {
            return;
        };
        let known = self.heard[at].answer.as_ref().map(|reply| &reply.answer);
        // A valid answer replaces a corrupted one.
        if known.is_none_or(|known| *known == Answer::Damaged) {
            self.heard[at].answer = Some(Reply {
                answer,
                from,
                rtt: self.sent[at].elapsed(),
                length,
            });
        }
    }

    fn take_reports(&mut self) {
        let mut quoted = [0; 64];
        while let Ok(Some(report)) = error_queue::take(&self.socket, &mut quoted) {
            // The quoted packet begins with the question's source port, unless less was quoted.
            let port = quoted[..report.quoted.min(64)]
                .first_chunk()
                .copied()
                .map(u16::from_be_bytes);
            let of_port = |question: &Question| Some(question.local_port) == port;
            let at = self.questions.iter().position(of_port).unwrap_or(0);
            if let Some(heard) = self.heard.get_mut(at) {
                heard.report = Some(report);
            }
        }
    }
}

fn open(way: &Way) -> io::Result<Socket> {
    let domain = match way.remote {
        IpAddr::V4(_) => Domain::IPV4,
        IpAddr::V6(_) => Domain::IPV6,
    };
    let socket = match way.over {
        Over::Udp(_) => Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?,
        Over::Ip => Socket::new(domain, Type::RAW, Some(Protocol::from(libc::IPPROTO_SCTP)))?,
    };
    // Not connected, so that answers from other addresses are seen.
    socket.bind(&SocketAddr::new(way.local, 0).into())?;
    error_queue::enable(&socket, way.remote)?;
    Ok(socket)
}
