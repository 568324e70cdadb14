//! The credential of a delegate: a compact JWE under its token's key (`agent-protocol 1.4`, `1.5`).

use std::borrow::Cow;
use std::fmt;

use aes_gcm::aead::AeadInPlace as _;
use aes_gcm::{Aes128Gcm, Nonce, Tag};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};

/// The longest credential that is looked at, in bytes.
pub const MAX_JWE: usize = 8 * 1024;

/// Segment 1 as Go clients send it; known texts need no parsing.
const GO_HEADER: &str = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwidHlwIjoiSldUIn0";
/// The most bytes that a header is decoded into.
const MAX_HEADER: usize = 1024;

/// A text that is no credential. Never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the credential is no JWE of the expected form")]
pub struct Malformed;

/// A credential whose form is right; nothing of it is proven yet.
pub struct Jwe<'a> {
    /// Segment 1 as received: the additional authenticated data.
    header: &'a str,
    nonce: [u8; 12],
    tag: [u8; 16],
    /// Ciphertext, and plaintext once a key fits.
    body: Vec<u8>,
}

/// The claims that are read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Claims<'a> {
    /// `sub`: the account.
    #[serde(borrow, default)]
    pub sub: Option<Cow<'a, str>>,
    /// `exp`, in seconds since the epoch.
    #[serde(deserialize_with = "seconds")]
    pub exp: i64,
}

impl<'a> Jwe<'a> {
    /// Checks everything that needs no key.
    ///
    /// # Errors
    /// Longer than 8 KiB, not five segments, another algorithm, an encrypted key, wrong lengths, no base64url.
    pub fn parse(text: &'a str) -> Result<Self, Malformed> {
        if text.len() > MAX_JWE {
            return Err(Malformed);
        }
        let mut segments = text.split('.');
        let mut next = || segments.next().ok_or(Malformed);
        let (header, encrypted_key, nonce, body, tag) = (next()?, next()?, next()?, next()?, next()?);
        if segments.next().is_some() || !encrypted_key.is_empty() {
            return Err(Malformed);
        }
        let (nonce, tag) = (exactly(nonce)?, exactly(tag)?);
        check_header(header)?;
        let body = URL_SAFE_NO_PAD.decode(body).map_err(|_| Malformed)?;
        Ok(Self { header, nonce, tag, body })
    }

    /// Decrypts with this key; false, with nothing changed, if the tag does not fit.
    pub fn open(&mut self, key: &Aes128Gcm) -> bool {
        // A wrong tag is found before the buffer is touched, so the next key gets the same ciphertext.
        let (nonce, tag) = (Nonce::from_slice(&self.nonce), Tag::from_slice(&self.tag));
        key.decrypt_in_place_detached(nonce, self.header.as_bytes(), &mut self.body, tag).is_ok()
    }

    /// The claims of an opened credential.
    ///
    /// # Errors
    /// The plaintext is no JSON object, has no readable `exp`, or a `sub` that is no text.
    pub fn claims(&self) -> Result<Claims<'_>, Malformed> {
        serde_json::from_slice(&self.body).map_err(|_| Malformed)
    }
}

impl fmt::Debug for Jwe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Jwe(..)")
    }
}

/// A segment of exactly so many bytes.
fn exactly<const N: usize>(segment: &str) -> Result<[u8; N], Malformed> {
    let mut bytes = [0; N];
    // The decoder wants room for whole groups of three bytes.
    let mut room = [0; 24];
    if segment.len() != (N * 4).div_ceil(3) {
        return Err(Malformed);
    }
    match URL_SAFE_NO_PAD.decode_slice(segment, &mut room) {
        Ok(length) if length == N => bytes.copy_from_slice(&room[..N]),
        _ => return Err(Malformed),
    }
    Ok(bytes)
}

/// `alg` must be `dir` and `enc` `A128GCM`; other members and the order do not matter.
fn check_header(segment: &str) -> Result<(), Malformed> {
    if segment == GO_HEADER {
        return Ok(());
    }
    let mut room = [0; MAX_HEADER];
    let length = URL_SAFE_NO_PAD.decode_slice(segment, &mut room).map_err(|_| Malformed)?;
    let Algorithms { alg, enc } = serde_json::from_slice(&room[..length]).map_err(|_| Malformed)?;
    if alg && enc { Ok(()) } else { Err(Malformed) }
}

/// Whether the two members name what is expected; of repeated members the last counts.
#[derive(Default)]
struct Algorithms {
    alg: bool,
    enc: bool,
}

impl<'de> Deserialize<'de> for Algorithms {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AlgorithmsVisitor)
    }
}

struct AlgorithmsVisitor;

impl<'de> Visitor<'de> for AlgorithmsVisitor {
    type Value = Algorithms;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JOSE header")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Algorithms, A::Error> {
        let mut found = Algorithms::default();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match &*name {
                "alg" => found.alg = map.next_value::<Cow<'de, str>>()? == "dir",
                "enc" => found.enc = map.next_value::<Cow<'de, str>>()? == "A128GCM",
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Seconds as an integer, or as a number with a fraction, which is dropped.
fn seconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    let whole = |number: f64| number as i64;
    let seconds = number.as_i64().or_else(|| number.as_f64().map(whole));
    seconds.ok_or_else(|| serde::de::Error::custom("not a number of seconds"))
}

#[cfg(test)]
mod tests;
