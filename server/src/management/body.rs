//! What stands in the body of a call. Unknown keys are nobody's concern.

use serde_json::{Map, Value};

use super::error::ManagementError;

/// A JSON object; a body that is absent is an empty one.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, ManagementError> {
    if body.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(ManagementError::field("body", "must be a JSON object")),
        Err(error) => Err(ManagementError::field("body", format!("is not JSON: {error}"))),
    }
}

/// A text; empty ones are absent.
pub(super) fn text<'b>(
    body: &'b Map<String, Value>,
    key: &'static str,
) -> Result<Option<&'b str>, ManagementError> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(&**text).filter(|text| !text.is_empty())),
        Some(_) => Err(ManagementError::field(key, "must be a text")),
    }
}

/// A list of texts; empty without one.
pub(super) fn texts<'b>(
    body: &'b Map<String, Value>,
    key: &'static str,
) -> Result<Vec<&'b str>, ManagementError> {
    let wrong = || ManagementError::field(key, "must be a list of texts");
    match body.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(texts)) => texts.iter().map(|text| text.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}
