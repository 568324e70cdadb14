//! Comparing texts without regard to case and, for ASCII, without allocating.

/// A text to look for, in lower case once and for all.
pub(super) struct Needle {
    lower: Box<str>,
    is_ascii: bool,
}

impl Needle {
    /// A needle for this text, trimmed; none for an empty one.
    pub(super) fn new(text: &str) -> Option<Self> {
        let lower: Box<str> = text.trim().to_lowercase().into();
        let is_ascii = lower.is_ascii();
        (!lower.is_empty()).then_some(Self { lower, is_ascii })
    }

    /// Whether it is part of the text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        if !text.is_ascii() {
            return text.to_lowercase().contains(&*self.lower);
        }
        self.is_ascii && contains_ascii(text.as_bytes(), self.lower.as_bytes())
    }

    /// Whether it is the whole text.
    pub(super) fn is(&self, text: &str) -> bool {
        if text.is_ascii() {
            self.lower.eq_ignore_ascii_case(text)
        } else {
            text.to_lowercase() == *self.lower
        }
    }
}

/// `needle` is in lower case and not empty.
fn contains_ascii(text: &[u8], needle: &[u8]) -> bool {
    let (&[first, ..], &[.., last]) = (needle, needle) else { return false };
    let Some(last_start) = text.len().checked_sub(needle.len()) else { return false };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), &text[..=last_start]).any(|at| {
        let part = &text[at..at + needle.len()];
        // Names of one fleet begin alike and end differently.
        part[needle.len() - 1].to_ascii_lowercase() == last && part.eq_ignore_ascii_case(needle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(needle: &str, text: &str) -> bool {
        Needle::new(needle).unwrap().is_in(text)
    }

    #[test]
    fn a_part_is_found_whatever_the_case() {
        assert!(found("EDGE", "my-edge-a"));
        assert!(found("edge", "EDGE"));
        assert!(found("a", "EDGE-A"));
        assert!(!found("edges", "edge"));
        assert!(!found("x", ""));
        assert!(found("aab", "aaab"));
    }

    #[test]
    fn letters_beyond_ascii_are_found_too() {
        assert!(found("ZÜRICH", "edge-zürich"));
        assert!(found("edge", "EDGE-Zürich"));
        assert!(!found("ü", "u"));
        // The Kelvin sign is a K in lower case.
        assert!(found("k", "\u{212a}"));
        assert!(found("\u{212a}", "K"));
    }

    #[test]
    fn a_whole_text_is_compared_whatever_the_case() {
        assert!(Needle::new("Eu").unwrap().is("EU"));
        assert!(Needle::new("ÜBER").unwrap().is("über"));
        assert!(!Needle::new("eu").unwrap().is("eu2"));
    }

    #[test]
    fn blank_texts_are_no_needle() {
        assert!(Needle::new("  ").is_none());
    }
}
