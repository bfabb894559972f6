//! What one can tell the binary to do, a file each.
//!
//! | file | does |
//! |---|---|
//! | `arguments.rs` | reads the command line and hands over |
//! | `serve.rs` | runs a node (the default) |
//! | `check_config.rs` | shows what is in force and where it came from |
//! | `init.rs` `init.yml` | writes a file of settings to begin with |
//! | `reload.rs` | takes changed settings while a node runs |
//! | `health.rs` | asks a running node whether it is well |
//! | `operate.rs` `remote.rs` `table.rs` | shows what a running node holds, and overrides statuses |
//! | `reach.rs` | the way to a running node |
//! | `print.rs` | what commands print |
//! | `completions.rs` | completes the command line in a shell |
//! | `bench/` | is a fleet of clients, for measuring |
//! | `introduce.rs` `log.rs` `stop.rs` | the first lines, how lines look, and when to leave |
//!
//! Settings are `--some.key=value` with any subcommand, as in the environment. Exit codes: 2 for settings and
//! arguments that cannot be used; the others are told by each file.

mod arguments;
mod bench;
mod check_config;
mod completions;
mod health;
mod init;
mod introduce;
mod log;
mod operate;
mod print;
mod reach;
mod reload;
mod remote;
mod serve;
mod stop;
mod table;

pub(crate) use arguments::run;
