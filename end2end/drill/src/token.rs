//! The delegate token in its two written forms (`agent-protocol 1.1`, `1.2`, `1.9`).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Hexadecimal characters of a token.
const TEXT_LENGTH: usize = 32;
/// What a newer Go client leaves of a hash at least when it drops leading zeros.
const SHORTEST_HASH: usize = 32;

/// A delegate token. Its value never shows in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// 32 hexadecimal characters, in the case they were given in.
    text: Box<str>,
    key: [u8; 16],
}

/// A text that is no token in either form; it does not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is 32 hexadecimal characters, or the base64 form of them")]
pub struct TokenError;

impl Token {
    /// Reads the outer form (base64 of the hexadecimal text) or the inner form (the hexadecimal text).
    ///
    /// # Errors
    /// The text is neither.
    pub fn parse(given: &str) -> Result<Self, TokenError> {
        let given = given.trim();
        let decoded = STANDARD.decode(given).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let inner = decoded.as_deref().map(str::trim_end).filter(|text| key_of(text).is_some());
        let text = inner.unwrap_or(given);
        let key = key_of(text).ok_or(TokenError)?;
        Ok(Self { text: text.into(), key })
    }

    /// The 32 hexadecimal characters.
    #[must_use]
    pub fn inner(&self) -> &str {
        &self.text
    }

    /// Base64 of the 32 hexadecimal characters.
    #[must_use]
    pub fn outer(&self) -> String {
        STANDARD.encode(self.text.as_bytes())
    }

    /// The 16 bytes that encrypt a credential.
    #[must_use]
    pub const fn key(&self) -> &[u8; 16] {
        &self.key
    }

    /// The value of `delegateTokenHash` as a 3.x runner sends it: 64 characters.
    #[must_use]
    pub fn hash(&self) -> String {
        hex(&Sha256::digest(self.text.as_bytes()))
    }

    /// The same as newer Go clients send it: leading zeros dropped, at least 32 characters left.
    #[must_use]
    pub fn stripped_hash(&self) -> String {
        let hash = self.hash();
        let zeros = hash.len() - hash.trim_start_matches('0').len();
        hash[zeros.min(hash.len() - SHORTEST_HASH)..].to_owned()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Lower-case hexadecimal text of some bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

fn key_of(text: &str) -> Option<[u8; 16]> {
    if text.len() != TEXT_LENGTH || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; 16];
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: &str = "00112233445566778899aabbccddeeff";
    const OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";

    #[test]
    fn both_forms_give_the_same_token() {
        let inner = Token::parse(INNER).unwrap();
        assert_eq!(inner, Token::parse(OUTER).unwrap());
        assert_eq!(inner.outer(), OUTER);
        assert_eq!(inner.inner(), INNER);
        assert_eq!(inner.key()[..3], [0x00, 0x11, 0x22]);
    }

    #[test]
    fn white_space_around_and_a_newline_inside_the_outer_form_are_tolerated() {
        let with_newline = STANDARD.encode(format!("{INNER}\n"));
        assert_eq!(Token::parse(&with_newline).unwrap().inner(), INNER);
        assert_eq!(Token::parse(&format!("  {OUTER}\n")).unwrap().inner(), INNER);
    }

    #[test]
    fn hexadecimal_is_case_insensitive() {
        assert_eq!(Token::parse(&INNER.to_uppercase()).unwrap().key(), Token::parse(INNER).unwrap().key());
    }

    #[test]
    fn other_texts_are_refused_and_never_shown() {
        for text in ["", "00112233", "zz112233445566778899aabbccddeeff", &STANDARD.encode([0; 16])] {
            assert_eq!(Token::parse(text), Err(TokenError), "{text}");
        }
        assert_eq!(format!("{:?}", Token::parse(INNER).unwrap()), "Token(..)");
    }

    #[test]
    fn hashes_follow_the_published_vectors() {
        for (text, hash, stripped) in [
            (
                "98d8fedb04c574e68939164bf463e73d",
                "9d5c66162adf75e9258f8e30054d3d507c4e1f65c9511d6104c37d62a76bb04f",
                "9d5c66162adf75e9258f8e30054d3d507c4e1f65c9511d6104c37d62a76bb04f",
            ),
            (
                "ab00000000000000000000000000012c",
                "00427e1637b3abbdf434a0034e6a55d5c809e30fc6d1ac11e701a537a346ca7f",
                "427e1637b3abbdf434a0034e6a55d5c809e30fc6d1ac11e701a537a346ca7f",
            ),
            (
                INNER,
                "5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720",
                "5947d7c33d783f94b3b4c1a96ebc8991ed28f1b069b71e03376cba8caa98a720",
            ),
        ] {
            let token = Token::parse(text).unwrap();
            assert_eq!(token.hash(), hash);
            assert_eq!(token.stripped_hash(), stripped);
        }
    }
}
