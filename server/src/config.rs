//! Settings of the process: defaults, then a file, then `ROLLCALL_*`, then flags. The one place that reads the environment.

mod values;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use ipnet::IpNet;
use serde::Deserialize;

use self::values::{address, host_of, networks, prefix, public_url, tls};
use crate::auth::oidc::OidcConfig;

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
    /// Address to listen on; beyond this machine only once somebody can sign in [default: 127.0.0.1:3000]
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
    /// The address that browsers use, such as `https://rollcall.company.example`.
    #[arg(long, env = "ROLLCALL_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Certificate chain (PEM) to serve TLS with.
    #[arg(long, env = "ROLLCALL_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate.
    #[arg(long, env = "ROLLCALL_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Addresses or networks of proxies in front, whose X-Forwarded-For counts; separated by commas.
    #[arg(long, env = "ROLLCALL_TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',')]
    trusted_proxies: Vec<String>,
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
    public_url: Option<String>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    trusted_proxies: Vec<String>,
    oidc: Option<OidcConfig>,
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
    /// Address and port.
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
    /// The address that browsers use, without a slash at its end.
    pub public_url: Option<String>,
    /// Certificate chain and private key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Proxies in front.
    pub trusted_proxies: Vec<IpNet>,
    /// The identity provider; only in the settings file.
    pub oidc: Option<OidcConfig>,
}

impl Serve {
    /// Whether browsers reach the server over TLS, here or at a proxy in front.
    #[must_use]
    pub fn over_tls(&self) -> bool {
        self.tls.is_some() || self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }

    /// Host names that pages may be asked for under, besides those of this machine.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let public = self.public_url.as_deref().and_then(host_of).map(ToOwned::to_owned);
        self.allowed_hosts.iter().cloned().chain(public).collect()
    }
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
                listen: address(&listen)?,
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
                oidc: file.oidc,
                public_url: serve.public_url.or(file.public_url).map(|text| public_url(&text)).transpose()?,
                tls: tls(serve.tls_cert.or(file.tls_cert), serve.tls_key.or(file.tls_key))?,
                trusted_proxies: networks(if serve.trusted_proxies.is_empty() {
                    &file.trusted_proxies
                } else {
                    &serve.trusted_proxies
                })?,
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
    fn an_address_has_a_port() {
        for good in ["127.0.0.1:3000", "[::1]:3000", "localhost:3000", "0.0.0.0:3000"] {
            assert!(listen(good).is_ok(), "{good}");
        }
        for bad in ["3000", "example.com", "127.0.0.1"] {
            assert!(listen(bad).expect_err(bad).to_string().contains("no address"), "{bad}");
        }
    }

    #[test]
    fn the_public_address_decides_about_tls_and_hosts() {
        let config = |url: &str| {
            let serve = ServeOptions { public_url: Some(url.to_owned()), ..ServeOptions::default() };
            Config::load(Options::default(), serve).map(|config| config.serve)
        };
        let serve = config("https://rollcall.example:8443/").expect("address");
        assert_eq!((serve.over_tls(), serve.hosts()), (true, vec!["rollcall.example".to_owned()]));
        assert!(!config("http://rollcall.example").expect("address").over_tls());
        for bad in ["rollcall.example", "https://", "https://a/b", "ftp://a", "https://user@host"] {
            assert!(config(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn certificate_and_key_come_together() {
        let serve = ServeOptions { tls_cert: Some("cert.pem".into()), ..ServeOptions::default() };
        let error = Config::load(Options::default(), serve).expect_err("no key").to_string();
        assert!(error.contains("tls_key"), "{error}");
    }

    #[test]
    fn proxies_are_addresses_or_networks() {
        let config = |text: &str| {
            let serve = ServeOptions { trusted_proxies: vec![text.to_owned()], ..ServeOptions::default() };
            Config::load(Options::default(), serve)
        };
        assert!(config("10.0.0.0/8").is_ok() && config("192.0.2.1").is_ok() && config("fd00::/8").is_ok());
        assert!(config("proxy.example").is_err());
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
