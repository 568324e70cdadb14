//! Forms of pages: each is read, done by a deed, and answered with the way back, or with its page and what is wrong.

pub mod delegates;
pub mod embeds;
pub mod filters;
pub mod install;
pub mod me;
pub mod mirrors;
pub mod people;
pub mod roles;
pub mod settings;
pub mod setup;
pub mod sign_in;
pub mod sso;
pub mod tokens;

use std::sync::Arc;

use app::context::FormOutcome;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::SET_COOKIE;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use fleet::scope::Scope;

use super::AppState;
use super::done;
use super::page::{Asker, Said, render};
use crate::auth::Identity;
use crate::deeds::{Actor, DeedError};

/// Longest form, in bytes.
const MAX_FORM: usize = 64 * 1024;

/// A form as it was sent; fields keep their order and may repeat.
#[derive(Clone, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// The first value of a field; empty if it is absent.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Every value of a field.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// What a page may show again: all but passwords and keys.
    fn harmless(&self) -> Vec<(String, String)> {
        let secret = |name: &str| matches!(name, "password" | "current" | "api_key");
        self.0.iter().filter(|(name, _)| !secret(name)).cloned().collect()
    }
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, _: &S) -> Result<Self, Response> {
        let too_long = || {
            let message = "The form is longer than 64 KiB.";
            (StatusCode::PAYLOAD_TOO_LARGE, crate::api::error::json("INVALID_REQUEST", message, None, None))
                .into_response()
        };
        let body = to_bytes(request.into_body(), MAX_FORM).await.map_err(|_| too_long())?;
        Ok(Self(form_urlencoded::parse(&body).into_owned().collect()))
    }
}

/// The page that a form stands on.
pub struct FormPage<'a> {
    /// What pages are made of.
    pub state: &'a AppState,
    /// Who sent it.
    pub asker: Asker,
    /// The page's path.
    pub path: String,
    /// Name of the form on that page.
    pub form: &'static str,
    /// What was sent.
    pub fields: &'a Fields,
}

impl FormPage<'_> {
    /// The page again, with what is wrong.
    pub async fn again(self, error: &DeedError) -> Response {
        let (field, message) = match error {
            DeedError::Field { field, message } => ((*field).to_owned(), message.clone()),
            other => (String::new(), sentence(&other.to_string())),
        };
        let status = match error {
            DeedError::Denied(_) => StatusCode::FORBIDDEN,
            DeedError::Unknown(_) => StatusCode::NOT_FOUND,
            DeedError::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            DeedError::Refused(_) => StatusCode::CONFLICT,
            DeedError::Field { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        };
        self.with(status, vec![(field, message)], None).await
    }

    /// The way on to `to` once it was done, or the page again.
    pub async fn finish(self, done: Result<(), DeedError>, to: &str) -> Response {
        match done {
            Ok(()) => {
                let mut response = Redirect::to(to).into_response();
                response.headers_mut().append(SET_COOKIE, done::tell(self.form));
                response
            }
            Err(error) => self.again(&error).await,
        }
    }

    /// The page again, with a secret that is shown this once.
    pub async fn once(self, what: String, secret: String) -> Response {
        let form = FormPage { fields: &Fields::default(), ..self };
        form.with(StatusCode::OK, Vec::new(), Some((what, secret))).await
    }

    /// The page again, with a status and sentences of its own.
    pub async fn with(
        self,
        status: StatusCode,
        errors: Vec<(String, String)>,
        secret: Option<(String, String)>,
    ) -> Response {
        let outcome =
            FormOutcome { form: self.form.to_owned(), errors, values: self.fields.harmless(), secret };
        let said = Said { outcome, status: Some(status), ..Said::default() };
        match self.path.parse::<Uri>() {
            Ok(uri) => render(self.state, self.asker, &uri, said).await,
            Err(_) => StatusCode::BAD_REQUEST.into_response(),
        }
    }
}

/// Who does what a form asks for.
#[must_use]
pub fn actor(who: &Arc<Identity>, asker: &Asker) -> Actor {
    Actor::person(who, asker.request_id())
}

/// The path of a page of a scope.
#[must_use]
pub fn page_of(scope: &Scope, name: &str) -> String {
    format!("{}/{name}", scope.path())
}

/// A text as a sentence: first letter upper-case, full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let mut sentence: String = chars.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    sentence.push_str(chars.as_str());
    if !sentence.ends_with('.') {
        sentence.push('.');
    }
    sentence
}
