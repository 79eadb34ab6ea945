#include "forest.hpp"

#include <random>

#include "forest_predict.hpp"
#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::hole;
using tables::near;
using tables::Problem;
using tables::same;

namespace {

constexpr GrowOptions plain{.ratio = false, .min_leaf = 1, .c45_cuts = false, .penalty = false, .n_declared_classes = 2};

// Columns of numbers and words; the class hangs on the first two.
Problem drawn(std::size_t n, bool holes, std::size_t n_classes = 2) {
    std::mt19937 random(41);
    std::uniform_real_distribution<double> uniform(0, 1);
    Problem problem{std::vector<std::uint16_t>(n), n_classes};
    for (int column = 0; column < 6; ++column) {
        std::vector<double> values(n);
        for (auto& value : values) value = holes && random() % 9 == 0 ? hole : uniform(random);
        for (std::size_t i = 0; i < n && column < 2; ++i) {
            problem.labels[i] = static_cast<std::uint16_t>((problem.labels[i] + (values[i] > 0.6) + (random() % 8 == 0)) % n_classes);
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

Drawn draw_bags(std::size_t n_rows, std::size_t n_trees) {
    std::mt19937_64 random(43);
    Drawn bags{std::vector<std::uint16_t>(n_rows * n_trees), {}};
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
        bags.seeds.push_back(random());
        for (std::size_t i = 0; i < n_rows; ++i) ++bags.in_bag[tree * n_rows + random() % n_rows];
    }
    return bags;
}

}  // namespace

TEST(each_tree_is_the_tree_of_its_bag) {
    for (const bool holes : {false, true}) {
        const Problem problem = drawn(3000, holes);
        const CodedTable table(problem.labels.size(), problem.columns);
        const Examples examples{&table, problem.labels, {}, 2};
        const auto bags = draw_bags(problem.labels.size(), 3);
        for (const std::size_t max_features : {0, 2}) {
            GrowOptions options = plain;
            options.max_features = max_features;
            const auto trees = grow_forest(examples, {bags.in_bag, bags.seeds}, options, {});
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
    const auto one = grow_forest(examples, {bags.in_bag, bags.seeds}, options, {});
    for (const std::size_t n_threads : {2, 4, 12}) {
        options.n_threads = n_threads;
        const auto many = grow_forest(examples, {bags.in_bag, bags.seeds}, options, {});
        for (std::size_t t = 0; t < one.size(); ++t) CHECK(same(one[t], many[t]));
    }
}

TEST(columns_are_drawn_afresh_at_each_node_and_again_where_none_has_a_test) {
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

TEST(rows_of_the_table_reach_the_leaves_that_each_tree_gives_them) {
    for (const bool holes : {false, true}) {
        const Problem problem = drawn(2000, holes);
        const CodedTable table(problem.labels.size(), problem.columns);
        const auto bags = draw_bags(problem.labels.size(), 3);
        const auto trees = grow_forest({&table, problem.labels, {}, 2}, {bags.in_bag, bags.seeds}, plain, {});
        std::vector<const Tree*> members;
        for (const Tree& tree : trees) members.push_back(&tree);
        std::vector<std::int32_t> all(3 * 2000), one(2000);
        leaves_of_table(members, table, all, 2, {});
        for (std::size_t t = 0; t < 3; ++t) {
            apply(trees[t], coded_rows(table), one, 1, {});
            CHECK(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(t * 2000)));
        }
    }
}

TEST(a_forest_adds_up_what_its_trees_answer) {
    const Problem problem = drawn(2000, true);
    const CodedTable table(problem.labels.size(), problem.columns);
    const auto bags = draw_bags(problem.labels.size(), 4);
    const auto trees = grow_forest({&table, problem.labels, {}, 2}, {bags.in_bag, bags.seeds}, plain, {});
    const PredictRows rows = coded_rows(table);
    for (const std::size_t width : {1, 2, 5}) {
        std::vector<std::vector<double>> tables;
        std::vector<Member> members;
        std::vector<double> expected(rows.n_rows * width), answer(rows.n_rows * width), out(rows.n_rows * width, 7.0);
        for (const Tree& tree : trees) {
            auto& cells = tables.emplace_back(tree.n_nodes() * width);
            for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<double>(i % 13);
            const Reading reading{cells, answer};
            predict(tree, rows, std::span(&reading, 1), 1, {});
            for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += answer[i];
        }
        for (std::size_t t = 0; t < trees.size(); ++t) members.push_back({&trees[t], tables[t]});
        sum_answers(members, rows, out, 3, {});
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(near(out[i], expected[i], 1e-12));
    }
}
