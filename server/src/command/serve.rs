//! `rollcall serve`.

use std::io::Write as _;

use fleet::time::DAY;

use super::{CommandError, catalog, clock, open_store, open_vault};
use crate::application::Application;
use crate::auth::directory::Directory;
use crate::auth::secret;
use crate::config::Config;
use crate::store::Store;
use crate::store::access::{Change, LinkRow, Purpose};
use crate::telemetry;

/// How long the link of the first start works.
const SETUP_LINK: i64 = DAY;

pub(super) async fn run(config: &Config) -> Result<(), CommandError> {
    telemetry::start(&config.log, config.log_json)?;
    let store = open_store(config).await?;
    let vault = open_vault(config, &*store).await?;
    let anybody = somebody_can_sign_in(&*store).await?;
    if !anybody && !config.serve.listen.ip().is_loopback() {
        return Err(format!(
            "listen: {} can be reached from other machines, and nobody can sign in yet; create somebody with: rollcall \
             user create --email EMAIL --scope ACCOUNT --role admin",
            config.serve.listen
        )
        .into());
    }
    if let Some(file) = &config.serve.catalog {
        let json = catalog::read(file)?;
        if let Err(problems) = fleet::catalog::Catalog::import(&json) {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Err(format!("{} cannot be imported:\n  {}", file.display(), lines.join("\n  ")).into());
        }
        if store.catalog().await?.as_deref() != Some(&*json) {
            catalog::put(&*store, json, clock().now()).await?;
        }
    }
    let setup = if anybody { None } else { Some(setup_link(&*store).await?) };
    let application = Application::build(config, store, vault, clock()).await?;
    let scheme = if config.serve.tls.is_some() { "https" } else { "http" };
    let address = format!("{scheme}://{}", application.address());
    let mut lines = format!("{address}\n");
    if let Some(code) = setup {
        let base = config.serve.public_url.as_deref().unwrap_or(&address);
        tracing::info!("nobody can sign in yet: open the link on standard output within a day");
        lines = format!("{lines}{base}/setup/{code}\n");
    }
    // Whoever started this may have stopped reading: that must not stop the server.
    let mut out = std::io::stdout();
    let _ = out.write_all(lines.as_bytes()).and_then(|()| out.flush());
    application.run_until_signal().await?;
    Ok(())
}

async fn somebody_can_sign_in(store: &dyn Store) -> Result<bool, CommandError> {
    let directory = Directory::default();
    directory.reload(store).await?;
    Ok(directory.tables().anybody(false))
}

/// A link that creates the first admin. Links of earlier starts stop working when they are out of date.
async fn setup_link(store: &dyn Store) -> Result<String, CommandError> {
    let (code, now) = (secret::random(), clock().now());
    let link = LinkRow {
        hash: secret::hash(&code).into(),
        purpose: Purpose::Setup,
        user: "".into(),
        expires_at: now.plus(SETUP_LINK),
    };
    store.commit(&[Change::PutLink(link, now)]).await?;
    Ok(code.to_string())
}
