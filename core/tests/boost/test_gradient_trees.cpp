// The leaf found by sets of bits is the one that a walk down the tree finds.
#include "boost/gradient_trees.hpp"

#include <random>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_gradient_trees {
namespace {

constexpr std::size_t n_columns = 4;

// Splits random leaves by random tests until there are n_leaves.
GrowingTree random_tree(std::size_t n_leaves, std::mt19937& random) {
    GrowingTree tree;
    struct Place {
        std::int32_t parent;
        bool is_first;
    };
    std::vector<Place> places{{-1, false}};
    while (places.size() < n_leaves) {
        const std::size_t at = random() % places.size();
        const auto node = static_cast<std::int32_t>(tree.nodes.size());
        BinTest test{static_cast<std::uint32_t>(random() % n_columns), static_cast<std::uint8_t>(random() % 60),
                     static_cast<std::uint8_t>(random() % 256), random() % 2 == 0};
        if (test.is_nominal) {
            test.cut = random() % 2 == 0 ? 31 : 255;  // few categories, or many
            for (auto& word : test.set) word = (std::uint64_t{random()} << 32) | random();
        }
        tree.nodes.push_back({test, ~static_cast<std::int32_t>(at), ~static_cast<std::int32_t>(places.size())});
        if (const Place place = places[at]; place.parent >= 0) {
            auto& parent = tree.nodes[static_cast<std::size_t>(place.parent)];
            (place.is_first ? parent.first : parent.second) = node;
        }
        places[at] = {node, true};
        places.push_back({node, false});
    }
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) tree.values.push_back(static_cast<double>(leaf + 1));
    return tree;
}

double walk(const GrowingTree& tree, const std::vector<std::vector<std::uint8_t>>& codes, std::size_t row) {
    std::int32_t at = tree.nodes.empty() ? -1 : 0;
    while (at >= 0) {
        const auto& node = tree.nodes[static_cast<std::size_t>(at)];
        at = node.test.is_first(codes[node.test.column][row]) ? node.first : node.second;
    }
    return tree.values[static_cast<std::size_t>(~at)];
}

}  // namespace

TEST(rows_reach_the_leaves_that_a_walk_reaches) {
    std::mt19937 random(3);
    for (const std::uint32_t n_leaves : {1U, 2U, 7U, 16U, 17U, 33U, 64U}) {
        const GrowingTree tree = random_tree(n_leaves, random);
        GradientTrees trees, joined;
        append_tree(trees, random_tree(5, random), 0);
        append_tree(trees, tree, 1);
        joined.append(trees);
        joined.append(trees);
        std::vector<std::vector<std::uint8_t>> codes(n_columns, std::vector<std::uint8_t>(500));
        std::vector<const std::uint8_t*> columns;
        for (auto& column : codes) {
            for (auto& code : column) code = static_cast<std::uint8_t>(random() % 32);
            columns.push_back(column.data());
        }
        std::vector<double> scores(1000), again(1000);
        add_scores(trees, 1, 2, columns, 500, scores.data(), 500);
        add_scores(joined, 3, 4, columns, 500, again.data(), 500);
        CHECK(again == scores);
        for (std::size_t row = 0; row < 500; ++row) CHECK(scores[500 + row] == walk(tree, codes, row));
        trees.truncate(1);
        CHECK(trees.n_trees() == 1 && trees.values.size() == 5 && trees.column.size() == 4);
    }
}

}  // namespace test_gradient_trees
