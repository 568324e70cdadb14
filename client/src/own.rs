//! Calls of Rollcall's own API.

use fleet::query::Query;
use fleet::scope::Scope;
use reqwest::Method;

use super::{Client, ClientError, Delegates};

impl Client {
    /// Every delegate that a query selects in a scope, with the counts of the whole scope.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn delegates(&self, scope: &Scope, query: &Query) -> Result<Delegates, ClientError> {
        let mut path = vec!["api", "v1", "accounts", scope.account()];
        for (word, part) in [("orgs", scope.organization()), ("projects", scope.project())] {
            path.extend(part.map(|part| [word, part]).into_iter().flatten());
        }
        path.push("delegates");
        let written = query.to_url();
        let pairs: Vec<(String, String)> = form_urlencoded::parse(written.as_bytes()).into_owned().collect();
        let mut pairs: Vec<(&str, &str)> = pairs.iter().map(|(key, value)| (&**key, &**value)).collect();
        pairs.push(("format", "json"));
        let answer = self.call(Method::GET, &path, &pairs, None).await?;
        serde_json::from_value(answer.value).map_err(|error| ClientError::Shape(error.to_string()))
    }
}
