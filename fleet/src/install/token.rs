//! The hexadecimal form of a token, for clients that understand no other (`agent-protocol 1.2`).

/// Characters of the inner form.
const INNER: usize = 32;

/// The 32 hexadecimal characters in the outer form of a token, which is their base64; none if it is no token.
#[must_use]
pub fn inner_form(outer: &str) -> Option<String> {
    let mut bits: u32 = 0;
    let mut held = 0;
    let mut text = String::with_capacity(INNER);
    for c in outer.trim().trim_end_matches('=').chars() {
        let digit = match c {
            'A'..='Z' => u32::from(c) - u32::from('A'),
            'a'..='z' => u32::from(c) - u32::from('a') + 26,
            '0'..='9' => u32::from(c) - u32::from('0') + 52,
            '+' => 62,
            '/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | digit) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = char::from_u32(bits >> held & 0xff).filter(char::is_ascii_hexdigit)?;
            text.push(byte);
        }
    }
    (text.len() == INNER).then_some(text)
}
