//! A small TCP proxy in front of a server, as a cable that can be cut.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What happens to sent data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It arrives.
    Whole,
    /// Connections are closed, and new ones are refused.
    Cut,
    /// Nothing arrives, and nobody gets an error.
    Frozen,
    /// Cut at the first client message with this text, which does not arrive; then whole again.
    CutBefore(&'static str),
    /// The same, but the message arrives and its answer does not.
    CutAfter(&'static str),
    /// Frozen from the first message with this text.
    FreezeAt(&'static str),
}

/// The cable. Every connection through it ends when the cable is cut or dropped.
pub struct Cable {
    pub port: u16,
    shared: Arc<Shared>,
}

/// What clients sent.
#[derive(Default)]
struct Traffic {
    bytes: Vec<u8>,
    round_trips: usize,
    /// Whether the server was the last to send.
    is_answered: bool,
}

struct Shared {
    state: Mutex<State>,
    open: Mutex<Vec<TcpStream>>,
    traffic: Mutex<Traffic>,
    server: SocketAddr,
}

impl Cable {
    pub fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            state: Mutex::new(State::Whole),
            open: Mutex::default(),
            traffic: Mutex::new(Traffic {
                is_answered: true,
                ..Traffic::default()
            }),
            server,
        });
        let accepting = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                accepting.connect(stream.unwrap());
            }
        });
        Self { port, shared }
    }

    pub fn set(&self, state: State) {
        *self.shared.state.lock().unwrap() = state;
        if state == State::Cut {
            self.shared.cut();
        }
    }

    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// How often clients sent something after the server had answered: with a single client, the number of round trips.
    pub fn round_trips(&self) -> usize {
        self.shared.traffic.lock().unwrap().round_trips
    }

    /// How often clients sent this text.
    pub fn sent(&self, text: &str) -> usize {
        let traffic = self.shared.traffic.lock().unwrap();
        memchr::memmem::find_iter(&traffic.bytes, text.as_bytes()).count()
    }
}

impl Shared {
    fn state(&self) -> State {
        *self.state.lock().unwrap()
    }

    fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            // The connection may be gone already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn connect(self: &Arc<Self>, client: TcpStream) {
        if self.state() == State::Cut {
            return;
        }
        let Ok(server) = TcpStream::connect(self.server) else {
            return;
        };
        for (from, to, is_client) in [(&client, &server, true), (&server, &client, false)] {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            let shared = self.clone();
            thread::spawn(move || shared.pass_on(from, to, is_client));
        }
        self.open.lock().unwrap().extend([client, server]);
    }

    fn pass_on(&self, mut from: TcpStream, mut to: TcpStream, is_client: bool) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read) = from.read(&mut buffer)
            && read > 0
        {
            let bytes = &buffer[..read];
            self.count(bytes, is_client);
            let has =
                |text: &str| is_client && memchr::memmem::find(bytes, text.as_bytes()).is_some();
            match self.state() {
                State::Frozen => continue,
                State::FreezeAt(text) if has(text) => {
                    *self.state.lock().unwrap() = State::Frozen;
                    continue;
                }
                State::CutBefore(text) if has(text) => {
                    self.once();
                    break;
                }
                State::CutAfter(text) if has(text) => {
                    // Close the way back first, so that no answer gets through.
                    let _ = from.shutdown(Shutdown::Both);
                    let _ = to.write_all(bytes);
                    // The server executes the message before it sees EOF.
                    self.once();
                    let _ = to.shutdown(Shutdown::Write);
                    return;
                }
                _ => {}
            }
            if to.write_all(bytes).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }

    fn count(&self, bytes: &[u8], is_client: bool) {
        let mut traffic = self.traffic.lock().unwrap();
        if is_client {
            traffic.bytes.extend_from_slice(bytes);
            traffic.round_trips += usize::from(traffic.is_answered);
        }
        traffic.is_answered = !is_client;
    }

    fn once(&self) {
        *self.state.lock().unwrap() = State::Whole;
    }
}
