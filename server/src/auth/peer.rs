//! From where a request comes: the peer, or the last untrusted hop behind configured proxies (`agent-protocol 9.5`).

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, HeaderName};
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of whoever asks; none where the server cannot tell.
#[must_use]
pub fn address(headers: &HeaderMap, extensions: &Extensions, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    source(peer, headers, trusted)
}

/// The peer, or behind trusted proxies the last hop that is none of them. None if a proxy names no usable address.
fn source(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> Option<IpAddr> {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    let mut source = peer?.to_canonical();
    let lines: Vec<_> = headers.get_all(FORWARDED_FOR).iter().collect();
    // Each proxy adds the address it was called from behind those it was told.
    for line in lines.into_iter().rev() {
        for hop in line.to_str().ok()?.rsplit(',') {
            if !is_trusted(&source) {
                return Some(source);
            }
            source = hop.trim().parse::<IpAddr>().ok()?.to_canonical();
        }
    }
    Some(source)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn seen(peer: &str, forwarded: &[&'static str]) -> Option<IpAddr> {
        let headers = forwarded.iter().map(|line| (FORWARDED_FOR, HeaderValue::from_static(line)));
        let trusted = ["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        source(Some(ip(peer)), &headers.collect(), &trusted)
    }

    #[test]
    fn a_peer_that_is_no_proxy_is_the_source_whatever_it_claims() {
        assert_eq!(seen("192.0.2.1", &["10.0.0.1, 10.0.0.2"]), Some(ip("192.0.2.1")));
        assert_eq!(seen("::ffff:192.0.2.1", &[]), Some(ip("192.0.2.1")));
        assert_eq!(source(None, &HeaderMap::new(), &[]), None);
    }

    #[test]
    fn behind_proxies_the_last_untrusted_hop_is_the_source() {
        assert_eq!(seen("10.0.0.9", &["192.0.2.1"]), Some(ip("192.0.2.1")));
        assert_eq!(seen("10.0.0.9", &["198.51.100.7, 192.0.2.1, 10.1.1.1"]), Some(ip("192.0.2.1")));
        assert_eq!(seen("::1", &["198.51.100.7", "2001:db8::5,10.1.1.1"]), Some(ip("2001:db8::5")));
        assert_eq!(seen("::ffff:10.0.0.9", &["::ffff:192.0.2.1"]), Some(ip("192.0.2.1")));
    }

    #[test]
    fn where_every_hop_is_trusted_the_first_one_is_the_source() {
        assert_eq!(seen("10.0.0.9", &["10.2.2.2, 10.1.1.1"]), Some(ip("10.2.2.2")));
        assert_eq!(seen("10.0.0.9", &[]), Some(ip("10.0.0.9")));
    }

    #[test]
    fn a_proxy_that_names_no_address_leaves_the_source_unknown() {
        assert_eq!(seen("10.0.0.9", &["unknown"]), None);
        assert_eq!(seen("10.0.0.9", &["192.0.2.1, unknown"]), None);
        assert_eq!(
            seen("10.0.0.9", &["unknown, 192.0.2.1"]),
            Some(ip("192.0.2.1")),
            "nobody looks behind it"
        );
    }
}
