/// Generates the struct [`Options`](super::Options), the values of every profile, and the table of
/// declarations from one entry per option.
///
/// An entry holds the option's description, name, type, form (valid values and their text),
/// defining document, value in `Profile::Rfc9260` and in profiles that differ, and conditions on
/// other options.
macro_rules! declare_options {
    (
        $(#[$meta:meta])*
        $(
            group $group:ident;
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty {
                    form: $form:expr;
                    rfc: $rfc:literal;
                    Rfc9260: $value:expr $(, $profile:ident: $other:expr)* ;
                    $(needs $reason:literal: $holds:expr;)*
                }
            )+
        )+
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct Options {
            $($(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nValues: `", stringify!($form), "`; `", stringify!($value),
                    "` in [`Profile::Rfc9260`]. ", $rfc, ".")]
                pub $name: $type,
            )+)+
        }

        impl Profile {
            /// The options of this profile.
            #[must_use]
            pub fn options(self) -> Options {
                Options {
                    $($(
                        $name: match self {
                            $(Self::$profile => $other,)*
                            _ => $value,
                        },
                    )+)+
                }
            }
        }

        /// The options that are fields of [`Options`].
        pub(super) static FIELDS: &[OptionDeclaration] = &[
            $($(
                OptionDeclaration {
                    name: stringify!($name),
                    group: OptionGroup::$group,
                    text: concat!($($doc),+),
                    rfc: $rfc,
                    field: &Field::<$type, _> {
                        form: $form,
                        get: |options| &options.$name,
                        set: |options, value| {
                            options.$name = value;
                            Ok(())
                        },
                    },
                },
            )+)+
        ];

        /// Conditions that involve several options.
        pub(super) static RULES: &[Rule] = &[
            $($($(
                Rule {
                    option: stringify!($name),
                    holds: $holds,
                    reason: $reason,
                },
            )*)+)+
        ];
    };
}

pub(super) use declare_options;
