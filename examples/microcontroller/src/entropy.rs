//! The seed of everything that peers must not guess.

use cortex_m_semihosting::syscall;

/// Reads 32 random bytes of the host by semihosting. A device has a generator of random numbers for this.
pub fn seed() -> [u8; 32] {
    /// The mode "rb" of `fopen`.
    const TO_READ: usize = 1;
    let path = c"/dev/urandom";
    let mut seed = [0_u8; 32];
    // SAFETY: the host reads the name, which ends with 0, and writes within the seed.
    let unread = unsafe {
        let file = syscall!(OPEN, path.as_ptr(), TO_READ, path.count_bytes());
        syscall!(READ, file, seed.as_mut_ptr(), seed.len())
    };
    assert_eq!(unread, 0, "no seed");
    seed
}
