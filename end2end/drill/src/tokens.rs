//! Which token belongs to which scope.

use std::collections::BTreeMap;
use std::str::FromStr;

use fleet::scope::Scope;

use crate::token::Token;

/// Tokens by the scope that owns them.
#[derive(Clone, Debug, Default)]
pub struct Tokens(BTreeMap<Scope, Token>);

/// Why a text holds no tokens; it names the scope or the line, never the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokensError {
    /// Not `scope=value`.
    #[error("{0}: expected scope=token, such as acme/payments=MDAx...")]
    Pair(String),
    /// The left side is no scope.
    #[error("{0:?} is no scope: account, account/organization or account/organization/project")]
    Scope(String),
    /// The right side is no token.
    #[error("the token of {0} is neither 32 hexadecimal characters nor the base64 form of them")]
    Token(String),
    /// JSON that is no object of texts.
    #[error("the JSON is not an object of scope and token texts")]
    Json,
}

impl Tokens {
    /// Adds one `scope=value` pair; a later pair of the same scope replaces an earlier one.
    ///
    /// # Errors
    /// No pair, no scope, or no token.
    pub fn add_pair(&mut self, pair: &str) -> Result<(), TokensError> {
        // The outer form of a token ends with `=`, a scope has none.
        let (scope, value) =
            pair.split_once('=').ok_or_else(|| TokensError::Pair("the argument".to_owned()))?;
        self.add(scope.trim(), value)
    }

    /// Adds all of `other`, which wins where both have a scope.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The token of exactly this scope.
    #[must_use]
    pub fn get(&self, scope: &Scope) -> Option<&Token> {
        self.0.get(scope)
    }

    /// How many scopes have a token.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no scope has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, scope: &str, value: &str) -> Result<(), TokensError> {
        let owner: Scope = scope.parse().map_err(|_| TokensError::Scope(scope.to_owned()))?;
        let token = Token::parse(value).map_err(|_| TokensError::Token(scope.to_owned()))?;
        self.0.insert(owner, token);
        Ok(())
    }

    fn add_all(texts: &BTreeMap<String, String>) -> Result<Self, TokensError> {
        let mut tokens = Self::default();
        texts.iter().try_for_each(|(scope, value)| tokens.add(scope, value))?;
        Ok(tokens)
    }
}

impl FromStr for Tokens {
    type Err = TokensError;

    /// Reads a JSON object, a TOML table, or one `scope=value` per line with `#` comments.
    fn from_str(text: &str) -> Result<Self, TokensError> {
        if text.trim_start().starts_with('{') {
            return Self::add_all(&serde_json::from_str(text).map_err(|_| TokensError::Json)?);
        }
        if let Ok(table) = toml::from_str::<BTreeMap<String, String>>(text) {
            return Self::add_all(&table);
        }
        let mut tokens = Self::default();
        for (at, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = || TokensError::Pair(format!("line {}", at + 1));
            let (scope, value) = line.split_once('=').ok_or_else(place)?;
            tokens.add(scope.trim(), value)?;
        }
        Ok(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: &str = "00112233445566778899aabbccddeeff";
    const OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";

    fn both(text: &str) {
        let tokens: Tokens = text.parse().unwrap();
        for scope in ["acme", "acme/payments"] {
            assert_eq!(tokens.get(&scope.parse().unwrap()).unwrap().inner(), INNER, "{text}");
        }
        assert_eq!(tokens.len(), 2);
    }

    #[test]
    fn json_toml_and_lines_say_the_same() {
        both(&format!(r#"{{"acme": "{INNER}", "acme/payments": "{OUTER}"}}"#));
        both(&format!("acme = \"{INNER}\"\n\"acme/payments\" = \"{OUTER}\"\n"));
        both(&format!("# tokens\nacme={INNER}\n\nacme/payments = {OUTER}\n"));
    }

    #[test]
    fn an_argument_replaces_what_the_file_said() {
        let mut tokens: Tokens = format!("acme={INNER}").parse().unwrap();
        tokens.add_pair("acme=ffeeddccbbaa99887766554433221100").unwrap();
        assert!(tokens.get(&"acme".parse().unwrap()).unwrap().inner().starts_with("ffee"));
    }

    #[test]
    fn errors_name_the_place_and_never_the_value() {
        let error = |text: &str| text.parse::<Tokens>().unwrap_err().to_string();
        assert!(error("acme/x/y/z=0011").contains("acme/x/y/z"));
        assert!(error("acme=0011").contains("acme") && !error("acme=0011").contains("0011"));
        assert!(error("acme=1\nnothing").contains("acme"));
        assert!(error(&format!("acme={INNER}\nnothing")).contains("line 2"));
        assert!(error("{\"acme\": 1}").contains("JSON"));
        assert!(Tokens::default().add_pair(INNER).is_err());
    }
}
