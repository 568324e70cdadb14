//! `rollcall api-key create --user alex@company.example --name nightly`.

use clap::Subcommand;
use fleet::access::Reach;
use fleet::scope::Scope;

use super::{CommandError, clock, open_store};
use crate::auth::directory::Directory;
use crate::config::Config;
use crate::deeds::Actor;
use crate::deeds::keys::{create_api_key, revoke_api_key};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a key and print it. It is not shown again.
    Create {
        /// E-mail of its owner: the key can do what they can.
        #[arg(long)]
        user: String,
        /// What it is called.
        #[arg(long)]
        name: String,
        /// What it is bound to [default: the widest scope of the owner's roles]
        #[arg(long)]
        scope: Option<Scope>,
        /// Days until its end, 1 to 365; without, it has none.
        #[arg(long, default_value = "")]
        days: String,
    },
    /// Revoke a key.
    Revoke {
        /// E-mail of its owner.
        #[arg(long)]
        user: String,
        /// Its public part: the third of the four.
        #[arg(long, allow_hyphen_values = true)]
        id: String,
    },
    /// Print the keys of somebody, one a line: public part, scope, name.
    List {
        /// E-mail of their owner.
        #[arg(long)]
        user: String,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let store = open_store(config).await?;
    let directory = Directory::default();
    directory.reload(&*store).await?;
    let (tables, actor, now) = (directory.tables(), Actor::command_line(), clock().now());
    let find = |email: &str| {
        tables.by_email(email).cloned().ok_or_else(|| CommandError::from(format!("there is no user {email}")))
    };
    match command {
        Command::Create { user, name, scope, days } => {
            let owner = find(&user)?;
            let scope = match scope {
                Some(scope) => scope,
                None => {
                    widest(tables.assignments_of(&owner.id).map(|row| &row.reach), &store.scopes().await?)
                        .ok_or_else(|| {
                            format!("{user} has no role in a single account; name a scope with --scope")
                        })?
                }
            };
            if !store.scopes().await?.contains(&scope) {
                return Err(format!("scope {scope} does not exist").into());
            }
            let (text, changes) = create_api_key(&actor, &owner, &scope, &name, &days, now)?;
            store.commit(&changes).await?;
            println!("{text}");
        }
        Command::Revoke { user, id } => {
            store.commit(&revoke_api_key(&tables, &actor, &find(&user)?.id, &id, now)?).await?;
        }
        Command::List { user } => {
            let owner = find(&user)?.id;
            let mut keys: Vec<_> = tables
                .api_keys
                .values()
                .filter(|key| key.user == owner && key.revoked_at.is_none())
                .collect();
            keys.sort_by_key(|key| key.created_at);
            for key in keys {
                println!("{} {} {}", key.id, key.scope, key.name);
            }
        }
    }
    store.close().await;
    Ok(())
}

/// The widest scope of some roles; for the whole server, the one account there is.
fn widest<'a>(reaches: impl Iterator<Item = &'a Reach>, scopes: &[Scope]) -> Option<Scope> {
    let mut accounts = scopes.iter().filter(|scope| scope.organization().is_none());
    let only = match (accounts.next(), accounts.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    };
    let scope = |reach: &Reach| match reach {
        Reach::Server => only.clone(),
        Reach::Scope(scope) => Some(scope.clone()),
    };
    reaches.filter_map(scope).min_by_key(|scope| scope.ancestors().count())
}
