//! Texts into values that can be used, or the reason why not.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;

use super::{ConfigError, DEFAULT_LISTEN};

/// The host of an address, without its port.
pub(super) fn host_of(url: &str) -> Option<&str> {
    let authority = url.split_once("://")?.1.split('/').next()?;
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(host),
        _ => Some(authority),
    }
}

/// Reads an address with a port; `localhost` is 127.0.0.1.
pub(super) fn address(text: &str) -> Result<SocketAddr, ConfigError> {
    let text =
        text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    text.parse().map_err(|_| ConfigError::Value {
        setting: "listen",
        problem: format!("{text:?} is no address with a port, such as {DEFAULT_LISTEN}"),
    })
}

/// Reads the address that browsers use: scheme and host alone.
pub(super) fn public_url(text: &str) -> Result<String, ConfigError> {
    let url = text.trim().trim_end_matches('/');
    let host = ["https://", "http://"].into_iter().find_map(|scheme| url.strip_prefix(scheme));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']) => Ok(url.to_owned()),
        _ => Err(ConfigError::Value {
            setting: "public_url",
            problem: format!("{text:?} is no address such as https://rollcall.company.example"),
        }),
    }
}

/// Certificate and key: both or none.
pub(super) fn tls(
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<(PathBuf, PathBuf)>, ConfigError> {
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Some((cert, key))),
        (None, None) => Ok(None),
        (Some(_), None) => {
            Err(ConfigError::Value { setting: "tls_key", problem: "is missing beside tls_cert".to_owned() })
        }
        (None, Some(_)) => {
            Err(ConfigError::Value { setting: "tls_cert", problem: "is missing beside tls_key".to_owned() })
        }
    }
}

/// Reads addresses and networks.
pub(super) fn networks(texts: &[String]) -> Result<Vec<IpNet>, ConfigError> {
    let network = |text: &String| {
        let text = text.trim();
        let net = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        net.map_err(|_| ConfigError::Value {
            setting: "trusted_proxies",
            problem: format!("{text:?} is no address or network such as 10.0.0.0/8"),
        })
    };
    texts.iter().map(network).collect()
}

/// Reads a path; none for the root.
pub(super) fn prefix(text: &str) -> Result<Option<String>, ConfigError> {
    let trimmed = text.trim_end_matches('/');
    if trimmed.is_empty() {
        return Ok(None);
    }
    let valid = trimmed.starts_with('/')
        && trimmed.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '~'));
    if valid {
        return Ok(Some(trimmed.to_owned()));
    }
    Err(ConfigError::Value {
        setting: "agent-prefix",
        problem: format!("{text:?} is no path, such as /gratis"),
    })
}
