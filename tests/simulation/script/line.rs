//! One line of a script: the command, and what it is to answer.

use super::Outcome;

const ARROW: &str = "-> ";
/// Where answers begin, unless the command is longer.
const COLUMN: usize = 52;

/// A line in its parts.
pub struct Line<'l> {
    whole: &'l str,
    /// Empty where the line is blank or a remark.
    pub command: &'l str,
    pub expected: Option<&'l str>,
}

impl<'l> Line<'l> {
    pub fn of(whole: &'l str) -> Self {
        let spoken = match whole.trim_start().starts_with('#') {
            true => "",
            false => whole,
        };
        let (command, expected) = match spoken.split_once(&format!(" {ARROW}")) {
            Some((command, expected)) => (command, Some(expected.trim())),
            None => (spoken, None),
        };
        Self {
            whole,
            command: command.trim(),
            expected,
        }
    }

    /// Whether the command answered as written.
    pub fn compare(&self, outcome: &Outcome) -> Result<(), String> {
        let answer = outcome.as_ref().map_err(Clone::clone)?.as_deref();
        match (self.expected, answer) {
            (None, None) => Ok(()),
            (Some(expected), Some(answer)) if expected == answer => Ok(()),
            (Some(expected), Some(answer)) => {
                Err(format!("expected {expected}\n     got {answer}"))
            }
            (None, Some(answer)) => Err(format!("no answer is written; got {answer}")),
            (Some(_), None) => Err("this command has no answer".to_string()),
        }
    }

    /// The line with another answer.
    pub fn with(&self, answer: Option<String>) -> String {
        match answer {
            None => self.whole.to_string(),
            Some(answer) => format!("{:COLUMN$} {ARROW}{answer}", self.command),
        }
    }
}

/// The words of a command, and the `name=value` options among them.
pub struct Args<'l> {
    whole: &'l str,
    /// All that is not taken yet, in its order.
    words: Vec<&'l str>,
    options: Vec<(&'l str, &'l str)>,
}

impl<'l> Args<'l> {
    pub fn of(command: &'l str) -> Self {
        let mut args = Self {
            whole: command,
            words: Vec::new(),
            options: Vec::new(),
        };
        for word in command.split_whitespace() {
            match word.split_once('=') {
                Some(option) => args.options.push(option),
                None => args.words.push(word),
            }
        }
        args
    }

    /// The next word, which must be there.
    pub fn word(&mut self, what: &str) -> Result<&'l str, String> {
        self.next().ok_or_else(|| format!("{what} is missing"))
    }

    /// The next word.
    pub fn next(&mut self) -> Option<&'l str> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// The next word, which must be this one.
    pub fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.next() {
            Some(next) if next == word => Ok(()),
            next => Err(format!("wanted `{word}`, got {next:?}")),
        }
    }

    /// The text from word `number` on, counted from 0, as it stands; takes everything.
    pub fn text_from(&mut self, number: usize) -> &'l str {
        self.words.clear();
        self.options.clear();
        let skip = |text: &'l str, _| {
            text.trim_start()
                .split_once(' ')
                .map_or("", |split| split.1)
        };
        (0..number).fold(self.whole, skip).trim()
    }

    /// All words that are left.
    pub fn rest(&mut self) -> Vec<&'l str> {
        std::mem::take(&mut self.words)
    }

    /// Whether this word is among them.
    pub fn flag(&mut self, word: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|other| *other != word);
        self.words.len() < before
    }

    pub fn option(&mut self, name: &str) -> Option<&'l str> {
        let at = self.options.iter().position(|(key, _)| *key == name)?;
        Some(self.options.remove(at).1)
    }

    /// All options whose name begins so, without that beginning.
    pub fn options(&mut self, prefix: &str) -> Vec<(&'l str, &'l str)> {
        let (with, without): (Vec<_>, Vec<_>) = std::mem::take(&mut self.options)
            .into_iter()
            .partition(|(key, _)| key.starts_with(prefix));
        self.options = without;
        with.into_iter()
            .map(|(key, value)| (&key[prefix.len()..], value))
            .collect()
    }

    /// Nothing may be left.
    pub fn done(&self) -> Result<(), String> {
        let words = self.words.iter().map(|word| word.to_string());
        let options = self
            .options
            .iter()
            .map(|(key, value)| format!("{key}={value}"));
        let left: Vec<String> = words.chain(options).collect();
        match left.is_empty() {
            true => Ok(()),
            false => Err(format!("unknown words: {}", left.join(" "))),
        }
    }
}
