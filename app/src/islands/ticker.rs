//! Relative times: every `time` of class `ago` below an element, in one pass.

use web_sys::Element;

use super::{dom, sight};
use crate::words;

/// Writes the ages as of now; the exact time stays within reach as a title.
pub(super) fn tell(root: &Element) {
    let now = sight::now();
    dom::each(root, "time.ago", |time| {
        let Some(at) = time.get_attribute("datetime").map(|text| js_sys::Date::parse(&text)) else { return };
        if at.is_nan() {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "dates of this age fit by far")]
        let at = at as i64;
        if !time.has_attribute("title") {
            let exact =
                time.text_content().filter(|text| text.ends_with("UTC")).unwrap_or_else(|| words::clock(at));
            let _ = time.set_attribute("title", &exact);
        }
        let age = now - at;
        dom::write(
            &time,
            &if time.has_attribute("data-s") { words::seconds_ago(age) } else { words::ago(age) },
        );
    });
}
