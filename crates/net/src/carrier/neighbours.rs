//! Detects other stacks on this machine with SCTP over raw IP, which may own ports that this
//! endpoint does not.

use std::fs;
use std::os::fd::BorrowedFd;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::raw;

/// Time for which a result is cached.
const FRESH: Duration = Duration::from_millis(100);
/// Column of the address in `/proc/net/raw`; the protocol number follows it.
const ADDRESS: usize = 1;
/// Column of the socket's inode.
const INODE: usize = 9;

/// When other stacks were last looked for, and whether there were any.
#[derive(Debug, Default)]
pub(super) struct Neighbours(Mutex<Option<(Instant, bool)>>);

impl Neighbours {
    /// Whether another raw SCTP socket than `own`, or the kernel's SCTP, exists; also true if the
    /// system does not tell.
    pub(super) fn are_here<'a>(&self, own: impl Iterator<Item = BorrowedFd<'a>>) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *told {
            Some((at, answer)) if at.elapsed() < FRESH => answer,
            _ => {
                let inode = |socket| rustix::fs::fstat(socket).ok().map(|stat| stat.st_ino);
                let own: Vec<u64> = own.filter_map(inode).collect();
                let answer = raw::kernel_speaks_sctp()
                    || ["raw", "raw6"].into_iter().any(|table| {
                        let listed = fs::read_to_string(format!("/proc/thread-self/net/{table}"));
                        match listed {
                            Ok(listed) => inodes(&listed).any(|inode| !own.contains(&inode)),
                            // A machine without IPv6 has no `raw6` list.
                            Err(_) => table == "raw",
                        }
                    });
                *told = Some((Instant::now(), answer));
                answer
            }
        }
    }
}

/// Inodes of the SCTP sockets in a list of raw sockets.
fn inodes(listed: &str) -> impl Iterator<Item = u64> + '_ {
    listed.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_sctp = words.get(ADDRESS)?.ends_with(":0084");
        let inode = words.get(INODE)?.parse().ok()?;
        is_sctp.then_some(inode)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_other_protocols_are_no_neighbours() {
        let listed = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n   \
            1: 0100007F:0001 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 70 2 0000000000000000 0\n \
            132: 0100007F:0084 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 71 2 0000000000000000 0\n";
        assert_eq!(inodes(listed).collect::<Vec<_>>(), [71]);
    }
}
