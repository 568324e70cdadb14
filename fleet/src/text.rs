//! Characters that nobody sees but that change what is seen.

use std::fmt::Write as _;

/// Whether a character is invisible, or turns the direction of the text around it: control and format characters, such
/// as U+202E, which lets `gnp.exe` read as `exe.png`.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A text from outside with every such character in words, such as `edge⟨U+202E⟩a`.
#[must_use]
pub fn shown(text: &str) -> String {
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(shown, "\u{27e8}U+{:04X}\u{27e9}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}
