//! Two ends, made by the functions for C.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr;

use crate::association::{Association, sheave_association_free};
use crate::endpoint::{
    Endpoint, sheave_endpoint_bind, sheave_endpoint_connect, sheave_endpoint_free,
    sheave_endpoint_listen, sheave_endpoint_udp_port,
};
use crate::last_error;
use crate::listener::{Listener, sheave_listener_accept, sheave_listener_free};
use crate::receive::{ReceiveInfo, sheave_association_receive};
use crate::send::{SendInfo, sheave_association_send};
use crate::status::Status;

/// Milliseconds, longer than anything here takes.
pub(super) const LONG: c_int = 60_000;

pub(super) fn last_message() -> String {
    let text = unsafe { CStr::from_ptr(last_error::text()) };
    text.to_str().unwrap().to_owned()
}

pub(super) fn bind(config: &str) -> *mut Endpoint {
    let config = CString::new(config).unwrap();
    let mut endpoint = ptr::null_mut();
    let status = unsafe { sheave_endpoint_bind(config.as_ptr(), &raw mut endpoint) };
    assert_eq!(status, Status::Ok, "{}", last_message());
    endpoint
}

pub(super) fn target(server: Option<&Endpoint>) -> CString {
    target_at(server, "remote=127.0.0.2")
}

fn target_at(server: Option<&Endpoint>, remote: &str) -> CString {
    let udp_port = sheave_endpoint_udp_port(server);
    CString::new(format!("{remote},udp_port={udp_port},port=5001")).unwrap()
}

/// An association between two endpoints.
pub(super) struct Wired {
    pub(super) server: Option<&'static Endpoint>,
    pub(super) listener: Option<&'static Listener>,
    pub(super) near: Option<&'static Association>,
    pub(super) far: Option<&'static Association>,
    endpoints: [*mut Endpoint; 2],
    listening: *mut Listener,
    associations: [*mut Association; 2],
}

impl Wired {
    pub(super) fn new(options: &str) -> Self {
        let client = bind("local=127.0.0.1,udp_port=0,linger=2 s");
        let server = bind("local=127.0.0.2,udp_port=0,linger=2 s");
        let options = CString::new(options).unwrap();
        Self::between(client, server, c"remote=127.0.0.2", &options)
    }

    /// An association of the client's with the server, whose addresses `remote` names.
    pub(super) fn between(
        client: *mut Endpoint,
        server: *mut Endpoint,
        remote: &CStr,
        options: &CStr,
    ) -> Self {
        let (mut listener, mut near, mut far) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let status = unsafe {
            sheave_endpoint_listen(server.as_ref(), 5001, options.as_ptr(), &raw mut listener)
        };
        assert_eq!(status, Status::Ok, "{}", last_message());
        let target = target_at(unsafe { server.as_ref() }, remote.to_str().unwrap());
        let status = unsafe {
            sheave_endpoint_connect(
                client.as_ref(),
                target.as_ptr(),
                options.as_ptr(),
                LONG,
                &raw mut near,
            )
        };
        assert_eq!(status, Status::Ok, "{}", last_message());
        let status = unsafe { sheave_listener_accept(listener.as_ref(), LONG, &raw mut far) };
        assert_eq!(status, Status::Ok, "{}", last_message());
        unsafe {
            Self {
                server: server.as_ref(),
                listener: listener.as_ref(),
                near: near.as_ref(),
                far: far.as_ref(),
                endpoints: [client, server],
                listening: listener,
                associations: [near, far],
            }
        }
    }
}

impl Drop for Wired {
    fn drop(&mut self) {
        unsafe {
            for association in self.associations {
                sheave_association_free(association);
            }
            sheave_listener_free(self.listening);
            for endpoint in self.endpoints {
                sheave_endpoint_free(endpoint);
            }
        }
    }
}

pub(super) fn send(association: Option<&Association>, bytes: &[u8], stream: u16) -> Status {
    let info = SendInfo {
        stream,
        ..SendInfo::default()
    };
    let pointer = bytes.as_ptr().cast::<c_void>();
    unsafe { sheave_association_send(association, pointer, bytes.len(), &raw const info, LONG) }
}

/// Receives into a buffer of `room` bytes.
pub(super) fn receive(
    association: Option<&Association>,
    room: usize,
    timeout: c_int,
) -> Result<(Vec<u8>, ReceiveInfo), Status> {
    let mut buffer = vec![0_u8; room];
    let mut info = ReceiveInfo {
        length: 0,
        ppid: 0,
        flags: 0,
        stream: 0,
    };
    let pointer = buffer.as_mut_ptr().cast::<c_void>();
    let status =
        unsafe { sheave_association_receive(association, pointer, room, &raw mut info, timeout) };
    buffer.truncate(info.length);
    match status {
        Status::Ok => Ok((buffer, info)),
        other => Err(other),
    }
}
