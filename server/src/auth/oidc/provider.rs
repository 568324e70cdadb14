//! What the provider says of itself: its addresses and keys, kept for an hour.

use std::sync::Arc;

use fleet::time::{HOUR, SECOND, Timestamp};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreClientAuthMethod, CoreErrorResponseType, CoreGenderClaim,
    CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AuthType, Client, ClientId, ClientSecret, DiscoveryError, EmptyExtraTokenFields, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, IdTokenFields, StandardErrorResponse, StandardTokenResponse, TokenUrl,
};
use tokio::sync::Mutex;

use super::claims::Extra;
use super::http::Http;
use super::{OidcConfig, OidcError};

/// How old addresses and keys may be.
const MAX_AGE: i64 = HOUR;
/// How long a failure holds for those who come after: a dead provider is not asked by each of them for 10 s in turn.
const FAILURE_AGE: i64 = 5 * SECOND;

/// What the provider hands out for a code.
pub(super) type Tokens = StandardTokenResponse<
    IdTokenFields<
        Extra,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;

/// Who asks the provider: addresses and credentials in one.
pub(super) type Asker = Client<
    Extra,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The provider as it described itself.
pub(super) struct Provider {
    pub(super) metadata: CoreProviderMetadata,
    at: Timestamp,
}

impl Provider {
    /// A client with this server's credentials, sent in the way that the provider takes.
    pub(super) fn client(&self, config: &OidcConfig) -> Asker {
        let secret =
            config.client_secret.as_ref().map(|secret| ClientSecret::new(secret.reveal().to_owned()));
        let id = ClientId::new(config.client_id.clone());
        let client = Client::from_provider_metadata(self.metadata.clone(), id, secret)
            .set_redirect_uri(config.redirect_url.clone());
        // Basic is the default where the provider says nothing.
        let in_body = self.metadata.token_endpoint_auth_methods_supported().is_some_and(|methods| {
            !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                && methods.contains(&CoreClientAuthMethod::ClientSecretPost)
        });
        if in_body { client.set_auth_type(AuthType::RequestBody) } else { client }
    }
}

/// Remembers the provider's description.
#[derive(Default)]
pub(super) struct Directory(Mutex<Known>);

#[derive(Default)]
struct Known {
    provider: Option<Arc<Provider>>,
    failed: Option<(Timestamp, OidcError)>,
}

impl Directory {
    /// The description, fetched if there is none younger than an hour.
    pub(super) async fn current(
        &self,
        config: &OidcConfig,
        http: &Http,
        now: Timestamp,
    ) -> Result<Arc<Provider>, OidcError> {
        let mut known = self.0.lock().await;
        match &known.provider {
            Some(provider) if now.millis() - provider.at.millis() < MAX_AGE => Ok(Arc::clone(provider)),
            _ => known.fetch(config, http, now).await,
        }
    }

    /// A description that is newer than `old`: the provider has signed with a key that `old` does not have.
    pub(super) async fn renew(
        &self,
        config: &OidcConfig,
        http: &Http,
        now: Timestamp,
        old: &Arc<Provider>,
    ) -> Result<Arc<Provider>, OidcError> {
        let mut known = self.0.lock().await;
        match &known.provider {
            Some(provider) if !Arc::ptr_eq(provider, old) => Ok(Arc::clone(provider)),
            _ => known.fetch(config, http, now).await,
        }
    }
}

impl Known {
    async fn fetch(
        &mut self,
        config: &OidcConfig,
        http: &Http,
        now: Timestamp,
    ) -> Result<Arc<Provider>, OidcError> {
        if let Some((at, error)) = &self.failed
            && now.millis() - at.millis() < FAILURE_AGE
        {
            return Err(error.clone());
        }
        match discover(config, http).await {
            Ok(metadata) => {
                let provider = Arc::new(Provider { metadata, at: now });
                self.provider = Some(Arc::clone(&provider));
                self.failed = None;
                Ok(provider)
            }
            Err(error) => {
                self.failed = Some((now, error.clone()));
                Err(error)
            }
        }
    }
}

async fn discover(config: &OidcConfig, http: &Http) -> Result<CoreProviderMetadata, OidcError> {
    let found = CoreProviderMetadata::discover_async(config.issuer.clone(), http).await;
    let metadata = found.map_err(|error| match error {
        DiscoveryError::Request(error) => error.into(),
        DiscoveryError::Response(status, ..) if status.is_server_error() => {
            tracing::warn!(%status, "the identity provider cannot describe itself now");
            OidcError::Unreachable
        }
        DiscoveryError::Validation(_) => OidcError::WrongIssuer,
        DiscoveryError::Response(status, ..) => {
            tracing::warn!(%status, "the identity provider does not describe itself");
            OidcError::Unusable
        }
        _ => OidcError::Unusable,
    })?;
    let addresses =
        [Some(metadata.authorization_endpoint().url()), metadata.token_endpoint().map(TokenUrl::url)];
    if addresses.iter().all(|url| url.is_some_and(|url| http.allows(url))) {
        Ok(metadata)
    } else {
        Err(OidcError::Unusable)
    }
}
