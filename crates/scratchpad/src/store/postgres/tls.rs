//! TLS, with the same library and cipher suites as the proxy. The certificate checks for `sslmode` are here; the
//! connector, with channel binding, is a crate.

use std::fmt;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls_improved::MakeRustlsConnect;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{self, CryptoProvider};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};

use crate::model::error::{Error, Result};
use crate::model::settings::store_url::{Certificates, PostgresUrl};
use crate::model::text::message::{Message, message};

/// The TLS configuration of a connection.
#[derive(Clone)]
pub(super) struct Tls {
    connector: MakeRustlsConnect,
}

impl Tls {
    /// The configuration that `sslmode` and `sslrootcert` ask for.
    pub(super) fn new(url: &PostgresUrl) -> Result<Self> {
        let failed = |error: &dyn fmt::Display| {
            Error::usage(message!(
                "TLS can't be set up: {error}.",
                error = error.to_string()
            ))
        };
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| failed(&error))?;
        let config = match url.certificates {
            Certificates::Any => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Trusting {
                    provider,
                    authorities: None,
                })),
            Certificates::Authority => {
                let authorities = WebPkiServerVerifier::builder_with_provider(
                    Arc::new(roots(url)?),
                    provider.clone(),
                )
                .build()
                .map_err(|error| failed(&error))?;
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(Trusting {
                        provider,
                        authorities: Some(authorities),
                    }))
            }
            Certificates::AuthorityAndName => builder.with_root_certificates(roots(url)?),
        };
        Ok(Self {
            connector: MakeRustlsConnect::new(config.with_no_client_auth()),
        })
    }
}

/// The root certificates in the file that `sslrootcert` names, else those that browsers trust.
fn roots(url: &PostgresUrl) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let Some(path) = &url.root_certificates else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let wrong = |what: Message| {
        Error::usage(what)
            .hint("`sslrootcert` in `store.url` names a file of certificates in PEM form.")
    };
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| {
            wrong(message!(
                "Can't read the certificates in {path}: {error}.",
                path = path.display(),
                error = error.to_string()
            ))
        })?;
    let (added, _) = roots.add_parsable_certificates(certificates);
    if added == 0 {
        return Err(wrong(message!(
            "{path} has no certificate.",
            path = path.display()
        )));
    }
    Ok(roots)
}

/// Trusts any certificate (as libpq does for `sslmode=require`), or any certificate of a trusted authority, whatever
/// its host name (as for `sslmode=verify-ca`).
#[derive(Debug)]
struct Trusting {
    provider: Arc<CryptoProvider>,
    authorities: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, TlsError> {
        let Some(authorities) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        match authorities.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        ) {
            // The chain is checked before the name.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        crypto::verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        crypto::verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = <MakeRustlsConnect as MakeTlsConnect<S>>::Stream;
    type TlsConnect = <MakeRustlsConnect as MakeTlsConnect<S>>::TlsConnect;
    type Error = <MakeRustlsConnect as MakeTlsConnect<S>>::Error;

    fn make_tls_connect(
        &mut self,
        host: &str,
    ) -> std::result::Result<Self::TlsConnect, Self::Error> {
        // The driver asks for a connector even for a Unix socket, which has no host name and never uses TLS.
        let host = if host.is_empty() { "localhost" } else { host };
        MakeTlsConnect::<S>::make_tls_connect(&mut self.connector, host)
    }
}
