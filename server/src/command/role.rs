//! `rollcall role create --scope acme --name "Night shift" --permission core_delegate_delete`.

use clap::Subcommand;
use fleet::access::{BuiltIn, Permission, Reach};
use fleet::scope::Scope;

use super::{CommandError, clock, open_store};
use crate::auth::directory::Directory;
use crate::config::Config;
use crate::deeds::Actor;
use crate::deeds::people::unassign;
use crate::deeds::roles::{create, remove};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a role and print the word to assign it with.
    Create {
        /// Where it can be assigned, and below.
        #[arg(long)]
        scope: Scope,
        /// Its name.
        #[arg(long)]
        name: String,
        /// What it allows, repeatable; `core_delegate_view` is always part of it.
        #[arg(long = "permission")]
        permissions: Vec<Permission>,
    },
    /// Remove a role from everybody who has it, and delete it.
    Delete {
        /// Where it was made.
        #[arg(long)]
        scope: Scope,
        /// Its word.
        #[arg(long, allow_hyphen_values = true)]
        id: String,
    },
    /// Take a role from somebody. Give one with: rollcall user create
    Unassign {
        /// Who.
        #[arg(long)]
        email: String,
        /// Where.
        #[arg(long)]
        scope: Scope,
        /// Which.
        #[arg(long)]
        role: String,
    },
    /// Print every role, one a line: word, permissions.
    List,
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let store = open_store(config).await?;
    let directory = Directory::default();
    directory.reload(&*store).await?;
    let (tables, actor, now) = (directory.tables(), Actor::command_line(), clock().now());
    match command {
        Command::Create { scope, name, permissions } => {
            if !store.scopes().await?.contains(&scope) {
                return Err(format!("scope {scope} does not exist").into());
            }
            let changes = create(&tables, &actor, &scope, &name, permissions.into_iter().collect(), now)?;
            store.commit(&changes).await?;
            for change in &changes {
                if let crate::store::access::Change::InsertRole(role) = change {
                    println!("{}@{}", role.id, role.scope);
                }
            }
        }
        Command::Delete { scope, id } => {
            store.commit(&remove(&tables, &actor, &scope, &id, now)?).await?;
        }
        Command::Unassign { email, scope, role } => {
            let user = tables.by_email(&email).ok_or_else(|| format!("there is no user {email}"))?;
            let reach = Reach::Scope(scope);
            let found = tables.assignments_of(&user.id).find(|row| *row.role == *role && row.reach == reach);
            let found = found.ok_or_else(|| format!("{email} is not {role} in {reach}"))?;
            store.commit(&unassign(&tables, &actor, &found.id, now)?).await?;
        }
        Command::List => {
            let text = |permissions: fleet::access::PermissionSet| {
                permissions.iter().map(Permission::as_str).collect::<Vec<_>>().join(",")
            };
            for role in BuiltIn::ALL {
                println!("{} {}", role.as_str(), text(role.permissions()));
            }
            for role in &tables.roles {
                println!("{}@{} {}", role.id, role.scope, text(role.permissions));
            }
        }
    }
    store.close().await;
    Ok(())
}
