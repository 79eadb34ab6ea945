#include "forest/lazy_trees.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "harness.hpp"
#include "parallel.hpp"

using namespace calibrant;

namespace test_lazy_trees {
namespace {

// Codes column by column, one bag of all rows.
struct Rows {
    std::size_t n_rows, n_classes;
    std::vector<std::uint16_t> labels;
    std::vector<std::uint32_t> codes{}, order{};
    std::vector<std::uint8_t> is_nominal{};
    std::vector<std::uint16_t> in_bag = std::vector<std::uint16_t>(n_rows, 1);

    void add(const std::vector<std::uint32_t>& column, bool nominal = false) {
        std::vector<std::uint32_t> rows(n_rows);
        std::iota(rows.begin(), rows.end(), 0u);
        std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return column[row]; });
        codes.insert(codes.end(), column.begin(), column.end());
        order.insert(order.end(), rows.begin(), rows.end());
        is_nominal.push_back(nominal);
    }
    LazyExamples examples() const { return {n_rows, is_nominal.size(), n_classes, codes, order, is_nominal, labels}; }
    std::vector<double> predict(const std::vector<std::uint32_t>& queries, const LazyOptions& options,
                                const StopToken& stop = {}) const {
        std::vector<double> output(queries.size() / is_nominal.size() * n_classes);
        const Bags bags(in_bag, n_rows);
        predict_lazy_trees(examples(), {bags, in_bag.size() / n_rows, {}}, queries, options, output, stop);
        return output;
    }
};

Rows drawn(std::size_t n_rows) {
    std::mt19937 random(5);
    Rows rows{n_rows, 3, std::vector<std::uint16_t>(n_rows)};
    for (auto& label : rows.labels) label = static_cast<std::uint16_t>(random() % 3);
    for (int column = 0; column < 4; ++column) {
        std::vector<std::uint32_t> codes(n_rows);
        for (std::size_t i = 0; i < n_rows; ++i)
            codes[i] = random() % 11 == 0 ? lazy_missing : (random() % 20 + rows.labels[i]);
        rows.add(codes, column == 3);
    }
    rows.in_bag.resize(3 * n_rows);
    for (auto& times : rows.in_bag) times = static_cast<std::uint16_t>(random() % 3);
    return rows;
}

}  // namespace

TEST(only_the_branch_of_the_query_decides) {
    Rows rows{6, 2, {0, 0, 0, 1, 0, 1}};
    rows.add({0, 1, 2, 3, 4, 5});
    const auto prediction = rows.predict({1, 4, lazy_missing}, {.min_leaf = 3});
    const std::vector<double> expected{1, 0, 1.0 / 3, 2.0 / 3, 4.0 / 6, 2.0 / 6};
    CHECK(prediction == expected);
}

TEST(classes_are_reweighted_to_be_equally_frequent) {
    Rows rows{6, 2, {0, 0, 0, 0, 0, 1}};
    rows.add({0, 0, 0, 1, 1, 1});
    LazySearch search(rows.examples());
    const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5}, query{1};
    const std::vector<double> weight(6, 1.0);
    search.count(all, weight);
    const auto& tests = search.tests(all, weight, query, 1);
    CHECK(tests.size() == 1);
    CHECK(tests.front().side == LazySide::above);
    CHECK(tests.front().share == (std::int64_t{1} << 39));
    // 2/5 and 1 of the classes: shares 2/7 and 5/7, whose entropy is .8631
    CHECK(std::abs(static_cast<double>(tests.front().gain) / (1 << 30) - 0.136879) < 1e-6);
}

TEST(any_number_of_threads_gives_the_same_bits) {
    const Rows rows = drawn(400);
    std::mt19937 random(6);
    std::vector<std::uint32_t> queries(50 * 4);
    for (auto& query : queries) query = random() % 9 == 0 ? lazy_missing : random() % 24;
    const auto one = rows.predict(queries, {.n_threads = 1});
    CHECK(one == rows.predict(queries, {.n_threads = 3}));
    for (std::size_t i = 0; i < 50; ++i) CHECK(std::abs(one[3 * i] + one[3 * i + 1] + one[3 * i + 2] - 1) < 1e-12);
}

TEST(a_stop_request_interrupts) {
    StopSource stop;
    stop.request_stop();
    CHECK_THROWS(drawn(100).predict({1, 2, 3, 4}, {}, stop.token()), Interrupted);
}

TEST(mismatched_sizes_throw) {
    Rows rows = drawn(100);
    CHECK_THROWS(rows.predict({1, 2, 3}, {}), std::invalid_argument);
    CHECK_THROWS(rows.predict({1, 2, 3, 4}, {.max_leaves = 0}), std::invalid_argument);
    rows.labels.back() = 3;
    CHECK_THROWS(rows.predict({1, 2, 3, 4}, {}), std::invalid_argument);
}

}  // namespace test_lazy_trees
