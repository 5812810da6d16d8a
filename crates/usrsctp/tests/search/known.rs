//! Differences that are meant or do no harm, and why. The search goes on past them.

use crate::outcome::Step;

/// Whether the rest of a script can still be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    GoesOn,
    /// The sockets of the two libraries have gone different ways.
    Ends,
}
use Then::{Ends, GoesOn};

/// Words that are in the call, in what usrsctp's library prints, and in what this one prints.
type Row = (&'static str, &'static str, &'static str, Then);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Said in docs/howto/usrsctp.md.
    (" EVENT ", "EOPNOTSUPP", "EVENT: 0", GoesOn),
    (" HMAC_IDENT ", "", "", GoesOn),
    (" set ", "MAX_CWND: 0", "ENOPROTOOPT", Ends),
    (" MAX_CWND ", "", "ENOPROTOOPT", GoesOn),
    (" TIMEOUTS ", "", "ENOPROTOOPT", GoesOn),
    // Here AF_CONN has several addresses, too.
    (" bindx ", "EAFNOSUPPORT", "bindx: ", Ends),
    (" connectx ", "connectx: E", "connectx: ", Ends),
    // What the two ends authenticate, once a program has asked for it.
    ("", "", "authentication 2", Ends),
    // The old SCTP_SEND_FAILED, whose struct usrsctp.h does not have.
    ("", "notification 4", "notification 4", GoesOn),
    ("", "send failed", "notification 4", Ends),
    // Sockets of other families bind to connections there.
    (" bind ", "", "EAFNOSUPPORT", Ends),
    // An indication of 0 is none here.
    ("", "adaptation 0", "", Ends),
    // Both come with the handshake.
    ("", "adaptation", "address change 6", GoesOn),
    // Connections are bound by name, whoever calls first.
    (" AUTO_ASCONF ", "", "", GoesOn),
    // A point of 0 is none: half a buffer.
    (" PARTIAL_DELIVERY_POINT ", "POINT is", "POINT is", GoesOn),
    // Numbers that no chunk and no time can have.
    (" MAXSEG ", "MAXSEG is", "MAXSEG is", GoesOn),
    (" AUTOCLOSE ", "AUTOCLOSE is", "AUTOCLOSE is", GoesOn),
    (" RESET_STREAMS ", ": 0", ": E", Ends),
    // What the peer asks for about streams is granted, whatever SCTP_ENABLE_STREAM_RESET says.
    ("", "", "stream reset", Ends),
    ("", "", "stream change", Ends),
    ("", "", "assoc reset", Ends),
    (" RESET_ASSOC ", "stream reset", "", Ends),
    // A socket whose connection failed may try again.
    (" connect ", "EINVAL", "EINPROGRESS", Ends),
    (" send ", "send: EINVAL", "send: ", Ends),
    // usrsctp's connect() ends an association that there is.
    (" connect ", "connect: E", "EISCONN", Ends),
    (" connect ", "connect: E", "EADDRNOTAVAIL", Ends),
    (" connect ", "connect: E", "EAFNOSUPPORT", GoesOn),
    (" connect ", "EINVAL\nevents", "EINVAL", Ends),
    (" connect ", "EINVAL\ncallback", "EINVAL", Ends),
    (" drain ", "ECONNRESET", "ECONNREFUSED", GoesOn),
    (" receive ", "ECONNRESET", "ECONNREFUSED", GoesOn),
    (" drain ", "events of", "events of", Ends),
    (" receive ", "events of", "events of", Ends),
    (" events ", "events 3", "events 7", GoesOn),
    (" events ", "events 3", "events 2", GoesOn),
    (" send ", "send: ", "send: ENOENT", Ends),
    (" send ", "EMSGSIZE", "send: ", Ends),
    // A message can be wrong in two ways: here its address is of no family.
    (" send ", "ENOTCONN", "EAFNOSUPPORT", GoesOn),
    // A socket is writable here until it has refused something.
    (" send ", "events of", "", Ends),
    // A fault of usrsctp's: sockets peeled off too late keep it from ending.
    ("end ", "finish: -1", "finish: 0", GoesOn),
    // A socket that is bound to one connection reaches no other one.
    (" connect ", "connect: 0", "EADDRNOTAVAIL", Ends),
    (" connect ", "connect: EINPROGRESS", "EADDRNOTAVAIL", Ends),
    (" send ", "send: ", "EADDRNOTAVAIL", Ends),
    // listen() with 0 makes usrsctp's socket a listening one that accepts nobody.
    (" listen ", "", "", Ends),
    (" accept ", "EAGAIN", "EINVAL", GoesOn),
    (" connect ", "EOPNOTSUPP", "connect: ", Ends),
    // usrsctp shuts the reading half of sockets that it then lets read.
    (" shutdown ", "events of", "", Ends),
    // An embedder of usrsctp has to look at the events of a socket after its own calls.
    ("", "FAULT no upcall", "", Ends),
    // usrsctp finds an association of a one-to-one socket by any address.
    (" id ", "one", "none", GoesOn),
    // usrsctp lists all connections of the program for a socket that has none yet.
    (" own ", "addresses: 8", "addresses: 8", GoesOn),
    (" own ", "addresses: ", "addresses: 1", GoesOn),
    (" own ", "addresses: ", "addresses: E", GoesOn),
    // usrsctp describes the next message only beside the one that is read.
    (" receive ", "info 0", "info 2", GoesOn),
    (" drain ", "info 0", "info 2", GoesOn),
    // Times at which paths and peers are given up: heartbeats are drawn apart (RFC 9260 §8.3).
    (" pass ", "", "address change 2", Ends),
    (" pass ", "address change 2", "", Ends),
    (" pass ", "assoc change 2", "", Ends),
    (" pass ", "", "assoc change 2", Ends),
    // usrsctp's own fault: it sends packets of connections that the program has taken back.
    ("", "FAULT packet of", "", Ends),
    // usrsctp aborts associations of sockets that are closed with notifications unread.
    (" receive ", "ECONNRESET", "0 flags 0", Ends),
    (" drain ", "ECONNRESET", "0 flags 0", Ends),
    (" close ", "", "end flags", Ends),
    (" close ", "events of", "", Ends),
    (" drain ", "assoc change 4", "assoc change 1", Ends),
    (" drain ", "assoc change 2", "shutdown", Ends),
    (" drain ", "assoc change 2", "assoc change 4", Ends),
    // RFC 6458 §6.1.9 leaves open whether an association that never sent is dry.
    ("", "", "sender dry", Ends),
    ("", "sender dry", "", Ends),
];

/// What is known of a difference; `None` for nothing.
pub(crate) fn difference(usrsctps: &Step, ours: &Step) -> Option<Then> {
    let text = |step: &Step| step.lines.join("\n");
    let (theirs, own) = (text(usrsctps), text(ours));
    let call = format!("{} ", ours.call);
    let row = ROWS.iter().find(|(words, they, we, _)| {
        call.contains(words) && theirs.contains(they) && own.contains(we)
    });
    row.map(|(.., then)| *then)
}
