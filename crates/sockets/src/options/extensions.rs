//! Options for extensions, which both ends negotiate during the handshake.

use sheave_engine::Extension;

use super::{Change, Query};
use crate::abi::{OptionName, System};
use crate::settings::AssocSettings;
use crate::{AssocId32, Errno};

impl Change<'_> {
    /// Enables or disables an extension for future associations. Existing associations keep what
    /// was negotiated.
    pub(super) fn set_extension(
        &mut self,
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
        self.lookup().settings_of(assoc)?;
        if self.abi.system() == System::FreeBsd {
            self.may_have(assoc, option, number)?;
        }
        let socket = &mut *self.socket;
        let interleaves = option == OptionName::InterleavingSupported;
        if interleaves && socket.own.fragment_interleave == 0 {
            return Err(Errno::EPERM);
        }
        set(&mut socket.defaults, u32::from(number != 0));
        self.listen_anew()
    }

    /// FreeBSD lets a program change an extension only for future associations, and only with the
    /// settings that the extension depends on.
    fn may_have(&mut self, assoc: AssocId32, option: OptionName, number: u32) -> Result<(), Errno> {
        let is_live = self.lookup().one_assoc(assoc).is_ok();
        let socket = &mut *self.socket;
        let (asconf, auth) = (
            socket.defaults.asconf_supported,
            socket.defaults.auth_supported,
        );
        let lacks = match (option, number) {
            (OptionName::InterleavingSupported, 1..) => socket.own.fragment_interleave != 2,
            // RFC 5061 §4.1.1
            (OptionName::AuthSupported, 0) => asconf != 0,
            (OptionName::AsconfSupported, 1..) => auth == 0,
            _ => false,
        };
        if is_live || lacks {
            return Err(Errno::EINVAL);
        }
        if option == OptionName::AsconfSupported {
            socket
                .defaults
                .auth_mut()
                .protect_address_changes(number != 0);
        }
        Ok(())
    }
}

impl Query<'_> {
    /// Whether an association has the extension, or future associations will offer it.
    pub(super) fn extension(&mut self, assoc: AssocId32, option: OptionName) -> Result<u32, Errno> {
        let settings = self.lookup().settings_of(assoc)?;
        match option {
            // Whether the peer supports these is not reported.
            OptionName::NrSackSupported => return Ok(settings.nrsack_supported),
            OptionName::PacketDropSupported => return Ok(settings.pktdrop_supported),
            _ => {}
        }
        let told = extension(option, settings);
        let (extension, wanted) = told.ok_or(Errno::ENOPROTOOPT)?;
        let Ok(number) = self.lookup().one_assoc(assoc) else {
            return Ok(wanted);
        };
        // Before the peer's answer, Linux reports 0 and FreeBSD the program's setting.
        if self.abi.system() == System::FreeBsd && !self.associations.is_up(number) {
            return Ok(wanted);
        }
        let assoc = self.engine(number);
        let agreed = assoc.is_ok_and(|assoc| assoc.agrees_on(extension));
        Ok(if agreed { wanted } else { 0 })
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
