//! The settings of the identity provider: table `[oidc]` of the settings file.

use std::fmt;
use std::path::PathBuf;

use fleet::access::Reach;
use openidconnect::url::{Host, Url};
use openidconnect::{IssuerUrl, RedirectUrl};
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::OidcError;

/// A text that never shows: `Debug` prints dots.
#[derive(Clone, Deserialize)]
#[serde(from = "String")]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The identity provider, and what its groups mean here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// The provider, written as it writes itself in its discovery document. `https`; `http` on loopback only.
    pub issuer: IssuerUrl,
    /// This server's name at the provider.
    pub client_id: String,
    /// This server's secret at the provider; none for a public client.
    #[serde(default)]
    pub client_secret: Option<Secret>,
    /// File with the secret, instead of `client_secret`.
    #[serde(default)]
    pub client_secret_file: Option<PathBuf>,
    /// Address of `/sign-in/sso/callback` as browsers reach it. `https`; `http` on loopback only.
    pub redirect_url: RedirectUrl,
    /// The provider's name on the button.
    #[serde(default = "name")]
    pub name: String,
    /// What is asked for; `openid` always is.
    #[serde(default = "scopes")]
    pub scopes: Vec<String>,
    /// The claim with the person's groups: a list of texts, or one text.
    #[serde(default = "group_claim")]
    pub group_claim: String,
    /// Roles of groups.
    #[serde(default)]
    pub roles: Vec<GroupRole>,
}

/// A role that members of a group have.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupRole {
    /// The group as the provider names it; upper and lower case differ.
    pub group: String,
    /// Where: `account[/organization[/project]]`, or `*` for the whole server.
    #[serde(deserialize_with = "reach")]
    pub scope: Reach,
    /// Identifier of the role.
    pub role: String,
}

impl OidcConfig {
    /// Whether the provider runs on this machine and is spoken to without TLS.
    pub(super) fn issuer_is_loopback(&self) -> bool {
        self.issuer.url().scheme() == "http" && is_loopback(self.issuer.url())
    }

    /// Refuses what could never work or would not be safe.
    pub(super) fn check(&self) -> Result<(), OidcError> {
        let problem = |text: &str| Err(OidcError::Settings(text.to_owned()));
        if !is_safe(self.issuer.url()) {
            return problem("issuer must begin with https:// (http:// on loopback only)");
        }
        if !is_safe(self.redirect_url.url()) {
            return problem("redirect_url must begin with https:// (http:// on loopback only)");
        }
        if self.client_id.is_empty() || self.name.is_empty() || self.group_claim.is_empty() {
            return problem("client_id, name and group_claim must not be empty");
        }
        if self.client_secret.is_some() && self.client_secret_file.is_some() {
            return problem("client_secret and client_secret_file exclude each other");
        }
        Ok(())
    }

    /// Reads the secret from its file, if there is one; space around it does not count.
    pub(super) fn load_secret(&mut self) -> Result<(), OidcError> {
        let Some(path) = &self.client_secret_file else { return Ok(()) };
        let problem =
            |text: String| OidcError::Settings(format!("client_secret_file {} {text}", path.display()));
        let text = std::fs::read_to_string(path)
            .map(Zeroizing::new)
            .map_err(|error| problem(format!("cannot be read: {error}")))?;
        if text.trim().is_empty() {
            return Err(problem("is empty".to_owned()));
        }
        self.client_secret = Some(Secret::from(text.trim().to_owned()));
        Ok(())
    }
}

/// Whether nobody between can read along.
pub(super) fn is_safe(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => is_loopback(url),
        _ => false,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn reach<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Reach, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "*" {
        return Ok(Reach::Server);
    }
    text.parse().map(Reach::Scope).map_err(serde::de::Error::custom)
}

fn name() -> String {
    "SSO".to_owned()
}

fn scopes() -> Vec<String> {
    ["openid", "email", "profile"].map(str::to_owned).to_vec()
}

fn group_claim() -> String {
    "groups".to_owned()
}
