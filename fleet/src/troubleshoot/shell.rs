//! Commands with names that somebody else chose.
//!
//! Names of delegates, hosts and namespaces come from agents. A command is copied by a person into a shell, so nothing
//! in a name may become anything but a name.

use crate::install::quote::shell;
use crate::text::is_hidden;

/// What stands for a character that could act on the terminal itself.
const HARMLESS: char = '?';

/// One word of a POSIX shell that means exactly this text.
///
/// Control characters would act on the terminal even inside quotes, and invisible ones would show another text than the
/// one that is copied; both become `?`.
#[must_use]
pub fn quote(text: &str) -> String {
    shell(&text.replace(is_hidden, &HARMLESS.to_string()))
}
