//! The ID token: every check that it must pass, and what it says of a person.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use fleet::time::Timestamp;
use openidconnect::core::{
    CoreGenderClaim, CoreIdTokenVerifier, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm,
};
use openidconnect::{
    AccessTokenHash, AdditionalClaims, ClaimsVerificationError, ClientId, IdToken, IdTokenClaims, Nonce,
    OAuth2TokenResponse as _, SignatureVerificationError, SubjectIdentifier, UserInfoClaims, UserInfoError,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::http::Http;
use super::provider::{Provider, Tokens};
use super::{OidcConfig, OidcError};

/// How far the clocks of both machines may be apart, in seconds.
const LEEWAY_SECONDS: i64 = 60;

/// Claims that the standard does not name, groups among them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Extra(HashMap<String, Value>);

impl AdditionalClaims for Extra {}

type Token = IdToken<Extra, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
type Claims = IdTokenClaims<Extra, CoreGenderClaim>;

/// What is wrong with an ID token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Signed with a key that is not known, or not yet.
    UnknownKey,
    /// Anything else; final.
    Final(OidcError),
}

impl From<Fault> for OidcError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::UnknownKey => Self::BadSignature,
            Fault::Final(error) => error,
        }
    }
}

impl From<ClaimsVerificationError> for Fault {
    fn from(error: ClaimsVerificationError) -> Self {
        Self::Final(match error {
            ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey) => {
                return Self::UnknownKey;
            }
            ClaimsVerificationError::SignatureVerification(_) => OidcError::BadSignature,
            ClaimsVerificationError::Expired(_) => OidcError::Expired,
            ClaimsVerificationError::InvalidAudience(_) => OidcError::WrongAudience,
            ClaimsVerificationError::InvalidIssuer(_) => OidcError::WrongIssuer,
            ClaimsVerificationError::InvalidNonce(_) => OidcError::WrongNonce,
            _ => OidcError::Unusable,
        })
    }
}

/// Checks issuer, audience, authorized party, signature, times, nonce and the hash of the access token.
pub(super) fn verify<'t>(
    config: &OidcConfig,
    provider: &Provider,
    tokens: &Tokens,
    token: &'t Token,
    nonce: &Nonce,
    now: Timestamp,
) -> Result<&'t Claims, Fault> {
    let verifier = verifier(config, provider, now);
    let claims = token.claims(&verifier, nonce)?;
    if claims.authorized_party().is_some_and(|party| party.as_str() != config.client_id) {
        return Err(Fault::Final(OidcError::WrongAudience));
    }
    if let Some(expected) = claims.access_token_hash() {
        let bad = |_| Fault::Final(OidcError::BadSignature);
        let algorithm = token.signing_alg().map_err(bad)?;
        let key = token.signing_key(&verifier).map_err(bad)?;
        let wrong = Fault::Final(OidcError::WrongTokenHash);
        match AccessTokenHash::from_token(tokens.access_token(), algorithm, key) {
            Ok(actual) if actual == *expected => {}
            _ => return Err(wrong),
        }
    }
    Ok(claims)
}

fn verifier<'a>(config: &OidcConfig, provider: &Provider, now: Timestamp) -> CoreIdTokenVerifier<'a> {
    let metadata = &provider.metadata;
    let now = DateTime::<Utc>::from_timestamp_millis(now.millis()).unwrap_or_default();
    let leeway = TimeDelta::seconds(LEEWAY_SECONDS);
    // Of the provider's algorithms those that only it can sign with: no `none`, no shared secret.
    let announced = metadata.id_token_signing_alg_values_supported().iter();
    let algorithms = announced.filter(|algorithm| is_asymmetric(algorithm)).cloned();
    CoreIdTokenVerifier::new_public_client(
        ClientId::new(config.client_id.clone()),
        config.issuer.clone(),
        metadata.jwks().clone(),
    )
    .set_allowed_algs(algorithms)
    .set_time_fn(move || now - leeway)
    .set_issue_time_verifier_fn(move |issued| {
        if issued > now + leeway { Err("issued in the future".to_owned()) } else { Ok(()) }
    })
}

fn is_asymmetric(algorithm: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Is;
    matches!(
        algorithm,
        Is::RsaSsaPkcs1V15Sha256
            | Is::RsaSsaPkcs1V15Sha384
            | Is::RsaSsaPkcs1V15Sha512
            | Is::RsaSsaPssSha256
            | Is::RsaSsaPssSha384
            | Is::RsaSsaPssSha512
            | Is::EcdsaP256Sha256
            | Is::EcdsaP384Sha384
            | Is::EdDsa
    )
}

/// What is known of a person so far.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) subject: SubjectIdentifier,
    email: Option<(String, bool)>,
    pub(super) name: Option<String>,
    /// None: the claim is missing, which is not the same as being in no group.
    pub(super) groups: Option<Vec<String>>,
}

/// What the provider adds to an ID token when it is asked.
pub(super) type Asked = UserInfoClaims<Extra, CoreGenderClaim>;

impl Person {
    pub(super) fn of(claims: &Claims, group_claim: &str) -> Self {
        Self {
            subject: claims.subject().clone(),
            email: claims.email().map(|email| (email.to_string(), claims.email_verified() != Some(false))),
            name: claims.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
            groups: groups(claims.additional_claims(), group_claim),
        }
    }

    /// Whether the ID token leaves out what is needed here.
    pub(super) fn is_incomplete(&self) -> bool {
        self.email.is_none() || self.groups.is_none()
    }

    /// Fills in what is missing; what the signed token says stays.
    pub(super) fn complete(&mut self, asked: &Asked, group_claim: &str) {
        if self.email.is_none() {
            self.email =
                asked.email().map(|email| (email.to_string(), asked.email_verified() != Some(false)));
        }
        if self.name.is_none() {
            self.name = asked.name().and_then(|name| name.get(None)).map(|name| name.to_string());
        }
        if self.groups.is_none() {
            self.groups = groups(asked.additional_claims(), group_claim);
        }
    }

    pub(super) fn verified_email(&self) -> Option<String> {
        let (email, verified) = self.email.as_ref()?;
        (*verified && email.contains('@')).then(|| email.clone())
    }
}

/// Asks the provider about the person whom the tokens are for; none if it cannot be asked.
pub(super) async fn ask(
    config: &OidcConfig,
    provider: &Provider,
    http: &Http,
    tokens: &Tokens,
    subject: &SubjectIdentifier,
) -> Result<Option<Asked>, OidcError> {
    let client = provider.client(config);
    let Ok(request) = client.user_info(tokens.access_token().clone(), Some(subject.clone())) else {
        return Ok(None);
    };
    request.request_async(http).await.map(Some).map_err(|error| match error {
        UserInfoError::Request(error) => error.into(),
        _ => OidcError::Unusable,
    })
}

fn groups(claims: &Extra, name: &str) -> Option<Vec<String>> {
    match claims.0.get(name)? {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(many) => Some(many.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    }
}
