//! Serves over TLS: certificates from files, read again when they change.

mod certificates;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{self, ServerConfig};

pub use certificates::Certificates;

/// How often the files are looked at.
const CHECK_EVERY: Duration = Duration::from_secs(20);

/// Where certificate and key are, both in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those between it and the root.
    pub cert: PathBuf,
    /// Its private key: PKCS #8, PKCS #1 or SEC 1, without a password.
    pub key: PathBuf,
}

/// Why there can be no TLS. Names the file; holds no key material.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is missing or cannot be read.
    #[error("tls: {} cannot be read: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A file has no certificate in it, or a broken one.
    #[error("tls: {} holds no certificate in PEM that can be used", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// A file has no private key in it, or one that is of no use.
    #[error("tls: {} holds no private key in PEM without a password that can be used", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The two do not belong together.
    #[error("tls: the key in {} does not belong to the certificate in {}", key.display(), cert.display())]
    Mismatch {
        /// File of the key.
        key: PathBuf,
        /// File of the certificate.
        cert: PathBuf,
    },
    /// The protocol cannot be set up.
    #[error("tls: {0}")]
    Setup(#[from] rustls::Error),
}

/// A certificate that is exchanged while it is used.
pub struct Exchange {
    certificates: Arc<Certificates>,
    /// Agrees on keys with clients.
    pub acceptor: TlsAcceptor,
}

impl Exchange {
    /// Reads the files.
    ///
    /// # Errors
    /// They cannot be used.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let certificates = Arc::new(Certificates::open(files)?);
        let acceptor = TlsAcceptor::from(server_config(&certificates)?);
        Ok(Self { certificates, acceptor })
    }

    /// Takes changed files over, for ever; while they cannot be used, the certificate before them stays.
    pub async fn watch(&self) {
        self.certificates.watch(CHECK_EVERY).await;
    }
}

fn server_config(certificates: &Arc<Certificates>) -> Result<Arc<ServerConfig>, TlsError> {
    let mut config = ServerConfig::builder_with_provider(certificates::provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::clone(certificates) as _);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests;
