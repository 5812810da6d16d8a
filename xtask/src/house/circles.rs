//! Circles of a directed graph.

use std::collections::{BTreeMap, BTreeSet};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// The circles of a graph (its strongly connected components of two nodes and more), the largest first.
pub(super) fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|node| (node.as_str(), reach(graph, node)))
        .collect();
    let mut left: BTreeSet<&str> = graph.keys().map(String::as_str).collect();
    let mut circles = Vec::new();
    while let Some(node) = left.pop_first() {
        let meets =
            |other: &&&str| reached[node].contains(**other) && reached[**other].contains(node);
        let others: Vec<&str> = left.iter().filter(meets).copied().collect();
        if others.is_empty() {
            continue;
        }
        for other in &others {
            left.remove(other);
        }
        let circle = [node].into_iter().chain(others).map(String::from);
        circles.push(circle.collect::<Vec<_>>());
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// The nodes that can be reached from one.
fn reach<'a>(graph: &'a Graph, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(node) = next.pop() {
        for target in graph.get(node).into_iter().flatten() {
            if graph.contains_key(target) && reached.insert(target.as_str()) {
                next.push(target);
            }
        }
    }
    reached
}
