//! A query as parameters of a URL, both ways.

use std::str::FromStr;

use form_urlencoded::Serializer;

use super::{
    Filter, Health, InstanceStatus, MAX_FILTER_TAGS, MAX_OPEN, MAX_SEARCH, PAGE_SIZES, Query, QueryError,
    UnknownWord,
};
use crate::health::Status;
use crate::upgrade::State;

pub(super) fn parse(query: &str) -> Result<Query, QueryError> {
    let pairs = form_urlencoded::parse(query.strip_prefix('?').unwrap_or(query).as_bytes());
    let parameters = Parameters(pairs.into_owned().collect());
    let filter = Filter {
        health: parameters.word("health")?,
        search: parameters.text("search")?,
        status: parameters.word("status")?,
        version_status: parameters.word("versionStatus")?,
        auto_upgrade: parameters.word("autoUpgrade")?,
        name: parameters.text("delegateName")?,
        kind: parameters.text("delegateType")?,
        tags: parameters.tags("delegateTags")?,
        host_name: parameters.text("hostName")?,
    };
    let (below, usable) = (parameters.flag("all")?, parameters.flag("usable")?);
    if below && usable {
        return Err(QueryError { field: "usable", message: "cannot be combined with all".to_owned() });
    }
    Ok(Query {
        filter,
        sort: parameters.word("sort")?,
        page: parameters.page()?,
        size: parameters.size()?,
        below,
        usable,
        open: parameters.open("open")?,
    })
}

/// Names and values in the order of the URL.
struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Every non-empty value of a parameter.
    fn all<'a>(&'a self, field: &'static str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(name, _)| name == field);
        named.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// The last value of a parameter; none when it is empty.
    fn last(&self, field: &'static str) -> Option<&str> {
        let (_, value) = self.0.iter().rev().find(|(name, _)| name == field)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    fn word<T: FromStr<Err = UnknownWord>>(&self, field: &'static str) -> Result<Option<T>, QueryError> {
        let value = self.last(field).map(str::parse).transpose();
        value.map_err(|error: UnknownWord| QueryError { field, message: error.to_string() })
    }

    fn text(&self, field: &'static str) -> Result<Option<String>, QueryError> {
        self.last(field).map(|text| short(field, text)).transpose()
    }

    fn tags(&self, field: &'static str) -> Result<Vec<String>, QueryError> {
        let parts = self.all(field).flat_map(|value| value.split(',')).map(str::trim);
        let tags: Result<Vec<_>, _> =
            parts.filter(|tag| !tag.is_empty()).map(|tag| short(field, tag)).collect();
        few(field, tags?, MAX_FILTER_TAGS)
    }

    fn open(&self, field: &'static str) -> Result<Vec<String>, QueryError> {
        let ids: Result<Vec<_>, _> = self.all(field).map(|id| short(field, id)).collect();
        few(field, ids?, MAX_OPEN)
    }

    fn page(&self) -> Result<u32, QueryError> {
        let page = self.last("page").map_or(Ok(1), str::parse);
        let refused = || QueryError { field: "page", message: "must be a whole number from 1".to_owned() };
        page.ok().filter(|&page| page >= 1).ok_or_else(refused)
    }

    fn size(&self) -> Result<u32, QueryError> {
        let size = self.last("size").map_or(Ok(PAGE_SIZES[0]), str::parse);
        size.ok().filter(|size| PAGE_SIZES.contains(size)).ok_or_else(|| {
            let sizes = PAGE_SIZES.map(|size| size.to_string()).join(", ");
            QueryError { field: "size", message: format!("must be one of {sizes}") }
        })
    }

    fn flag(&self, field: &'static str) -> Result<bool, QueryError> {
        match self.last(field) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(QueryError { field, message: "must be one of true, false".to_owned() }),
        }
    }
}

fn short(field: &'static str, text: &str) -> Result<String, QueryError> {
    if text.chars().count() <= MAX_SEARCH {
        return Ok(text.to_owned());
    }
    Err(QueryError { field, message: format!("must have at most {MAX_SEARCH} characters") })
}

/// Each text once, in order of appearance, and not too many of them.
fn few(field: &'static str, texts: Vec<String>, most: usize) -> Result<Vec<String>, QueryError> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if kept.contains(&text) {
            continue;
        }
        if kept.len() == most {
            return Err(QueryError { field, message: format!("must be given at most {most} times") });
        }
        kept.push(text);
    }
    Ok(kept)
}

pub(super) fn write(query: &Query) -> String {
    let mut url = Serializer::new(String::new());
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            url.append_pair(name, value);
        }
    };
    let filter = &query.filter;
    put("health", filter.health.map(Health::as_str));
    put("search", filter.search.as_deref());
    put("status", filter.status.map(InstanceStatus::as_str));
    put("versionStatus", filter.version_status.map(Status::as_str));
    put("autoUpgrade", filter.auto_upgrade.map(State::as_str));
    put("delegateName", filter.name.as_deref());
    put("delegateType", filter.kind.as_deref());
    for tag in &filter.tags {
        put("delegateTags", Some(tag));
    }
    put("hostName", filter.host_name.as_deref());
    put("sort", query.sort.map(|sort| sort.to_string()).as_deref());
    put("page", (query.page != 1).then(|| query.page.to_string()).as_deref());
    put("size", (query.size != PAGE_SIZES[0]).then(|| query.size.to_string()).as_deref());
    put("all", query.below.then_some("true"));
    put("usable", (query.usable && !query.below).then_some("true"));
    for id in &query.open {
        put("open", Some(id));
    }
    url.finish()
}
