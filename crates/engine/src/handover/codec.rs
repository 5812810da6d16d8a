use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::ImportError;

/// Appends fields.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u8(&mut self, number: u8) {
        self.0.push(number);
    }

    pub(super) fn u16(&mut self, number: u16) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_be_bytes());
    }

    /// Writes bytes after their 32-bit length; memory limits keep it below 2^32.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn address(&mut self, ip: IpAddr) {
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

    pub(super) fn optional<T>(&mut self, field: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.u8(u8::from(field.is_some()));
        if let Some(field) = field {
            write(self, field);
        }
    }

    /// Writes a list of streams, addresses or keys; there are fewer than 2^16 of each.
    pub(super) fn list<T>(&mut self, entries: &[T], write: impl Fn(&mut Self, &T)) {
        let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
        self.u16(count);
        for entry in entries.iter().take(count.into()) {
            write(self, entry);
        }
    }
}

/// Reads fields from the front of a byte slice. Allocates no more than in proportion to its length.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], ImportError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(ImportError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ImportError> {
        self.take().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, ImportError> {
        self.take().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ImportError> {
        self.take().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ImportError> {
        self.take().map(u64::from_be_bytes)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], ImportError> {
        let len = usize::try_from(self.u32()?).map_err(|_| ImportError::Truncated)?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(ImportError::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn address(&mut self) -> Result<IpAddr, ImportError> {
        match self.u8()? {
            4 => Ok(Ipv4Addr::from(self.take::<4>()?).into()),
            6 => Ok(Ipv6Addr::from(self.take::<16>()?).into()),
            _ => Err(ImportError::Malformed("an address of neither IP version")),
        }
    }

    pub(super) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ImportError>,
    ) -> Result<Option<T>, ImportError> {
        match self.u8()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(ImportError::Malformed("a mark that is neither 0 nor 1")),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, ImportError>,
    ) -> Result<Vec<T>, ImportError> {
        let count = self.u16()?;
        (0..count).map(|_| read(self)).collect()
    }
}
