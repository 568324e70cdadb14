//! WebSocket frames.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::agent::wire;

fuzz_target!(|bytes: &[u8]| {
    let _ = wire::frame(bytes);
});
