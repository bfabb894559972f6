//! The real binary as a process of its own: its lines, its signals, its end.

#![allow(dead_code)]

use std::io::{BufRead, BufReader, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long the way out may take.
const GRACE: Duration = Duration::from_secs(5);

/// A running `heureka`; killed if the test ends before it does.
pub struct Process {
    child: Option<Child>,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    /// What was read of its output so far.
    read: String,
}

/// How a process ended, and all that it said.
#[derive(Debug)]
pub struct End {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Process {
    pub fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::of(command(arguments, environment))
    }

    /// In a folder of its own, where it finds its files of settings.
    pub fn start_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = command(arguments, environment);
        command.current_dir(folder);
        Self::of(command)
    }

    /// A node on a free port that may have so many files open, and that may raise this to so many.
    pub fn start_with_files(soft: u64, hard: Option<u64>) -> Self {
        let hard = hard.map_or(String::new(), |hard| format!("&& ulimit -Hn {hard}"));
        let script = format!("ulimit -Sn {soft} {hard} && exec \"$0\" --port 0");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_heureka")]);
        Self::of(shell)
    }

    fn of(mut command: Command) -> Self {
        let command = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        Self {
            stdout: BufReader::new(child.stdout.take().unwrap()),
            stderr: child.stderr.take().unwrap(),
            child: Some(child),
            read: String::new(),
        }
    }

    /// The next line of its output, without what it says about this machine; empty at the end.
    pub fn line(&mut self) -> String {
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).unwrap();
            self.read.push_str(&line);
            if !line.contains("files may be open") {
                return line;
            }
        }
    }

    /// Reads the lines of the start, and where it listens from them: this machine, if everywhere.
    pub fn address(&mut self) -> SocketAddr {
        let word = "listening on http://";
        let listening = loop {
            let line = self.line();
            assert_ne!(line, "", "ended before it listened: {}", self.read);
            if let Some((_, address)) = line.split_once(word) {
                break address
                    .trim_end_matches(|c: char| !c.is_ascii_digit())
                    .to_string();
            }
        };
        let (_mode, _open) = (self.line(), self.line());
        let mut address: SocketAddr = listening.parse().unwrap();
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        address
    }

    /// Sends a signal by its short name.
    pub fn signal(&self, name: &str) {
        let id = self.child.as_ref().unwrap().id();
        let kill = format!("kill -{name} {id}");
        let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success(), "{kill}");
    }

    /// Waits for its end; panics if that takes longer than a node may take to leave.
    pub fn end(&mut self) -> End {
        let mut child = self.child.take().unwrap();
        let id = child.id();
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || tell.send(child.wait()));
        let Ok(status) = told.recv_timeout(GRACE) else {
            let _ = Command::new("sh")
                .args(["-c", &format!("kill -KILL {id}")])
                .status();
            panic!("still running after {GRACE:?}: {}", self.read);
        };
        let mut stderr = String::new();
        self.stdout.read_to_string(&mut self.read).unwrap();
        self.stderr.read_to_string(&mut stderr).unwrap();
        End {
            code: status.unwrap().code(),
            stdout: std::mem::take(&mut self.read),
            stderr,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a start says on stderr that is refused with exit code 2, line by line; and nothing else anywhere.
pub fn refused(arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    refused_in(Path::new("."), arguments, environment)
}

/// The same in a folder.
pub fn refused_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    let mut command = command(arguments, environment);
    let output = command.current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let lines = String::from_utf8(output.stderr).unwrap();
    lines.lines().map(str::to_string).collect()
}

/// What a command that ends by itself said and how it ended.
pub fn ran(arguments: &[&str]) -> End {
    ran_in(Path::new("."), arguments, &[])
}

/// The same in a folder.
pub fn ran_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> End {
    let mut command = command(arguments, environment);
    let output = command.current_dir(folder).output().unwrap();
    End {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command(arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heureka"));
    command
        .args(arguments)
        .env_clear()
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
