//! FTP in passive mode (RFC 959): a control connection, and a data connection per file.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

use super::part::{Equal, connect, open};
use super::receipts::Receipts;
use crate::live::{Parent, clock, text};

/// Serves one client.
pub(super) fn serve(listener: &TcpListener, files: Equal) -> Result<(), String> {
    let mut control = Control::new(listener.accept().map_err(text)?.0)?;
    control.say("220 Service ready for new user.")?;
    let mut data = None;
    while let Some(command) = control.hear()? {
        let verb = command.split(' ').next().unwrap_or_default();
        match verb {
            "USER" => control.say("331 User name okay, need password.")?,
            "PASS" => control.say("230 User logged in, proceed.")?,
            "TYPE" => control.say("200 Switching to binary mode.")?,
            "PASV" => {
                let listener = open()?;
                let place = passive(listener.local_addr().map_err(text)?);
                data = Some(listener);
                control.say(&format!("227 Entering Passive Mode ({place})."))?;
            }
            "RETR" => {
                let listener = data.take().ok_or("RETR without PASV")?;
                let len = files.len;
                control.say(&format!(
                    "150 Opening BINARY mode data connection ({len} bytes)."
                ))?;
                let (mut file, _) = listener.accept().map_err(text)?;
                io::copy(&mut io::repeat(0).take(len), &mut file).map_err(text)?;
                drop(file);
                control.say("226 Closing data connection, file transfer successful.")?;
            }
            "QUIT" => {
                control.say("221 Service closing control connection.")?;
                return Ok(());
            }
            _ => control.say("502 Command not implemented.")?,
        }
    }
    Ok(())
}

/// Downloads all files.
pub(super) fn fetch(to: SocketAddr, files: Equal, parent: &Parent) -> Result<(), String> {
    let mut receipts = Receipts::since(clock());
    let mut control = Control::new(connect(to)?)?;
    control.expect("220")?;
    for (command, code) in [
        ("USER anonymous", "331"),
        ("PASS guest@example.org", "230"),
        ("TYPE I", "200"),
    ] {
        control.say(command)?;
        control.expect(code)?;
    }
    for number in 0..files.count {
        control.say("PASV")?;
        let place = place(&control.expect("227")?).ok_or("no address in the answer to PASV")?;
        let mut data = connect(place)?;
        control.say(&format!("RETR file{number:06}"))?;
        control.expect("150")?;
        let bytes = io::copy(&mut data, &mut io::sink()).map_err(text)?;
        if bytes == files.len {
            receipts.on_file();
        }
        control.expect("226")?;
    }
    control.say("QUIT")?;
    receipts.tell(parent, files.count + 1)
}

/// The control connection, at either end.
struct Control {
    lines: BufReader<TcpStream>,
    out: TcpStream,
}

impl Control {
    fn new(stream: TcpStream) -> Result<Self, String> {
        stream.set_nodelay(true).map_err(text)?;
        let out = stream.try_clone().map_err(text)?;
        let lines = BufReader::new(stream);
        Ok(Self { lines, out })
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        let line = format!("{line}\r\n");
        self.out.write_all(line.as_bytes()).map_err(text)
    }

    /// Reads the next line; `None` at the end of the connection.
    fn hear(&mut self) -> Result<Option<String>, String> {
        let mut line = String::new();
        let len = self.lines.read_line(&mut line).map_err(text)?;
        Ok((len > 0).then(|| line.trim_end().to_owned()))
    }

    fn expect(&mut self, code: &str) -> Result<String, String> {
        match self.hear()? {
            Some(line) if line.starts_with(code) => Ok(line),
            other => Err(format!("{code} expected, not {other:?}")),
        }
    }
}

/// Formats an address for the reply to PASV.
fn passive(place: SocketAddr) -> String {
    let [high, low] = place.port().to_be_bytes();
    let ip = place.ip().to_string().replace('.', ",");
    format!("{ip},{high},{low}")
}

/// Parses the address in a reply to PASV.
fn place(answer: &str) -> Option<SocketAddr> {
    let (_, rest) = answer.split_once('(')?;
    let (numbers, _) = rest.split_once(')')?;
    let numbers: Option<Vec<u8>> = numbers.split(',').map(|one| one.parse().ok()).collect();
    let [a, b, c, d, high, low] = numbers?.try_into().ok()?;
    let ip = IpAddr::from([a, b, c, d]);
    Some(SocketAddr::new(ip, u16::from_be_bytes([high, low])))
}

#[cfg(test)]
mod tests;
