//! The query of a page: whatever is understood is written in a form that means the same.
#![no_main]

use fleet::query::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(query) = Query::parse(text) else { return };
    let written = query.to_url();
    assert_eq!(Query::parse(&written).as_ref(), Ok(&query), "{written}");
    assert_eq!(Query::parse(&written).map(|again| again.to_url()), Ok(written));
});
