//! Cells of an export: no spreadsheet takes one for a formula, and the text can be read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::api::format::cell;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let cell = cell(text);
    let inner = cell.strip_prefix('"').map_or(&*cell, |rest| rest.strip_suffix('"').unwrap_or(rest));
    assert!(!inner.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
    if cell.starts_with('"') {
        let read = inner.replace("\"\"", "\"");
        assert!(read == text || read.strip_prefix('\'') == Some(text), "{cell}");
    } else {
        assert!(!cell.contains([',', '"', '\n', '\r']), "{cell}");
        assert!(cell == text || cell.strip_prefix('\'') == Some(text), "{cell}");
    }
});
