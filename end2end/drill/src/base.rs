//! The manager URL that delegates are given (`agent-protocol 0.4`).

use std::net::IpAddr;

use hyper::Uri;

/// Port of a URL that names none.
const HTTP_PORT: u16 = 80;

/// A manager URL. The text is kept verbatim: agents append their paths to it, a trailing slash included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    text: String,
    host: String,
    port: u16,
}

/// Why a manager URL is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// No URL of this program's kind.
    #[error("the manager URL must look like http://127.0.0.1:3000, with an optional path")]
    Form,
    /// TLS is not spoken.
    #[error("only http:// is spoken; put a plain listener in front for this purpose")]
    Scheme,
    /// Another machine, without permission.
    #[error("{0} is not this machine; say --allow-remote if a fleet may be played against it")]
    Remote(String),
}

impl Base {
    /// Reads a manager URL. Hosts other than this machine need `allow_remote`.
    ///
    /// # Errors
    /// No URL, another scheme than `http`, or a host that is not allowed.
    pub fn parse(text: &str, allow_remote: bool) -> Result<Self, BaseError> {
        let uri: Uri = text.parse().map_err(|_| BaseError::Form)?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(BaseError::Scheme),
            _ => return Err(BaseError::Form),
        }
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(BaseError::Form)?;
        if uri.query().is_some() || uri.authority().is_some_and(|authority| authority.as_str().contains('@'))
        {
            return Err(BaseError::Form);
        }
        if !allow_remote && !is_loopback(host) {
            return Err(BaseError::Remote(host.to_owned()));
        }
        // Without a path, `Uri` would print the slash that agents do not add.
        Ok(Self { text: text.to_owned(), host: host.to_owned(), port: uri.port_u16().unwrap_or(HTTP_PORT) })
    }

    /// The text as given, to append a path to.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with the scheme of a stream, `ws://`.
    #[must_use]
    pub fn stream_text(&self) -> String {
        let rest = self.text.find("://").map_or("", |at| &self.text[at..]);
        format!("ws{rest}")
    }

    /// `host:port`, to connect to.
    #[must_use]
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// `http://host:port`: the audience of a Java credential.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.authority())
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_kept_verbatim_with_path_and_trailing_slash() {
        for text in ["http://127.0.0.1:3000", "http://127.0.0.1:3000/", "http://localhost:3000/gratis"] {
            assert_eq!(Base::parse(text, false).unwrap().text(), text);
        }
    }

    #[test]
    fn only_this_machine_is_allowed_unless_said_otherwise() {
        for text in ["http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:3000", "http://LocalHost:3000"] {
            assert!(Base::parse(text, false).is_ok(), "{text}");
        }
        for text in
            ["http://192.0.2.1:3000", "http://fleet.example", "http://localhost.example", "http://[::2]"]
        {
            assert!(matches!(Base::parse(text, false), Err(BaseError::Remote(_))), "{text}");
            assert!(Base::parse(text, true).is_ok(), "{text}");
        }
    }

    #[test]
    fn other_schemes_and_forms_are_refused() {
        assert_eq!(Base::parse("https://127.0.0.1:3000", false), Err(BaseError::Scheme));
        for text in [
            "",
            "127.0.0.1:3000",
            "ftp://127.0.0.1",
            "http://",
            "http://127.0.0.1/?a=b",
            "http://a@127.0.0.1",
        ] {
            assert_eq!(Base::parse(text, false), Err(BaseError::Form), "{text}");
        }
    }

    #[test]
    fn the_origin_always_names_a_port() {
        assert_eq!(Base::parse("http://127.0.0.1/x", false).unwrap().origin(), "http://127.0.0.1:80");
        let base = Base::parse("http://[::1]:3000/a", false).unwrap();
        assert_eq!(
            (base.authority().as_str(), base.stream_text().as_str()),
            ("[::1]:3000", "ws://[::1]:3000/a")
        );
    }
}
