use core::net::IpAddr;

use sheave_engine::{Checksum, Datagram, Node, Time, Transmit};

use super::Files;
use super::lines::Lines;
use crate::tcp::{ConnectionId, Event, Options, Stack};
use crate::{Agent, Protocol};

/// Port of the first data connection; each following one uses the next port.
const FIRST_DATA_PORT: u16 = 20_000;
/// Most half-open connections per port.
const BACKLOG: usize = 8;

/// Serves files over FTP (RFC 959) in passive mode to one client.
///
/// An ideally fast server: files are available at once, and 226 is sent as soon as the last byte is
/// in the send buffer.
#[derive(Debug)]
pub struct FtpServer {
    stack: Stack,
    address: IpAddr,
    port: u16,
    options: Options,
    files: Files,
    control: Option<ConnectionId>,
    commands: Lines,
    next_data_port: u16,
    data: Option<DataPort>,
    /// The requested file, if not sent yet.
    wanted: Option<Wanted>,
    listening: Listening,
}

/// Address and port for the next file.
#[derive(Clone, Copy, Debug)]
struct DataPort {
    port: u16,
    connection: Option<ConnectionId>,
}

#[derive(Clone, Copy, Debug)]
struct Wanted {
    left: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listening {
    NotYet,
    Yes,
}

impl FtpServer {
    /// A server of `files` at a port of `address`. `seed` determines its sequence numbers; see
    /// [`World::seed`](crate::World::seed).
    #[must_use]
    pub fn new(
        (address, port): (IpAddr, u16),
        files: Files,
        options: Options,
        seed: [u8; 32],
    ) -> Self {
        Self {
            stack: Stack::seeded(seed),
            address,
            port,
            options,
            files,
            control: None,
            commands: Lines::default(),
            next_data_port: FIRST_DATA_PORT,
            data: None,
            wanted: None,
            listening: Listening::NotYet,
        }
    }

    /// Sets whether checksums are computed or left to the carrier.
    #[must_use]
    pub fn with_checksum(mut self, checksum: Checksum) -> Self {
        self.stack = self.stack.with_checksum(checksum);
        self
    }

    /// The TCP stack, for statistics.
    pub const fn stack(&self) -> &Stack {
        &self.stack
    }

    fn take_events(&mut self) {
        while let Some(event) = self.stack.poll_event() {
            match event {
                Event::Accepted { id, port } if port == self.port => {
                    self.control = Some(id);
                    self.reply("220 Service ready for new user.");
                }
                Event::Accepted { id, port } => self.on_data_connection(id, port),
                Event::Readable(id) if Some(id) == self.control => self.read_commands(),
                Event::Writable(_) => self.send_file(),
                Event::PeerFinished(id) => {
                    if let Some(mut connection) = self.stack.connection(id) {
                        connection.shutdown();
                    }
                }
                _ => {}
            }
        }
    }

    fn read_commands(&mut self) {
        let mut bytes = Vec::new();
        if let Some(mut control) = self.control.and_then(|id| self.stack.connection(id)) {
            control.receive(&mut bytes, usize::MAX);
        }
        self.commands.push(&bytes);
        while let Some(command) = self.commands.poll_line() {
            self.on_command(&command);
        }
    }

    fn on_command(&mut self, command: &str) {
        let (verb, argument) = command.split_once(' ').unwrap_or((command, ""));
        match verb {
            "USER" => self.reply("331 User name okay, need password."),
            "PASS" => self.reply("230 User logged in, proceed."),
            "TYPE" => self.reply("200 Switching to binary mode."),
            "PASV" => self.open_data_port(),
            "RETR" => self.on_retrieve(argument),
            "QUIT" => self.reply("221 Service closing control connection."),
            _ => self.reply("502 Command not implemented."),
        }
    }

    fn reply(&mut self, text: &str) {
        if let Some(mut control) = self.control.and_then(|id| self.stack.connection(id)) {
            // No reply is needed if the client is gone.
            let _ = control.send(format!("{text}\r\n").as_bytes());
        }
    }

    fn open_data_port(&mut self) {
        let port = self.next_data_port;
        self.next_data_port = port.checked_add(1).unwrap_or(FIRST_DATA_PORT);
        if let Err(error) = self.stack.listen(port, self.options.clone(), BACKLOG) {
            return self.reply(&format!("425 Cannot open data connection: {error}."));
        }
        self.data = Some(DataPort {
            port,
            connection: None,
        });
        let address = match self.address {
            IpAddr::V4(address) => address.octets(),
            // RFC 959 supports only IPv4; the client uses only the port.
            IpAddr::V6(_) => [0; 4],
        };
        let numbers: Vec<String> = (address.into_iter().chain(port.to_be_bytes()))
            .map(|number| number.to_string())
            .collect();
        self.reply(&format!(
            "227 Entering Passive Mode ({}).",
            numbers.join(",")
        ));
    }

    fn on_retrieve(&mut self, name: &str) {
        if self.files.find(name).is_none() {
            return self.reply("550 No such file.");
        }
        if self.data.is_none() {
            return self.reply("425 Use PASV first.");
        }
        let left = self.files.len;
        self.reply(&format!(
            "150 Opening BINARY mode data connection for {name} ({left} bytes)."
        ));
        self.wanted = Some(Wanted { left });
        self.send_file();
    }

    fn on_data_connection(&mut self, id: ConnectionId, port: u16) {
        if let Some(data) = self.data.as_mut().filter(|data| data.port == port) {
            data.connection = Some(id);
            self.stack.unlisten(port);
            self.send_file();
        }
    }

    /// Sends as much of the requested file as fits, then closes its connection.
    fn send_file(&mut self) {
        let (Some(wanted), Some(id)) = (
            &mut self.wanted,
            self.data.as_ref().and_then(|data| data.connection),
        ) else {
            return;
        };
        let Some(mut connection) = self.stack.connection(id) else {
            return;
        };
        while wanted.left > 0 {
            let taken = connection.send(&Files::content(wanted.left)).unwrap_or(0);
            if taken == 0 {
                return;
            }
            wanted.left -= taken as u64;
        }
        connection.shutdown();
        (self.wanted, self.data) = (None, None);
        self.reply("226 Closing data connection, file transfer successful.");
    }
}

impl Node for FtpServer {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.stack.handle_datagram(now, datagram);
        self.take_events();
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.listening == Listening::NotYet {
            self.listening = Listening::Yes;
            // Cannot fail, since no other listener exists yet.
            let _ = (self.stack).listen(self.port, self.options.clone(), BACKLOG);
        }
        self.stack.handle_timeout(now);
        self.take_events();
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        self.stack.poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self.listening {
            Listening::NotYet => Some(Time::ZERO),
            Listening::Yes => self.stack.poll_timeout(),
        }
    }
}

impl Agent for FtpServer {
    fn protocol(&self) -> Protocol {
        Protocol::Tcp
    }

    fn owns_port(&self, port: u16) -> bool {
        self.stack.owns_port(port)
    }
}
