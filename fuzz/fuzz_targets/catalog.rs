//! Catalog documents: what is taken over answers questions about versions.
#![no_main]

use fleet::catalog::Catalog;
use fleet::time::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(catalog) = Catalog::import(text) {
        let now = Timestamp::from_millis(1_795_176_000_000);
        let _ = catalog.latest(None, None, now);
        let _ = catalog.is_stale(now);
    }
});
