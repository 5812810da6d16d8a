//! A WebRTC peer made of rtc, the stack of webrtc-rs without sockets, with data channels alone.

#[path = "../../../webrtc/channels.rs"]
mod channels;
#[path = "../../../webrtc/command.rs"]
mod command;
#[path = "../../../webrtc/program.rs"]
mod program;

use std::net::{SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::time::Instant;

use bytes::BytesMut;
use rtc::data_channel::{RTCDataChannel, RTCDataChannelId, RTCDataChannelInit};
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

use channels::{Channels, Message};
use command::{Command, Options};
use program::{Outcome, Stack};

/// Bytes of a channel that wait for acknowledgement at most, before the last message.
const BUFFER: usize = 4 << 20;

/// The connection.
struct Peer {
    stack: RTCPeerConnection,
    address: SocketAddr,
    channels: Channels<RTCDataChannelId>,
}

fn main() -> ExitCode {
    program::main(Peer::new)
}

impl Peer {
    fn new(address: SocketAddr) -> Outcome<Self> {
        let settings = SettingEngineBuilder::new()
            .with_sctp_max_message_size(SctpMaxMessageSize::Unbounded)
            .build();
        let mut stack = RTCPeerConnectionBuilder::new()
            .with_setting_engine(settings)
            .build(Instant::now())?;
        stack.add_local_candidate(candidate(address)?)?;
        Ok(Self {
            stack,
            address,
            channels: Channels::new(),
        })
    }

    fn describe(&self, kind: &str) -> Outcome {
        let described = self.stack.local_description();
        program::describe(kind, &described.ok_or("there is no description")?.sdp);
        Ok(())
    }

    fn tell(&mut self, event: RTCPeerConnectionEvent) -> Outcome {
        match event {
            RTCPeerConnectionEvent::OnDataChannel(RTCDataChannelEvent::OnOpen(id)) => {
                let end = self.stack.data_channel(id).ok_or("no channel")?;
                let properties = properties(&end);
                self.channels.opened(id, end.label(), &properties);
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

impl Stack for Peer {
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
                let init = Some(init(options));
                let id = self.stack.create_data_channel(&label, init)?.id();
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

    fn timeout(&mut self) -> Option<Instant> {
        self.stack.poll_timeout()
    }

    fn handle_timeout(&mut self, now: Instant) -> Outcome {
        Ok(self.stack.handle_timeout(now)?)
    }

    fn handle_datagram(&mut self, from: SocketAddr, datagram: &[u8]) -> Outcome {
        // It says so of datagrams that it drops, too.
        let _ = self.stack.handle_read(TaggedBytesMut {
            now: Instant::now(),
            transport: TransportContext {
                local_addr: self.address,
                peer_addr: from,
                ecn: None,
                transport_protocol: TransportProtocol::UDP,
            },
            message: BytesMut::from(datagram),
        });
        Ok(())
    }

    fn drain(&mut self, socket: &UdpSocket) -> Outcome {
        while let Some(datagram) = self.stack.poll_write() {
            // A full socket loses datagrams, as a network does.
            let _ = socket.send_to(&datagram.message, datagram.transport.peer_addr);
        }
        while let Some(event) = self.stack.poll_event() {
            self.tell(event)?;
        }
        while let Some(tagged) = self.stack.poll_read() {
            if let RTCMessage::DataChannelMessage(id, message) = tagged.message {
                let (is_text, bytes) = (message.is_string, message.data.to_vec());
                self.channels.arrived(id, Message { is_text, bytes })?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Outcome<bool> {
        let (mut sent, now) = (false, Instant::now());
        for channel in self.channels.open() {
            let Some(mut end) = self.stack.data_channel(channel.id) else {
                continue;
            };
            while end.outstanding_bytes() < BUFFER
                && let Some(message) = channel.waiting.pop_front()
            {
                match message.is_text {
                    true => end.send_text(now, String::from_utf8(message.bytes)?)?,
                    false => end.send(now, BytesMut::from(&message.bytes[..]))?,
                }
                sent = true;
            }
        }
        Ok(sent)
    }
}

fn init(options: Options) -> RTCDataChannelInit {
    RTCDataChannelInit {
        ordered: options.ordered,
        max_retransmits: options.retransmits,
        max_packet_life_time: options.lifetime,
        protocol: options.protocol,
        negotiated: options.id,
    }
}

/// Order, limits and protocol as they are told, `-` for no limit.
fn properties(end: &RTCDataChannel<'_>) -> String {
    let order = match end.ordered() {
        true => "ordered",
        false => "unordered",
    };
    let limit = |limit: Option<u16>| limit.map_or("-".to_owned(), |limit| limit.to_string());
    let (retransmits, lifetime) = (
        limit(end.max_retransmits()),
        limit(end.max_packet_life_time()),
    );
    format!("{order} {retransmits} {lifetime} {:?}", end.protocol())
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
