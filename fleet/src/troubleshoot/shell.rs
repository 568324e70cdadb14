//! Commands with names that somebody else chose.
//!
//! Names of delegates, hosts and namespaces come from agents. A command is copied by a person into a shell, so nothing
//! in a name may become anything but a name.

/// What stands for a character that could act on the terminal itself.
const HARMLESS: char = '?';

/// One word of a POSIX shell that means exactly this text.
///
/// Control characters would act on the terminal even inside quotes, and invisible ones would show another text than the
/// one that is copied; both become `?`.
#[must_use]
pub fn quote(text: &str) -> String {
    let text: String = text.chars().map(|c| if is_unseen(c) { HARMLESS } else { c }).collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Control characters, and those that change how others are shown.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
