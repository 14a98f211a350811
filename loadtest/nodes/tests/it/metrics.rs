//! Series of `/metrics`.

use bipe_nodes::metrics::Metrics;

#[test]
fn series_of_one_name_are_added() {
    let text = "# TYPE a counter\na{x=\"1\"} 2\na{x=\"2\"} 3.5\nab 7\na_total 9\nb 4\n";
    let metrics = Metrics(text.into());
    assert_eq!((metrics.sum("a"), metrics.sum("b"), metrics.sum("c")), (5.5, 4.0, 0.0));
    assert_eq!(metrics.with("a", "x=\"2\""), 3.5);
}
