//! Cost per item with many items present; must not depend on the number.

mod active;
mod associations;
mod queues;
mod streams;

use std::io;

use crate::{Args, Report};

/// Measures messages, streams, and associations (idle and active).
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if args.wants("flatness/queues") {
        queues::run(args, report)?;
    }
    if args.wants("flatness/streams") {
        streams::run(args, report)?;
    }
    if args.wants("flatness/associations") {
        associations::run(args, report)?;
    }
    if args.wants("flatness/active") {
        active::run(args, report)?;
    }
    Ok(())
}
