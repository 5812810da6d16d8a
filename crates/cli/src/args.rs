//! The command line.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use crate::screen::Output;

/// SCTP without a kernel module: transfer files, measure, ping and look at packets.
#[derive(Parser, Clone, Debug)]
#[command(name = "sheave", version, max_term_width = 100)]
#[command(after_help = include_str!("../help/sheave.txt").trim_end())]
pub struct Cli {
    /// Subcommand to run
    #[command(subcommand)]
    pub command: Command,

    /// Print JSON instead of text
    #[arg(short = 'J', long, global = true)]
    json: bool,
}

/// The subcommands.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Run a program that uses SCTP sockets, on a kernel without SCTP
    #[cfg(target_os = "linux")]
    Run(Box<crate::run::RunArgs>),
    /// Send files and directories to `sheave recv`
    Send(crate::send::SendArgs),
    /// Receive files and directories into a directory
    Recv(crate::recv::RecvArgs),
    /// Measure throughput, with iperf3's flags
    Perf(Box<crate::perf::PerfArgs>),
    /// Ask whether an SCTP answers, with ping's look
    Ping(crate::ping::PingArgs),
    /// Find out why SCTP does not work here, and what to do
    #[cfg(target_os = "linux")]
    Doctor(crate::doctor::DoctorArgs),
    /// Make a certificate for `--secure`, or show its fingerprint
    #[cfg(feature = "dtls")]
    Certificate(crate::certificate::CertificateArgs),
    /// Print the SCTP packets of a capture file or an interface
    Dump(crate::dump::DumpArgs),
    /// Talk, send files and measure over WebRTC data channels, with a browser or another `sheave dc`
    #[cfg(feature = "webrtc")]
    Dc(Box<crate::dc::DcArgs>),
    /// Delay, lose and damage UDP datagrams on their way, as a network would
    #[cfg(feature = "lab")]
    Emulate(crate::emulate::EmulateArgs),
    /// Show failover: a transfer over two paths, one of which dies half-way
    Demo(crate::demo::DemoArgs),
    /// Run again what the papers on SCTP claim, and report what became of it
    #[cfg(feature = "lab")]
    Lab(crate::lab::LabArgs),
    /// Measure what Sheave costs here, beside the kernel's TCP and the machine's limits
    #[cfg(feature = "lab")]
    Bench(crate::bench::BenchArgs),
    /// An end of a measurement of `sheave bench`
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    BenchEnd(crate::bench::EndArgs),
    /// The loop that valgrind counts for `sheave bench`
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    BenchSpin(crate::bench::SpinArgs),
    /// A program with SCTP sockets of the kernel, for `sheave bench run`
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    BenchSockets(crate::bench::SocketsArgs),
    /// Write the man pages into a directory
    Man(crate::manual::ManArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example: sheave completions bash > ~/.local/share/bash-completion/completions/sheave"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
}

impl Cli {
    /// Parses a command line; the first word is the program's name.
    /// Errors: the command line is wrong; the error has the usage of the command that it names.
    pub fn from_words<W>(words: impl IntoIterator<Item = W>) -> Result<Self, clap::Error>
    where
        W: Into<OsString> + Clone,
    {
        let mut command = Self::command();
        let mut matches = command.try_get_matches_from_mut(words)?;
        let mut names = Vec::new();
        let mut innermost = &matches;
        while let Some((name, inner)) = innermost.subcommand() {
            names.push(name.to_owned());
            innermost = inner;
        }
        Self::from_arg_matches_mut(&mut matches).map_err(|error| {
            let mut names = names.iter();
            match names.try_fold(&mut command, |at, name| at.find_subcommand_mut(name)) {
                Some(named) => error.format(named),
                None => error,
            }
        })
    }

    /// The format of printed results.
    pub fn output(&self) -> Output {
        if self.json {
            Output::Json
        } else {
            Output::Human
        }
    }
}

#[cfg(test)]
mod tests;
