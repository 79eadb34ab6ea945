// A small forest for tests: rows with words and, on request, missing values; bags drawn from them; trees; frequencies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "forest/forest.hpp"
#include "forest/leaf_counts.hpp"
#include "tables.hpp"

namespace small_forest {

using namespace calibrant;
using tables::missing;
using tables::Problem;

inline constexpr GrowOptions plain{
    .ratio = false, .min_leaf = 1, .c45_cuts = false, .penalty = false, .n_declared_classes = 2};

// Columns of numbers and words; the class hangs on the first two.
inline Problem drawn(std::size_t n, bool with_missing, std::size_t n_classes = 2) {
    std::mt19937 random(41);
    std::uniform_real_distribution<double> uniform(0, 1);
    Problem problem{std::vector<std::uint16_t>(n), n_classes};
    for (int column = 0; column < 6; ++column) {
        std::vector<double> values(n);
        for (auto& value : values) value = with_missing && random() % 9 == 0 ? missing : uniform(random);
        for (std::size_t i = 0; i < n && column < 2; ++i) {
            problem.labels[i] =
                static_cast<std::uint16_t>((problem.labels[i] + (values[i] > 0.6) + (random() % 8 == 0)) % n_classes);
        }
        problem.add(values);
    }
    std::vector<std::int32_t> words(n);
    for (auto& word : words) word = static_cast<std::int32_t>(random() % 5);
    problem.add(words, 5);
    return problem;
}

struct Drawn {
    std::vector<std::uint16_t> in_bag;
    std::vector<std::uint64_t> seeds;
};

// Trees grown from bags that were drawn.
inline std::vector<Tree> grow_from(const Examples& examples, const Drawn& drawn, const GrowOptions& options) {
    const Bags bags(drawn.in_bag, examples.table->n_rows());
    return grow_forest(examples, {bags, 0, drawn.seeds}, options, {});
}

inline Drawn draw_bags(std::size_t n_rows, std::size_t n_trees) {
    std::mt19937_64 random(43);
    Drawn bags{std::vector<std::uint16_t>(n_rows * n_trees), {}};
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
        bags.seeds.push_back(random());
        for (std::size_t i = 0; i < n_rows; ++i) ++bags.in_bag[tree * n_rows + random() % n_rows];
    }
    return bags;
}

// Everything that a reading sees of a grown forest.
struct Grown {
    Problem problem;
    CodedTable table;
    Drawn drawn_bags;
    Bags bags;
    std::vector<Tree> trees;
    std::vector<std::vector<double>> frequencies;
    std::vector<std::size_t> n_nodes;
    std::vector<std::int32_t> classes;

    Grown(std::size_t n_rows, std::size_t n_trees, bool with_missing, std::size_t n_classes = 2)
        : problem(drawn(n_rows, with_missing, n_classes)),
          table(n_rows, problem.columns),
          drawn_bags(draw_bags(n_rows, n_trees)),
          bags(drawn_bags.in_bag, n_rows) {
        GrowOptions options = plain;
        options.max_features = 2;
        options.min_leaf = 2;
        trees = grow_from({&table, problem.labels, {}, n_classes}, drawn_bags, options);
        for (const Tree& tree : trees) {
            n_nodes.push_back(tree.n_nodes());
            auto& rates = frequencies.emplace_back(tree.counts);
            for (std::size_t i = 0; i < rates.size(); ++i) {
                std::size_t node = i / n_classes;
                while (tree.weight[node] <= 0) node = static_cast<std::size_t>(tree.parent[node]);
                rates[i] = tree.counts[node * n_classes + i % n_classes] / tree.weight[node];
            }
        }
        classes.assign(problem.labels.begin(), problem.labels.end());
    }
    std::vector<const Tree*> members() const {
        std::vector<const Tree*> found;
        for (const Tree& tree : trees) found.push_back(&tree);
        return found;
    }
    LeafPaths paths(std::size_t most_bytes = std::size_t{1} << 30) const {
        return {members(), table, most_bytes, 1, {}};
    }
    TreeVotes tree_votes() const { return {{frequencies.begin(), frequencies.end()}, problem.n_classes}; }
    BaggedRows rows() const { return {&bags, classes, {}, problem.n_classes}; }
    bool is_out_of_bag(std::size_t tree, std::size_t row) const {
        return drawn_bags.in_bag[tree * table.n_rows() + row] == 0;
    }
    // The leaf that a row without missing values reaches.
    std::size_t leaf(std::size_t tree, std::size_t row) const {
        std::vector<std::int32_t> found(table.n_rows());
        apply(trees[tree], coded_rows(table), found, 1, {});
        return static_cast<std::size_t>(found[row]);
    }
};

}  // namespace small_forest
