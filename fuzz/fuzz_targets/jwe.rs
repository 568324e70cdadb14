//! Credentials: what cannot be opened says so, what can be opened is read or refused.
#![no_main]

use aes_gcm::{Aes128Gcm, KeyInit as _};
use libfuzzer_sys::fuzz_target;
use server::agent::jwe::Jwe;

const KEY: [u8; 16] =
    [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut jwe) = Jwe::parse(text) else { return };
    if jwe.open(&Aes128Gcm::new(&KEY.into())) {
        let _ = jwe.claims();
    }
    assert!(!format!("{jwe:?}").contains(text));
});
