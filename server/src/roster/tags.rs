//! Custom tags of groups, as people change them (`management-api 3`).

use std::sync::Arc;
use std::time::Duration;

use fleet::delegate::GroupFacts;
use fleet::time::Timestamp;
use tokio::sync::MutexGuard;

use super::Roster;
use crate::store::{Alone, StoreError, within};

/// What other nodes did is known within this time, or nothing is changed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Holds others off changing tags until it is dropped.
#[derive(Debug)]
#[must_use = "others are held off only while it lives"]
pub struct TagTurn<'a> {
    _still: MutexGuard<'a, ()>,
    _everywhere: Alone,
    _here: MutexGuard<'a, ()>,
}

impl Roster {
    /// Lets one at a time change tags, on whichever node, with everything in memory that the one before left, and nothing
    /// on its way to the store that was made of the tags as they are.
    ///
    /// # Errors
    /// The store does not say whose turn it is, or what other nodes did.
    pub async fn turn_for_tags(&self, now: Timestamp) -> Result<TagTurn<'_>, StoreError> {
        // At most one connection of a node waits for its turn: those that do the work are not all taken.
        let here = self.tag_turns.lock().await;
        let everywhere = self.store.turn("tags").await?;
        within(PATIENCE, self.follow(now)).await?;
        Ok(TagTurn { _still: self.writer.still().await, _everywhere: everywhere, _here: here })
    }

    /// A group as it is, and as it would be with other custom tags; none if there is no such group.
    pub fn with_tags(
        &self,
        account: &str,
        group: &str,
        change: impl FnOnce(&[Arc<str>]) -> Vec<String>,
    ) -> Option<(Arc<GroupFacts>, GroupFacts)> {
        let before = self.group_facts(account, group)?;
        let tags = change(&before.tags);
        let tags = self.interner.tags(tags.iter().map(String::as_str));
        let after = GroupFacts { tags, ..(*before).clone() };
        Some((before, after))
    }

    /// Makes memory follow tags that are stored.
    pub fn set_tags(&self, account: &str, group: &str, tags: &Arc<[Arc<str>]>) {
        let Some(account) = self.account(account) else { return };
        let change = |facts: &GroupFacts| GroupFacts { tags: Arc::clone(tags), ..facts.clone() };
        if account.write(|members| members.change_group(group, change)).is_some() {
            account.changed_by_hand();
        }
    }
}
