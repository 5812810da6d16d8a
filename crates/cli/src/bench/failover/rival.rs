//! Rivals: the kernel's TCP and MPTCP, and QUIC with the crates `quinn` and `noq`.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use std::{env, fs};

use clap::ValueEnum;
use socket2::{Domain, Protocol, Socket, Type};

use super::trial::Flow;
use crate::bench::network::Network;
use crate::bench::stage::succeed;
use crate::failure::{Failure, While};

/// Time allowed for setting up the second path.
const SECOND_PATH: Duration = Duration::from_millis(500);

/// A rival, as named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rival {
    /// Multipath TCP of the kernel, both subflows in use
    Mptcp,
    /// Multipath QUIC (RFC 10069) by the crate noq, both paths in use
    Noq,
    /// QUIC by the crate quinn, which has one path
    Quinn,
    /// TCP of the kernel, which has one path
    Tcp,
}

/// A byte stream between the two ends, carrying messages of known length.
struct Stream {
    write: Mutex<Box<dyn Write + Send>>,
    read: Mutex<Box<dyn Read + Send>>,
    ends: Ends,
}

/// Resources whose shutdown ends a stream.
enum Ends {
    Sockets {
        ends: [TcpStream; 2],
        /// Accepts further subflows.
        _listener: TcpListener,
    },
    Programs(Mutex<[Child; 2]>),
}

impl Rival {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mptcp => "MPTCP",
            Self::Noq => "noq",
            Self::Quinn => "quinn",
            Self::Tcp => "TCP",
        }
    }

    /// Prepares the machine for the rival; builds its program if missing.
    /// Errors: the kernel has no MPTCP, or the program cannot be built.
    pub fn prepare(self) -> Result<(), Failure> {
        match self {
            Self::Tcp => Ok(()),
            Self::Mptcp => {
                let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::MPTCP));
                socket.while_doing("MPTCP of the kernel").map(|_| ())
            }
            Self::Noq | Self::Quinn => self.build(),
        }
    }

    /// Sets up a connection.
    pub fn connect(self, network: &Network) -> Result<Box<dyn Flow>, Failure> {
        let stream = match self {
            Self::Tcp => sockets(network, Protocol::TCP),
            Self::Mptcp => allow_subflows(network).and_then(|()| {
                let stream = sockets(network, Protocol::MPTCP);
                thread::sleep(SECOND_PATH);
                stream
            }),
            Self::Noq | Self::Quinn => programs(network, &self.program()),
        };
        let stream = stream.while_doing(format!("cannot connect over {}", self.name()))?;
        Ok(Box::new(stream))
    }

    /// Folder of the crate of the rival's program.
    fn folder(self) -> PathBuf {
        let folder = format!("sheave-{}-pipe", self.name().to_lowercase());
        env::temp_dir().join(folder)
    }

    fn program(self) -> PathBuf {
        self.folder().join("target/release/pipe")
    }

    /// Builds the program; takes a minute the first time.
    fn build(self) -> Result<(), Failure> {
        let folder = self.folder();
        let lays = |path: &str, text: &str| -> io::Result<()> {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
            // Unchanged files are not rewritten, to avoid rebuilds.
            match fs::read_to_string(&path).is_ok_and(|there| there == text) {
                true => Ok(()),
                false => fs::write(&path, text),
            }
        };
        let (manifest, own) = match self {
            Self::Noq => (include_str!("pipe/noq.toml"), include_str!("pipe/noq.rs")),
            _ => (
                include_str!("pipe/quinn.toml"),
                include_str!("pipe/quinn.rs"),
            ),
        };
        let laid = lays("Cargo.toml", manifest)
            .and_then(|()| lays("src/paths.rs", own))
            .and_then(|()| lays("src/main.rs", include_str!("pipe/main.rs")));
        let doing = format!("cannot build {}", self.name());
        laid.while_doing(&doing)?;
        let manifest = folder.join("Cargo.toml").to_string_lossy().into_owned();
        let words = [
            "build",
            "--release",
            "--quiet",
            "--manifest-path",
            &manifest,
        ];
        succeed("cargo", &words)
            .while_doing(&doing)
            .map_err(|error| {
                error.fix("it needs cargo and a registry of crates; or leave it out of --beside")
            })
    }
}

/// Allows an MPTCP subflow over each link: the far end announces its second address.
fn allow_subflows(network: &Network) -> io::Result<()> {
    let limits = [
        "mptcp",
        "limits",
        "set",
        "subflow",
        "4",
        "add_addr_accepted",
        "4",
    ];
    for end in [&network.near, &network.far] {
        end.perform(|| {
            succeed("ip", &["mptcp", "endpoint", "flush"])?;
            succeed("ip", &limits)
        })??;
    }
    let second = network.far_addresses()[1].to_string();
    let signal = [
        "mptcp", "endpoint", "add", &second, "dev", "link1", "signal",
    ];
    network.far.perform(|| succeed("ip", &signal))?
}

fn sockets(network: &Network, protocol: Protocol) -> io::Result<Stream> {
    let socket = || Socket::new(Domain::IPV4, Type::STREAM, Some(protocol));
    let listener = network.far.perform(|| {
        let listener = socket()?;
        // Bound to all addresses, since a subflow connects to the second one.
        listener.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)).into())?;
        listener.listen(1)?;
        io::Result::Ok(TcpListener::from(listener))
    })??;
    let port = listener.local_addr()?.port();
    let address = SocketAddr::from((network.far_addresses()[0], port));
    let near = network.near.perform(|| {
        let near = socket()?;
        near.connect(&address.into())?;
        io::Result::Ok(TcpStream::from(near))
    })??;
    let (far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    Ok(Stream {
        write: Mutex::new(Box::new(near.try_clone()?)),
        read: Mutex::new(Box::new(BufReader::new(far.try_clone()?))),
        ends: Ends::Sockets {
            ends: [near, far],
            _listener: listener,
        },
    })
}

/// Starts two programs: the near one sends its input, the far one outputs what it receives.
fn programs(network: &Network, program: &Path) -> io::Result<Stream> {
    let addresses = |ips: Vec<std::net::IpAddr>, port: u16| {
        let named = ips.into_iter().map(|ip| SocketAddr::from((ip, port)));
        named.map(|address| address.to_string()).collect::<Vec<_>>()
    };
    let start = |words: Vec<String>| {
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).spawn()
    };
    let far = network.far_addresses();
    let mut receiver = network.far.perform(|| start(vec!["receive".into()]))??;
    let output = receiver.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut read = BufReader::new(output);
    let mut line = String::new();
    read.read_line(&mut line)?;
    let (port, certificate) = line.trim().split_once(' ').unwrap_or_default();
    let port = port.parse().map_err(io::Error::other)?;
    let mut words = vec!["send".to_owned(), certificate.to_owned()];
    words.extend(addresses(far, port));
    words.extend(addresses(network.near_addresses(), 0));
    let mut sender = network.near.perform(|| start(words))??;
    let input = sender.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    // The sender prints "open" once its paths are open.
    let said = sender.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    line.clear();
    BufReader::new(said).read_line(&mut line)?;
    if line.trim() != "open" {
        let _ = (
            sender.kill(),
            sender.wait(),
            receiver.kill(),
            receiver.wait(),
        );
        return Err(io::Error::other("its paths did not open"));
    }
    Ok(Stream {
        write: Mutex::new(Box::new(input)),
        read: Mutex::new(Box::new(read)),
        ends: Ends::Programs(Mutex::new([sender, receiver])),
    })
}

impl Flow for Stream {
    fn send(&self, message: &[u8]) -> io::Result<()> {
        let mut write = self.write.lock().unwrap_or_else(PoisonError::into_inner);
        write.write_all(message)
    }

    fn receive(&self, bytes: usize) -> io::Result<()> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.read_exact(&mut vec![0; bytes])
    }

    fn close(&self) {
        match &self.ends {
            Ends::Sockets { ends, .. } => {
                for socket in ends {
                    // Fails only if the end is already closed.
                    let _ = socket.shutdown(Shutdown::Both);
                }
            }
            Ends::Programs(programs) => {
                let mut programs = programs.lock().unwrap_or_else(PoisonError::into_inner);
                for program in programs.iter_mut() {
                    let _ = (program.kill(), program.wait());
                }
            }
        }
    }
}
