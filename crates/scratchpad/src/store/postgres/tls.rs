//! TLS for connections: the same library and cipher suites as the proxy's.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
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
use tokio_rustls::{TlsConnector, client};

use crate::model::error::{Error, Result};
use crate::model::settings::store_url::{Certificates, PostgresUrl};

/// How to speak TLS, if the server does.
#[derive(Clone)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    /// What `sslmode` and `sslrootcert` ask for.
    pub(super) fn new(url: &PostgresUrl) -> Result<Self> {
        let failed =
            |error: &dyn fmt::Display| Error::usage(format!("TLS can't be set up: {error}."));
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
            config: Arc::new(config.with_no_client_auth()),
        })
    }
}

/// The authorities in the file that `sslrootcert` names, else those that browsers trust.
fn roots(url: &PostgresUrl) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let Some(path) = &url.root_certificates else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let shown = path.display();
    let wrong = |what: String| {
        Error::usage(what)
            .hint("`sslrootcert` in `store.url` names a file of certificates in PEM form.")
    };
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| wrong(format!("Can't read the certificates in {shown}: {error}.")))?;
    let (added, _) = roots.add_parsable_certificates(certificates);
    if added == 0 {
        return Err(wrong(format!("{shown} has no certificate.")));
    }
    Ok(roots)
}

/// Trusts whoever answers (as `sslmode=require` of every `PostgreSQL` client does), or whoever has a certificate of an
/// authority, whatever name is on it (as `sslmode=verify-ca` does).
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

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Stream<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Handshake> {
        let name = ServerName::try_from(domain.to_owned()).map_err(io::Error::other)?;
        Ok(Handshake {
            connector: TlsConnector::from(self.config.clone()),
            name,
        })
    }
}

pub(super) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Stream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, stream).await.map(Stream) })
    }
}

/// What the driver reads from and writes to.
pub(super) struct Stream<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
