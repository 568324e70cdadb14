//! `product 9.3`.

use fleet::sizing::{HOST_OVERHEAD, SIZE_CLASSES, delegates_for};

#[test]
fn the_table_has_the_four_classes_with_their_exact_figures() {
    let rows: Vec<_> = SIZE_CLASSES
        .iter()
        .map(|class| {
            let old = (class.name, class.memory, class.cpu);
            (old, (class.replicas, class.total_memory, class.total_cpu, class.parallel))
        })
        .collect();
    assert_eq!(
        rows,
        [
            (("Laptop", "1.6 GB", "0.5"), (1, 2, "0.5", 10)),
            (("Small", "3.3 GB", "1"), (2, 4, "1", 20)),
            (("Medium", "6.6 GB", "2"), (4, 8, "2", 40)),
            (("Large", "13.2 GB", "4"), (8, 16, "4", 80)),
        ]
    );
    assert!(HOST_OVERHEAD.contains("delegate alone"));
}

#[test]
fn one_delegate_serves_300_to_500_service_instances_and_both_ends_are_rounded_up() {
    assert_eq!(delegates_for(1_200), (3, 4));
    assert_eq!(delegates_for(300), (1, 1));
    assert_eq!(delegates_for(301), (1, 2));
    assert_eq!(delegates_for(500), (1, 2));
    assert_eq!(delegates_for(501), (2, 2));
    assert_eq!(delegates_for(601), (2, 3));
    assert_eq!(delegates_for(1), (1, 1));
    assert_eq!(delegates_for(0), (1, 1), "there is no install without a delegate");
}
