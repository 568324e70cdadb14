//! Credentials in compact JWE form: `dir` with `A128GCM` (`agent-protocol 1.4`, `1.5`).

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes128Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::token::Token;

/// The protected header of the Go clients and of 3.x runners.
pub const GO_HEADER: &str = r#"{"alg":"dir","enc":"A128GCM","typ":"JWT"}"#;
/// The protected header of the Java delegate: no `typ`, members in another order.
pub const JAVA_HEADER: &str = r#"{"enc":"A128GCM","alg":"dir"}"#;

/// Bytes of the authentication tag.
const TAG: usize = 16;

/// Why a credential cannot be made or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JweError {
    /// Not five base64url segments with an empty second one and a vector of 12 bytes.
    #[error("not a compact JWE with direct encryption")]
    Form,
    /// Another key made it, or it was changed.
    #[error("the key does not open this credential")]
    Key,
    /// The plaintext is too long to encrypt.
    #[error("the claims cannot be encrypted")]
    Claims,
}

/// Encrypts `claims` under `token`; `iv` must never be used twice with one token.
///
/// # Errors
/// The claims are longer than the cipher takes.
pub fn seal(token: &Token, header: &str, claims: &str, iv: [u8; 12]) -> Result<String, JweError> {
    let header = URL_SAFE_NO_PAD.encode(header);
    let payload = Payload { msg: claims.as_bytes(), aad: header.as_bytes() };
    let sealed = Aes128Gcm::new(token.key().into())
        .encrypt(Nonce::from_slice(&iv), payload)
        .map_err(|_| JweError::Claims)?;
    let (text, tag) = sealed.split_at(sealed.len().saturating_sub(TAG));
    let [iv, text, tag] = [&iv[..], text, tag].map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
    Ok(format!("{header}..{iv}.{text}.{tag}"))
}

/// The plaintext of a credential, for servers in tests.
///
/// # Errors
/// Another form, or another key.
pub fn open(token: &Token, jwe: &str) -> Result<String, JweError> {
    let segments: Vec<&str> = jwe.split('.').collect();
    let [header, "", iv, text, tag] = segments[..] else { return Err(JweError::Form) };
    let decode = |segment: &str| URL_SAFE_NO_PAD.decode(segment).map_err(|_| JweError::Form);
    let iv: [u8; 12] = decode(iv)?.try_into().map_err(|_| JweError::Form)?;
    let sealed = [decode(text)?, decode(tag)?].concat();
    let payload = Payload { msg: &sealed, aad: header.as_bytes() };
    let plain = Aes128Gcm::new(token.key().into())
        .decrypt(Nonce::from_slice(&iv), payload)
        .map_err(|_| JweError::Key)?;
    String::from_utf8(plain).map_err(|_| JweError::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwidHlwIjoiSldUIn0..Fo9u9QMIAKBUkrkN.V-tPDboRXepg_M2DEpBHKZLmBFt0TU9JspeXSqbNnjdL6snXWSnDZWNxDz8nkP2vI_PUS_njwjRJreBiNc7coVKHYBvb4d-Gx9Dtlh-pIrDiVS6i_V4XZWtvRIvv8kXj0hV5TOcNSy0tsgvQSNUB0pbdjWZXonc0y8zL1ayw.bZn08Htfsi0Y1PKtFoTQBQ";
    const V1_CLAIMS: &str = r#"{"aud":["audience"],"exp":1795207061,"iat":1795205861,"iss":"issuer","jti":"5c12c212-8ee5-4eef-aeb0-23c0170c7d8c","sub":"ACC"}"#;
    const V2: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";

    fn token() -> Token {
        Token::parse("00112233445566778899aabbccddeeff").unwrap()
    }

    fn iv_of(jwe: &str) -> [u8; 12] {
        URL_SAFE_NO_PAD.decode(jwe.split('.').nth(2).unwrap()).unwrap().try_into().unwrap()
    }

    #[test]
    fn the_go_vector_opens_and_is_made_again_byte_for_byte() {
        assert_eq!(open(&token(), V1).unwrap(), V1_CLAIMS);
        assert_eq!(seal(&token(), GO_HEADER, V1_CLAIMS, iv_of(V1)).unwrap(), V1);
    }

    #[test]
    fn the_java_vector_opens_and_is_made_again_byte_for_byte() {
        let claims = open(&token(), V2).unwrap();
        assert!(claims.contains(r#""aud":"https:\/\/mgr.example:443""#), "{claims}");
        assert_eq!(seal(&token(), JAVA_HEADER, &claims, iv_of(V2)).unwrap(), V2);
    }

    #[test]
    fn another_key_and_a_changed_segment_do_not_open() {
        let other = Token::parse("ffeeddccbbaa99887766554433221100").unwrap();
        assert_eq!(open(&other, V1), Err(JweError::Key));
        for segment in [0, 2, 3, 4] {
            let mut segments: Vec<String> = V1.split('.').map(str::to_owned).collect();
            let mut bytes = URL_SAFE_NO_PAD.decode(&segments[segment]).unwrap();
            bytes[0] ^= 1;
            segments[segment] = URL_SAFE_NO_PAD.encode(bytes);
            assert_eq!(open(&token(), &segments.join(".")), Err(JweError::Key), "segment {segment}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        let with_key = V1.replacen("..", ".AAAA.", 1);
        for text in ["", "a.b.c", &with_key, "e30..AAAA.AAAA.AAAA", "e30..####.AAAA.AAAA"] {
            assert_eq!(open(&token(), text), Err(JweError::Form), "{text}");
        }
    }
}
