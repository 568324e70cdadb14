//! What the OpenAPI document says of the management API.

use utoipa::OpenApi;

use super::{delete, details, files, list, overrides, tags, tokens, version};

/// Its operations, as their handlers describe them.
#[derive(OpenApi)]
#[openapi(paths(
    list::list,
    delete::delete,
    version::latest,
    overrides::set,
    overrides::list,
    overrides::delete,
    files::helm,
    files::terraform,
    files::kubernetes,
    files::docker,
    tags::read,
    tags::add,
    tags::replace,
    tags::clear,
    tags::groups,
    tokens::create,
    tokens::list,
    tokens::revoke,
    tokens::delete,
    tokens::one,
    tokens::revoke_one,
    tokens::delete_one,
    details::of_token,
    details::of_token_in_path,
    details::groups,
    details::up_the_hierarchy,
    details::one
))]
pub(crate) struct Operations;
