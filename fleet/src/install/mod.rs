//! What a new delegate is started with: files and steps for every platform (`product 16`).
//!
//! [`Choice`] is what a person chose, as the address of the page holds it; with what the server knows of the scope it
//! becomes an [`Install`], or tells what is wrong with which field. [`plan`] writes the files of an install.

pub mod arrival;
pub mod choice;
mod compose;
mod docker;
mod ecs;
mod environment;
mod helm;
mod kubernetes;
mod machine;
mod node;
pub mod quote;
mod runner;
mod token;
mod upgrader;

pub use choice::{Choice, World, Wrong};
pub use compose::compose;
pub use token::inner_form;

/// Where images come from unless the server names another repository (`product 16.1`).
pub const IMAGE_REPOSITORY: &str = "us-docker.pkg.dev/gar-prod-setup/harness-public/harness/delegate";
/// The image of the upgrader (`product 16.7`).
pub const UPGRADER_IMAGE: &str = "us-docker.pkg.dev/gar-prod-setup/harness-public/harness/upgrader:latest";
/// The namespace of Kubernetes installs unless another one is given (`product 16.2`).
pub const NAMESPACE: &str = "harness-delegate-ng";
/// How often an upgrader looks for a newer image (`product 16.7`).
pub const SCHEDULE: &str = "0 */1 * * *";
/// What stands in a file in place of the token while its value is not shown.
pub const TOKEN_PLACEHOLDER: &str = "<DELEGATE_TOKEN>";

/// What a delegate runs on, and how it gets there (`product 11.7`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Kubernetes by a manifest.
    #[default]
    Kubernetes,
    /// Kubernetes by the Helm chart.
    Helm,
    /// Kubernetes by the Terraform module.
    Terraform,
    /// One Docker or Podman host.
    Docker,
    /// ECS on EC2 instances.
    Ecs,
    /// ECS on Fargate.
    Fargate,
    /// Delegate 3.x on Kubernetes.
    RunnerKubernetes,
    /// Delegate 3.x on ECS on EC2.
    RunnerEcs,
    /// Delegate 3.x on Fargate.
    RunnerFargate,
    /// Delegate 3.x as a program of its own.
    RunnerProgram,
    /// The Go client inside a runner of virtual machines.
    Machine,
}

impl Platform {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 11] = [
        Self::Kubernetes,
        Self::Helm,
        Self::Terraform,
        Self::Docker,
        Self::Ecs,
        Self::Fargate,
        Self::RunnerKubernetes,
        Self::RunnerEcs,
        Self::RunnerFargate,
        Self::RunnerProgram,
        Self::Machine,
    ];

    /// The word in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Helm => "helm",
            Self::Terraform => "terraform",
            Self::Docker => "docker",
            Self::Ecs => "ecs",
            Self::Fargate => "fargate",
            Self::RunnerKubernetes => "3x-kubernetes",
            Self::RunnerEcs => "3x-ecs",
            Self::RunnerFargate => "3x-fargate",
            Self::RunnerProgram => "3x-program",
            Self::Machine => "vm",
        }
    }

    /// Reads the word of an address.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.as_str() == word)
    }

    /// Whether it is a Delegate 3.x, which is in closed beta (`product 18.4`).
    #[must_use]
    pub const fn is_runner(self) -> bool {
        matches!(self, Self::RunnerKubernetes | Self::RunnerEcs | Self::RunnerFargate | Self::RunnerProgram)
    }

    /// Whether it runs an image of the classic line.
    #[must_use]
    pub const fn is_classic(self) -> bool {
        !self.is_runner() && !matches!(self, Self::Machine)
    }

    /// Whether it runs in a Kubernetes cluster.
    #[must_use]
    pub const fn is_cluster(self) -> bool {
        matches!(self, Self::Kubernetes | Self::Helm | Self::Terraform | Self::RunnerKubernetes)
    }

    /// Whether it runs on ECS, on EC2 or Fargate.
    #[must_use]
    pub const fn is_ecs(self) -> bool {
        matches!(self, Self::Ecs | Self::RunnerEcs) || self.is_fargate()
    }

    /// Whether it runs on Fargate.
    #[must_use]
    pub const fn is_fargate(self) -> bool {
        matches!(self, Self::Fargate | Self::RunnerFargate)
    }

    /// Whether an upgrader can run beside it (`product 16.4`, `16.7`).
    #[must_use]
    pub const fn has_upgrader(self) -> bool {
        matches!(self, Self::Kubernetes | Self::Helm | Self::Terraform | Self::Docker)
    }

    /// Whether permissions in a cluster are asked for.
    #[must_use]
    pub const fn has_permission(self) -> bool {
        self.is_cluster() && self.is_classic()
    }

    /// Whether one file starts several replicas.
    #[must_use]
    pub const fn has_replicas(self) -> bool {
        self.is_cluster() || self.is_ecs()
    }

    /// Whether an image is named.
    #[must_use]
    pub const fn has_image(self) -> bool {
        !matches!(self, Self::Machine | Self::RunnerProgram)
    }

    /// Whether a field of [`choice::FIELDS`] means something on this platform.
    #[must_use]
    pub fn asks(self, field: &str) -> bool {
        match field {
            "name" | "tags" | "token" => true,
            "description" | "proxy" | "no_proxy" | "transport" => self.is_classic(),
            "replicas" => self.has_replicas(),
            "version" => self.has_image(),
            "upgrades" => self.has_upgrader(),
            "permission" => self.has_permission(),
            "namespace" => self.is_cluster(),
            "subnets" | "groups" | "public_ip" => self.is_fargate(),
            "region" | "cluster" | "role" | "secret" | "logs" => self.is_ecs(),
            _ => false,
        }
    }
}

/// What a delegate may do in its cluster (`product 11.7`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// Everything in the cluster.
    #[default]
    ClusterAdmin,
    /// Read the cluster.
    ClusterViewer,
    /// Everything in its own namespace; the model of one delegate per namespace.
    NamespaceAdmin,
}

/// Who brings newer images (`product 11.7`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Upgrades {
    /// An upgrader beside the delegate.
    #[default]
    Automatic,
    /// A person; there is no upgrader.
    ByHand,
}

/// A proxy on the way to the manager (`product 16.1`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// `http` or `https`.
    pub scheme: String,
    /// Host name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// `NO_PROXY`, comma list; may be empty.
    pub except: String,
}

/// What only ECS asks for (`product 16.5`, `16.6`, `16.8`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aws {
    /// Such as `us-east-1`.
    pub region: String,
    /// Name of the ECS cluster.
    pub cluster: String,
    /// ARN of the execution role; empty if none is needed.
    pub execution_role: String,
    /// Subnets of a Fargate service.
    pub subnets: Vec<String>,
    /// Security groups of a Fargate service.
    pub security_groups: Vec<String>,
    /// Whether a Fargate task gets a public address, instead of a way out by NAT.
    pub public_ip: bool,
    /// ARN of the secret that holds the token; none writes the token into the task definition.
    pub secret: Option<String>,
    /// Name of the log group.
    pub log_group: String,
}

/// Everything that the files of one delegate say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// What it runs on.
    pub platform: Platform,
    /// Account id.
    pub account: String,
    /// Organization of the scope.
    pub organization: Option<String>,
    /// Project of the scope.
    pub project: Option<String>,
    /// Address of this server, as delegates reach it.
    pub manager: String,
    /// Delegate name, becomes the group.
    pub name: String,
    /// Custom tags, hint tags included.
    pub tags: Vec<String>,
    /// May be empty.
    pub description: String,
    /// How many processes.
    pub replicas: u32,
    /// Outer form of the token; none while it is not shown.
    pub token: Option<String>,
    /// Image with its tag.
    pub image: String,
    /// What it may do in its cluster.
    pub permission: Permission,
    /// Namespace in its cluster.
    pub namespace: String,
    /// Who brings newer images.
    pub upgrades: Upgrades,
    /// Proxy on the way here.
    pub proxy: Option<Proxy>,
    /// Poll over REST instead of holding a WebSocket.
    pub polling: bool,
    /// What only ECS asks for.
    pub aws: Aws,
}

impl Install {
    /// The outer form of the token, or what stands for it.
    fn token(&self) -> &str {
        self.token.as_deref().unwrap_or(TOKEN_PLACEHOLDER)
    }

    /// Whether an upgrader runs beside it.
    fn upgraded(&self) -> bool {
        self.upgrades == Upgrades::Automatic && self.platform.has_upgrader()
    }
}

/// One file to copy or download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// File name, unique in its plan.
    pub name: &'static str,
    /// What is written in it: `yaml`, `json`, `hcl`, `sh`, `env`.
    pub language: &'static str,
    /// All of it.
    pub text: String,
    /// Whether the token stands in it.
    pub secret: bool,
}

/// One thing to do, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// In a few words.
    pub title: &'static str,
    /// Why, or what to look at; may be empty.
    pub detail: &'static str,
    /// What to run; none if there is nothing to run.
    pub command: Option<String>,
}

impl Step {
    fn run(title: &'static str, detail: &'static str, command: String) -> Self {
        Self { title, detail, command: Some(command) }
    }

    fn told(title: &'static str, detail: &'static str) -> Self {
        Self { title, detail, command: None }
    }
}

/// The files of an install and what to do with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The files.
    pub files: Vec<File>,
    /// What to do, in this order.
    pub steps: Vec<Step>,
    /// How to bring a newer image later; empty where an upgrader does it.
    pub update: Vec<Step>,
    /// What to know about this platform.
    pub notes: Vec<&'static str>,
}

/// The files and steps of an install.
#[must_use]
pub fn plan(install: &Install) -> Plan {
    match install.platform {
        Platform::Kubernetes => kubernetes::plan(install),
        Platform::Helm => helm::plan(install),
        Platform::Terraform => helm::terraform(install),
        Platform::Docker => docker::plan(install),
        Platform::Ecs | Platform::Fargate | Platform::RunnerEcs | Platform::RunnerFargate => {
            ecs::plan(install)
        }
        Platform::RunnerKubernetes => runner::kubernetes(install),
        Platform::RunnerProgram => runner::program(install),
        Platform::Machine => machine::plan(install),
    }
}
