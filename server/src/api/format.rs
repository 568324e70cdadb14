//! In which form tools get a list, and how they ask for one.

use std::borrow::Cow;

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use fleet::query::QueryError;
use fleet::scope::Scope;
use fleet::time::Timestamp;

/// How the entries of a list are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// Comma-separated values (RFC 4180), safe to open in a spreadsheet.
    Csv,
}

impl Format {
    const ALL: [Self; 3] = [Self::Json, Self::Ndjson, Self::Csv];

    /// The format of a request: the parameter `format`, else the best of `Accept`, else JSON.
    ///
    /// # Errors
    /// `word` stands for no format.
    pub fn asked(word: &str, headers: &HeaderMap) -> Result<Self, QueryError> {
        if word.is_empty() {
            return Ok(Self::accepted(headers));
        }
        let refused =
            || QueryError { field: "format", message: "must be one of json, ndjson, csv".to_owned() };
        Self::parse(word).ok_or_else(refused)
    }

    /// The format of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }

    /// The first of those that are liked best; what is not offered counts for nothing.
    fn accepted(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let mut best = (0.0, Self::Json);
        for part in lines.flat_map(|line| line.split(',')) {
            let mut parts = part.split(';').map(str::trim);
            let format = match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
                "application/json" | "application/*" | "*/*" => Self::Json,
                "application/x-ndjson" | "application/ndjson" => Self::Ndjson,
                "text/csv" | "text/*" => Self::Csv,
                _ => continue,
            };
            let weight =
                parts.find_map(|part| part.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
            if weight > best.0 {
                best = (weight, format);
            }
        }
        best.1
    }

    /// The word of the parameter, and the end of a file's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
        }
    }

    /// Its `Content-Type`.
    #[must_use]
    pub const fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
        })
    }

    /// `Content-Disposition` of a file such as `rollcall-delegates-acme-payments-20261120T120000Z.csv`.
    #[must_use]
    pub fn attachment(self, what: &str, scope: &Scope, at: Timestamp) -> Option<HeaderValue> {
        // Identifiers hold nothing that means something in a header or to a file system, but '$' to a shell.
        let scope = scope.to_string().replace('/', "-").replace('$', "_");
        let at = at.to_utc().format("%Y%m%dT%H%M%SZ");
        let value = format!("attachment; filename=\"rollcall-{what}-{scope}-{at}.{}\"", self.as_str());
        HeaderValue::try_from(value).ok()
    }
}

/// A cell of CSV that no spreadsheet takes for a formula.
#[must_use]
pub fn cell(text: &str) -> Cow<'_, str> {
    let risky = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    if !risky && !text.contains(['"', ',', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let guard = if risky { "'" } else { "" };
    Cow::Owned(format!("\"{guard}{}\"", text.replace('"', "\"\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(value: &'static str) -> Format {
        Format::asked("", &HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(value))])).unwrap()
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-2", "\"'-2\""),
            ("@cmd, \"x\"", "\"'@cmd, \"\"x\"\"\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("a,b", "\"a,b\""),
            ("a\nb", "\"a\nb\""),
            ("1-1", "1-1"),
        ] {
            assert_eq!(cell(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_parameter_wins_over_the_header() {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("text/csv"))]);
        assert_eq!(Format::asked("ndjson", &headers), Ok(Format::Ndjson));
        let refused = Format::asked("xml", &headers).unwrap_err();
        assert_eq!((refused.field, &*refused.message), ("format", "must be one of json, ndjson, csv"));
    }

    #[test]
    fn the_header_names_what_is_liked_best() {
        assert_eq!(accepting("text/csv"), Format::Csv);
        assert_eq!(accepting("application/x-ndjson"), Format::Ndjson);
        assert_eq!(accepting("text/csv;q=0.5, application/x-ndjson;q=0.9"), Format::Ndjson);
        assert_eq!(accepting("text/csv, application/json"), Format::Csv);
        assert_eq!(accepting("text/csv;q=0"), Format::Json);
        assert_eq!(accepting("text/html, application/xhtml+xml, */*;q=0.8"), Format::Json);
        assert_eq!(accepting("image/png"), Format::Json);
        assert_eq!(Format::asked("", &HeaderMap::new()), Ok(Format::Json));
    }

    #[test]
    fn a_file_is_named_after_its_scope_and_instant() {
        let scope: Scope = "acme/pay$1".parse().unwrap();
        let name = Format::Csv.attachment("delegates", &scope, Timestamp::from_millis(1_795_176_000_000));
        assert_eq!(
            name.unwrap(),
            "attachment; filename=\"rollcall-delegates-acme-pay_1-20261120T120000Z.csv\""
        );
    }
}
