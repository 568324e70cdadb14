//! `rollcall serve`.

use super::{CommandError, catalog, clock, open_store, open_vault};
use crate::application::Application;
use crate::config::Config;
use crate::telemetry;

pub(super) async fn run(config: &Config) -> Result<(), CommandError> {
    telemetry::start(&config.log, config.log_json)?;
    let store = open_store(config).await?;
    let vault = open_vault(config, &*store).await?;
    if let Some(file) = &config.serve.catalog {
        let json = catalog::read(file)?;
        if let Err(problems) = fleet::catalog::Catalog::import(&json) {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Err(format!("{} cannot be imported:\n  {}", file.display(), lines.join("\n  ")).into());
        }
        if store.catalog().await?.as_deref() != Some(&*json) {
            store.put_catalog(&json, clock().now()).await?;
        }
    }
    let application = Application::build(config, store, vault, clock()).await?;
    println!("http://{}", application.address());
    application.run_until_signal().await?;
    Ok(())
}
