//! Texts from outside, as people see them.

use fleet::text::{is_hidden, shown};

#[test]
fn what_cannot_be_seen_is_told_in_words() {
    assert_eq!(shown("edge\u{202e}a"), "edge⟨U+202E⟩a");
    assert_eq!(shown("\u{feff}edge\u{200b}"), "⟨U+FEFF⟩edge⟨U+200B⟩");
    assert_eq!(shown("tab\there"), "tab⟨U+0009⟩here");
}

#[test]
fn what_can_be_seen_stays_as_it_is() {
    for text in ["edge-a", "grüße", "デリゲート", "مندوب", "a b", "⟨U+202E⟩", ""] {
        assert_eq!(shown(text), text);
    }
}

#[test]
fn the_bounds_of_the_ranges_are_exact() {
    for (visible, hidden) in [
        ('\u{200a}', '\u{200b}'),
        ('\u{2010}', '\u{200f}'),
        ('\u{2027}', '\u{2028}'),
        ('\u{202f}', '\u{202e}'),
        ('\u{205f}', '\u{2060}'),
        ('\u{2070}', '\u{206f}'),
        ('~', '\u{7f}'),
        ('\u{a0}', '\u{9f}'),
    ] {
        assert!(!is_hidden(visible), "{visible:?}");
        assert!(is_hidden(hidden), "{hidden:?}");
    }
}
