use std::io;

use crate::bench::network::Network;
use crate::bench::stage::succeed;

/// The packets that a cut loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Packets of the near end.
    There,
    /// Packets of the far end.
    Back,
    /// All.
    Both,
}

/// A link that loses packets until this is dropped.
pub struct Cut<'a> {
    network: &'a Network,
}

impl Direction {
    pub const fn name(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Back => "back",
            Self::Both => "both ways",
        }
    }
}

impl<'a> Cut<'a> {
    /// Makes room for cuts at both ends of a network.
    ///
    /// # Errors
    /// What `nft` says.
    pub fn prepare(network: &Network) -> io::Result<()> {
        let room =
            "add table inet cut; add chain inet cut in { type filter hook input priority 0; }";
        for end in [&network.near, &network.far] {
            end.perform(|| nft(room))??;
        }
        Ok(())
    }

    /// Loses what goes that way over a link from now on, in silence.
    ///
    /// # Errors
    /// What `nft` says.
    pub fn new(network: &'a Network, link: usize, direction: Direction) -> io::Result<Self> {
        let cut = Self { network };
        let rule = format!("add rule inet cut in iifname \"link{link}\" drop");
        if direction != Direction::Back {
            network.far.perform(|| nft(&rule))??;
        }
        if direction != Direction::There {
            network.near.perform(|| nft(&rule))??;
        }
        Ok(cut)
    }
}

impl Drop for Cut<'_> {
    fn drop(&mut self) {
        for end in [&self.network.near, &self.network.far] {
            // Where it fails, the next cut does too and says so.
            let _ = end.perform(|| nft("flush chain inet cut in"));
        }
    }
}

fn nft(command: &str) -> io::Result<()> {
    succeed("nft", &[command])
}
