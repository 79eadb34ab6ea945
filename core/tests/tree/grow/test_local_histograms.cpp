#include "tree/grow/local_histograms.hpp"

#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::same;

namespace test_local_histograms {
namespace {

// One table coded by its distinct values and as bytes: up to 255 values, some missing.
struct TwoCodings {
    std::size_t n_rows, n_classes;
    std::vector<CodedColumn> columns{}, binned{};
    std::vector<std::uint8_t> matrix{};
    std::vector<std::uint16_t> labels{};
    std::vector<double> weights{};

    TwoCodings(std::size_t n, std::size_t n_kinds, unsigned seed, double share_missing)
        : n_rows(n), n_classes(n_kinds), matrix(4 * n), labels(n) {
        std::mt19937 random(seed);
        const std::uint32_t n_values[] = {255, 40, 2, 5};
        for (std::size_t j = 0; j < 4; ++j) {
            std::vector<std::uint16_t> codes(n);
            CodedColumn column{.kind = j == 3 ? Kind::nominal : Kind::numeric, .n_values = n_values[j]};
            for (std::size_t v = 0; j < 3 && v < n_values[j]; ++v)
                column.values.push_back(0.5 * static_cast<double>(v));
            for (std::size_t row = 0; row < n; ++row) {
                const bool is_missing = static_cast<double>(random() % 1000) < 1000 * share_missing;
                codes[row] = static_cast<std::uint16_t>(is_missing ? 65535 : random() % n_values[j]);
                matrix[4 * row + j] = static_cast<std::uint8_t>(is_missing ? 255 : codes[row]);
                column.n_missing += is_missing;
                labels[row] = static_cast<std::uint16_t>(
                    (labels[row] + (codes[row] > n_values[j] / 2) + (random() % 4 == 0)) % n_classes);
            }
            binned.push_back(column);
            column.codes = std::move(codes);
            columns.push_back(std::move(column));
        }
    }

    Tree exact(GrowOptions options) const {
        const CodedTable table(n_rows, columns);
        options.n_declared_classes = n_classes;
        return grow({&table, labels, weights, n_classes}, options, {});
    }
    Tree counted(GrowOptions options) const {
        const auto table = CodedTable::of_bytes(n_rows, matrix.data(), binned, 1, {});
        options.n_declared_classes = n_classes;
        return grow({&table, labels, weights, n_classes}, options, {});
    }
};

constexpr GrowOptions learned{.min_leaf = 2, .missing = MissingValues::learned};

}  // namespace

TEST(a_bin_for_each_value_gives_the_exact_tree) {
    for (const std::size_t n_classes : {2, 3}) {
        for (const double share_missing : {0.0, 0.1}) {
            TwoCodings rows(20000, n_classes, 1, share_missing);
            for (const auto criterion : {CriterionName::entropy, CriterionName::gini, CriterionName::dkm,
                                         CriterionName::hellinger, CriterionName::twoing}) {
                GrowOptions options = learned;
                options.criterion = criterion;
                options.ratio = options.penalty = criterion == CriterionName::entropy;
                CHECK(same(rows.exact(options), rows.counted(options)));
            }
            std::mt19937 random(2);
            for (std::size_t row = 0; row < rows.n_rows; ++row) rows.weights.push_back(random() % 3);
            GrowOptions options = learned;
            options.max_features = 2;
            CHECK(same(rows.exact(options), rows.counted(options)));
        }
    }
}

TEST(histograms_give_the_same_tree_on_any_number_of_threads) {
    TwoCodings rows(250000, 2, 3, 0.05);
    std::mt19937 random(4);
    for (std::size_t row = 0; row < rows.n_rows; ++row)
        rows.weights.push_back(static_cast<double>(1 + random() % 1000) / 1024);
    GrowOptions options{.ratio = false, .max_depth = 6};  // shares of rows, rounded to sum exactly
    const Tree one = rows.counted(options);
    options.n_threads = 3;
    CHECK(same(one, rows.counted(options)));
}

TEST(a_histogram_less_that_of_some_rows_is_that_of_the_others) {
    Histogram whole{.counts = {5, 7, 0}, .weights = {1.5, 0.25}}, part{.counts = {2, 7, 0}, .weights = {0.5, 0.25}};
    whole.subtract(part);
    CHECK(whole.counts == std::vector<std::uint32_t>({3, 0, 0}) && whole.weights == std::vector<double>({1, 0}));
}

TEST(no_cut_divides_a_bin_that_the_node_lacks) {
    // The node has rows of the first and the last bin; the bin between reaches over their middle.
    const std::vector<std::uint8_t> matrix{0, 0, 2, 2};
    std::vector<CodedColumn> columns(1);
    columns[0] = {.values = {1, 8, 10}, .lows = {0, 2, 9}, .n_values = 3};
    const auto table = CodedTable::of_bytes(4, matrix.data(), columns, 1, {});
    const std::vector<std::uint16_t> labels{0, 0, 1, 1};
    const GrowOptions options{
        .ratio = false, .min_leaf = 1, .c45_cuts = false, .midpoint = true, .penalty = false, .n_declared_classes = 2};
    const Tree tree = grow({&table, labels, {}, 2}, options, {});
    CHECK(tree.threshold[0] == 1.5 && tree.cut_code[0] == 0);
}

}  // namespace test_local_histograms
