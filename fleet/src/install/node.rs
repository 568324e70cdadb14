//! A document as a tree, written as YAML or JSON. Text is quoted by the writer and never by hand.

use super::quote;

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// Text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// Yes or no.
    Bool(bool),
    /// In this order.
    List(Vec<Node>),
    /// In this order; keys are the generator's own, never somebody's input.
    Map(Vec<(&'static str, Node)>),
    /// A document inside the document, kept readable: a block of lines in YAML.
    Block(String),
}

/// A map in the order of its lines.
macro_rules! map {
    ($($key:expr => $value:expr),* $(,)?) => {
        $crate::install::node::Node::Map(vec![$(($key, $crate::install::node::Node::from($value))),*])
    };
}
/// A list of nodes.
macro_rules! list {
    ($($value:expr),* $(,)?) => {
        $crate::install::node::Node::List(vec![$($crate::install::node::Node::from($value)),*])
    };
}
pub(super) use {list, map};

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Node {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<u32> for Node {
    fn from(number: u32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<bool> for Node {
    fn from(yes: bool) -> Self {
        Self::Bool(yes)
    }
}

impl From<Vec<Self>> for Node {
    fn from(items: Vec<Self>) -> Self {
        Self::List(items)
    }
}

impl Node {
    /// Adds a line to a map.
    pub(super) fn push(&mut self, key: &'static str, value: impl Into<Self>) {
        if let Self::Map(entries) = self {
            entries.push((key, value.into()));
        }
    }

    /// A whole YAML document.
    pub(super) fn yaml(&self) -> String {
        let mut text = String::new();
        self.write_yaml(&mut text, 0);
        text
    }

    /// A whole JSON document.
    pub(super) fn json(&self) -> String {
        let mut text = String::new();
        self.write_json(&mut text, 0);
        text.push('\n');
        text
    }

    fn is_nested(&self) -> bool {
        match self {
            Self::List(items) => !items.is_empty(),
            Self::Map(entries) => !entries.is_empty(),
            _ => false,
        }
    }

    /// The lines of a list or map, each at this depth.
    fn write_yaml(&self, text: &mut String, depth: usize) {
        let margin = " ".repeat(depth);
        match self {
            Self::Map(entries) => {
                for (key, value) in entries {
                    text.push_str(&margin);
                    value.write_entry(key, text, depth);
                }
            }
            Self::List(items) => {
                for item in items {
                    text.push_str(&margin);
                    text.push_str("- ");
                    match item {
                        Self::Map(entries) if item.is_nested() => {
                            for (at, (key, value)) in entries.iter().enumerate() {
                                if at > 0 {
                                    text.push_str(&margin);
                                    text.push_str("  ");
                                }
                                value.write_entry(key, text, depth + 2);
                            }
                        }
                        item => text.push_str(&item.scalar()),
                    }
                    if !item.is_nested() {
                        text.push('\n');
                    }
                }
            }
            scalar => text.push_str(&scalar.scalar()),
        }
    }

    /// `key: value`, after the margin of a map at this depth.
    fn write_entry(&self, key: &str, text: &mut String, depth: usize) {
        text.push_str(&quote::yaml(key));
        text.push(':');
        match self {
            Self::Block(lines) => {
                text.push_str(" |\n");
                for line in lines.lines() {
                    text.push_str(&" ".repeat(depth + 2));
                    text.push_str(line);
                    text.push('\n');
                }
            }
            value if value.is_nested() => {
                text.push('\n');
                value.write_yaml(text, depth + 2);
            }
            value => {
                text.push(' ');
                text.push_str(&value.scalar());
                text.push('\n');
            }
        }
    }

    /// What fits on a line.
    fn scalar(&self) -> String {
        match self {
            Self::Text(text) | Self::Block(text) => quote::yaml(text),
            Self::Number(number) => number.to_string(),
            Self::Bool(yes) => yes.to_string(),
            Self::List(_) => "[]".to_owned(),
            Self::Map(_) => "{}".to_owned(),
        }
    }

    fn write_json(&self, text: &mut String, depth: usize) {
        let (open, close, parts): (char, char, Vec<(Option<&str>, &Self)>) = match self {
            Self::Text(value) | Self::Block(value) => return text.push_str(&quote::json(value)),
            Self::Number(_) | Self::Bool(_) => return text.push_str(&self.scalar()),
            Self::List(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            Self::Map(entries) => {
                ('{', '}', entries.iter().map(|(key, value)| (Some(*key), value)).collect())
            }
        };
        text.push(open);
        for (at, (key, value)) in parts.iter().enumerate() {
            text.push_str(if at > 0 { ",\n" } else { "\n" });
            text.push_str(&" ".repeat(depth + 2));
            if let Some(key) = key {
                text.push_str(&quote::json(key));
                text.push_str(": ");
            }
            value.write_json(text, depth + 2);
        }
        if !parts.is_empty() {
            text.push('\n');
            text.push_str(&" ".repeat(depth));
        }
        text.push(close);
    }
}
