//! Ends whose traffic is encrypted.

use std::io::{self, BufReader, Read, Write};
use std::net::{IpAddr, TcpStream};

use rustls::Connection as Session;
use sheave::Config;
use sheave::dtls::{self, Dtls};
use sheave::secure::{Identity, Secure, TlsSettings, Trust};
use sheave_engine::KeyRole;
use sheave_measure::Connection;
use sheave_measure::pair::UserData;

use super::{End, Over};

/// Bytes that are read from a socket at a time, and written to it at most.
const BUFFER: usize = 128 << 10;

/// Certificate and key for both ends, PEM, if they need one.
pub fn identity(over: Over) -> Option<[String; 2]> {
    if !matches!(over, Over::Secure | Over::Tls) {
        return None;
    }
    // If this fails, the ends report it.
    let identity = Identity::generate(["sheave"]).ok()?;
    Some(identity.to_pem()?.map(str::to_owned))
}

/// The configuration of an endpoint, with protection if the end has it.
pub(super) fn fit(mut config: Config, end: &End) -> io::Result<Config> {
    match end.over {
        Over::Secure => config = config.secure(Secure::with(settings(end)?)),
        Over::Dtls => {
            let identity = dtls::Identity::generate().map_err(io::Error::other)?;
            config.dtls = Some(Dtls::with_certificate(identity));
        }
        _ => {}
    }
    Ok(config)
}

/// Settings of an end that has the same certificate as its peer.
fn settings(end: &End) -> io::Result<TlsSettings> {
    let [certificate, key] = end
        .identity
        .as_ref()
        .map(<[String; 2]>::each_ref)
        .ok_or_else(|| io::Error::other("an end without a certificate"))?;
    let identity = Identity::from_pem(certificate.as_bytes(), key.as_bytes());
    let identity = identity.map_err(io::Error::other)?;
    let trust = Trust::default().fingerprints([identity.fingerprint()]);
    Ok(TlsSettings::new(identity, trust))
}

/// A connection of TLS 1.3 over TCP, with the cryptography and the authentication of our own ends.
pub(super) struct Tls {
    session: Session,
    from: BufReader<TcpStream>,
    to: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

impl Tls {
    pub(super) fn connect(server: (IpAddr, u16), end: &End, size: usize) -> io::Result<Self> {
        Self::new(TcpStream::connect(server)?, KeyRole::Client, end, size)
    }

    pub(super) fn accept(socket: TcpStream, end: &End, size: usize) -> io::Result<Self> {
        Self::new(socket, KeyRole::Server, end, size)
    }

    fn new(socket: TcpStream, role: KeyRole, end: &End, size: usize) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        let session = settings(end)?.connection(role);
        let mut session = session.map_err(io::Error::other)?;
        session.set_buffer_limit(Some(BUFFER));
        let mut tls = Self {
            session,
            from: BufReader::with_capacity(BUFFER, socket.try_clone()?),
            to: socket,
            buffer: vec![0; size],
            filled: 0,
        };
        while tls.session.is_handshaking() {
            tls.flush()?;
            if tls.session.is_handshaking() {
                tls.fill()?;
            }
        }
        tls.flush()?;
        Ok(tls)
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(&mut self.to)?;
        }
        Ok(())
    }

    fn fill(&mut self) -> io::Result<usize> {
        let read = self.session.read_tls(&mut self.from)?;
        self.session
            .process_new_packets()
            .map_err(io::Error::other)?;
        Ok(read)
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = self.session.writer().write(bytes)?;
            bytes = bytes.get(written..).unwrap_or_default();
            self.flush()?;
        }
        Ok(())
    }
}

impl Connection for Tls {
    fn send_next(&mut self, data: &mut UserData) -> io::Result<()> {
        let mut message = std::mem::take(&mut self.buffer);
        data.write_next(&mut message);
        let sent = self.write(&message);
        self.buffer = message;
        sent
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.write(message)
    }

    fn receive(&mut self) -> io::Result<Option<(u16, &[u8])>> {
        loop {
            match self.session.reader().read(&mut self.buffer) {
                Ok(filled) => break self.filled = filled,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            self.fill()?;
        }
        let part = self.buffer.get(..self.filled).unwrap_or_default();
        Ok((self.filled > 0).then_some((0, part)))
    }

    fn echo(&mut self, mark: Option<fn(&mut [u8])>) -> io::Result<()> {
        let mut part = self.buffer.get(..self.filled).unwrap_or_default().to_vec();
        if let Some(mark) = mark {
            mark(&mut part);
        }
        self.write(&part)
    }

    fn close(&mut self) -> io::Result<()> {
        self.session.send_close_notify();
        self.flush()?;
        self.to.shutdown(std::net::Shutdown::Write)?;
        // Waits until the peer has read everything.
        io::copy(&mut self.from, &mut io::sink()).map(drop)
    }
}
