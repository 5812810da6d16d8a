//! Sending messages (RFC 6458 §3.1.4, §4.1.8, §5.3).

use sheave_engine::{SendOptions, Time};

use super::Stack;
use crate::abi::System;
use crate::request::{Ending, Request, Target};
use crate::{Errno, SendCall, SocketId};

impl Stack {
    /// The error that [`send`](Self::send) would return now; `EAGAIN` if it would block.
    ///
    /// # Errors
    /// The errors of `sendmsg`.
    pub fn check_send(
        &mut self,
        now: Time,
        id: SocketId,
        call: &SendCall<'_>,
    ) -> Result<usize, Errno> {
        let request = self.read_call(id, call)?;
        let (abi, length) = (self.profile.abi, call.payload.len());
        if let Some(farewell) = request.farewell(abi) {
            for number in request.target.associations() {
                let mut attached = self.attached(*number).ok_or(Errno::EPIPE)?;
                attached.check_end(now, farewell, &request, length)?;
            }
            return Ok(0);
        }
        let message = request.message(abi, call.payload.clone());
        match &request.target {
            Target::Known(number) => {
                let part = (message, request.options(abi));
                let ending = request.ending(abi, self.sockets.find(id)?, call.flags);
                let mut attached = self.attached(*number).ok_or(Errno::EPIPE)?;
                if ending == Ending::Later {
                    attached.check_part(now, &part)?;
                } else {
                    let (message, options) = attached.with_open_parts(part)?;
                    attached.check(now, &message, &options)?;
                }
            }
            Target::New(_) => {}
            Target::All(numbers) if numbers.is_empty() => return Ok(0),
            Target::All(numbers) => {
                let options = SendOptions {
                    key: request.controls.key,
                    ..SendOptions::default()
                };
                for number in numbers {
                    let mut attached = self.attached(*number).ok_or(Errno::EPIPE)?;
                    attached.check(now, &message, &options)?;
                }
            }
        }
        Ok(length)
    }

    /// Sends a message, or ends associations if its flags say so (RFC 6458 §3.1.4, §5.3.4). Returns
    /// the bytes taken. `EPIPE` calls for SIGPIPE, unless the call had `MSG_NOSIGNAL`.
    ///
    /// # Errors
    /// The errors of `sendmsg`; `EAGAIN` if the call would block.
    pub fn send(&mut self, now: Time, id: SocketId, call: SendCall<'_>) -> Result<usize, Errno> {
        let request = self.read_call(id, &call)?;
        let (abi, length) = (self.profile.abi, call.payload.len());
        let numbers = match &request.target {
            Target::New(addresses) => {
                let init = request.controls.init;
                vec![self.begin(now, id, addresses, init)?]
            }
            target => target.associations().to_vec(),
        };
        if let Some(farewell) = request.farewell(abi) {
            for number in &numbers {
                let mut attached = self.attached(*number).ok_or(Errno::EPIPE)?;
                attached.check_end(now, farewell, &request, length)?;
            }
            for number in numbers {
                self.end(now, number, farewell, call.payload.clone());
            }
            return Ok(0);
        }
        let taken = if numbers.is_empty() { 0 } else { length };
        let ending = request.ending(abi, self.sockets.find(id)?, call.flags);
        let part = (request.message(abi, call.payload), request.options(abi));
        for number in numbers {
            let mut attached = self.attached(number).ok_or(Errno::EPIPE)?;
            let part = part.clone();
            if ending == Ending::Later {
                attached.check_part(now, &part)?;
                attached.keep_part(now, part);
                continue;
            }
            let (message, options) = match ending {
                Ending::Alone => part,
                _ => attached.with_open_parts(part)?,
            };
            let stream = message.stream;
            attached.check(now, &message, &options)?;
            attached.send(now, message, options)?;
            if ending == Ending::Here {
                attached.association.open.remove(&stream);
            }
        }
        self.digest(now);
        Ok(taken)
    }

    fn read_call(&mut self, id: SocketId, call: &SendCall<'_>) -> Result<Request, Errno> {
        let request = Request::read(self.lookup(id)?, &self.profile, call);
        request.map_err(|error| match (error, self.profile.system()) {
            // Linux returns the pending error in place of `EPIPE`.
            (Errno::EPIPE, System::Linux) => self.take_error(id).unwrap_or(error),
            _ => error,
        })
    }
}
