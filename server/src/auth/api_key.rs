//! The form of API keys: `pat.<account>.<id>.<secret>` (`management-api 1.2`).

use crate::roster::new_id;
use crate::store::access::UserKind;

use super::secret;

/// The parts of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ApiKey<'a> {
    /// Whether it says that it belongs to a person or to a service account.
    pub kind: UserKind,
    /// Account identifier; may hold dots.
    pub account: &'a str,
    /// Public part.
    pub id: &'a str,
    /// Secret part.
    pub secret: &'a str,
}

impl std::fmt::Debug for ApiKey<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiKey").field("account", &self.account).field("id", &self.id).finish_non_exhaustive()
    }
}

impl<'a> ApiKey<'a> {
    /// Takes a text apart; none if it has another form.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let (kind, rest) = text.trim().split_once('.')?;
        let (rest, secret) = rest.rsplit_once('.')?;
        let (account, id) = rest.rsplit_once('.')?;
        let kind = match kind {
            "pat" => UserKind::Person,
            "sat" => UserKind::Service,
            _ => return None,
        };
        let whole = !account.is_empty() && !id.is_empty() && !secret.is_empty();
        whole.then_some(Self { kind, account, id, secret })
    }
}

/// A new key: its public part, the hash of its secret part, and the whole text, which is shown once.
#[must_use]
pub fn issue(kind: UserKind, account: &str) -> (std::sync::Arc<str>, Box<str>, String) {
    let word = match kind {
        UserKind::Person => "pat",
        UserKind::Service => "sat",
    };
    let (id, secret) = (new_id(), secret::random());
    let text = format!("{word}.{account}.{id}.{}", secret.as_str());
    (id, secret::hash(&secret).into(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_four_parts_separated_by_dots() {
        let key = ApiKey::parse("pat.acme.k1.s3cret").unwrap();
        assert_eq!((key.account, key.id, key.secret), ("acme", "k1", "s3cret"));
        assert_eq!(ApiKey::parse("sat.a.b.k1.s").map(|key| key.account), Some("a.b"));
        for text in ["", "pat", "pat.acme.k1", "pat.acme.k1.", "pat..k1.s", "xat.acme.k1.s", "pat.acme..s"] {
            assert_eq!(ApiKey::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_issued_key_reads_back_and_never_shows_its_secret() {
        let (id, hash, text) = issue(UserKind::Person, "acme");
        let key = ApiKey::parse(&text).unwrap();
        assert_eq!(key.id, &*id);
        assert!(secret::fits(key.secret, &hash));
        assert!(!format!("{key:?}").contains(key.secret));
    }
}
