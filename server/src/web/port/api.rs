//! What scripts and tools may call, for the page about it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use app::port::api::{ApiReference, Operation, Parameter, Section};
use serde_json::Value;

use crate::api::openapi;

static REFERENCE: LazyLock<Arc<ApiReference>> = LazyLock::new(|| Arc::new(read()));

/// Headings in the order of the page.
const ORDER: [&str; 6] = ["Rollcall", "Delegates", "Tokens", "Tags", "Install files", "Group details"];
const METHODS: [(&str, &str); 4] = [("get", "GET"), ("post", "POST"), ("put", "PUT"), ("delete", "DELETE")];

/// The reference, made once.
pub(super) fn reference() -> Arc<ApiReference> {
    Arc::clone(&REFERENCE)
}

fn read() -> ApiReference {
    let document = serde_json::to_value(openapi::document()).unwrap_or_default();
    let mut found: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (key, method) in METHODS {
            if let Some(operation) = item.get(key) {
                let tag = text(&operation["tags"][0]);
                found.entry(tag).or_default().push(read_operation(path, method, operation));
            }
        }
    }
    let sections = ORDER.into_iter().filter_map(|title| {
        let operations = found.remove(title)?;
        Some(Section { title: title.to_owned(), operations })
    });
    ApiReference { sections: sections.collect(), document: openapi::PATH }
}

fn read_operation(path: &str, method: &'static str, operation: &Value) -> Operation {
    let parameters = operation["parameters"].as_array().into_iter().flatten().map(|parameter| Parameter {
        name: text(&parameter["name"]),
        place: if parameter["in"] == "path" { "path" } else { "query" },
        required: parameter["required"] == true,
        about: text(&parameter["description"]),
    });
    let statuses = operation["responses"].as_object().into_iter().flatten();
    Operation {
        id: text(&operation["operationId"]),
        method,
        path: path.to_owned(),
        summary: text(&operation["summary"]),
        parameters: parameters.collect(),
        body: example(&operation["requestBody"]),
        answer: example(&operation["responses"]["200"]),
        statuses: statuses
            .map(|(status, response)| (status.clone(), text(&response["description"])))
            .collect(),
    }
}

/// The first example of a body, as people read it.
fn example(body: &Value) -> Option<String> {
    let content = body["content"].as_object()?;
    match content.values().find_map(|content| content.get("example"))? {
        Value::String(text) => Some(text.clone()).filter(|text| text.len() > 3),
        value => serde_json::to_string_pretty(value).ok(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
