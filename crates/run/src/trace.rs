//! A log of trapped calls, one line each, in strace's format.

use std::fmt::Write;

use crate::door::Trapped;
use crate::message::flag_bits;

/// Whether trapped calls are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing is printed.
    Quiet,
    /// Each call that the host answers.
    Calls,
}

/// Name and number of arguments of a system call.
pub(crate) fn signature(number: i64) -> (&'static str, usize) {
    match number {
        libc::SYS_socket => ("socket", 3),
        libc::SYS_bind => ("bind", 3),
        libc::SYS_connect => ("connect", 3),
        libc::SYS_listen => ("listen", 2),
        libc::SYS_accept => ("accept", 3),
        libc::SYS_accept4 => ("accept4", 4),
        libc::SYS_getsockname => ("getsockname", 3),
        libc::SYS_getpeername => ("getpeername", 3),
        libc::SYS_setsockopt => ("setsockopt", 5),
        libc::SYS_getsockopt => ("getsockopt", 5),
        libc::SYS_shutdown => ("shutdown", 2),
        libc::SYS_sendto => ("sendto", 6),
        libc::SYS_recvfrom => ("recvfrom", 6),
        libc::SYS_sendmsg => ("sendmsg", 3),
        libc::SYS_recvmsg => ("recvmsg", 3),
        libc::SYS_sendmmsg => ("sendmmsg", 4),
        libc::SYS_recvmmsg => ("recvmmsg", 5),
        libc::SYS_read => ("read", 3),
        libc::SYS_write => ("write", 3),
        libc::SYS_readv => ("readv", 3),
        libc::SYS_writev => ("writev", 3),
        libc::SYS_preadv2 => ("preadv2", 6),
        libc::SYS_pwritev2 => ("pwritev2", 6),
        libc::SYS_splice => ("splice", 6),
        libc::SYS_sendfile => ("sendfile", 4),
        libc::SYS_dup => ("dup", 1),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_dup2 => ("dup2", 2),
        libc::SYS_dup3 => ("dup3", 3),
        libc::SYS_fcntl => ("fcntl", 3),
        libc::SYS_ioctl => ("ioctl", 3),
        libc::SYS_close => ("close", 1),
        libc::SYS_close_range => ("close_range", 3),
        libc::SYS_io_uring_setup => ("io_uring_setup", 2),
        _ => ("call", 6),
    }
}

/// The log line of a call that returned; `Ok(None)` if the value is unknown here.
pub(crate) fn line(process: u32, call: &Trapped, returned: Result<Option<i64>, i32>) -> String {
    let (name, count) = signature(call.number);
    let mut line = format!("[{process}] {name}(");
    for (index, &arg) in call.args.iter().take(count).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // Large numbers are probably addresses, so print them in hexadecimal.
        let _ = match arg {
            0..=0xffff_ffff => write!(line, "{comma}{}", flag_bits(arg)),
            _ => write!(line, "{comma}{arg:#x}"),
        };
    }
    let _ = match returned {
        Ok(Some(value)) => write!(line, ") = {value}"),
        Ok(None) => write!(line, ") = ?"),
        Err(code) => {
            let error = std::io::Error::from_raw_os_error(code);
            write!(line, ") = -1 {error}")
        }
    };
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_call_its_arguments_and_its_result() {
        let call = Trapped {
            id: 1,
            caller: crate::door::Caller::Thread(2),
            thread: 2,
            process: None,
            number: libc::SYS_listen,
            args: [512, 5, 9, 9, 9, 9],
            seen: None,
        };
        assert_eq!(line(7, &call, Ok(Some(0))), "[7] listen(512, 5) = 0");
        let refused = line(7, &call, Err(libc::EADDRINUSE));
        assert!(refused.starts_with("[7] listen(512, 5) = -1 Address already in use"));
    }
}
