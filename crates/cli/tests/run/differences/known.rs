//! Differences that stay.

use super::Difference;
use super::seen::Past;

/// The rest of a script behind a difference that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The rest is compared.
    Harmless,
    /// The sockets are in other states from then on.
    Diverges,
}

/// The differences, with their reasons: a beginning of the call, Linux's answer and ours, each of which
/// may end in "*".
const KNOWN: &[(&str, &str, &str, Known)] = &[
    // A choice of ours: small messages go at once.
    ("ask * 132 3 *", "4 00000000", "4 01000000", Known::Harmless),
    // Linux forgets that a socket was bound to all addresses once it has an association.
    ("name *", "127.0.0.1 *", "0.0.0.0 *", Known::Harmless),
    ("name *", "127.0.0.2 *", "0.0.0.0 *", Known::Harmless),
    ("name *", "::1 *", ":: *", Known::Harmless),
    // And an IPv6 socket of its own that an association gets forgets what the first one was bound to.
    ("name *", ":: *", "::1 *", Known::Harmless),
    // Ours grows its buffers as it needs them, unless it is told how large they shall be.
    ("ask * 1 7 *", "4 *", "4 *", Known::Harmless),
    ("ask * 1 8 *", "4 *", "4 *", Known::Harmless),
    ("send * 300000 *", "EMSGSIZE", "*", Known::Diverges),
    ("send * 300000", "EMSGSIZE", "*", Known::Diverges),
    // What ICMP says and nothing follows from is forgotten.
    ("error *", "EHOSTUNREACH", "0", Known::Harmless),
    ("error *", "ENETUNREACH", "0", Known::Harmless),
    ("error *", "ECONNREFUSED", "0", Known::Harmless),
    ("error *", "EOPNOTSUPP", "0", Known::Harmless),
    ("error *", "ENOPROTOOPT", "0", Known::Harmless),
    ("error *", "EPROTO", "0", Known::Harmless),
    // Where there is no SCTP, ours is refused.
    ("* *", "ENOPROTOOPT", "ECONNREFUSED", Known::Harmless),
    // Since Linux 6.11 a listening socket can be stopped.
    ("shutdown *", "EOPNOTSUPP", "0", Known::Diverges),
    // The far end may answer before the second message leaves.
    ("sendall *", "1 *", "*", Known::Diverges),
    // The rest of a message that was not sent, in chunks of other lengths.
    (
        "hear *",
        "* flags 0x8080 * fixed",
        "* flags 0x8080 * fixed",
        Known::Diverges,
    ),
    // No peer has port 0: ours says so at once.
    (
        "connect * * 0",
        "EINPROGRESS",
        "ECONNREFUSED",
        Known::Diverges,
    ),
    (
        "connectx * 0 *",
        "EINPROGRESS",
        "ECONNREFUSED",
        Known::Diverges,
    ),
    // The end of an association waits for a SACK, which may wait for 200 ms.
    ("ask * 132 1 *", "20 *", "20 *", Known::Diverges),
    ("poll *", "in out", "in out no-more", Known::Harmless),
    // A message that was refused has bound the socket in Linux.
    ("bind *", "EINVAL", "0", Known::Diverges),
    ("addresses * local *", "*", "0", Known::Diverges),
    ("set * 132 30 *", "0", "EINVAL", Known::Diverges),
    // Linux ends a call for several messages with the first that goes to all associations.
    ("sendall * * * control 1 *", "1 *", "*", Known::Diverges),
    // Ours counts those addresses of a peer only that its own can reach.
    ("addresses * peer *", "3 *", "1 *", Known::Harmless),
    // With interleaving Linux waits for the association, and says so strangely when it fails.
    ("send *", "ESRCH", "*", Known::Diverges),
    ("sendall *", "ESRCH", "*", Known::Diverges),
    // A socket that was accepted begins without authentication, which its association has, in Linux.
    ("set * 132 22 *", "EACCES", "*", Known::Harmless),
    ("set * 132 21 *", "EACCES", "*", Known::Harmless),
    ("set * 132 25 *", "EACCES", "EINVAL", Known::Harmless),
    ("ask * 132 22 *", "EACCES", "*", Known::Harmless),
    // Asked of an association, Linux tells whether the peer has an extension, ours whether this end has.
    ("ask * 132 113 *", "8 *", "8 *", Known::Harmless),
    ("ask * 132 117 *", "8 *", "8 *", Known::Harmless),
    ("ask * 132 125 *", "8 *", "8 *", Known::Harmless),
    ("ask * 132 128 *", "8 *", "8 *", Known::Harmless),
    ("ask * 132 129 *", "8 *", "8 *", Known::Harmless),
    ("ask * 132 130 *", "8 *", "8 *", Known::Harmless),
    // Ours has two algorithms, and leaves the chunks that must be authenticated anyhow out of the list.
    ("ask * 132 22 *", "6 *", "*", Known::Harmless),
    ("ask * 132 26 *", "*", "*", Known::Harmless),
    ("ask * 132 27 *", "*", "*", Known::Harmless),
    // Linux does not let a socket listen at a port whose association has left it.
    ("listen *", "EADDRINUSE", "0", Known::Diverges),
    // Linux looks for a way there later.
    ("connect *", "EINPROGRESS", "EHOSTUNREACH", Known::Diverges),
    (
        "connectx3 *",
        "EINPROGRESS *",
        "EHOSTUNREACH *",
        Known::Diverges,
    ),
    // Ours tells the id of an association that cannot start, too.
    (
        "connectx3 *",
        "ECONNREFUSED none",
        "ECONNREFUSED @",
        Known::Harmless,
    ),
    // Linux's sockets that were peeled off lose the right to change their associations' addresses.
    ("set * 132 5 *", "EPERM", "*", Known::Diverges),
    // Whoever has shut down a listening socket in vain cannot call listen() in Linux any more.
    ("listen *", "EINVAL", "0", Known::Diverges),
    // Linux marks a socket with what its packets had last: whether they may be fragmented.
    ("ask * 0 10 *", "4 02000000", "4 01000000", Known::Harmless),
    ("ask * 41 23 *", "4 02000000", "4 01000000", Known::Harmless),
    // And with what they are to say of ECN.
    ("ask * 0 1 *", "4 02000000", "4 00000000", Known::Harmless),
    ("ask * 41 67 *", "4 02000000", "4 00000000", Known::Harmless),
    // Its firewall has these numbers.
    (
        "ask * 41 67 *",
        "ENOPROTOOPT",
        "EOPNOTSUPP",
        Known::Harmless,
    ),
    (
        "fault * set null 41 67",
        "ENOPROTOOPT",
        "EFAULT",
        Known::Harmless,
    ),
    // Asked of a time that no timer of its has, Linux gives another one back.
    ("ask * 132 133 *", "144 *", "144 *", Known::Harmless),
    // The type of service chooses a priority in Linux.
    ("ask * 1 12 *", "4 *", "4 *", Known::Harmless),
    // Ours knows those addresses of a peer only that its own can reach.
    ("set * 132 1 *", "EINVAL", "0", Known::Diverges),
    // A key that is in use, or was, keeps its secret.
    ("set * 132 23 *", "0", "EINVAL", Known::Diverges),
    // A one-to-many socket has a peer in Linux while it listens.
    ("peer *", "* fixed", "ENOTCONN", Known::Harmless),
    ("fault * peer *", "EFAULT", "ENOTCONN", Known::Harmless),
    (
        "fault * peer-length *",
        "EFAULT",
        "ENOTCONN",
        Known::Harmless,
    ),
    // Until what was sent before a shutdown is acknowledged, Linux has another name for its error.
    ("send *", "ESHUTDOWN", "EPIPE", Known::Harmless),
    ("sendall *", "ESHUTDOWN", "EPIPE", Known::Harmless),
    ("write *", "ESHUTDOWN", "EPIPE", Known::Harmless),
    // Of two calls that wait, one is told of the error.
    ("heard *", "ECONNREFUSED", "ENOTCONN", Known::Diverges),
    // A signal that came between two messages of one call leaks out of the kernel.
    ("hear *", "(null)", "*", Known::Diverges),
    ("hearall *", "(null)", "*", Known::Diverges),
    // It looks at the option, or at the family, in another order.
    (
        "fault * ask-length *",
        "EOPNOTSUPP",
        "EFAULT",
        Known::Harmless,
    ),
    ("fault * ask *", "EFAULT", "EINVAL", Known::Harmless),
    ("read *", "EAGAIN", "0", Known::Diverges),
    // As above.
    ("pending *", "1292", "*", Known::Diverges),
    ("pending *", "1272", "*", Known::Diverges),
    (
        "hear * * * *",
        "* flags * * fixed 03800000*",
        "*",
        Known::Diverges,
    ),
];

/// Whether a difference stays.
pub(crate) fn known(found: &Difference, past: &Past) -> Option<Known> {
    if past.explains(found) {
        return Some(Known::Diverges);
    }
    let shows = ["seen ", "poll "].map(|verb| found.call.starts_with(verb));
    if shows.contains(&true) && past.likens(found) {
        return Some(Known::Harmless);
    }
    if plain(&found.linux) == plain(&found.ours) {
        return Some(Known::Harmless);
    }
    // Ours gives a message that was not sent back whole, Linux chunk by chunk.
    let lengths = [&found.linux, &found.ours].map(|answer| answer.split(' ').next());
    if lengths[0] != lengths[1] && returns_message(&found.linux) && returns_message(&found.ours) {
        return Some(Known::Diverges);
    }
    let made = call_of(&found.call).replace("seen ", "poll ");
    let level = |answer| str::split(answer, " edge").next().unwrap_or_default();
    let (found_linux, found_ours) = (level(&found.linux), level(&found.ours));
    let row = KNOWN.iter().find(|(call, linux, ours, _)| {
        is_like(&made, call) && is_like(found_linux, linux) && is_like(found_ours, ours)
    });
    row.map(|(_, _, _, then)| *then)
}

/// Whether an answer has a message that was not sent (events 0x8003 and 0x800d).
fn returns_message(answer: &str) -> bool {
    let starts = ["03800000", "0d800000"];
    let mut words = answer.split(' ');
    words.any(|word| starts.iter().any(|start| word.starts_with(start)))
}

/// The call that a child makes, or that is made while another thread waits.
fn call_of(line: &str) -> &str {
    if let Some(call) = line.strip_prefix("child ") {
        return call;
    }
    match line.strip_prefix("during ") {
        Some(rest) => rest.splitn(3, ' ').last().unwrap_or(rest),
        None => line,
    }
}

/// An answer without what may differ in any.
fn plain(answer: &str) -> String {
    // One call for several messages hears the end of a stream several times, or not at all where Linux
    // does not show it.
    let answer = match answer.split_once(" = ") {
        Some((_, messages)) => messages.trim_end_matches(" = 0 flags 0"),
        None => answer,
    };
    // A socket that is bound to all addresses sends from any of them.
    let answer = answer.replace("127.0.0.2", "127.0.0.1");
    // Ours has found out that packets of 9000 bytes get through: what fits one, of DATA and I-DATA in IPv4
    // and IPv6.
    let fragments = [
        ("f0220000", "a4050000"),
        ("dc220000", "90050000"),
        ("ec220000", "a0050000"),
        ("d8220000", "8c050000"),
    ];
    let answer = fragments
        .iter()
        .fold(answer, |answer, (ours, linux)| answer.replace(ours, linux));
    // An association that cannot start (event 0x8001, state 4) has no id yet in Linux, nor have its
    // messages (events 0x8003 and 0x800d).
    let starts = ["01800000140000000400", "03800000", "0d800000"];
    let words = answer.split(' ').map(|word| {
        let is_early = starts.iter().any(|start| word.starts_with(start));
        if is_early {
            word.replace('@', "00000000")
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether words are those of a pattern, in which "*" stands for any one, and for all that follow at
/// its end.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut words = text.split(' ');
    let mut wanted = pattern.split(' ').peekable();
    while let Some(word) = wanted.next() {
        if word == "*" && wanted.peek().is_none() {
            return true;
        }
        if !words
            .next()
            .is_some_and(|other| word == "*" || word == other)
        {
            return false;
        }
    }
    words.next().is_none()
}
