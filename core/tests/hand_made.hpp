// Trees written down by hand, for tests.
#pragma once

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tree/tree.hpp"

// A node: its parent, its class counts, and the column it tests where other nodes name it as theirs.
struct Spec {
    std::int32_t parent;
    std::vector<double> counts;
    std::size_t column = 0;
};

// Nodes in preorder. Two children are the sides of the cut at code 0, more are one for each value.
inline calibrant::Tree hand_made(const std::vector<Spec>& specs) {
    std::vector<std::size_t> n_children(specs.size()), placed(specs.size());
    for (const Spec& spec : specs) {
        if (spec.parent >= 0) ++n_children[static_cast<std::size_t>(spec.parent)];
    }
    calibrant::Tree tree(specs.front().counts.size());
    for (const Spec& spec : specs) {
        const auto& counts = spec.counts;
        std::int32_t label = 0;
        for (std::size_t k = 1; k < counts.size(); ++k) {
            if (counts[k] > counts[static_cast<std::size_t>(label)]) label = static_cast<std::int32_t>(k);
        }
        const std::size_t id =
            tree.add_node(spec.parent, counts, std::accumulate(counts.begin(), counts.end(), 0.0), label);
        if (spec.parent >= 0) {
            const auto parent = static_cast<std::size_t>(spec.parent);
            tree.children[tree.first_child[parent] + placed[parent]++] = static_cast<std::int32_t>(id);
        }
        std::vector<std::int32_t> branches(n_children[id]);
        std::iota(branches.begin(), branches.end(), 0);
        if (n_children[id] == 2)
            tree.make_numeric(id, spec.column, 0.5, 0);
        else if (n_children[id] > 0)
            tree.make_nominal(id, spec.column, n_children[id], branches);
    }
    return tree;
}

// A tree of n tests, each the second branch of the one before; every test saves one error.
inline calibrant::Tree chain(std::size_t n_tests) {
    std::vector<Spec> specs;
    for (std::size_t i = 0; i < n_tests; ++i) {
        const auto left = static_cast<double>(n_tests - i);
        specs.push_back({static_cast<std::int32_t>(2 * i) - 2, {left + 1, left}});
        specs.push_back({static_cast<std::int32_t>(2 * i), {0, 1}});
        if (i > 0) continue;
        specs.front().parent = calibrant::Tree::no_node;
    }
    specs.push_back({static_cast<std::int32_t>(2 * n_tests) - 2, {2, 0}});
    return hand_made(specs);
}

// Splits the counts of random leaves at random; whole numbers, two or three branches, three classes.
inline calibrant::Tree random_tree(std::mt19937& random, std::size_t n_splits) {
    struct Node {
        std::vector<double> counts;
        std::vector<std::size_t> children{};
    };
    std::vector<Node> nodes{{{30, 25, 20}}};
    for (std::size_t split = 0; split < n_splits; ++split) {
        const std::size_t at = random() % nodes.size();
        if (!nodes[at].children.empty()) continue;
        std::vector<Node> parts(2 + random() % 2, Node{{0, 0, 0}});
        for (std::size_t k = 0; k < 3; ++k) {
            for (int i = 0; i < static_cast<int>(nodes[at].counts[k]); ++i)
                ++parts[random() % 5 ? k % parts.size() : random() % parts.size()].counts[k];
        }
        for (Node& part : parts) {
            nodes[at].children.push_back(nodes.size());
            nodes.push_back(std::move(part));
        }
    }
    std::vector<Spec> specs;
    std::vector<std::pair<std::size_t, std::int32_t>> waiting{{0, -1}};
    while (!waiting.empty()) {
        const auto [node, parent] = waiting.back();
        waiting.pop_back();
        const auto id = static_cast<std::int32_t>(specs.size());
        specs.push_back({parent, nodes[node].counts});
        for (std::size_t i = nodes[node].children.size(); i-- > 0;) waiting.emplace_back(nodes[node].children[i], id);
    }
    return hand_made(specs);
}

inline std::size_t count_leaves(const calibrant::Tree& tree) {
    std::size_t n = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) n += tree.is_leaf(node);
    return n;
}
