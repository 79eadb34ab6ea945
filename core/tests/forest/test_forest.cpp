#include "forest/forest.hpp"

#include "forest/packed_forest.hpp"
#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using tables::near;
using tables::Problem;
using tables::same;
using namespace small_forest;

namespace test_forest {

TEST(each_tree_is_the_tree_of_its_bag) {
    for (const bool with_missing : {false, true}) {
        const Problem problem = drawn(3000, with_missing);
        const CodedTable table(problem.labels.size(), problem.columns);
        const Examples examples{&table, problem.labels, {}, 2};
        const auto bags = draw_bags(problem.labels.size(), 3);
        for (const std::size_t max_features : {0, 2}) {
            GrowOptions options = plain;
            options.max_features = max_features;
            const auto trees = small_forest::grow_from(examples, bags, options);
            for (std::size_t t = 0; t < trees.size(); ++t) {
                const auto first = bags.in_bag.begin() + static_cast<std::ptrdiff_t>(t * problem.labels.size());
                const std::vector<double> weights(first, first + static_cast<std::ptrdiff_t>(problem.labels.size()));
                options.seed = bags.seeds[t];
                CHECK(same(trees[t], grow({&table, problem.labels, weights, 2}, options, {})));
            }
        }
    }
}

TEST(any_number_of_threads_grows_the_same_forest) {
    const Problem problem = drawn(4000, true, 3);
    const CodedTable table(problem.labels.size(), problem.columns);
    const auto bags = draw_bags(problem.labels.size(), 5);
    GrowOptions options = plain;
    options.max_features = 3;
    const Examples examples{&table, problem.labels, {}, 3};
    const auto one = small_forest::grow_from(examples, bags, options);
    for (const std::size_t n_threads : {2, 4, 12}) {
        options.n_threads = n_threads;
        const auto many = small_forest::grow_from(examples, bags, options);
        for (std::size_t t = 0; t < one.size(); ++t) CHECK(same(one[t], many[t]));
    }
}

TEST(columns_are_drawn_at_each_node_and_again_where_none_has_a_test) {
    Problem problem{std::vector<std::uint16_t>(64)};
    std::vector<double> useful(64), constant(64, 1.0);
    for (std::size_t i = 0; i < 64; ++i) {
        useful[i] = static_cast<double>(i);
        problem.labels[i] = i % 3 == 0;
    }
    for (int column = 0; column < 9; ++column) problem.add(constant);
    problem.add(useful);
    GrowOptions options = plain;
    options.max_features = 1;
    CHECK(problem.grow(options).n_nodes() > 40);
    options.redraw = false;
    std::size_t grown = 0;
    for (options.seed = 0; options.seed < 200; ++options.seed) grown += problem.grow(options).n_nodes() > 1;
    CHECK(grown > 5 && grown < 45);  // one in ten
}

TEST(a_forest_sums_the_predictions_of_its_trees) {
    const Problem problem = drawn(2000, true);
    const CodedTable table(problem.labels.size(), problem.columns);
    const auto bags = draw_bags(problem.labels.size(), 4);
    const auto trees = small_forest::grow_from({&table, problem.labels, {}, 2}, bags, plain);
    const PredictRows rows = coded_rows(table);
    for (const std::size_t width : {1, 2, 5}) {
        std::vector<std::vector<double>> tables;
        std::vector<Member> members;
        std::vector<double> expected(rows.n_rows * width), prediction(rows.n_rows * width),
            out(rows.n_rows * width, 7.0);
        for (const Tree& tree : trees) {
            auto& cells = tables.emplace_back(tree.n_nodes() * width);
            for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<double>(i % 13);
            const TableLookup lookup{cells, prediction};
            predict(tree, rows, std::span(&lookup, 1), 1, {});
            for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += prediction[i];
        }
        for (std::size_t t = 0; t < trees.size(); ++t) members.push_back({&trees[t], tables[t]});
        PackedForest(members, width).sum(rows, out, 3, {});
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(near(out[i], expected[i], 1e-12));
    }
}

}  // namespace test_forest
