#![expect(unsafe_code, reason = "a fork is one")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use sheave::error::{ConnectError, ListenError, ReceiveError, SendError};

use crate::pair::{LONG, PORT, Pair, next, number_of, numbered, quick, target, within};

/// Uses what the parent has, as a child may by mistake, and gives it back.
fn misuse(pair: Pair) -> bool {
    let refused = matches!(
        pair.near.send(numbered(0, 0, 10)),
        Err(SendError::Closed(_))
    );
    let unread = matches!(pair.near.receive(), Err(ReceiveError::Closed(_)));
    let endless = pair.listener.accept().is_none();
    let connect = pair.client.connect(target(&pair.server, quick())).err();
    let listen = pair.server.listen(PORT + 1, quick()).err();
    pair.near.abort("a child says so");
    drop(pair);
    refused
        && unread
        && endless
        && connect == Some(ConnectError::EndpointClosed)
        && listen == Some(ListenError::EndpointClosed)
}

#[test]
fn a_child_finds_its_parents_endpoints_closed_and_leaves_them_alone() {
    within(LONG, || {
        let pair = Pair::new(quick());
        // SAFETY: the child calls nothing that another thread of the parent may have locked but
        // the allocator, which the C library has ready after a fork.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let passed = catch_unwind(AssertUnwindSafe(|| misuse(pair))).unwrap_or(false);
            // SAFETY: the child ends here, with none of the parent's exit handlers.
            unsafe { libc::_exit(if passed { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: `status` is a live integer, and the child is ours.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!(status, 0, "the child failed or hung");
        std::thread::sleep(Duration::from_millis(50));
        for number in 0..10 {
            pair.near.send(numbered(0, number, 1000)).unwrap();
            assert_eq!(number_of(&next(&pair.far).message.payload), number);
        }
        pair.near.shutdown().unwrap();
    });
}
