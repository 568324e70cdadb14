//! What one transaction changed, as other nodes are told: keys of rows, and heartbeats.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fleet::troubleshoot::Attempt;
use serde::{Deserialize, Serialize};

use super::TurnedAway;
use super::access::Change;
use super::records::Records;

type Text<'a> = Cow<'a, str>;

/// The changes of one transaction.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct News<'a> {
    /// Account, id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<(Text<'a>, Text<'a>)>,
    /// Account, id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    instances: Vec<(Text<'a>, Text<'a>)>,
    /// Account, alias.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<(Text<'a>, Text<'a>)>,
    /// Account, id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<(Text<'a>, Text<'a>)>,
    /// Account, group, instance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tombstones: Vec<(Text<'a>, Text<'a>, Text<'a>)>,
    /// Account to id and time.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    beats: BTreeMap<Text<'a>, Vec<(Text<'a>, i64)>>,
    /// Token id, time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    token_uses: Vec<(Text<'a>, i64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turned_away: Vec<TurnedAway>,
    /// Accounts in which a person did something.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    deeds: BTreeSet<Text<'a>>,
    /// By account.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<(Text<'a>, Attempt)>,
}

/// Another share of a text.
fn share(text: &str) -> Text<'_> {
    Cow::Borrowed(text)
}

impl<'a> From<&'a Records<'a>> for News<'a> {
    fn from(records: &'a Records<'a>) -> Self {
        let mut beats: BTreeMap<Text<'a>, Vec<(Text<'a>, i64)>> = BTreeMap::new();
        // A registration is a heartbeat too; those who only want to know who was silent do not read rows.
        let registered = records.instances.iter();
        let registered = registered.filter_map(|row| Some((&row.account, &row.id, row.last_heartbeat?)));
        let heard = records.beats.iter().map(|beat| (&beat.account, &beat.id, beat.at));
        for (account, id, at) in registered.chain(heard) {
            beats.entry(share(account)).or_default().push((share(id), at));
        }
        let groups = records.companions.iter().chain(&records.groups);
        Self {
            groups: groups.map(|row| (share(&row.account), share(&row.id))).collect(),
            instances: records.instances.iter().map(|row| (share(&row.account), share(&row.id))).collect(),
            aliases: records.aliases.iter().map(|row| (share(&row.account), share(&row.alias))).collect(),
            removed: records.removed.iter().map(|row| (share(&row.account), share(&row.id))).collect(),
            tombstones: records
                .tombstones
                .iter()
                .map(|row| (share(&row.account), share(&row.group_id), share(&row.instance_id)))
                .collect(),
            beats,
            token_uses: records.token_uses.iter().map(|row| (share(&row.id), row.at)).collect(),
            turned_away: records.turned_away.to_vec(),
            deeds: BTreeSet::new(),
            attempts: records
                .attempts
                .iter()
                .map(|(account, calls)| (share(account), calls.clone()))
                .collect(),
        }
    }
}

impl<'a> From<&'a [Change]> for News<'a> {
    fn from(changes: &'a [Change]) -> Self {
        let mut news = Self::default();
        for change in changes {
            match change {
                Change::Bury(stone) | Change::Lift(stone) => {
                    let key = (share(&stone.account), share(&stone.group), share(&stone.instance));
                    news.tombstones.push(key);
                    news.deeds.insert(share(&stone.account));
                }
                Change::SetApproval { account, group, .. }
                | Change::SetByChoice { account, group, .. }
                | Change::SetTags { account, group, .. } => {
                    news.groups.push((share(account), share(group)));
                    news.deeds.insert(share(account));
                }
                _ => {}
            }
        }
        news
    }
}

impl News<'_> {
    /// Whether it tells nothing of the fleet.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
            && self.instances.is_empty()
            && self.aliases.is_empty()
            && self.removed.is_empty()
            && self.tombstones.is_empty()
            && self.beats.is_empty()
            && self.token_uses.is_empty()
            && self.turned_away.is_empty()
            && self.attempts.is_empty()
    }

    /// Account, instance and time of each heartbeat.
    pub(super) fn beats(&self) -> impl Iterator<Item = (&str, &str, i64)> {
        self.beats
            .iter()
            .flat_map(|(account, beats)| beats.iter().map(move |(id, at)| (&**account, &**id, *at)))
    }
}

/// A key of two texts.
pub(super) type Key = (String, String);

/// Several [`News`] together: each row once.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) groups: BTreeSet<Key>,
    pub(super) instances: BTreeSet<Key>,
    pub(super) aliases: BTreeSet<Key>,
    pub(super) tombstones: BTreeSet<(String, String, String)>,
    pub(super) removed: BTreeSet<Key>,
    pub(super) beats: HashMap<String, HashMap<String, i64>>,
    pub(super) token_uses: HashMap<String, i64>,
    pub(super) turned_away: Vec<TurnedAway>,
    pub(super) deeds: HashSet<String>,
    pub(super) attempts: Vec<(String, Attempt)>,
}

impl Told {
    /// Adds what another node changed.
    pub(super) fn add(&mut self, news: News<'_>) {
        fn keys<'a>(rows: Vec<(Text<'a>, Text<'a>)>) -> impl Iterator<Item = Key> {
            rows.into_iter().map(|(account, id)| (account.into_owned(), id.into_owned()))
        }
        self.groups.extend(keys(news.groups));
        for key in keys(news.instances) {
            // One that was removed and comes again is there.
            self.removed.remove(&key);
            self.instances.insert(key);
        }
        self.aliases.extend(keys(news.aliases));
        for key in keys(news.removed) {
            self.instances.remove(&key);
            self.removed.insert(key);
        }
        let owned = |(account, group, instance): (Text<'_>, Text<'_>, Text<'_>)| {
            (account.into_owned(), group.into_owned(), instance.into_owned())
        };
        self.tombstones.extend(news.tombstones.into_iter().map(owned));
        for (account, beats) in news.beats {
            let of_account = self.beats.entry(account.into_owned()).or_default();
            for (id, at) in beats {
                let newest = of_account.entry(id.into_owned()).or_insert(at);
                *newest = at.max(*newest);
            }
        }
        for (token, at) in news.token_uses {
            let newest = self.token_uses.entry(token.into_owned()).or_insert(at);
            *newest = at.max(*newest);
        }
        self.turned_away.extend(news.turned_away);
        self.deeds.extend(news.deeds.into_iter().map(Cow::into_owned));
        let calls = news.attempts.into_iter();
        self.attempts.extend(calls.map(|(account, calls)| (account.into_owned(), calls)));
    }
}
