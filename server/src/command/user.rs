//! `rollcall user create --email alex@company.example --scope acme --role admin`.

use std::io::{IsTerminal as _, Read as _};
use std::sync::Arc;

use clap::{Args, Subcommand};
use fleet::access::Reach;
use fleet::scope::Scope;
use fleet::time::{HOUR, Timestamp};
use zeroize::Zeroizing;

use super::{CommandError, clock, open_store};
use crate::auth::directory::{Directory, Tables};
use crate::auth::password::Passwords;
use crate::auth::secret;
use crate::config::{Config, DEFAULT_LISTEN};
use crate::deeds::Actor;
use crate::deeds::people::{
    NewAssignment, NewPerson, assign, checked_password, checked_resources, create, set_disabled, set_password,
};
use crate::store::SharedStore;
use crate::store::access::{Change, LinkRow, Purpose, UserKind, UserRow};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create somebody, with a password from standard input, and give them a role. Prints their id.
    ///
    /// Somebody who exists gets the role; then nothing is read.
    Create(Create),
    /// Set a new password from standard input; all sessions end.
    Password {
        /// Who.
        #[arg(long)]
        email: String,
    },
    /// Shut somebody out.
    Disable {
        /// Who.
        #[arg(long)]
        email: String,
    },
    /// Let somebody in again.
    Enable {
        /// Who.
        #[arg(long)]
        email: String,
    },
    /// Print a link that signs somebody in, once, within an hour.
    Link {
        /// Who.
        #[arg(long)]
        email: String,
        /// Address of the server.
        #[arg(long)]
        url: Option<String>,
        /// Path to lead to, such as `/a/acme/delegates`.
        #[arg(long)]
        next: Option<String>,
    },
    /// Print everybody, one a line: e-mail, and each role with its scope.
    List,
}

/// Whom to create.
#[derive(Debug, Args)]
pub(super) struct Create {
    /// E-mail to sign in with; with --service, the name of a service account.
    #[arg(long)]
    email: String,
    /// Where the role holds, and below: ACCOUNT[/ORGANIZATION[/PROJECT]], or * for the whole server.
    #[arg(long)]
    scope: String,
    /// admin, operator, viewer, or WORD@SCOPE of a custom role.
    #[arg(long)]
    role: String,
    /// Name for people.
    #[arg(long, default_value = "")]
    name: String,
    /// Identifiers of delegates that the role is narrowed to, separated by commas.
    #[arg(long, default_value = "")]
    delegates: String,
    /// A service account: has API keys and no sign-in; no password is read.
    #[arg(long)]
    service: bool,
    /// Nobody with a password: signs in through the identity provider, or with a link.
    #[arg(long)]
    no_password: bool,
}

pub(super) async fn run(config: &Config, command: Command) -> Result<(), CommandError> {
    let store = open_store(config).await?;
    let directory = Directory::default();
    directory.reload(&*store).await?;
    let desk =
        Desk { store: &store, tables: directory.tables(), actor: Actor::command_line(), now: clock().now() };
    match command {
        Command::Create(new) => desk.create(new).await?,
        Command::Password { email } => desk.password(&email).await?,
        Command::Disable { email } => desk.set_disabled(&email, true).await?,
        Command::Enable { email } => desk.set_disabled(&email, false).await?,
        Command::Link { email, url, next } => {
            let public = config.serve.public_url.clone();
            let base = url.or(public).unwrap_or_else(|| format!("http://{DEFAULT_LISTEN}"));
            desk.link(&email, &base, next).await?;
        }
        Command::List => desk.list(),
    }
    store.close().await;
    Ok(())
}

/// What the commands work with.
struct Desk<'a> {
    store: &'a SharedStore,
    tables: Arc<Tables>,
    actor: Actor,
    now: Timestamp,
}

impl Desk<'_> {
    async fn create(&self, asked: Create) -> Result<(), CommandError> {
        let reach = reach(&asked.scope)?;
        if let Reach::Scope(scope) = &reach
            && !self.store.scopes().await?.contains(scope)
        {
            let how = format!("create it with: rollcall scope create {scope}");
            return Err(format!("scope {scope} does not exist; {how}").into());
        }
        let (tables, now) = (&self.tables, self.now);
        let new = NewAssignment { role: asked.role, resources: checked_resources(&asked.delegates)?, reach };
        let (user, mut changes) = if let Some(user) = tables.by_email(&asked.email) {
            (user.clone(), Vec::new())
        } else {
            let kind = if asked.service { UserKind::Service } else { UserKind::Person };
            let with_password = !(asked.service || asked.no_password);
            let password = if with_password { Some(new_password().await?) } else { None };
            let person = NewPerson { email: asked.email, name: asked.name, password, kind };
            let owner = match &new.reach {
                Reach::Server => None,
                Reach::Scope(scope) => Some(scope),
            };
            create(tables, &self.actor, owner, &person, now)?
        };
        changes.extend(assign(tables, &self.actor, &user, &new, now)?);
        self.store.commit(&changes).await?;
        println!("{}", user.id);
        Ok(())
    }

    async fn password(&self, email: &str) -> Result<(), CommandError> {
        let user = self.person(email)?;
        let (home, hash) = (self.tables.home(&user.id), new_password().await?);
        Ok(self.store.commit(&set_password(&self.actor, home.as_ref(), user, hash, "", self.now)).await?)
    }

    async fn set_disabled(&self, email: &str, disabled: bool) -> Result<(), CommandError> {
        let user = self.find(email)?;
        let home = self.tables.home(&user.id);
        let changes = set_disabled(&self.tables, &self.actor, home.as_ref(), &user.id, disabled, self.now)?;
        Ok(self.store.commit(&changes).await?)
    }

    async fn link(&self, email: &str, base: &str, next: Option<String>) -> Result<(), CommandError> {
        let (user, code) = (self.person(email)?, secret::random());
        let row = LinkRow {
            hash: secret::hash(&code).into(),
            purpose: Purpose::SignIn,
            user: user.id.clone(),
            expires_at: self.now.plus(HOUR),
        };
        let line = self
            .actor
            .line(self.now, "link.create", "user", &*user.email, self.tables.home(&user.id).as_ref())
            .says(format!("A link that signs {} in was made", user.email));
        self.store.commit(&[Change::PutLink(row, self.now), line.change()]).await?;
        let next = next.map_or_else(String::new, |next| {
            let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
            format!("?next={next}")
        });
        println!("{}/sign-in/link/{}{next}", base.trim_end_matches('/'), code.as_str());
        Ok(())
    }

    fn list(&self) {
        let mut users: Vec<_> = self.tables.users.values().collect();
        users.sort_by(|a, b| a.email.cmp(&b.email));
        for user in users {
            let roles = self.tables.assignments_of(&user.id).map(|row| format!("{}={}", row.reach, row.role));
            let disabled = if user.disabled { " (disabled)" } else { "" };
            println!("{}{disabled} {}", user.email, roles.collect::<Vec<_>>().join(" "));
        }
    }

    fn find(&self, email: &str) -> Result<&UserRow, CommandError> {
        self.tables.by_email(email).ok_or_else(|| format!("there is no user {email}").into())
    }

    /// Somebody who signs in.
    fn person(&self, email: &str) -> Result<&UserRow, CommandError> {
        let user = self.find(email)?;
        match user.kind {
            UserKind::Person => Ok(user),
            UserKind::Service => {
                Err(format!("{email} is a service account: it has API keys and no sign-in").into())
            }
        }
    }
}

fn reach(text: &str) -> Result<Reach, CommandError> {
    if text == "*" {
        return Ok(Reach::Server);
    }
    let scope: Scope = text.parse().map_err(|error| format!("scope: {error}"))?;
    Ok(Reach::Scope(scope))
}

/// The hash of a new password from standard input.
async fn new_password() -> Result<Box<str>, CommandError> {
    let text = checked_password("password", &read_password()?)?;
    Ok(Passwords::default().hash(text).await?)
}

/// One line of standard input.
fn read_password() -> Result<Zeroizing<String>, CommandError> {
    let mut input = std::io::stdin();
    if input.is_terminal() {
        eprintln!("rollcall: type the password (it is shown), then Enter and Ctrl-D");
    }
    let mut text = Zeroizing::new(String::new());
    input.by_ref().take(4_096).read_to_string(&mut text)?;
    Ok(Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}
