//! The certificate in force, and how it is exchanged.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, InconsistentKeys};
use zeroize::Zeroizing;

use super::{TlsError, TlsFiles};

/// The certificate and key of two files, as they were when they could last be used.
pub struct Certificates {
    files: TlsFiles,
    current: RwLock<Arc<CertifiedKey>>,
}

impl std::fmt::Debug for Certificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificates").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Certificates {
    /// Reads both files and checks that they belong together.
    ///
    /// # Errors
    /// [`TlsError`]; it names the file.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let current = RwLock::new(Arc::new(load(&files)?));
        Ok(Self { files, current })
    }

    /// Reads both files again; tells whether there is another certificate now.
    ///
    /// # Errors
    /// They cannot be used; the certificate before stays in force.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        let fresh = load(&self.files)?;
        // A key is never exchanged alone: then it would not match.
        if fresh.cert == self.current().cert {
            return Ok(false);
        }
        *self.current.write() = Arc::new(fresh);
        Ok(true)
    }

    /// The certificate in force.
    pub(super) fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.current.read())
    }

    /// Refreshes for ever.
    pub(super) async fn watch(self: &Arc<Self>, every: Duration) {
        let mut told = None;
        loop {
            tokio::time::sleep(every).await;
            let certificates = Arc::clone(self);
            let Ok(refreshed) = tokio::task::spawn_blocking(move || certificates.refresh()).await else {
                continue;
            };
            match refreshed {
                Ok(changed) => {
                    told = None;
                    if changed {
                        tracing::info!(file = %self.files.cert.display(), "the certificate was exchanged");
                    }
                }
                Err(error) => {
                    // The files stay broken for many rounds; they are told of once.
                    let error = error.to_string();
                    if told.as_ref() != Some(&error) {
                        tracing::error!(%error, "the certificate before stays in force");
                    }
                    told = Some(error);
                }
            }
        }
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

/// The one implementation of cryptography.
pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn load(files: &TlsFiles) -> Result<CertifiedKey, TlsError> {
    let no_certificate = || TlsError::NoCertificate { path: files.cert.clone() };
    let no_key = || TlsError::NoKey { path: files.key.clone() };
    let pem = read(&files.cert)?;
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(&pem).collect::<Result<_, _>>().map_err(|_| no_certificate())?;
    if chain.is_empty() {
        return Err(no_certificate());
    }
    let key = PrivateKeyDer::from_pem_slice(&read(&files.key)?).map_err(|_| no_key())?;
    let key = provider().key_provider.load_private_key(key).map_err(|_| no_key())?;
    let certified = CertifiedKey::new(chain, key);
    match certified.keys_match() {
        Ok(()) => Ok(certified),
        Err(rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {
            Err(TlsError::Mismatch { key: files.key.clone(), cert: files.cert.clone() })
        }
        Err(_) => Err(no_certificate()),
    }
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, TlsError> {
    let read = std::fs::read(path).map(Zeroizing::new);
    read.map_err(|error| TlsError::File { path: path.to_owned(), error })
}
