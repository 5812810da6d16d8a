//! The types in an [`Event`](crate::Event).

pub use sheave_engine::{
    AddressChange, AuthenticationChange, PathChange, ProtectionChange, ReconfigurationFailure,
    SendFailure, Unauthenticated,
};
