//! A heartbeat as it comes in: path, query, body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::agent::{path, query, wire};

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let mut text = || std::str::from_utf8(parts.next().unwrap_or_default()).unwrap_or_default();
    let (path, asked) = (text(), text());
    if let Some(meant) = path::agent_path(path, Some("/gratis")) {
        assert!(path.ends_with(&*meant), "{meant}");
        assert_eq!(path::agent_path(&meant, None).as_deref(), Some(&*meant), "one of ours without any prefix");
    }
    let account = query::value(Some(asked), "accountId").unwrap_or_default();
    let body = parts.next().unwrap_or_default();
    let first = wire::report(body, &account).map(|(report, _)| format!("{report:?}")).ok();
    let again = wire::report(body, &account).map(|(report, _)| format!("{report:?}")).ok();
    assert_eq!(first, again);
});
