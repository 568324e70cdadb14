//! Questions, answers and findings, and the way through them.

use super::subject::Platform;
use super::{docker, ecs, findings, kubernetes, machine};

/// One step of a way: something to look at, then a question, a finding or the wait for a heartbeat.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The word in addresses, unique in its guide.
    pub id: &'static str,
    /// A short heading.
    pub title: &'static str,
    /// What it is about.
    pub text: &'static [&'static str],
    /// What to run on the side of the delegate.
    pub commands: &'static [Command],
    /// What comes next.
    pub next: Next,
}

/// A command for the person who has the cluster or host.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// What it shows.
    pub about: &'static str,
    /// The line, with placeholders of [`super::Subject::fill`].
    pub line: &'static str,
}

/// How a step goes on.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// By what was seen.
    Ask {
        /// The question.
        question: &'static str,
        /// What may have been seen.
        answers: &'static [Answer],
    },
    /// With the cause: what to do, and the help page about it.
    Finding {
        /// What to do, in order.
        fix: &'static [&'static str],
        /// The help page, below `/help/`.
        help: Option<&'static str>,
    },
    /// Until it calls.
    Wait,
}

/// What may have been seen, and where that leads.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// What was seen.
    pub label: &'static str,
    /// Id of the next step.
    pub to: &'static str,
}

/// An answer.
pub(super) const fn to(label: &'static str, to: &'static str) -> Answer {
    Answer { label, to }
}

/// A command.
pub(super) const fn run(about: &'static str, line: &'static str) -> Command {
    Command { about, line }
}

/// The questions of one platform.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// Whose.
    pub platform: Platform,
    /// The steps that a list of steps names, in order; the first is where to begin, the last where it ends.
    pub main: &'static [&'static str],
    steps: &'static [Step],
}

impl Guide {
    /// Every step: those of the platform, then what all platforms share.
    pub fn steps(&self) -> impl Iterator<Item = &'static Step> + use<> {
        self.steps.iter().chain(findings::STEPS)
    }

    /// The step of this id.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&'static Step> {
        self.steps().find(|step| step.id == id)
    }

    /// Where to begin.
    #[must_use]
    pub fn first(&self) -> &'static Step {
        &self.steps[0]
    }
}

/// The questions for a platform.
#[must_use]
pub const fn guide(platform: Platform) -> Guide {
    let (main, steps) = match platform {
        Platform::Kubernetes => (kubernetes::MAIN, kubernetes::STEPS),
        Platform::Docker => (docker::MAIN, docker::STEPS),
        Platform::Machine => (machine::MAIN, machine::STEPS),
        Platform::Ecs => (ecs::MAIN, ecs::STEPS),
    };
    Guide { platform, main, steps }
}
