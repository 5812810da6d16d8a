//! HTTP/1.1 over a persistent connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use sheave_sim::Requests;

use super::part::{Equal, connect};
use super::receipts::Receipts;
use crate::live::{Parent, clock, text};

/// Serves one client.
pub(super) fn serve(listener: &TcpListener, files: Equal) -> Result<(), String> {
    let (mut out, _) = listener.accept().map_err(text)?;
    out.set_nodelay(true).map_err(text)?;
    let mut requests = BufReader::new(out.try_clone().map_err(text)?);
    while !head(&mut requests)?.is_empty() {
        let len = files.len;
        let head = format!(
            "HTTP/1.1 200 OK\r\nServer: sheave\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\
             Content-Type: application/octet-stream\r\nContent-Length: {len}\r\n\r\n"
        );
        out.write_all(head.as_bytes()).map_err(text)?;
        io::copy(&mut io::repeat(0).take(len), &mut out).map_err(text)?;
    }
    Ok(())
}

/// Downloads all files.
pub(super) fn fetch(
    to: SocketAddr,
    files: Equal,
    requests: Requests,
    parent: &Parent,
) -> Result<(), String> {
    let mut receipts = Receipts::since(clock());
    let stream = connect(to)?;
    let mut out = stream.try_clone().map_err(text)?;
    let mut responses = BufReader::new(stream);
    if requests == Requests::Pipelined {
        let mut out = out.try_clone().map_err(text)?;
        // An error is noticed because responses are missing.
        thread::spawn(move || (0..files.count).try_for_each(|number| ask(&mut out, number)));
    }
    for number in 0..files.count {
        if requests == Requests::OneByOne {
            ask(&mut out, number)?;
        }
        let head = head(&mut responses)?;
        if !head.first().is_some_and(|line| line.contains(" 200 ")) {
            return Err(format!("no file came: {head:?}"));
        }
        let mut body = (&mut responses).take(files.len);
        if io::copy(&mut body, &mut io::sink()).map_err(text)? == files.len {
            receipts.on_file();
        }
    }
    receipts.tell(parent, 1)
}

fn ask(out: &mut TcpStream, number: u32) -> Result<(), String> {
    let request = format!(
        "GET /file{number:06} HTTP/1.1\r\nHost: files.example.org\r\nUser-Agent: sheave\r\n\
         Accept: */*\r\n\r\n"
    );
    out.write_all(request.as_bytes()).map_err(text)
}

/// Reads the lines of a message head; empty at the end of the connection.
fn head(from: &mut impl BufRead) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line).map_err(text)?;
        match line.trim_end() {
            "" => return Ok(lines),
            line => lines.push(line.to_owned()),
        }
    }
}
