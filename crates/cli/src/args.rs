//! The command line.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

#[cfg(feature = "lab")]
use crate::bench::{BenchArgs, EndArgs, SocketsArgs, SpinArgs};
#[cfg(feature = "dtls")]
use crate::certificate::CertificateArgs;
#[cfg(feature = "webrtc")]
use crate::dc::DcArgs;
use crate::demo::DemoArgs;
#[cfg(target_os = "linux")]
use crate::doctor::DoctorArgs;
use crate::dump::DumpArgs;
#[cfg(feature = "lab")]
use crate::emulate::EmulateArgs;
#[cfg(feature = "lab")]
use crate::lab::LabArgs;
use crate::manual::ManArgs;
use crate::perf::PerfArgs;
use crate::ping::PingArgs;
use crate::recv::RecvArgs;
#[cfg(target_os = "linux")]
use crate::run::RunArgs;
use crate::screen::Output;
use crate::send::SendArgs;

/// SCTP without a kernel module: transfer files, measure, ping and look at packets.
#[derive(Parser, Clone, Debug)]
#[command(name = "sheave", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  sheave run -- iperf3 -c server --sctp
                                       a program that wants SCTP of its kernel, without one
  sheave demo                          500 MB over two paths, one of which dies half-way
  sheave recv inbox                    on one machine, and on another:
  sheave send photos server            a directory, resumable, verified
  sheave perf -s                       on one machine, and on another:
  sheave perf -c server -t 5           throughput, as iperf3 measures it
  sheave ping server                   does an SCTP answer there?
  sheave doctor                        why does SCTP not work here?
  sheave dc serve --receive inbox      a page with data channels: chat, files, speed
  sheave dump trace.pcapng             SCTP packets, one chunk per line
  sheave emulate --listen 127.0.0.1:9000 --to server:9899 --delay '20 ms' --loss '1 %'
  sheave lab run                       the claims of the papers, run again
  sheave bench                         what it costs, beside TCP and the machine's limits

Exit codes: 0 success; 1 failure; 2 wrong usage; 130 ended by Ctrl-C. `sheave ping` has those of \
ping: 0 an answer came, 1 none came, 2 another error; `sheave doctor`: \
0 nothing is wrong, 1 something surprises, 2 something does not work.")]
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
    Run(Box<RunArgs>),
    /// Send files and directories to `sheave recv`
    Send(SendArgs),
    /// Receive files and directories into a directory
    Recv(RecvArgs),
    /// Measure throughput, with iperf3's flags
    Perf(Box<PerfArgs>),
    /// Ask whether an SCTP answers, with ping's look
    Ping(PingArgs),
    /// Find out why SCTP does not work here, and what to do
    #[cfg(target_os = "linux")]
    Doctor(DoctorArgs),
    /// Make a certificate for `--secure`, or show its fingerprint
    #[cfg(feature = "dtls")]
    Certificate(CertificateArgs),
    /// Print the SCTP packets of a capture file or an interface
    Dump(DumpArgs),
    /// Talk, send files and measure over WebRTC data channels, with a browser or another `sheave dc`
    #[cfg(feature = "webrtc")]
    Dc(Box<DcArgs>),
    /// Delay, lose and damage UDP datagrams on their way, as a network would
    #[cfg(feature = "lab")]
    Emulate(EmulateArgs),
    /// Show failover: a transfer over two paths, one of which dies half-way
    Demo(DemoArgs),
    /// Run again what the papers on SCTP claim, and report what became of it
    #[cfg(feature = "lab")]
    Lab(LabArgs),
    /// Measure what Sheave costs here, beside the kernel's TCP and the machine's limits
    #[cfg(feature = "lab")]
    Bench(BenchArgs),
    /// An end of a measurement of `sheave bench`
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    BenchEnd(EndArgs),
    /// The loop that valgrind counts for `sheave bench`
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    BenchSpin(SpinArgs),
    /// A program with SCTP sockets of the kernel, for `sheave bench run`
    #[cfg(feature = "lab")]
    #[command(hide = true)]
    BenchSockets(SocketsArgs),
    /// Write the man pages into a directory
    Man(ManArgs),
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
    ///
    /// # Errors
    /// The command line is wrong; the error has the usage of the command that it names.
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
