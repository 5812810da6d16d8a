//! A WebRTC peer made of rtc, the stack of webrtc-rs without sockets, with data channels alone.
//!
//! Commands come by standard input and news go to standard output, a line each, as `../../webrtc.md` says.

mod channels;
mod command;

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use rtc::peer_connection::configuration::setting_engine::{
    SctpMaxMessageSize, SettingEngineBuilder,
};
use rtc::peer_connection::event::{RTCDataChannelEvent, RTCPeerConnectionEvent};
use rtc::peer_connection::message::RTCMessage;
use rtc::peer_connection::sdp::RTCSessionDescription;
use rtc::peer_connection::state::RTCPeerConnectionState;
use rtc::peer_connection::transport::{
    CandidateConfig, CandidateHostConfig, RTCIceCandidate, RTCIceCandidateInit,
};
use rtc::peer_connection::{RTCPeerConnection, RTCPeerConnectionBuilder};
use rtc::sansio::Protocol;
use rtc::shared::{TaggedBytesMut, TransportContext, TransportProtocol};
use serde_json::{Value, json};

use channels::Channels;
use command::Command;

/// Time after which the program ends by itself.
const BOUND: Duration = Duration::from_secs(300);

/// Longest wait for a datagram: commands are looked for that often.
const PAUSE: Duration = Duration::from_millis(2);

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The connection, and what drives it.
struct Peer {
    stack: RTCPeerConnection,
    socket: UdpSocket,
    address: SocketAddr,
    commands: Receiver<String>,
    channels: Channels,
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
        let settings = SettingEngineBuilder::new()
            .with_sctp_max_message_size(SctpMaxMessageSize::Unbounded)
            .build();
        let mut stack = RTCPeerConnectionBuilder::new()
            .with_setting_engine(settings)
            .build(Instant::now())?;
        stack.add_local_candidate(candidate(address)?)?;
        Ok(Self {
            stack,
            socket,
            address,
            commands: commands(),
            channels: Channels::default(),
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
            if self.channels.flush(&mut self.stack)? {
                self.drain()?;
            }
        }
        Err("time is up".into())
    }

    fn obey(&mut self, command: Command) -> Outcome {
        let now = Instant::now();
        match command {
            Command::Offer => {
                // Without a channel there would be nothing to offer.
                let first = self.stack.create_data_channel("first", None)?.id();
                self.channels.add(first, "first");
                let offer = self.stack.create_offer(None)?;
                self.stack.set_local_description(now, offer)?;
                self.describe("offer")?;
            }
            Command::Offered(sdp) => {
                let offer = RTCSessionDescription::offer(sdp)?;
                self.stack.set_remote_description(now, offer)?;
                let answer = self.stack.create_answer(None)?;
                self.stack.set_local_description(now, answer)?;
                self.describe("answer")?;
            }
            Command::Answered(sdp) => {
                let answer = RTCSessionDescription::answer(sdp)?;
                self.stack.set_remote_description(now, answer)?;
            }
            Command::Open { label, options } => {
                let id = self.stack.create_data_channel(&label, Some(options))?.id();
                self.channels.add(id, &label);
            }
            Command::Send {
                label,
                message,
                count,
            } => self.channels.queue(&label, message, count)?,
            Command::Close(label) => {
                let id = self.channels.id(&label)?;
                self.stack.data_channel(id).ok_or("no channel")?.close()?;
            }
            Command::Low { label, bytes } => {
                let id = self.channels.id(&label)?;
                let mut channel = self.stack.data_channel(id).ok_or("no channel")?;
                channel.set_buffered_amount_low_threshold(bytes);
            }
        }
        Ok(())
    }

    fn describe(&self, kind: &str) -> Outcome {
        let described = self.stack.local_description();
        let sdp = described.ok_or("there is no description")?.sdp;
        println!("{kind} {}", json!({ "type": kind, "sdp": sdp }));
        Ok(())
    }

    /// Takes one datagram, if it comes in time.
    fn receive(&mut self) -> Outcome {
        let now = Instant::now();
        let due = self.stack.poll_timeout().unwrap_or(now + PAUSE);
        let left = due.saturating_duration_since(now);
        self.socket
            .set_read_timeout(Some(left.clamp(Duration::from_micros(100), PAUSE)))?;
        let (length, from) = match self.socket.recv_from(&mut self.datagram) {
            Ok(found) => found,
            Err(error) if is_no_datagram(&error) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        // It says so of datagrams that it drops, too.
        let _ = self.stack.handle_read(TaggedBytesMut {
            now: Instant::now(),
            transport: TransportContext {
                local_addr: self.address,
                peer_addr: from,
                ecn: None,
                transport_protocol: TransportProtocol::UDP,
            },
            message: BytesMut::from(&self.datagram[..length]),
        });
        Ok(())
    }

    fn tick(&mut self) -> Outcome {
        let now = Instant::now();
        if self.stack.poll_timeout().is_some_and(|due| due <= now) {
            self.stack.handle_timeout(now)?;
        }
        Ok(())
    }

    /// Sends what there is to send, and tells what has happened.
    fn drain(&mut self) -> Outcome {
        while let Some(datagram) = self.stack.poll_write() {
            // A full socket loses datagrams, as a network does.
            let _ = self
                .socket
                .send_to(&datagram.message, datagram.transport.peer_addr);
        }
        while let Some(event) = self.stack.poll_event() {
            self.tell(event)?;
        }
        while let Some(tagged) = self.stack.poll_read() {
            if let RTCMessage::DataChannelMessage(id, message) = tagged.message {
                self.channels.arrived(id, message)?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, event: RTCPeerConnectionEvent) -> Outcome {
        match event {
            RTCPeerConnectionEvent::OnDataChannel(RTCDataChannelEvent::OnOpen(id)) => {
                let end = self.stack.data_channel(id).ok_or("no channel")?;
                self.channels.opened(&end);
            }
            RTCPeerConnectionEvent::OnDataChannel(RTCDataChannelEvent::OnClose(id)) => {
                self.channels.closed(id);
            }
            RTCPeerConnectionEvent::OnDataChannel(RTCDataChannelEvent::OnBufferedAmountLow(id)) => {
                self.channels.low(id);
            }
            RTCPeerConnectionEvent::OnConnectionStateChangeEvent(
                state @ (RTCPeerConnectionState::Failed | RTCPeerConnectionState::Closed),
            ) => return Err(format!("the connection is {state}").into()),
            _ => {}
        }
        Ok(())
    }
}

fn candidate(address: SocketAddr) -> Outcome<RTCIceCandidateInit> {
    let config = CandidateHostConfig {
        base_config: CandidateConfig {
            network: "udp".to_owned(),
            address: address.ip().to_string(),
            port: address.port(),
            component: 1,
            ..CandidateConfig::default()
        },
        ..CandidateHostConfig::default()
    };
    Ok(RTCIceCandidate::from(&config.new_candidate_host()?).to_json()?)
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
