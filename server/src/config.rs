//! Settings of the process: defaults, then a file, then `ROLLCALL_*`, then flags. The one place that reads the environment.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;

/// Where Rollcall listens unless told otherwise.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:3000";
/// Where Rollcall stores unless told otherwise.
pub const DEFAULT_DATABASE: &str = "sqlite://data/rollcall.db";
/// Where the master key is kept unless told otherwise.
pub const DEFAULT_MASTER_KEY_FILE: &str = "data/master.key";

/// What every command takes.
#[derive(Clone, Debug, Default, Args)]
pub struct Options {
    /// Settings file (TOML); flags and environment win over it.
    #[arg(id = "config", long = "config", env = "ROLLCALL_CONFIG", global = true, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME` [default: `sqlite://data/rollcall.db`]
    #[arg(long, env = "ROLLCALL_DATABASE", global = true, value_name = "URL", hide_env_values = true)]
    database: Option<String>,
    /// File with the key that delegate tokens are sealed under; made if missing [default: data/master.key]
    #[arg(long, env = "ROLLCALL_MASTER_KEY_FILE", global = true, value_name = "FILE")]
    master_key_file: Option<PathBuf>,
    /// Log filter, such as `info` or `server::agent=debug` [default: info]
    #[arg(long, env = "ROLLCALL_LOG", global = true, value_name = "FILTER")]
    log: Option<String>,
    /// Write logs as JSON lines.
    #[arg(long, env = "ROLLCALL_LOG_JSON", global = true)]
    log_json: bool,
}

/// What `serve` takes besides.
#[derive(Clone, Debug, Default, Args)]
pub struct ServeOptions {
    /// Address to listen on; loopback only [default: 127.0.0.1:3000]
    #[arg(long, env = "ROLLCALL_LISTEN", value_name = "ADDRESS")]
    listen: Option<String>,
    /// Path in front of every agent path, such as /gratis.
    #[arg(long, env = "ROLLCALL_AGENT_PREFIX", value_name = "PATH")]
    agent_prefix: Option<String>,
    /// Catalog document to import at start if it differs from the stored one.
    #[arg(long, env = "ROLLCALL_CATALOG", value_name = "FILE")]
    catalog: Option<PathBuf>,
    /// Repository of delegate images in answers to upgraders, such as registry.example/delegate.
    #[arg(long, env = "ROLLCALL_IMAGE_REPOSITORY", value_name = "REPOSITORY")]
    image_repository: Option<String>,
    /// Folder with scripts, styles and fonts [default: beside the program, else target/site]
    #[arg(long, env = "ROLLCALL_SITE", value_name = "FOLDER")]
    site: Option<PathBuf>,
    /// Host names, beside those of this machine, under which pages may be asked for; separated by commas.
    #[arg(long, env = "ROLLCALL_ALLOWED_HOSTS", value_name = "NAMES", value_delimiter = ',')]
    allowed_hosts: Vec<String>,
}

/// The file, all keys optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
struct FileSettings {
    listen: Option<String>,
    database: Option<String>,
    master_key_file: Option<PathBuf>,
    log: Option<String>,
    log_json: Option<bool>,
    agent_prefix: Option<String>,
    catalog: Option<PathBuf>,
    image_repository: Option<String>,
    site: Option<PathBuf>,
    allowed_hosts: Vec<String>,
}

/// What every command needs to know.
#[derive(Clone)]
pub struct Config {
    /// Database URL; may hold a password, so it is never printed.
    pub database: String,
    /// File of the master key.
    pub master_key_file: PathBuf,
    /// Log filter.
    pub log: String,
    /// Logs as JSON lines.
    pub log_json: bool,
    /// What only the server needs.
    pub serve: Serve,
}

/// What only the server needs to know.
#[derive(Clone, Debug)]
pub struct Serve {
    /// Loopback address and port.
    pub listen: SocketAddr,
    /// Starts with `/`, does not end with one.
    pub agent_prefix: Option<String>,
    /// Document to import at start.
    pub catalog: Option<PathBuf>,
    /// Repository in answers to upgraders.
    pub image_repository: Option<String>,
    /// Folder with scripts, styles and fonts.
    pub site: Option<PathBuf>,
    /// Host names besides loopback.
    pub allowed_hosts: Vec<String>,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("database", &redact(&self.database))
            .field("master_key_file", &self.master_key_file)
            .field("log", &self.log)
            .field("log_json", &self.log_json)
            .field("serve", &self.serve)
            .finish()
    }
}

/// Settings that cannot be used. Names the setting and what it should be.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The settings file cannot be read.
    #[error("settings file {path}: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A setting has a value that it cannot have.
    #[error("{setting}: {problem}")]
    Value {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Config {
    /// Puts file, environment and flags together and checks them.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(options: Options, serve: ServeOptions) -> Result<Self, ConfigError> {
        let file = options.file.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let listen = serve.listen.or(file.listen).unwrap_or_else(|| DEFAULT_LISTEN.to_owned());
        Ok(Self {
            database: options.database.or(file.database).unwrap_or_else(|| DEFAULT_DATABASE.to_owned()),
            master_key_file: options
                .master_key_file
                .or(file.master_key_file)
                .unwrap_or_else(|| DEFAULT_MASTER_KEY_FILE.into()),
            log: options.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            log_json: options.log_json || file.log_json.unwrap_or(false),
            serve: Serve {
                listen: loopback(&listen)?,
                agent_prefix: serve
                    .agent_prefix
                    .or(file.agent_prefix)
                    .map(|text| prefix(&text))
                    .transpose()?
                    .flatten(),
                catalog: serve.catalog.or(file.catalog),
                image_repository: serve.image_repository.or(file.image_repository),
                site: serve.site.or(file.site),
                allowed_hosts: if serve.allowed_hosts.is_empty() {
                    file.allowed_hosts
                } else {
                    serve.allowed_hosts
                },
            },
        })
    }
}

fn read_file(path: &Path) -> Result<FileSettings, ConfigError> {
    let problem = |problem: String| ConfigError::File { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    // The message of the parser without its excerpt, which could show a password.
    toml::from_str(&text).map_err(|error| problem(error.message().to_owned()))
}

/// Until people sign in, whoever reaches a page may see it: nothing but this machine may reach it.
fn loopback(text: &str) -> Result<SocketAddr, ConfigError> {
    let value = |problem: String| ConfigError::Value { setting: "listen", problem };
    let text =
        text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    let address: SocketAddr = text
        .parse()
        .map_err(|_| value(format!("{text:?} is no address with a port, such as {DEFAULT_LISTEN}")))?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err(value(format!(
        "{address} can be reached from other machines, and this version has no sign-in; \
         listen on 127.0.0.1 or [::1] and put a proxy with access control in front"
    )))
}

fn prefix(text: &str) -> Result<Option<String>, ConfigError> {
    let trimmed = text.trim_end_matches('/');
    if trimmed.is_empty() {
        return Ok(None);
    }
    let valid = trimmed.starts_with('/')
        && trimmed.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '~'));
    if valid {
        return Ok(Some(trimmed.to_owned()));
    }
    Err(ConfigError::Value {
        setting: "agent-prefix",
        problem: format!("{text:?} is no path, such as /gratis"),
    })
}

/// A database URL without its password.
#[must_use]
pub fn redact(url: &str) -> String {
    // Parameters can hold a password as well.
    let url = url.split('?').next().unwrap_or_default();
    match (url.find("://"), url.rfind('@')) {
        (Some(start), Some(end)) if start + 3 <= end => {
            let user = url[start + 3..end].split(':').next().unwrap_or_default();
            format!("{}{user}:…{}", &url[..start + 3], &url[end..])
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listen(text: &str) -> Result<SocketAddr, ConfigError> {
        let serve = ServeOptions { listen: Some(text.to_owned()), ..ServeOptions::default() };
        Config::load(Options::default(), serve).map(|config| config.serve.listen)
    }

    #[test]
    fn only_loopback_addresses_are_listened_on() {
        for good in ["127.0.0.1:3000", "127.8.8.8:1", "[::1]:3000", "localhost:3000"] {
            assert!(listen(good).is_ok(), "{good}");
        }
        for bad in ["0.0.0.0:3000", "[::]:3000", "10.0.0.1:80", "192.168.1.5:3000"] {
            let error = listen(bad).expect_err(bad).to_string();
            assert!(error.contains("no sign-in"), "{error}");
        }
        for bad in ["3000", "example.com", "127.0.0.1"] {
            assert!(listen(bad).expect_err(bad).to_string().contains("no address"), "{bad}");
        }
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("rollcall.toml");
        std::fs::write(&path, "listen = \"127.0.0.1:4000\"\ndatabase = \"sqlite://x.db\"\n").expect("write");
        let options = Options { file: Some(path), ..Options::default() };
        let serve = ServeOptions { listen: Some("127.0.0.1:5000".to_owned()), ..ServeOptions::default() };
        let config = Config::load(options, serve).expect("config");
        assert_eq!(config.serve.listen.port(), 5000);
        assert_eq!(config.database, "sqlite://x.db");
        assert_eq!(config.master_key_file, PathBuf::from(DEFAULT_MASTER_KEY_FILE));
    }

    #[test]
    fn an_unknown_key_of_the_file_is_named_without_showing_the_file() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("rollcall.toml");
        std::fs::write(&path, "databse = \"postgres://u:hunter2@h/d\"\n").expect("write");
        let options = Options { file: Some(path), ..Options::default() };
        let error = Config::load(options, ServeOptions::default()).expect_err("typo").to_string();
        assert!(error.contains("databse"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_password_never_shows() {
        assert_eq!(redact("postgres://rollcall:p@ss:w@db:5432/fleet"), "postgres://rollcall:…@db:5432/fleet");
        assert_eq!(redact("postgres://db/fleet?user=u&password=hunter2"), "postgres://db/fleet");
        assert_eq!(redact("sqlite://data/rollcall.db"), "sqlite://data/rollcall.db");
        let options = Options { database: Some("postgres://u:hunter2@h/d".to_owned()), ..Options::default() };
        let config = Config::load(options, ServeOptions::default()).expect("config");
        assert!(!format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn a_prefix_is_a_path_without_a_slash_at_its_end() {
        assert_eq!(prefix("/gratis/").expect("path"), Some("/gratis".to_owned()));
        assert_eq!(prefix("/").expect("root"), None);
        assert!(prefix("gratis").is_err());
        assert!(prefix("/a b").is_err());
    }
}
