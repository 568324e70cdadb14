//! The key inside a delegate token, and its two text forms (`agent-protocol 1.1`).

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a token key.
pub const KEY_LEN: usize = 16;

/// An AES-128 key. Wiped from memory when dropped; `Debug` shows nothing of it.
#[derive(Clone)]
pub struct TokenKey([u8; KEY_LEN]);

/// A text that is no delegate token. Never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a delegate token is 32 hexadecimal characters, or the base64 form of them")]
pub struct NotAToken;

impl TokenKey {
    /// A fresh key from the system's random source.
    #[must_use]
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// The key of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; KEY_LEN]) -> Self {
        Self(bytes)
    }

    /// Reads the outer or the inner form (`agent-protocol 1.2`): trimmed, any case of the hexadecimal digits.
    ///
    /// # Errors
    /// The text is neither.
    pub fn parse(text: &str) -> Result<Self, NotAToken> {
        let text = text.trim();
        // 32 characters can be base64 as well, but of 24 bytes, never of a token's text.
        let decoded = Zeroizing::new(STANDARD.decode(text).unwrap_or_default());
        let outer = std::str::from_utf8(&decoded).ok().map(str::trim_end).and_then(from_hex);
        outer.or_else(|| from_hex(text)).map(Self).ok_or(NotAToken)
    }

    /// The 16 bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; KEY_LEN] {
        &self.0
    }

    /// The inner form: 32 lower-case hexadecimal characters. Wiped when dropped.
    #[must_use]
    pub fn inner(&self) -> Zeroizing<String> {
        Zeroizing::new(to_hex(&self.0))
    }

    /// The outer form: base64 of the inner one, 44 characters. Wiped when dropped.
    #[must_use]
    pub fn outer(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.inner().as_bytes()))
    }

    /// SHA-256 of the inner form in 64 lower-case hexadecimal characters (`agent-protocol 1.9`).
    #[must_use]
    pub fn hash(&self) -> String {
        to_hex(&Sha256::digest(self.inner().as_bytes()))
    }
}

impl Drop for TokenKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey(..)")
    }
}

/// Lower-case hexadecimal digits of the bytes.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Exactly so many bytes from twice as many hexadecimal digits.
pub(super) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (digit(pair[0])? << 4) | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: &str = "00112233445566778899aabbccddeeff";
    const OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";

    #[test]
    fn t19_outer_and_inner_form_give_the_same_key() {
        let with_newline = STANDARD.encode(format!("{INNER}\n"));
        let upper = INNER.to_uppercase();
        let padded = format!("  {OUTER}\n");
        for text in [INNER, OUTER, &with_newline, &upper, &padded] {
            let key = TokenKey::parse(text).unwrap();
            assert_eq!(*key.inner(), INNER);
            assert_eq!(*key.outer(), OUTER);
        }
        assert_eq!(OUTER.len(), 44);
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let binary = STANDARD.encode(TokenKey::parse(INNER).unwrap().bytes());
        for text in
            ["", "abc", &INNER[1..], &format!("{INNER}0"), &INNER.replace('f', "g"), &OUTER[4..], &binary]
        {
            assert_eq!(TokenKey::parse(text).unwrap_err(), NotAToken);
        }
    }

    #[test]
    fn hash_vectors() {
        for (text, hash) in [
            (
                "98d8fedb04c574e68939164bf463e73d",
                "9d5c66162adf75e9258f8e30054d3d507c4e1f65c9511d6104c37d62a76bb04f",
            ),
            (
                "ab00000000000000000000000000012c",
                "00427e1637b3abbdf434a0034e6a55d5c809e30fc6d1ac11e701a537a346ca7f",
            ),
            (INNER, "5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720"),
        ] {
            assert_eq!(TokenKey::parse(text).unwrap().hash(), hash);
            assert_eq!(TokenKey::parse(&text.to_uppercase()).unwrap().hash(), hash);
        }
    }

    #[test]
    fn random_keys_differ_and_debug_shows_nothing() {
        let (one, other) = (TokenKey::random(), TokenKey::random());
        assert_ne!(one.bytes(), other.bytes());
        assert_eq!(format!("{one:?}"), "TokenKey(..)");
    }
}
