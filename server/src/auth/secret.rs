//! Random secrets, and the hashes that are kept of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::tokens::key::to_hex;

/// 32 random bytes in 43 characters of URL-safe base64; wiped when dropped.
#[must_use]
pub fn random() -> Zeroizing<String> {
    let bytes = Zeroizing::new(rand::random::<[u8; 32]>());
    Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_slice()))
}

/// SHA-256 in lower-case hexadecimal. Enough for secrets that nobody can guess; passwords need more.
#[must_use]
pub fn hash(secret: &str) -> String {
    to_hex(&Sha256::digest(secret.as_bytes()))
}

/// Whether a secret has this hash, in the same time whatever differs.
#[must_use]
pub fn fits(secret: &str, hashed: &str) -> bool {
    hash(secret).as_bytes().ct_eq(hashed.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_fits_its_own_hash_only() {
        let (one, other) = (random(), random());
        assert_eq!(one.len(), 43);
        assert_ne!(one, other);
        assert!(fits(&one, &hash(&one)));
        assert!(!fits(&other, &hash(&one)));
        assert!(!fits(&one, ""));
    }
}
