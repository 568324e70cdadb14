//! The ways in, for those who are not signed in yet.

/// What the sign-in page offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doors {
    /// Name of the identity provider, if one is set up.
    pub provider: Option<String>,
    /// Whether nobody can sign in yet.
    pub empty: bool,
}

/// What the link of the first start offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Accounts that exist; with none, the form asks for a new one.
    pub accounts: Vec<String>,
}
