//! How large and how many: the size classes and the rule of thumb for their number (`product 9.3`).

/// What the figures leave out, in the words that stand beside the table (`product 9.3`).
pub const HOST_OVERHEAD: &str = "The figures are for the delegate alone. The machine or node that it runs on needs its own memory and CPU on top.";

/// The most service instances that one delegate serves by the rule of thumb.
const MOST_SERVED: u64 = 500;
/// The number at which a careful operator adds another one.
const FEWEST_SERVED: u64 = 300;

/// One row of the table of sizes: the older class, and the replicas that newer installs use in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeClass {
    /// Name of the older class.
    pub name: &'static str,
    /// Memory of the older class, such as `1.6 GB`.
    pub memory: &'static str,
    /// CPUs of the older class.
    pub cpu: &'static str,
    /// Replicas of a newer install.
    pub replicas: u32,
    /// Memory of all replicas together, in GB.
    pub total_memory: u32,
    /// CPUs of all replicas together.
    pub total_cpu: &'static str,
    /// Deployments and builds that run at a time.
    pub parallel: u32,
}

/// The four sizes, the smallest first (`product 9.3`).
pub const SIZE_CLASSES: [SizeClass; 4] = [
    class("Laptop", "1.6 GB", "0.5", 1),
    class("Small", "3.3 GB", "1", 2),
    class("Medium", "6.6 GB", "2", 4),
    class("Large", "13.2 GB", "4", 8),
];

const fn class(name: &'static str, memory: &'static str, cpu: &'static str, replicas: u32) -> SizeClass {
    SizeClass {
        name,
        memory,
        cpu,
        replicas,
        total_memory: 2 * replicas,
        total_cpu: cpu,
        parallel: 10 * replicas,
    }
}

/// How many delegates serve so many service instances: one for every 500 to 300, each end rounded up, at least one
/// (`product 9.3`: 1,200 gives 3 to 4).
#[must_use]
pub const fn delegates_for(service_instances: u64) -> (u64, u64) {
    (
        at_least_one(service_instances.div_ceil(MOST_SERVED)),
        at_least_one(service_instances.div_ceil(FEWEST_SERVED)),
    )
}

const fn at_least_one(number: u64) -> u64 {
    if number == 0 { 1 } else { number }
}
