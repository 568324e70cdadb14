//! The way through the questions, which lives in the address alone.

use fleet::troubleshoot::{Guide, Step};

use crate::pages::troubleshoot::Plan;

/// Between the steps of `via`; ids never hold it.
const BETWEEN: char = '.';

/// Addresses of the steps.
#[derive(Clone, Debug)]
pub struct Way {
    /// The path of the page.
    pub path: String,
    /// `type=docker&` where the path does not say it.
    platform: String,
    via: Vec<&'static str>,
    here: &'static str,
}

impl Way {
    /// From where somebody stands.
    #[must_use]
    pub fn new(path: String, plan: &Plan) -> Self {
        let platform = plan.guide.platform.as_str();
        let platform = if plan.of_group { String::new() } else { format!("type={platform}&") };
        Self { path, platform, via: plan.via.iter().map(|step| step.id).collect(), here: plan.step.id }
    }

    /// The address of an answer: one step further, or back where that was seen before.
    #[must_use]
    pub fn to(&self, id: &str) -> String {
        let way: Vec<&str> =
            self.via.iter().copied().chain([self.here]).take_while(|step| *step != id).collect();
        self.with(id, &way)
    }

    /// The address of a step without any way to it.
    #[must_use]
    pub fn start(&self, id: &str) -> String {
        self.with(id, &[])
    }

    /// The step before this one.
    #[must_use]
    pub fn back(&self) -> Option<String> {
        let (last, before) = self.via.split_last()?;
        Some(self.with(last, before))
    }

    /// The same step again, or the other tab.
    #[must_use]
    pub fn here(&self, problems: bool) -> String {
        if problems {
            return format!("{}?{}tab=problems", self.path, self.platform);
        }
        self.with(self.here, &self.via)
    }

    /// The beginning for another platform.
    #[must_use]
    pub fn platform(&self, word: &str) -> String {
        format!("{}?type={word}", self.path)
    }

    fn with(&self, id: &str, via: &[&str]) -> String {
        let address = format!("{}?{}step={id}", self.path, self.platform);
        if via.is_empty() { address } else { format!("{address}&via={}", via.join(".")) }
    }
}

/// The steps of `via`, each once; what is no step is left out.
#[must_use]
pub fn parse_via(text: &str, guide: &Guide, here: &Step) -> Vec<&'static Step> {
    let mut via: Vec<&'static Step> = Vec::new();
    for step in text.split(BETWEEN).filter_map(|id| guide.step(id)) {
        if step.id != here.id && via.iter().all(|known| known.id != step.id) {
            via.push(step);
        }
    }
    via
}
