//! The pages that people open: what is held, how the node is doing, and what became of an instance.
//!
//! Every page is whole without scripts; where scripts run, `page.js` fetches the same pages again and puts what
//! changed in place. Texts that clients supplied are escaped by the templates, and links to their pages are made only
//! of http and https addresses. All pages of a node are in one folder of its paths and name each other relative to
//! it, so that a proxy may put them anywhere. What takes a look at every instance is done on the blocking pool, two
//! at a time, on what the registry publishes: no heartbeat waits for a page.
//!
//! | file | what |
//! |---|---|
//! | `overview.rs` | `/`: is all well? |
//! | `instances.rs` | `/instances`: search, filter, sort |
//! | `instance.rs` | `/instance`: all about one |
//! | `act.rs` | `/act`: override, remove, with a reason |
//! | `lastn.rs` | `/lastn`: the last thousand that came and went |
//! | `live.rs` | `/live`: says that something changed |
//! | `assets.rs` | style, script and icon |
//!
//! | what they show | |
//! |---|---|
//! | `verdict.rs` | health in a sentence, pure |
//! | `survey.rs` | everything that is held, counted in one pass |
//! | `row.rs` | one instance at one moment |
//! | `why.rs` | why it has its status, pure |
//! | `events.rs` | what happened, from the journal |
//! | `asked.rs` | what an operator asks for, pure |
//! | `filter.rs` | which instances are asked for, pure |
//! | `applications.rs` | the table of applications |
//! | `peers.rs` | the other nodes |
//! | `chart.rs` | the last hour of renewals, pure |
//! | `facts.rs` | what Spring's page shows of a node |
//! | `words.rs` | numbers and times as people read them, pure |
//! | `html.rs` | what every page goes out with |
//! | `pages.rs` | how much of this may go on at once |

mod act;
mod applications;
mod asked;
mod assets;
mod chart;
mod events;
mod facts;
mod filter;
mod html;
mod instance;
mod instances;
mod lastn;
mod live;
mod overview;
mod pages;
mod peers;
mod row;
mod survey;
mod verdict;
mod why;
mod words;

pub(super) use act::{act, confirm};
pub(super) use assets::{icon, script, style};
pub(super) use instance::instance;
pub(super) use instances::instances;
pub(super) use lastn::lastn;
pub(super) use live::live;
pub(super) use overview::overview;
pub use pages::Pages;
