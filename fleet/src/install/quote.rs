//! Text as one value of a foreign language: whatever it holds, it stays one value and means itself.

use std::fmt::Write as _;

/// Words that YAML 1.1 or 1.2 reads as something else than text.
const YAML_WORDS: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "nan"];

/// A YAML scalar that is read as exactly this text: plain where that is safe, in double quotes otherwise.
#[must_use]
pub fn yaml(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let plain = text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !YAML_WORDS.contains(&&*lower);
    if plain { text.to_owned() } else { escaped(text) }
}

/// A JSON string, quotes included.
#[must_use]
pub fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A string literal of the Terraform language, quotes included; templates in the text stay text.
#[must_use]
pub fn hcl(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    let literal = escaped(text);
    let mut chars = literal.chars().peekable();
    while let Some(c) = chars.next() {
        quoted.push(c);
        // `${` and `%{` begin a template unless their sign is doubled.
        if matches!(c, '$' | '%') && chars.peek() == Some(&'{') {
            quoted.push(c);
        }
    }
    quoted
}

/// One word of a POSIX shell.
#[must_use]
pub fn shell(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-./:@+=,".contains(c);
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric() || "-./_".contains(c));
    if plain && text.chars().all(harmless) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The value of one line of an environment file. Such files know no line breaks, so those become spaces.
#[must_use]
pub fn env_file(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-./:@+=,".contains(c);
    if line.chars().all(harmless) {
        line
    } else if line.contains('\'') {
        let mut quoted = String::from("\"");
        for c in line.chars() {
            if matches!(c, '"' | '\\' | '$' | '`') {
                quoted.push('\\');
            }
            quoted.push(c);
        }
        quoted.push('"');
        quoted
    } else {
        format!("'{line}'")
    }
}

/// In double quotes with the escapes that YAML and the Terraform language share.
fn escaped(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                // Writing into a text cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
