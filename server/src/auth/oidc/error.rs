//! What keeps somebody from signing in through the identity provider.

/// Why a sign-in through the identity provider did not happen: a sentence for people, and a stable code
/// ([`OidcError::code`]). Holds no token, no secret, and nothing that the provider or the browser wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OidcError {
    /// The settings cannot be used; for the administrator.
    #[error("oidc: {0}")]
    Settings(String),
    /// The provider does not answer.
    #[error("The identity provider cannot be reached. Try again in a while, or sign in with a password.")]
    Unreachable,
    /// The provider answers something else than it should.
    #[error("The identity provider gave an answer that cannot be used. Tell an administrator.")]
    Unusable,
    /// The person, or a rule of the provider, said no.
    #[error("The identity provider reports that the sign-in was declined.")]
    Declined,
    /// The provider refused the request or the code; a code works only once.
    #[error("The identity provider refused the sign-in. Start again.")]
    Refused,
    /// The cookie is missing, damaged, or sealed with a key that is gone.
    #[error("This sign-in was not started in this browser. Start again.")]
    UnknownAttempt,
    /// The cookie is older than 10 minutes.
    #[error("This sign-in took longer than 10 minutes. Start again.")]
    LapsedAttempt,
    /// The answer belongs to another sign-in.
    #[error("The answer belongs to another sign-in. Start again.")]
    StateMismatch,
    /// The ID token belongs to another sign-in.
    #[error("The identity provider answered for another sign-in. Start again.")]
    WrongNonce,
    /// Somebody else than the provider in the settings answered.
    #[error("The answer names another identity provider than the one set up here. Tell an administrator.")]
    WrongIssuer,
    /// The ID token is for another program.
    #[error("The identity provider answered for another program. Tell an administrator.")]
    WrongAudience,
    /// The ID token is over, or from the future.
    #[error(
        "The identity provider's answer is not valid at this time. Try again; if it stays, compare the clocks."
    )]
    Expired,
    /// The ID token is not signed with a key of the provider, or not in a way that proves anything.
    #[error("The identity provider's answer is not signed by it. Tell an administrator.")]
    BadSignature,
    /// The access token is not the one that the ID token was issued with.
    #[error("The parts of the identity provider's answer do not belong together. Start again.")]
    WrongTokenHash,
    /// No e-mail address, or one that the provider calls unverified.
    #[error("The identity provider gave no verified e-mail address for you. Ask an administrator.")]
    NoEmail,
    /// [`super::Oidc::roles_of`] is empty for a person who has no role otherwise.
    #[error("None of your groups at the identity provider has a role here. Ask an administrator.")]
    NoGroup,
}

impl OidcError {
    /// The stable code, for logs, audit entries and tests.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Settings(_) => "oidc_settings",
            Self::Unreachable => "oidc_provider_unreachable",
            Self::Unusable => "oidc_provider_unusable",
            Self::Declined => "oidc_declined",
            Self::Refused => "oidc_refused",
            Self::UnknownAttempt => "oidc_unknown_attempt",
            Self::LapsedAttempt => "oidc_lapsed_attempt",
            Self::StateMismatch => "oidc_state_mismatch",
            Self::WrongNonce => "oidc_wrong_nonce",
            Self::WrongIssuer => "oidc_wrong_issuer",
            Self::WrongAudience => "oidc_wrong_audience",
            Self::Expired => "oidc_expired",
            Self::BadSignature => "oidc_bad_signature",
            Self::WrongTokenHash => "oidc_wrong_token_hash",
            Self::NoEmail => "oidc_no_email",
            Self::NoGroup => "oidc_no_group",
        }
    }
}
