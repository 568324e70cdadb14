//! Scripts, styles, fonts.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get_service};
use leptos::prelude::LeptosOptions;
use tower_http::services::{ServeDir, ServeFile};

use super::AppState;

/// Names that change with their content may be kept for ever.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Names that rarely change, for a day.
const FOR_A_DAY: &str = "public, max-age=86400";
/// Names that stay while their content changes are asked for anew.
const UNNAMED: &str = "no-cache";
/// A folder that does not exist: without a site every request for an asset ends as not found.
const NOWHERE: &str = "/nonexistent";

/// How pages refer to scripts and styles. The file with their hashes lies beside the program, where the build puts it.
#[must_use]
pub fn options(site: Option<&Path>) -> LeptosOptions {
    let listing = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("hash.txt")));
    let hashed = site.is_some() && listing.is_some_and(|file| file.is_file());
    LeptosOptions::builder()
        .output_name("rollcall")
        .site_root(Arc::<str>::from(site.map_or_else(|| "site".into(), |site| site.to_string_lossy())))
        .site_pkg_dir("pkg")
        .hash_files(hashed)
        .build()
}

/// Scripts and styles, with the compressed form that the build made.
pub fn hashed(state: &AppState) -> Router {
    let lasting = if state.leptos.hash_files { FOR_EVER } else { UNNAMED };
    lasting_for(Router::new().fallback_service(folder(state, "pkg")), lasting)
}

/// Any other folder of the site.
pub fn plain(state: &AppState, name: &str) -> Router {
    lasting_for(Router::new().fallback_service(folder(state, name)), FOR_A_DAY)
}

/// One file at the top of the site.
pub fn file(state: &AppState, name: &str) -> MethodRouter<AppState> {
    let path = state.site.clone().unwrap_or_else(|| NOWHERE.into()).join(name);
    get_service(ServeFile::new(path))
}

fn folder(state: &AppState, name: &str) -> ServeDir {
    let path = state.site.clone().unwrap_or_else(|| NOWHERE.into()).join(name);
    ServeDir::new(path).precompressed_br().precompressed_gzip().append_index_html_on_directories(false)
}

fn lasting_for(router: Router, lasting: &'static str) -> Router {
    router.layer(map_response(move |mut response: Response| async move {
        if response.status().is_server_error() {
            // Such as a name that is too long for the file system.
            return StatusCode::NOT_FOUND.into_response();
        }
        if response.status().is_success() {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(lasting));
            // A sandboxed frame has no origin, and asks for scripts and fonts as a stranger. They are nobody's secret.
            response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        response
    }))
}
