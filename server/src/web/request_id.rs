//! Every request gets an id, so that a person can name it and a log can be searched for it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;

use crate::roster::new_id;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, in its extensions.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// Makes the id, never taken from the client, and sends it back.
pub async fn assign(mut request: Request, next: Next) -> Response {
    let id = new_id().to_string();
    request.extensions_mut().insert(RequestId(id.clone()));
    // Neither query nor headers: both can hold credentials.
    let span = tracing::debug_span!("request", id = %id, method = %request.method());
    let mut response = next.run(request).instrument(span).await;
    if let Ok(value) = HeaderValue::try_from(id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}
