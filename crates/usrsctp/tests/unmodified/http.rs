//! usrsctp's HTTP clients, which fetch a page from a server of the `sheave` library.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::thread;

use sheave::{Config, Endpoint, Listener, Message, Options, StreamId};

use crate::installed::{Library, on};
use crate::running::{Input, PATIENCE, found, ports, talk};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The server's SCTP port.
const PORT: u16 = 80;
/// The longest message of a page, bytes.
const PIECE: usize = 4000;

#[test]
fn the_http_client_prints_a_page() {
    fetch("http_client", &[Library::Ours, Library::Usrsctp]);
}

/// With usrsctp's library two threads may make its upcall at once, for which it is not made: under load it asks
/// twice, and one time in four waits for ever.
#[test]
fn the_http_client_of_upcalls_prints_a_page() {
    fetch("http_client_upcall", &[Library::Ours]);
}

/// Has the client fetch a page of some messages, with each library.
fn fetch(client: &str, libraries: &[Library]) {
    let Some(programs) = found(&[client]) else {
        return;
    };
    let page = page();
    for &library in libraries {
        let server = Endpoint::bind(Config::udp([LOCALHOST], 0)).unwrap();
        let udp_port = server.udp_port().unwrap().to_string();
        let listener = server.listen(PORT, Options::default()).unwrap();
        let [own_udp_port, _] = ports();
        let mut command = on(library, &programs[0]);
        command.args(["127.0.0.1", &PORT.to_string(), "0"]);
        command.args([&own_udp_port, &udp_port, "/a/page"]);
        let said = thread::scope(|scope| {
            let serving = scope.spawn(|| serve(&listener, &page));
            let said = talk(&mut command, Input::Nothing);
            let request = serving.join().unwrap();
            assert!(request.starts_with("GET /a/page HTTP/1.0\r\n"), "{request}");
            said
        });
        assert!(said.contains(&page), "{said}");
        assert!(said.contains("Finished, returning with 0"), "{said}");
    }
}

/// A reply with 100 kB of lines, each of which is another.
fn page() -> String {
    let mut page = String::from("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    for number in 0..5000 {
        writeln!(page, "This is line {number:5}").unwrap();
    }
    page
}

/// Gives one client that page in pieces, and closes; what the client asked for.
fn serve(listener: &Listener, page: &str) -> String {
    let association = listener.accept_timeout(PATIENCE).unwrap();
    let request = association.receive_timeout(PATIENCE).unwrap().unwrap();
    for piece in page.as_bytes().chunks(PIECE) {
        let piece = Message::new(StreamId(0), piece.to_vec());
        association.send(piece).unwrap();
    }
    association.shutdown_timeout(PATIENCE).unwrap();
    String::from_utf8_lossy(&request.message.payload).into_owned()
}
