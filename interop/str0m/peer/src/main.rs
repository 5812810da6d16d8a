//! A WebRTC peer made of str0m over the SCTP that it comes with, with data channels alone.
//!
//! Commands come by standard input and news go to standard output, a line each, as `../../webrtc.md` says. With the
//! argument `init` its offers have its INIT chunk, `a=sctp-init`; its answers have it whenever the offer does.

mod channels;
mod command;

use std::env;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use str0m::change::{SdpAnswer, SdpOffer, SdpPendingOffer};
use str0m::net::{Protocol, Receive};
use str0m::{Candidate, Event, Input, Output, Rtc};

use channels::Channels;
use command::Command;

/// Time after which the program ends by itself.
const BOUND: Duration = Duration::from_secs(300);

/// Longest wait for a datagram: commands are looked for that often.
const PAUSE: Duration = Duration::from_millis(2);

/// Bytes that wait for acknowledgement at most, of all channels.
const BUFFER: usize = 32 << 20;

/// Bytes of the longest message that is taken.
const LONGEST: u32 = 16 << 20;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The connection, and what drives it.
struct Peer {
    rtc: Rtc,
    socket: UdpSocket,
    address: SocketAddr,
    commands: Receiver<String>,
    channels: Channels,
    pending: Option<SdpPendingOffer>,
    /// When str0m wants to be called again.
    timeout: Instant,
    datagram: Vec<u8>,
}

fn main() -> ExitCode {
    match Peer::new().and_then(|mut peer| peer.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("failed {error}");
            ExitCode::FAILURE
        }
    }
}

impl Peer {
    fn new() -> Outcome<Self> {
        let socket = UdpSocket::bind((own_address(), 0))?;
        let address = socket.local_addr()?;
        let now = Instant::now();
        let mut rtc = Rtc::builder()
            .clear_codecs()
            .set_sctp_max_buffered_amount(BUFFER)
            .set_sctp_max_message_size(LONGEST)
            .set_snap_enabled(env::args().any(|argument| argument == "init"))
            .build(now);
        rtc.add_local_candidate(Candidate::host(address, "udp")?);
        Ok(Self {
            rtc,
            socket,
            address,
            commands: commands(),
            channels: Channels::default(),
            pending: None,
            timeout: now,
            datagram: vec![0; 1 << 16],
        })
    }

    fn run(&mut self) -> Outcome {
        println!("ready");
        let end = Instant::now() + BOUND;
        while Instant::now() < end {
            match self.commands.try_recv() {
                Ok(line) => self.obey(line.parse()?)?,
                Err(TryRecvError::Empty) => self.receive()?,
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
            self.tick()?;
            self.drain()?;
            if self.channels.flush(&mut self.rtc)? {
                self.drain()?;
            }
        }
        Err("time is up".into())
    }

    fn obey(&mut self, command: Command) -> Outcome {
        match command {
            Command::Offer => return self.offer(),
            Command::Offered(sdp) => {
                let offer = SdpOffer::from_sdp_string(&sdp)?;
                let answer = self.rtc.sdp_api().accept_offer(offer)?;
                describe("answer", &answer.to_sdp_string());
            }
            Command::Answered(sdp) => {
                let answer = SdpAnswer::from_sdp_string(&sdp)?;
                let pending = self.pending.take().ok_or("nothing was offered")?;
                self.rtc.sdp_api().accept_answer(pending, answer)?;
            }
            Command::Open(config) => {
                let label = config.label.clone();
                let id = self.rtc.direct_api().create_data_channel(config);
                self.channels.add(id, label);
            }
            Command::Send {
                label,
                message,
                count,
            } => {
                self.channels.queue(&label, message, count)?;
            }
            Command::Close(label) => {
                let id = self.channels.id(&label)?;
                self.rtc.direct_api().close_data_channel(id);
            }
            Command::Low { label, bytes } => {
                let id = self.channels.id(&label)?;
                let mut channel = self.rtc.channel(id).ok_or("the channel is not open")?;
                channel.set_buffered_amount_low_threshold(bytes);
            }
        }
        self.timeout = Instant::now();
        Ok(())
    }

    /// Makes an offer, for which str0m wants a channel.
    fn offer(&mut self) -> Outcome {
        let mut changes = self.rtc.sdp_api();
        let id = changes.add_channel("first".to_owned());
        let (offer, pending) = changes.apply().ok_or("there is nothing to offer")?;
        self.channels.add(id, "first".to_owned());
        self.pending = Some(pending);
        describe("offer", &offer.to_sdp_string());
        Ok(())
    }

    /// Takes one datagram, if it comes in time.
    fn receive(&mut self) -> Outcome {
        let left = self.timeout.saturating_duration_since(Instant::now());
        self.socket
            .set_read_timeout(Some(left.clamp(Duration::from_micros(100), PAUSE)))?;
        let (length, from) = match self.socket.recv_from(&mut self.datagram) {
            Ok(found) => found,
            Err(error) if is_no_datagram(&error) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let datagram = &self.datagram[..length];
        // What is neither STUN nor DTLS is not for us.
        if let Ok(received) = Receive::new(Protocol::Udp, from, self.address, datagram) {
            self.rtc
                .handle_input(Input::Receive(Instant::now(), received))?;
        }
        Ok(())
    }

    fn tick(&mut self) -> Outcome {
        let now = Instant::now();
        if now >= self.timeout {
            self.rtc.handle_input(Input::Timeout(now))?;
        }
        Ok(())
    }

    /// Sends what str0m has to send, and tells what has happened.
    fn drain(&mut self) -> Outcome {
        loop {
            match self.rtc.poll_output()? {
                Output::Timeout(at) => {
                    self.timeout = at;
                    return Ok(());
                }
                Output::Transmit(datagram) => {
                    // A full socket loses datagrams, as a network does.
                    let _ = self
                        .socket
                        .send_to(&datagram.contents, datagram.destination);
                }
                Output::Event(event) => self.tell(event)?,
            }
        }
    }

    fn tell(&mut self, event: Event) -> Outcome {
        match event {
            Event::ChannelOpen(id, label) => {
                self.channels.opened(&mut self.rtc, id, label);
                Ok(())
            }
            Event::ChannelData(message) => self.channels.arrived(message),
            Event::ChannelClose(id) => {
                self.channels.closed(id);
                Ok(())
            }
            Event::ChannelBufferedAmountLow(id) => {
                self.channels.low(id);
                Ok(())
            }
            Event::Closed => Err("the connection is closed".into()),
            _ => Ok(()),
        }
    }
}

/// Lines of standard input, read in a thread of their own.
fn commands() -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn describe(kind: &str, sdp: &str) {
    println!("{kind} {}", json!({ "type": kind, "sdp": sdp }));
}

/// The description in a line of JSON.
fn sdp(text: &str) -> Outcome<String> {
    let json: Value = serde_json::from_str(text)?;
    let sdp = json["sdp"].as_str().ok_or("a description without `sdp`")?;
    Ok(sdp.to_owned())
}

fn is_no_datagram(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
    )
}

/// The address that this machine sends from: no datagram is needed to find it out.
fn own_address() -> Ipv4Addr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let found = socket.and_then(|socket| {
        socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9))?;
        socket.local_addr()
    });
    match found {
        Ok(SocketAddr::V4(address)) => *address.ip(),
        _ => Ipv4Addr::LOCALHOST,
    }
}
