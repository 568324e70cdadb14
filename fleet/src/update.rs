//! How a delegate that nothing upgrades gets a newer image (`product 7`, `16.2` to `16.6`).

use crate::catalog::Latest;
use crate::delegate::{DelegateType, Family, GroupFacts, hint};
use crate::install::{IMAGE_REPOSITORY, NAMESPACE};
use crate::troubleshoot::{Platform, quote};
use crate::upgrade::target;
use crate::version::Version;

/// What to do by hand, with the delegate's own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// What to do, in whole sentences.
    pub text: &'static str,
    /// What each line does, and the line itself, in order; none where the newest image runs already, and where no
    /// command fits.
    pub commands: Vec<(&'static str, String)>,
}

/// How a group gets to the latest image of its scope.
///
/// `version`: what it runs. `repository`: where images come from, if it is configured. Words in capitals stand for names
/// that the delegate does not report.
#[must_use]
pub fn by_hand(
    facts: &GroupFacts,
    version: Option<&Version>,
    latest: &Latest,
    repository: Option<&str>,
) -> Update {
    let image = newer(version, latest, repository.unwrap_or(IMAGE_REPOSITORY));
    let lines =
        |make: fn(&GroupFacts, &str) -> Commands| image.map_or_else(Vec::new, |image| make(facts, &image));
    let (text, commands) = match (Platform::of(facts), &facts.kind, facts.family) {
        (_, _, Family::Go) => ("Update the program that it is a part of.", Vec::new()),
        (Platform::Ecs, ..) => (
            "Register its task definition anew with the new image, then update the service with a forced new deployment.",
            lines(ecs),
        ),
        (Platform::Kubernetes, DelegateType::Helm, _) => {
            ("Upgrade its Helm release with the new image.", lines(helm))
        }
        (Platform::Kubernetes, ..) => {
            ("Set the new image in the manifest of its deployment and apply that.", lines(kubernetes))
        }
        // One without a container looks the same.
        (Platform::Docker, _, Family::Runner) if hint(&facts.tags, "platform").is_none() => {
            ("Bring the newer image or program to where it runs, then restart it.", Vec::new())
        }
        (Platform::Docker, ..) => (
            "Pull the new image, stop the container with time to end its work, and start one from the new image.",
            lines(docker),
        ),
        (Platform::Machine, ..) => ("Install the new version where it runs, then restart it.", Vec::new()),
    };
    Update { text, commands }
}

type Commands = Vec<(&'static str, String)>;

/// The image to run; none where there is nothing newer.
fn newer(version: Option<&Version>, latest: &Latest, repository: &str) -> Option<String> {
    let current = format!("{repository}:{}", version?);
    let target = target(&current, None, latest, Some(repository));
    target.should_upgrade.then_some(target.image_tag)
}

fn kubernetes(facts: &GroupFacts, image: &str) -> Commands {
    vec![("Set the new image", set_image(&facts.name, namespace(facts), image)), watch(facts)]
}

/// Puts an image into the deployment of a delegate.
pub(crate) fn set_image(name: &str, namespace: &str, image: &str) -> String {
    let image = quote(&format!("delegate={image}"));
    format!("kubectl set image {} {image} --namespace {}", deployment(name), quote(namespace))
}

fn helm(facts: &GroupFacts, image: &str) -> Commands {
    let (release, namespace) = (quote(&facts.name), quote(namespace(facts)));
    let image = quote(&format!("delegateDockerImage={image}"));
    let upgrade = format!(
        "helm upgrade {release} harness-delegate/harness-delegate-ng --namespace {namespace} --reuse-values --set {image}"
    );
    vec![("Upgrade the release, which is named after the delegate", upgrade), watch(facts)]
}

fn watch(facts: &GroupFacts) -> (&'static str, String) {
    let (deployment, namespace) = (deployment(&facts.name), quote(namespace(facts)));
    let line = format!("kubectl rollout status {deployment} --namespace {namespace}");
    ("Watch the new pods take over", line)
}

/// Ends a container and gives its work time to end.
pub(crate) fn stop_container(name: &str) -> String {
    let name = quote(name);
    format!("docker stop --time 600 {name} && docker rm {name}")
}

fn docker(facts: &GroupFacts, image: &str) -> Commands {
    vec![
        ("Pull the new image", format!("docker pull {}", quote(image))),
        (
            "Stop the old container, with time to end its work; then start the new one as this one was started",
            stop_container(&facts.name),
        ),
    ]
}

fn ecs(_: &GroupFacts, image: &str) -> Commands {
    vec![
        ("The image to name in task-definition.json", image.to_owned()),
        (
            "Register the task definition",
            "aws ecs register-task-definition --cli-input-json file://task-definition.json".to_owned(),
        ),
        (
            "Roll it out",
            "aws ecs update-service --cluster CLUSTER --service SERVICE --task-definition FAMILY --force-new-deployment"
                .to_owned(),
        ),
    ]
}

fn deployment(name: &str) -> String {
    quote(&format!("deployment/{name}"))
}

fn namespace(facts: &GroupFacts) -> &str {
    hint(&facts.tags, "namespace").unwrap_or(NAMESPACE)
}
