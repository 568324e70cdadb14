//! Query parameters, read without copying where nothing is escaped.

use std::borrow::Cow;

/// The value of the first parameter of this name, decoded.
///
/// Other parameters are ignored (`agent-protocol 0.4`).
#[must_use]
pub fn value<'q>(query: Option<&'q str>, name: &str) -> Option<Cow<'q, str>> {
    let mut pairs = form_urlencoded::parse(query?.as_bytes());
    pairs.find_map(|(key, value)| (key == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_among_others() {
        let query = Some("X-Atmosphere-tracking-id=0&accountId=ACC&accountId=B&flag&empty=");
        assert_eq!(value(query, "accountId").as_deref(), Some("ACC"));
        assert_eq!(value(query, "flag").as_deref(), Some(""));
        assert_eq!(value(query, "empty").as_deref(), Some(""));
        assert_eq!(value(query, "account"), None);
        assert_eq!(value(None, "accountId"), None);
        assert!(matches!(value(query, "accountId"), Some(Cow::Borrowed(_))));
    }

    #[test]
    fn escapes_are_decoded() {
        let query = Some("tag=harness%2Fdelegate%3a24.04&name=a+b%20c&odd=%ff%zz%");
        assert_eq!(value(query, "tag").as_deref(), Some("harness/delegate:24.04"));
        assert_eq!(value(query, "name").as_deref(), Some("a b c"));
        assert_eq!(value(query, "odd").as_deref(), Some("\u{fffd}%zz%"));
    }
}
