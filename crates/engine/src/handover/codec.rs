use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::ImportError;

/// Appends fields.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u8(&mut self, number: u8) {
        self.0.push(number);
    }

    pub(crate) fn u16(&mut self, number: u16) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    pub(crate) fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    pub(crate) fn u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    /// Writes bytes after their 32-bit length; memory limits keep it below 2^32.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.0.extend_from_slice(bytes);
    }

    /// Writes bytes after their 16-bit length.
    pub(crate) fn short_bytes(&mut self, bytes: &[u8]) {
        self.u16(u16::try_from(bytes.len()).unwrap_or(u16::MAX));
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn address(&mut self, ip: IpAddr) {
        match ip {
            IpAddr::V4(ip) => {
                self.u8(4);
                self.0.extend_from_slice(&ip.octets());
            }
            IpAddr::V6(ip) => {
                self.u8(6);
                self.0.extend_from_slice(&ip.octets());
            }
        }
    }

    pub(crate) fn optional<T>(&mut self, field: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.u8(u8::from(field.is_some()));
        if let Some(field) = field {
            write(self, field);
        }
    }

    /// Writes a list of streams, addresses or keys; there are fewer than 2^16 of each.
    pub(crate) fn list<T>(&mut self, entries: &[T], write: impl Fn(&mut Self, &T)) {
        let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
        self.u16(count);
        for entry in entries.iter().take(count.into()) {
            write(self, entry);
        }
    }
}

/// Reads fields from the front of a byte slice. Allocates no more than in proportion to its length.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take<const N: usize>(&mut self) -> Result<[u8; N], ImportError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(ImportError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, ImportError> {
        self.take().map(u8::from_be_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, ImportError> {
        self.take().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ImportError> {
        self.take().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ImportError> {
        self.take().map(u64::from_be_bytes)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], ImportError> {
        let len = usize::try_from(self.u32()?).map_err(|_| ImportError::Truncated)?;
        self.split(len)
    }

    /// Reads bytes after their 16-bit length.
    pub(crate) fn short_bytes(&mut self) -> Result<&'a [u8], ImportError> {
        let len = self.u16()?;
        self.split(len.into())
    }

    fn split(&mut self, len: usize) -> Result<&'a [u8], ImportError> {
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(ImportError::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn address(&mut self) -> Result<IpAddr, ImportError> {
        match self.u8()? {
            4 => Ok(Ipv4Addr::from(self.take::<4>()?).into()),
            6 => Ok(Ipv6Addr::from(self.take::<16>()?).into()),
            _ => Err(ImportError::Malformed("an address of neither IP version")),
        }
    }

    pub(crate) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ImportError>,
    ) -> Result<Option<T>, ImportError> {
        match self.u8()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(ImportError::Malformed("a mark that is neither 0 nor 1")),
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, ImportError>,
    ) -> Result<Vec<T>, ImportError> {
        let count = self.u16()?;
        (0..count).map(|_| read(self)).collect()
    }
}
