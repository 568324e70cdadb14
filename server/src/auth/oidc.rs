//! Sign-in through an identity provider: OpenID Connect, code flow with PKCE.
//!
//! Nothing is kept here between the two halves of a sign-in: state, nonce and verifier travel in a sealed cookie of
//! the browser that began it.

mod attempt;
mod claims;
mod config;
mod error;
mod http;
mod provider;

use std::collections::BTreeSet;
use std::sync::Arc;

use fleet::access::Reach;
use openidconnect::core::CoreAuthenticationFlow;
use openidconnect::url::{Url, form_urlencoded};
use openidconnect::{AuthorizationCode, CsrfToken, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge};
use openidconnect::{PkceCodeVerifier, RequestTokenError, Scope, TokenResponse as _};
use sha2::{Digest as _, Sha256};

use crate::clock::Clock;
use crate::tokens::vault::Vault;

pub use attempt::MAX_AGE_SECONDS;
pub use config::{GroupRole, OidcConfig, Secret};
pub use error::OidcError;

use attempt::{Attempt, Seal};
use http::Http;
use provider::{Directory, Provider, Tokens};

/// The identity provider that people may sign in with.
pub struct Oidc {
    config: OidcConfig,
    clock: Clock,
    http: Http,
    directory: Directory,
    seal: Seal,
}

/// The first half of a sign-in.
#[derive(Clone)]
pub struct Begin {
    /// Where the browser is sent.
    pub url: Url,
    /// Value of the cookie that must come back with the answer; see [`Oidc::set_cookie`].
    pub cookie_value: String,
}

/// Who the provider says somebody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The provider.
    pub issuer: String,
    /// The person's identifier there; never used again for somebody else.
    pub subject: String,
    /// The e-mail address, which the provider does not call unverified.
    pub email: String,
    /// The name to show.
    pub name: Option<String>,
    /// The groups, as the provider names them.
    pub groups: Vec<String>,
    /// The page that was wanted: a path on this server.
    pub next: String,
}

impl Oidc {
    /// Checks the settings and reads the client secret. Does not speak to the provider. Every node needs the same vault.
    ///
    /// # Errors
    /// [`OidcError::Settings`].
    pub fn new(mut config: OidcConfig, clock: Clock, vault: Arc<Vault>) -> Result<Self, OidcError> {
        config.check()?;
        config.load_secret()?;
        let http = Http::new(config.issuer_is_loopback())?;
        Ok(Self { config, clock, http, directory: Directory::default(), seal: Seal(vault) })
    }

    /// The provider's name on the button.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// Name of the cookie of a sign-in that is under way.
    #[must_use]
    pub fn cookie_name(&self) -> &'static str {
        if self.secure() { "__Host-rollcall_oidc" } else { "rollcall_oidc" }
    }

    /// Value of the `Set-Cookie` header that goes with [`Begin::url`].
    #[must_use]
    pub fn set_cookie(&self, value: &str) -> String {
        let secure = if self.secure() { "; Secure" } else { "" };
        let name = self.cookie_name();
        format!("{name}={value}; Path=/; Max-Age={MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax{secure}")
    }

    /// Value of the `Set-Cookie` header that goes with every answer to a callback.
    #[must_use]
    pub fn clear_cookie(&self) -> String {
        let secure = if self.secure() { "; Secure" } else { "" };
        format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax{secure}", self.cookie_name())
    }

    /// Begins a sign-in that ends at the page `next`. What is no path on this server becomes `/`.
    ///
    /// # Errors
    /// The provider cannot be reached or used.
    pub async fn begin(&self, next: &str) -> Result<Begin, OidcError> {
        let now = self.clock.now();
        let provider = self.directory.current(&self.config, &self.http, now).await?;
        let client = provider.client(&self.config);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let scopes = self.config.scopes.iter().filter(|scope| *scope != "openid").cloned().map(Scope::new);
        let (url, state, nonce) = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scopes(scopes)
            .set_pkce_challenge(challenge)
            .url();
        let cookie_value = self.seal.close(&Attempt {
            state: state.secret().clone(),
            nonce: nonce.secret().clone(),
            verifier: verifier.secret().clone(),
            next: attempt::own_path(next).to_owned(),
            at: now.millis(),
        });
        Ok(Begin { url, cookie_value })
    }

    /// Ends a sign-in: `cookie_value` is what [`Oidc::begin`] gave, `query` what the provider sent the browser back
    /// with, without `?`.
    ///
    /// # Errors
    /// Anything of [`OidcError`] but settings and groups.
    pub async fn finish(&self, cookie_value: &str, query: &str) -> Result<External, OidcError> {
        let now = self.clock.now();
        let attempt = self.seal.open(cookie_value, now)?;
        let code = self.code(&attempt, query)?;
        let provider = self.directory.current(&self.config, &self.http, now).await?;
        let tokens = self.exchange(&provider, code, &attempt).await?;
        let id_token = tokens.id_token().ok_or(OidcError::Unusable)?;
        let nonce = Nonce::new(attempt.nonce.clone());
        let verified = match claims::verify(&self.config, &provider, &tokens, id_token, &nonce, now) {
            Err(claims::Fault::UnknownKey) => {
                let renewed = self.directory.renew(&self.config, &self.http, now, &provider).await?;
                claims::verify(&self.config, &renewed, &tokens, id_token, &nonce, now)
            }
            verified => verified,
        };
        let mut person = claims::Person::of(verified.map_err(OidcError::from)?, &self.config.group_claim);
        if person.is_incomplete() {
            let asked = claims::ask(&self.config, &provider, &self.http, &tokens, &person.subject).await?;
            if let Some(asked) = asked {
                person.complete(&asked, &self.config.group_claim);
            }
        }
        let email = person.verified_email().ok_or(OidcError::NoEmail)?;
        Ok(External {
            issuer: self.config.issuer.to_string(),
            subject: person.subject.to_string(),
            email,
            name: person.name,
            groups: person.groups.unwrap_or_default(),
            next: attempt.next,
        })
    }

    /// The roles that the settings give to members of `groups`; empty for people without any.
    #[must_use]
    pub fn roles_of(&self, groups: &[String]) -> Vec<(Reach, String)> {
        roles_of(&self.config.roles, groups)
    }

    /// Cookies of a server behind `https` are marked for it.
    fn secure(&self) -> bool {
        self.config.redirect_url.url().scheme() == "https"
    }

    /// Checks whose answer it is before anything in it is believed.
    fn code(&self, attempt: &Attempt, query: &str) -> Result<AuthorizationCode, OidcError> {
        let value = |name: &str| {
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        let state = value("state").ok_or(OidcError::StateMismatch)?;
        // Equal digests, because comparing them tells nothing by the time it takes.
        if Sha256::digest(&state) != Sha256::digest(&attempt.state) {
            return Err(OidcError::StateMismatch);
        }
        if value("iss").is_some_and(|issuer| issuer != self.config.issuer.as_str()) {
            return Err(OidcError::WrongIssuer);
        }
        match value("error").as_deref() {
            None => {}
            Some("access_denied") => return Err(OidcError::Declined),
            Some(_) => return Err(OidcError::Refused),
        }
        value("code").filter(|code| !code.is_empty()).map(AuthorizationCode::new).ok_or(OidcError::Refused)
    }

    async fn exchange(
        &self,
        provider: &Provider,
        code: AuthorizationCode,
        attempt: &Attempt,
    ) -> Result<Tokens, OidcError> {
        let client = provider.client(&self.config);
        let request = client.exchange_code(code).map_err(|_| OidcError::Unusable)?;
        let verifier = PkceCodeVerifier::new(attempt.verifier.clone());
        let answer = request.set_pkce_verifier(verifier).request_async(&self.http).await;
        let tokens = answer.map_err(|error| match error {
            RequestTokenError::ServerResponse(_) => OidcError::Refused,
            RequestTokenError::Request(error) => error.into(),
            _ => OidcError::Unusable,
        })?;
        if tokens.access_token().secret().is_empty() { Err(OidcError::Unusable) } else { Ok(tokens) }
    }
}

/// See [`Oidc::roles_of`]; each role once, in the order of the settings.
fn roles_of(rules: &[GroupRole], groups: &[String]) -> Vec<(Reach, String)> {
    let mut seen = BTreeSet::new();
    rules
        .iter()
        .filter(|rule| groups.contains(&rule.group))
        .map(|rule| (rule.scope.clone(), rule.role.clone()))
        .filter(|role| seen.insert(role.clone()))
        .collect()
}

#[cfg(test)]
mod tests;
