#include "tree/grow/grower.hpp"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>

#include "harness.hpp"
#include "parallel.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::Golf;
using tables::missing;
using tables::near;
using tables::Problem;
using tables::same;

namespace test_grower {
namespace {

constexpr GrowOptions plain{.ratio = false, .min_leaf = 1, .c45_cuts = false, .penalty = false};

std::vector<double> counts_of(const Tree& tree, std::size_t node) {
    const auto counts = tree.counts_of(node);
    return {counts.begin(), counts.end()};
}

// Runs work on a thread with 256 kB of stack: 26 bytes for each level of the chain below.
void on_a_small_stack(std::function<void()> work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 18);
    pthread_t thread{};
    const auto run = [](void* argument) -> void* {
        (*static_cast<std::function<void()>*>(argument))();
        return nullptr;
    };
    CHECK(pthread_create(&thread, &attributes, run, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

// Random rows, with and without missing values.
struct DrawnRows {
    std::vector<double> number;
    std::vector<std::int32_t> word;
    std::vector<std::uint16_t> labels;

    DrawnRows(std::size_t n, bool with_missing) {
        std::mt19937 random(11);
        for (std::size_t i = 0; i < n; ++i) {
            number.push_back(with_missing && random() % 9 == 0 ? missing : static_cast<double>(random() % 200));
            word.push_back(with_missing && random() % 9 == 0 ? -1 : static_cast<std::int32_t>(random() % 4));
            labels.push_back(static_cast<std::uint16_t>((number[i] > 90 ? 1U : 0U) ^ (random() % 5 == 0 ? 1U : 0U)));
        }
    }
    Problem problem() const {
        Problem result{labels};
        result.add(number);
        result.add(word, 4);
        return result;
    }
};

GrowOptions without_rows(GrowOptions options) {
    options.min_rows = 0;
    return options;
}

}  // namespace

TEST(golf_is_quinlans_tree) {
    const Tree tree = Golf{}.problem().grow();
    CHECK((tree.feature == std::vector<std::int32_t>{0, 2, -1, -1, -1, 3, -1, -1}));
    CHECK(tree.threshold[1] == 75);  // the greatest humidity of all days up to the middle of 70 and 85
    CHECK((counts_of(tree, 0) == std::vector<double>{9, 5}));
    CHECK((counts_of(tree, 2) == std::vector<double>{2, 0}) && (counts_of(tree, 3) == std::vector<double>{0, 3}));
    CHECK((counts_of(tree, 4) == std::vector<double>{4, 0}));
    CHECK((tree.label == std::vector<std::int32_t>{0, 1, 0, 1, 0, 0, 1, 0}));
}

TEST(a_day_without_outlook_is_split) {
    Golf golf;
    golf.outlook[11] = -1;
    const Tree tree = golf.problem().grow();
    CHECK(tree.feature[0] == 0);
    const auto sunny = tree.child(0, 0), overcast = tree.child(0, 1), rain = tree.child(0, 2);
    CHECK(near(tree.weight[sunny], 5 + 5.0 / 13) && near(tree.weight[overcast], 3 + 3.0 / 13) &&
          near(tree.weight[rain], 5 + 5.0 / 13));
    CHECK(near(tree.counts_of(sunny)[0], 2 + 5.0 / 13) && tree.counts_of(sunny)[1] == 3);
    const auto dry = tree.child(sunny, 0), humid = tree.child(sunny, 1);
    CHECK(near(tree.weight[dry], 2) && near(tree.weight[humid], 3 + 5.0 / 13));
}

TEST(whole_weights_equal_repeated_rows) {
    for (const bool with_missing : {false, true}) {
        const DrawnRows drawn(300, with_missing);
        Problem weighted = drawn.problem();
        DrawnRows repeated = drawn;
        repeated.number.clear();
        repeated.word.clear();
        repeated.labels.clear();
        for (std::size_t i = 0; i < drawn.labels.size(); ++i) {
            weighted.weights.push_back(static_cast<double>(i % 3));
            for (std::size_t copy = 0; copy < i % 3; ++copy) {
                repeated.number.push_back(drawn.number[i]);
                repeated.word.push_back(drawn.word[i]);
                repeated.labels.push_back(drawn.labels[i]);
            }
        }
        const Tree a = weighted.grow(), b = repeated.problem().grow();
        CHECK(a.n_nodes() > 10 && a.feature == b.feature && a.threshold == b.threshold && a.label == b.label);
        for (std::size_t i = 0; i < a.counts.size(); ++i) CHECK(near(a.counts[i], b.counts[i]));
        if (!with_missing) CHECK(same(a, b));
    }
}

TEST(a_row_of_weight_zero_is_absent_from_thresholds_too) {
    Problem whole{{0, 0, 1, 1}}, part{{0, 1, 1}};
    whole.add({1, 3.5, 8, 9});
    whole.weights = {1, 0, 1, 1};
    part.add({1, 8, 9});
    CHECK(same(whole.grow(plain), part.grow(plain)));
    CHECK(whole.grow(plain).threshold[0] == 1);
}

TEST(a_chain_of_ten_thousand_tests_grows_on_a_small_stack) {
    constexpr std::size_t n = 10001;
    Problem problem{std::vector<std::uint16_t>(n)};
    std::vector<double> column(n);
    for (std::size_t i = 0; i < n; ++i) {
        column[i] = static_cast<double>(i);
        problem.labels[i] = i % 2 == 0 ? 0 : 1;
    }
    problem.add(column);
    Tree tree;
    on_a_small_stack([&] { tree = problem.grow(plain); });
    std::vector<std::size_t> depth(tree.n_nodes(), 0);
    for (std::size_t node = 1; node < tree.n_nodes(); ++node)
        depth[node] = depth[static_cast<std::size_t>(tree.parent[node])] + 1;
    CHECK(tree.n_nodes() == 2 * n - 1);
    CHECK(*std::max_element(depth.begin(), depth.end()) == n - 1);
}

TEST(random_ties_are_the_same_for_the_same_seed) {
    Problem problem{{0, 0, 1, 1}};
    for (int column = 0; column < 5; ++column) problem.add({1, 2, 3, 4});
    std::set<std::int32_t> chosen;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        GrowOptions options = plain;
        options.random_ties = true;
        options.seed = seed;
        const Tree tree = problem.grow(options);
        CHECK(same(tree, problem.grow(options)));
        chosen.insert(tree.feature[0]);
    }
    CHECK(chosen.size() == 5);
    CHECK(problem.grow(plain).feature[0] == 0);
}

TEST(a_nominal_column_is_tested_once_on_a_path_unless_grouped) {
    const DrawnRows drawn(400, false);
    for (const auto splits : {NominalSplits::multiway, NominalSplits::subset, NominalSplits::binary}) {
        Problem problem{{}};
        for (std::size_t i = 0; i < drawn.labels.size(); ++i)
            problem.labels.push_back(drawn.word[i] % 2 == (drawn.number[i] > 50) ? 0 : 1);
        problem.add(drawn.word, 4);
        problem.add(drawn.number);
        GrowOptions options = plain;
        options.nominal_splits = splits;
        const Tree tree = problem.grow(options);
        for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
            if (tree.feature[node] != 0) continue;
            CHECK(splits == NominalSplits::multiway ? tree.n_children[node] == 4 : tree.n_children[node] <= 3);
            std::int32_t above = tree.parent[node];
            for (; above != Tree::no_node && splits == NominalSplits::multiway;
                 above = tree.parent[static_cast<std::size_t>(above)]) {
                CHECK(tree.feature[static_cast<std::size_t>(above)] != 0);
            }
        }
    }
}

TEST(depth_and_size_limits_hold) {
    const Problem problem = DrawnRows(300, false).problem();
    GrowOptions shallow = plain, large = plain;
    shallow.max_depth = 1;
    large.min_leaf = 40;
    CHECK(problem.grow(shallow).n_nodes() <= 5);
    const Tree tree = problem.grow(large);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (tree.feature[node] == 0)
            CHECK(tree.weight[tree.child(node, 0)] >= 40 && tree.weight[tree.child(node, 1)] >= 40);
    }
}

TEST(rows_are_required_besides_weight_where_some_weights_exceed_one) {
    for (const bool with_missing : {false, true}) {
        Problem problem = DrawnRows(6000, with_missing).problem();
        GrowOptions rows = plain, many = plain;
        rows.min_leaf = many.min_leaf = 5;
        const Tree plain_tree = problem.grow(rows);
        rows.min_rows = many.min_rows = 5;
        many.n_threads = 4;
        CHECK(same(problem.grow(rows), plain_tree));
        problem.weights.assign(problem.labels.size(), 0.5);
        CHECK(same(problem.grow(rows), problem.grow(without_rows(rows))));
        for (std::size_t i = 0; i < problem.weights.size(); i += 3) problem.weights[i] = 6.23;
        const Tree tree = problem.grow(rows);
        CHECK(same(tree, problem.grow(many)) && tree.n_nodes() < problem.grow(without_rows(rows)).n_nodes());
    }
}

TEST(one_class_one_row_or_empty_columns_make_a_leaf) {
    Problem pure{{0, 0, 0}}, single{{1}}, empty{{0, 1, 0, 1}};
    pure.add({1, 2, 3});
    single.add({5});
    empty.add({missing, missing, missing, missing});
    empty.add({-1, -1, -1, -1}, 3);
    for (const Problem* problem : {&pure, &single, &empty}) CHECK(problem->grow(plain).n_nodes() == 1);
    for (const auto splits : {NominalSplits::subset, NominalSplits::binary}) {
        GrowOptions options = plain;
        options.nominal_splits = splits;
        CHECK(empty.grow(options).n_nodes() == 1);
    }
}

TEST(wrong_sizes_throw_and_a_stop_request_interrupts) {
    const CodedTable table(2, {});
    const std::vector<std::uint16_t> labels{0, 1}, one{0};
    const std::vector<double> weight{1};
    CHECK_THROWS(grow({&table, one, {}, 2}, {}, {}), std::invalid_argument);
    CHECK_THROWS(grow({&table, labels, weight, 2}, {}, {}), std::invalid_argument);
    CHECK_THROWS(grow({&table, labels, {}, 2, weight}, {}, {}), std::invalid_argument);
    CHECK_THROWS(grow({&table, labels, {}, 0}, {}, {}), std::invalid_argument);
    StopSource stop;
    stop.request_stop();
    CHECK_THROWS(grow({&table, labels, {}, 2}, {.n_declared_classes = 2}, stop.token()), Interrupted);
}

}  // namespace test_grower
