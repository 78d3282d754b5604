//! The signals that end a server.

/// Handles SIGTERM and Ctrl-C from now on; the result waits for them.
pub(crate) fn signal() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::SignalKind;
        // Without a handler, the signal's default action ends the process.
        let kinds = [SignalKind::terminate(), SignalKind::interrupt()];
        kinds.map(|kind| tokio::signal::unix::signal(kind).ok())
    };
    async move {
        #[cfg(unix)]
        {
            let [mut terminate, mut interrupt] = signals;
            tokio::select! {
                () = received(&mut terminate) => {}
                () = received(&mut interrupt) => {}
            }
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
async fn received(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
