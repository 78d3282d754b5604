//! A third-party S3 server with a bucket.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::clients::installed;

/// The bucket's name.
pub const BUCKET: &str = "pads";

/// The server, which is killed on drop.
pub struct S3 {
    process: Child,
    pub address: String,
}

impl S3 {
    pub fn start() -> Self {
        let mut process = Command::new(installed("s3").join("s3/bin/moto_server"))
            .args(["--host", "127.0.0.1", "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("Running on ")?.1.trim().to_owned()))
            .expect("the S3 server says where it is");
        // It logs a line for each request: drain the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let made = ureq::put(format!("{address}/{BUCKET}")).send_empty();
        made.unwrap();
        Self { process, address }
    }

    /// The environment variables that point to it.
    pub fn variables(&self) -> Vec<(String, String)> {
        [
            ("AWS_ENDPOINT_URL", self.address.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    /// The object names in the bucket.
    pub fn names(&self) -> Vec<String> {
        let listed = ureq::get(format!("{}/{BUCKET}?list-type=2", self.address)).call();
        let text = listed.unwrap().body_mut().read_to_string().unwrap();
        let keys = text.split("<Key>").skip(1);
        keys.map(|rest| rest.split('<').next().unwrap().to_owned())
            .collect()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
