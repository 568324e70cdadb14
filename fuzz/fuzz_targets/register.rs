//! Bodies of registrations and goodbyes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::agent::wire;

fuzz_target!(|bytes: &[u8]| {
    if let Ok((report, _)) = wire::report(bytes, "ACC") {
        // What is not read cannot leak.
        assert!(!format!("{report:?}").contains("delegateRandomToken"));
    }
    let _ = wire::goodbye(bytes, "ACC");
    let _ = wire::capacity(bytes);
});
