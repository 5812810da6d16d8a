//! Options for extensions, which both ends negotiate during the handshake.

use sheave_engine::Extension;

use crate::abi::{OptionName, System};
use crate::settings::AssocSettings;
use crate::stack::Stack;
use crate::{AssocId32, Errno, SocketId};

impl Stack {
    /// Enables or disables an extension for future associations. Existing associations keep what
    /// was negotiated.
    pub(super) fn set_extension(
        &mut self,
        id: SocketId,
        assoc: AssocId32,
        option: OptionName,
        number: u32,
    ) -> Result<(), Errno> {
        let set: fn(&mut AssocSettings, u32) = match option {
            OptionName::InterleavingSupported => |settings, flag| settings.interleaving = flag,
            OptionName::PrSupported => |settings, flag| settings.pr_supported = flag,
            OptionName::ReconfigSupported => |settings, flag| settings.reconfig_supported = flag,
            OptionName::AsconfSupported => |settings, flag| settings.asconf_supported = flag,
            OptionName::NrSackSupported => |settings, flag| settings.nrsack_supported = flag,
            OptionName::PacketDropSupported => |settings, flag| settings.pktdrop_supported = flag,
            OptionName::AuthSupported => |settings, flag| settings.auth_supported = flag,
            OptionName::EcnSupported => |settings, flag| settings.ecn_supported = flag,
            _ => return Err(Errno::ENOPROTOOPT),
        };
        self.settings_of(id, assoc)?;
        if self.abi.system() == System::FreeBsd {
            self.may_have(id, assoc, option, number)?;
        }
        let socket = self.find_mut(id)?;
        let interleaves = option == OptionName::InterleavingSupported;
        if interleaves && socket.own.fragment_interleave == 0 {
            return Err(Errno::EPERM);
        }
        set(&mut socket.defaults, u32::from(number != 0));
        self.listen_anew(id)
    }

    /// Whether an association has the extension, or future associations will offer it.
    pub(super) fn extension(
        &mut self,
        id: SocketId,
        assoc: AssocId32,
        option: OptionName,
    ) -> Result<u32, Errno> {
        let settings = self.settings_of(id, assoc)?;
        match option {
            // Whether the peer supports these is not reported.
            OptionName::NrSackSupported => return Ok(settings.nrsack_supported),
            OptionName::PacketDropSupported => return Ok(settings.pktdrop_supported),
            _ => {}
        }
        let told = extension(option, settings);
        let (extension, wanted) = told.ok_or(Errno::ENOPROTOOPT)?;
        Ok(match self.one_assoc(id, assoc) {
            Ok(number) => self.extension_of(number, extension, wanted),
            Err(_) => wanted,
        })
    }

    /// Whether both ends support the extension. Before the peer's answer, Linux reports 0 and
    /// FreeBSD the program's setting.
    fn extension_of(&mut self, number: AssocId32, extension: Extension, wanted: u32) -> u32 {
        if self.abi.system() == System::FreeBsd && !self.is_up(number) {
            return wanted;
        }
        let assoc = self.engine_assoc(number);
        let agreed = assoc.is_some_and(|assoc| assoc.agrees_on(extension));
        if agreed { wanted } else { 0 }
    }
}

/// The extension that an option reports, and the program's setting.
fn extension(option: OptionName, settings: &AssocSettings) -> Option<(Extension, u32)> {
    Some(match option {
        OptionName::InterleavingSupported => (Extension::Interleaving, settings.interleaving),
        OptionName::PrSupported => (Extension::PartialReliability, settings.pr_supported),
        OptionName::ReconfigSupported => (Extension::Reconfiguration, settings.reconfig_supported),
        OptionName::AsconfSupported => (Extension::AddressChanges, settings.asconf_supported),
        OptionName::AuthSupported => (Extension::Authentication, settings.auth_supported),
        OptionName::EcnSupported => (Extension::ExplicitCongestion, settings.ecn_supported),
        _ => return None,
    })
}
