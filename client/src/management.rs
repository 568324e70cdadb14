//! Calls of the management API.

use fleet::scope::Scope;
use reqwest::Method;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::http::aside;
use super::{Answer, Client, ClientError, Delegate, Latest, Replica};

const SETUP: [&str; 3] = ["ng", "api", "delegate-setup"];

/// A list of delegates, as far as it can be understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Those that were understood.
    pub delegates: Vec<Delegate>,
    /// How many were not.
    pub skipped: usize,
    /// Instances of those that were, which were not.
    pub skipped_instances: usize,
}

impl Client {
    /// Delegates of exactly this scope; with `all`, of those below it too.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn list(&self, scope: &Scope, all: bool) -> Result<Answer<Listed>, ClientError> {
        let mut query = place(scope);
        if all {
            query.push(("all", "true"));
        }
        // Other servers may want it.
        let body = json!({"filterType": "Delegate"});
        let answer = self.call(Method::POST, &setup(&["listDelegates"]), &query, Some(&body)).await?;
        let Answer { value, date } = answer;
        let value = aside(move || listed(value)).await??;
        Ok(Answer { value, date })
    }

    /// The version that delegates of a scope should run.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn latest(&self, scope: &Scope) -> Result<Answer<Latest>, ClientError> {
        let path = setup(&["latest-supported-version"]);
        let answer = self.call(Method::GET, &path, &place(scope), None).await?;
        answer.try_map(|envelope| {
            serde_json::from_value(resource(envelope)?).map_err(|error| ClientError::Shape(error.to_string()))
        })
    }

    /// Takes a delegate from the list, by its identifier or else its name; with `force` although it is connected.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn delete(&self, scope: &Scope, delegate: &str, force: bool) -> Result<(), ClientError> {
        let mut query = place(scope);
        if force {
            query.push(("forceDelete", "true"));
        }
        self.call(Method::DELETE, &setup(&["delegate", delegate]), &query, None).await?;
        Ok(())
    }
}

fn listed(envelope: Value) -> Result<Listed, ClientError> {
    let Value::Array(entries) = resource(envelope)? else {
        return Err(ClientError::Shape("its resource is no list".to_owned()));
    };
    let mut listed = Listed::default();
    for mut entry in entries {
        listed.skipped_instances += drop_unreadable(&mut entry);
        match serde_json::from_value(entry) {
            Ok(delegate) => listed.delegates.push(delegate),
            Err(_) => listed.skipped += 1,
        }
    }
    Ok(listed)
}

/// Takes instances that cannot be understood out of an entry; how many those were.
fn drop_unreadable(entry: &mut Value) -> usize {
    let Some(Value::Array(replicas)) = entry.get_mut("delegateReplicas") else { return 0 };
    let all = replicas.len();
    replicas.retain(|replica| Replica::deserialize(replica).is_ok());
    all - replicas.len()
}

fn setup<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&SETUP, rest].concat()
}

fn place(scope: &Scope) -> Vec<(&'static str, &str)> {
    let mut query = vec![("accountIdentifier", scope.account())];
    query.extend(scope.organization().map(|organization| ("orgIdentifier", organization)));
    query.extend(scope.project().map(|project| ("projectIdentifier", project)));
    query
}

/// What an envelope holds.
fn resource(mut envelope: Value) -> Result<Value, ClientError> {
    match envelope.get_mut("resource") {
        Some(resource) => Ok(resource.take()),
        None => Err(ClientError::Shape("it has no resource".to_owned())),
    }
}
