//! Single changes of the store, as tests need them; the server itself makes them together with their audit line.

use async_trait::async_trait;
use fleet::scope::Scope;
use fleet::time::Timestamp;
use server::store::access::Change;
use server::store::{Store, StoreError, TokenRow, TokenStatus};

#[async_trait]
pub(crate) trait TokenShortcuts: Store {
    async fn insert_token(&self, token: &TokenRow) -> Result<(), StoreError> {
        self.commit(&[Change::InsertToken(token.clone())]).await
    }

    async fn revoke_token(&self, scope: &Scope, name: &str, at: Timestamp) -> Result<TokenRow, StoreError> {
        let tokens = self.tokens().await?;
        let active = |token: &TokenRow| {
            *token.scope == *scope && &*token.name == name && token.status == TokenStatus::Active
        };
        let found = tokens.into_iter().find(active);
        let token = found.ok_or_else(|| StoreError::Missing("an active token".to_owned()))?;
        self.commit(&[Change::RevokeToken { id: token.id.clone(), at }]).await?;
        Ok(TokenRow { status: TokenStatus::Revoked, revoked_at: Some(at), ..token })
    }
}

impl<S: Store + ?Sized> TokenShortcuts for S {}
