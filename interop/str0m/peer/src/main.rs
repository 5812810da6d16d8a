//! A WebRTC peer made of str0m over the SCTP that it comes with, with data channels alone.
//!
//! With the argument `init` its offers have its INIT chunk, `a=sctp-init`; its answers have it whenever the offer does.

#[path = "../../../webrtc/channels.rs"]
mod channels;
#[path = "../../../webrtc/command.rs"]
mod command;
#[path = "../../../webrtc/program.rs"]
mod program;

use std::env;
use std::net::{SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::time::Instant;

use str0m::change::{SdpAnswer, SdpOffer, SdpPendingOffer};
use str0m::channel::{ChannelConfig, ChannelId, Reliability};
use str0m::net::{Protocol, Receive};
use str0m::{Candidate, Event, Input, Output, Rtc};

use channels::{Channels, Message};
use command::{Command, Options};
use program::{Outcome, Stack, describe};

/// Bytes that wait for acknowledgement at most, of all channels.
const BUFFER: usize = 32 << 20;

/// Bytes of the longest message that is taken.
const LONGEST: u32 = 16 << 20;

/// The connection.
struct Peer {
    rtc: Rtc,
    address: SocketAddr,
    channels: Channels<ChannelId>,
    pending: Option<SdpPendingOffer>,
    /// When str0m wants to be called again.
    timeout: Instant,
}

fn main() -> ExitCode {
    program::main(Peer::new)
}

impl Peer {
    fn new(address: SocketAddr) -> Outcome<Self> {
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
            address,
            channels: Channels::new(),
            pending: None,
            timeout: now,
        })
    }

    /// Makes an offer, for which str0m wants a channel.
    fn offer(&mut self) -> Outcome {
        let mut changes = self.rtc.sdp_api();
        let id = changes.add_channel("first".to_owned());
        let (offer, pending) = changes.apply().ok_or("there is nothing to offer")?;
        self.channels.add(id, "first");
        self.pending = Some(pending);
        describe("offer", &offer.to_sdp_string());
        Ok(())
    }

    fn tell(&mut self, event: Event) -> Outcome {
        match event {
            Event::ChannelOpen(id, label) => {
                let config = self.rtc.channel(id).and_then(|it| it.config().cloned());
                let properties = properties(&config.unwrap_or_default());
                self.channels.opened(id, &label, &properties);
            }
            Event::ChannelData(message) => {
                let (is_text, bytes) = (!message.binary, message.data);
                self.channels
                    .arrived(message.id, Message { is_text, bytes })?;
            }
            Event::ChannelClose(id) => self.channels.closed(id),
            Event::ChannelBufferedAmountLow(id) => self.channels.low(id),
            Event::Closed => return Err("the connection is closed".into()),
            _ => {}
        }
        Ok(())
    }
}

impl Stack for Peer {
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
            Command::Open { label, options } => {
                let config = config(&label, options);
                let id = self.rtc.direct_api().create_data_channel(config);
                self.channels.add(id, &label);
            }
            Command::Send {
                label,
                message,
                count,
            } => self.channels.queue(&label, message, count)?,
            Command::Close(label) => {
                let id = self.channels.id(&label)?;
                self.rtc.direct_api().close_data_channel(id);
            }
            Command::Low { label, bytes } => {
                let id = self.channels.id(&label)?;
                let mut channel = self.rtc.channel(id).ok_or("the channel is not open")?;
                channel.set_buffered_amount_low_threshold(usize::try_from(bytes)?);
            }
        }
        self.timeout = Instant::now();
        Ok(())
    }

    fn timeout(&mut self) -> Option<Instant> {
        Some(self.timeout)
    }

    fn handle_timeout(&mut self, now: Instant) -> Outcome {
        Ok(self.rtc.handle_input(Input::Timeout(now))?)
    }

    fn handle_datagram(&mut self, from: SocketAddr, datagram: &[u8]) -> Outcome {
        // What is neither STUN nor DTLS is not for us.
        if let Ok(received) = Receive::new(Protocol::Udp, from, self.address, datagram) {
            self.rtc
                .handle_input(Input::Receive(Instant::now(), received))?;
        }
        Ok(())
    }

    fn drain(&mut self, socket: &UdpSocket) -> Outcome {
        loop {
            match self.rtc.poll_output()? {
                Output::Timeout(at) => {
                    self.timeout = at;
                    return Ok(());
                }
                Output::Transmit(datagram) => {
                    // A full socket loses datagrams, as a network does.
                    let _ = socket.send_to(&datagram.contents, datagram.destination);
                }
                Output::Event(event) => self.tell(event)?,
            }
        }
    }

    fn flush(&mut self) -> Outcome<bool> {
        let mut sent = false;
        for channel in self.channels.open() {
            while let Some(message) = channel.waiting.front() {
                let Some(mut end) = self.rtc.channel(channel.id) else {
                    break;
                };
                if !end.write(!message.is_text, &message.bytes)? {
                    break;
                }
                channel.waiting.pop_front();
                sent = true;
            }
        }
        Ok(sent)
    }
}

fn config(label: &str, options: Options) -> ChannelConfig {
    let reliability = match (options.retransmits, options.lifetime) {
        (Some(retransmits), _) => Reliability::MaxRetransmits { retransmits },
        (None, Some(lifetime)) => Reliability::MaxPacketLifetime { lifetime },
        (None, None) => Reliability::Reliable,
    };
    ChannelConfig {
        label: label.to_owned(),
        ordered: options.ordered,
        reliability,
        negotiated: options.id,
        protocol: options.protocol,
    }
}

/// Order, limits and protocol as they are told, `-` for no limit.
fn properties(config: &ChannelConfig) -> String {
    let order = if config.ordered {
        "ordered"
    } else {
        "unordered"
    };
    let limits = match config.reliability {
        Reliability::Reliable => "- -".to_owned(),
        Reliability::MaxRetransmits { retransmits } => format!("{retransmits} -"),
        Reliability::MaxPacketLifetime { lifetime } => format!("- {lifetime}"),
    };
    format!("{order} {limits} {:?}", config.protocol)
}
