//! A query as parameters of a URL, both ways.

use std::str::FromStr;

use chrono::{NaiveDate, NaiveDateTime};
use form_urlencoded::Serializer;

use super::{
    Availability, Filter, Generation, Health, InstanceStatus, MAX_FILTER_TAGS, MAX_OPEN, MAX_SEARCH, Origin,
    PAGE_SIZES, Query, QueryError, UnknownWord,
};
use crate::delegate::Transport;
use crate::health::Status;
use crate::scope::Scope;
use crate::time::Timestamp;
use crate::upgrade::State;

/// How an instant is written.
const INSTANT: &str = "%Y-%m-%dT%H:%MZ";

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
        identifier: parameters.text("delegateGroupIdentifier")?,
        description: parameters.text("description")?,
        kind: parameters.text("delegateType")?,
        tags: parameters.tags("delegateTags")?,
        host_name: parameters.text("hostName")?,
        connectivity: parameters.several("connectivity", word)?,
        types: parameters.several("type", short)?,
        versions: parameters.several("version", short)?,
        tokens: parameters.several("token", short)?,
        scopes: parameters.several("scope", scope)?,
        redundancy: parameters.several("redundancy", word)?,
        marks: parameters.several("mark", word)?,
        generation: parameters.word("generation")?,
        transport: parameters.word("transport")?,
        source: parameters.word("source")?,
        availability: parameters.word("delegateInstanceFilter")?,
        expires: parameters.date("expires")?,
        silent: parameters.instant("silent")?,
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
        hidden: parameters.flag("hidden")?,
        open: parameters.open("open")?,
        folded: parameters.flag("fold")?,
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
        self.last(field).map(|text| word(field, text)).transpose()
    }

    /// Each value of a repeatable parameter once.
    fn several<T: PartialEq>(
        &self,
        field: &'static str,
        read: impl Fn(&'static str, &str) -> Result<T, QueryError>,
    ) -> Result<Vec<T>, QueryError> {
        let values: Result<Vec<_>, _> = self.all(field).map(|text| read(field, text)).collect();
        few(field, values?, MAX_FILTER_TAGS)
    }

    fn date(&self, field: &'static str) -> Result<Option<NaiveDate>, QueryError> {
        let refused = |_| QueryError { field, message: "must be a day such as 2026-11-23".to_owned() };
        self.last(field).map(str::parse).transpose().map_err(refused)
    }

    fn instant(&self, field: &'static str) -> Result<Option<Timestamp>, QueryError> {
        let refused =
            || QueryError { field, message: "must be a time in UTC such as 2026-11-21T14:00Z".to_owned() };
        let read = |text| NaiveDateTime::parse_from_str(text, INSTANT).map(|at| at.and_utc().into());
        self.last(field).map(read).transpose().map_err(|_| refused())
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

fn word<T: FromStr<Err = UnknownWord>>(field: &'static str, text: &str) -> Result<T, QueryError> {
    text.parse().map_err(|error: UnknownWord| QueryError { field, message: error.to_string() })
}

fn scope(field: &'static str, text: &str) -> Result<Scope, QueryError> {
    let refused =
        |_| QueryError { field, message: "must be a scope such as account/organization/project".to_owned() };
    text.parse().map_err(refused)
}

fn short(field: &'static str, text: &str) -> Result<String, QueryError> {
    if text.chars().count() <= MAX_SEARCH {
        return Ok(text.to_owned());
    }
    Err(QueryError { field, message: format!("must have at most {MAX_SEARCH} characters") })
}

/// Each value once, in order of appearance, and not too many of them.
fn few<T: PartialEq>(field: &'static str, texts: Vec<T>, most: usize) -> Result<Vec<T>, QueryError> {
    let mut kept: Vec<T> = Vec::new();
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
    put("delegateGroupIdentifier", filter.identifier.as_deref());
    put("description", filter.description.as_deref());
    put("delegateType", filter.kind.as_deref());
    for tag in &filter.tags {
        put("delegateTags", Some(tag));
    }
    put("hostName", filter.host_name.as_deref());
    filter.connectivity.iter().for_each(|value| put("connectivity", Some(value.as_str())));
    filter.types.iter().for_each(|value| put("type", Some(value)));
    filter.versions.iter().for_each(|value| put("version", Some(value)));
    filter.tokens.iter().for_each(|value| put("token", Some(value)));
    filter.scopes.iter().for_each(|value| put("scope", Some(&value.to_string())));
    filter.redundancy.iter().for_each(|value| put("redundancy", Some(value.as_str())));
    filter.marks.iter().for_each(|value| put("mark", Some(value.as_str())));
    put("generation", filter.generation.map(Generation::as_str));
    put("transport", filter.transport.map(Transport::as_str));
    put("source", filter.source.map(Origin::as_str));
    put("delegateInstanceFilter", filter.availability.map(Availability::as_str));
    put("expires", filter.expires.map(|day| day.to_string()).as_deref());
    put("silent", filter.silent.map(|at| at.to_utc().format(INSTANT).to_string()).as_deref());
    put("sort", query.sort.map(|sort| sort.to_string()).as_deref());
    put("page", (query.page != 1).then(|| query.page.to_string()).as_deref());
    put("size", (query.size != PAGE_SIZES[0]).then(|| query.size.to_string()).as_deref());
    put("all", query.below.then_some("true"));
    put("usable", (query.usable && !query.below).then_some("true"));
    put("hidden", query.hidden.then_some("true"));
    put("fold", query.folded.then_some("true"));
    for id in &query.open {
        put("open", Some(id));
    }
    url.finish()
}
