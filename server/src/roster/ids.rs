//! Internal ids of groups and instances (`agent-protocol 8.2`).
//!
//! They follow from what tells one from others, so that two nodes that meet the same new delegate at the same time, each
//! on its own, give it one id and make one row.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fleet::delegate::Identity;
use fleet::scope::Scope;
use sha2::{Digest as _, Sha256};

/// Bytes of an id.
const BYTES: usize = 16;

/// A random id: 22 characters of URL-safe base64. None begins with a hyphen, which command lines take for an option and
/// spreadsheets for a formula.
pub(crate) fn new_id() -> Arc<str> {
    loop {
        if let Some(id) = text(&rand::random::<[u8; BYTES]>()) {
            return id;
        }
    }
}

/// The id of the group of this name in a scope.
pub(super) fn group_id(scope: &Scope, name: &str) -> Arc<str> {
    derived(&["group", &scope.to_string(), name])
}

/// The id of the instance of this identity in a group.
pub(super) fn instance_id(account: &str, group: &str, identity: &Identity) -> Arc<str> {
    let ng = if identity.ng { "ng" } else { "" };
    let ip = identity.ip.as_deref().map_or_else(String::new, |ip| format!("ip {ip}"));
    derived(&["instance", account, group, ng, &identity.host_name, &ip])
}

/// A hash of the parts, in the form of an id.
fn derived(parts: &[&str]) -> Arc<str> {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let mut hash = hash.finalize();
    loop {
        if let Some(id) = hash.first_chunk::<BYTES>().and_then(text) {
            return id;
        }
        hash = Sha256::digest(hash);
    }
}

fn text(bytes: &[u8; BYTES]) -> Option<Arc<str>> {
    let id = URL_SAFE_NO_PAD.encode(bytes);
    (!id.starts_with('-')).then(|| id.into())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fleet::delegate::is_delegate_id;

    use super::*;

    fn identity(number: usize, ip: Option<&str>) -> Identity {
        Identity { ng: true, host_name: format!("host-{number}").into(), ip: ip.map(Into::into) }
    }

    #[test]
    fn no_id_looks_like_an_option_or_a_formula() {
        for number in 0..2_000 {
            for id in [new_id(), instance_id("acme", "g", &identity(number, None))] {
                assert!(is_delegate_id(&id) && id.len() == 22 && !id.starts_with('-'), "{id}");
            }
        }
    }

    #[test]
    fn whoever_is_the_same_gets_the_same_id_on_every_node() {
        assert_eq!(
            instance_id("acme", "g", &identity(1, Some("10.0.0.1"))),
            instance_id("acme", "g", &identity(1, Some("10.0.0.1")))
        );
        let scope: Scope = "acme/payments".parse().unwrap();
        assert_eq!(group_id(&scope, "edge"), group_id(&scope, "edge"));
    }

    #[test]
    fn whoever_differs_in_anything_gets_another_one() {
        let ids = HashSet::from([
            instance_id("acme", "g", &identity(1, None)),
            instance_id("acme", "g", &identity(2, None)),
            instance_id("acme", "g", &identity(1, Some(""))),
            instance_id("acme", "g", &identity(1, Some("10.0.0.1"))),
            instance_id("acme", "h", &identity(1, None)),
            instance_id("beta", "g", &identity(1, None)),
            instance_id("acme", "g", &Identity { ng: false, ..identity(1, None) }),
        ]);
        assert_eq!(ids.len(), 7);
        let payments: Scope = "acme/payments".parse().unwrap();
        assert_ne!(group_id(&payments, "edge"), group_id(&"acme".parse().unwrap(), "edge"));
        assert_ne!(group_id(&payments, "edge"), group_id(&payments, "edge2"));
    }
}
