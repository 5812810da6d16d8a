//! Echo messages.

use std::time::{Duration, Instant};

use sheave::error::ReceiveError;
use sheave::message::Acknowledgement;
use sheave::{Association, Endpoint, Message, Ppid, SendOptions, StreamId};

use super::{Answer, MAX_ECHO, PingArgs, PingOutcome, Probe};
use crate::failure::Failure;
use crate::network::Role;

/// The payload protocol identifier of echo messages ("SHVE").
const ECHO: Ppid = Ppid(0x5348_5645);

/// Bytes of a message without `--size`, as ping's.
const USUAL_SIZE: u32 = 56;

/// Probes with echo messages.
pub struct Echo {
    association: Association,
    /// Must live as long as the association is used.
    _endpoint: Endpoint,
    host: String,
    size: usize,
    began: Instant,
}

impl Echo {
    /// Establishes an association to probe.
    pub fn new(args: &PingArgs, host: &str, port: u16) -> Result<Self, Failure> {
        let endpoint = args.network.bind(Role::Client)?;
        let association = args.peer.connect(
            (&args.network, &endpoint),
            host,
            port,
            args.network.options(),
        )?;
        let paths = association.path_stats();
        let primary = paths.iter().find(|path| path.primary).or(paths.first());
        Ok(Self {
            host: primary.map_or(host.to_owned(), |path| path.remote.to_string()),
            association,
            _endpoint: endpoint,
            size: args.size.unwrap_or(USUAL_SIZE) as usize,
            began: Instant::now(),
        })
    }
}

impl Probe for Echo {
    fn send(&mut self, seq: u64) -> Result<u64, Failure> {
        let mut payload = vec![0; self.size];
        let sent = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        payload[..8].copy_from_slice(&seq.to_be_bytes());
        payload[8..16].copy_from_slice(&sent.to_be_bytes());
        // Unordered, so that a late message does not delay the next one.
        let message = Message::new(StreamId(0), payload)
            .with_ppid(ECHO)
            .unordered();
        let options = SendOptions {
            acknowledgement: Acknowledgement::Immediate,
            ..SendOptions::default()
        };
        self.association
            .send_with(message, options)
            .map_err(Failure::new)?;
        Ok(1)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Answer>, Failure> {
        let limit = MAX_ECHO as usize;
        let message = match self.association.receive_whole_timeout(limit, wait) {
            Ok(Some(message)) => message,
            Ok(None) => return Err(Failure::new("the peer closed the association")),
            Err(ReceiveError::NotYet) => return Ok(None),
            Err(error) => return Err(Failure::new(error)),
        };
        let payload = message.payload;
        let word = |at: usize| -> Option<u64> {
            Some(u64::from_be_bytes(
                payload.get(at..at + 8)?.try_into().ok()?,
            ))
        };
        let (Some(seq), Some(sent)) = (word(0), word(8)) else {
            return Ok(None);
        };
        let rtt = self
            .began
            .elapsed()
            .saturating_sub(Duration::from_nanos(sent));
        Ok(Some(Answer {
            from: self.host.clone(),
            seq,
            outcome: PingOutcome::Reply {
                bytes: payload.len(),
                rtt,
            },
        }))
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.association.shutdown_timeout(Duration::from_secs(1));
    }
}
