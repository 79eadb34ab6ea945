#include "tree/grow/coarse_search.hpp"

#include <numeric>
#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::missing;
using tables::near;

namespace test_coarse_search {
namespace {

constexpr Keys keys{.class_bits = 1};

enum class Shape { smooth, tied, close, dense };

tables::Problem drawn(std::mt19937& random, std::size_t n, Shape shape, bool weighted, bool with_missing) {
    tables::Problem problem{std::vector<std::uint16_t>(n)};
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t column = 0; column < 6; ++column) {
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i) {
            values[i] = shape == Shape::smooth ? uniform(random)
                        : shape == Shape::dense
                            ? 0.02 * uniform(random)  // a few hundred values within the closest distance of a cut
                            : static_cast<double>(random() % 700) * (shape == Shape::close ? 4e-6 : 1.0);
            if (column == 2) problem.labels[i] = uniform(random) < (values[i] > 0.3 * values[0] ? 0.3 : 0.1);
            if (with_missing && random() % 8 == 0) values[i] = missing;
        }
        problem.add(values);
    }
    for (std::size_t i = 0; i < n && weighted; ++i) problem.weights.push_back(static_cast<double>(random() % 5) / 2);
    return problem;
}

struct AtTheRoot {
    std::vector<FoundTest> coarse, full;
};

// The columns of a problem searched at the root, by both searches.
AtTheRoot searched(const tables::Problem& problem, const GrowOptions& options, const CutRules& rules,
                   std::size_t n_threads) {
    const CodedTable table(problem.labels.size(), problem.columns);
    const Examples examples{&table, problem.labels, problem.weights, 2};
    const auto gaps = value_gaps_of(table, 1e-5);
    const XLogX xlogx(problem.labels.size());
    std::vector<std::size_t> all(table.n_columns());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const RowKeys row_keys(table, problem.labels, all, keys, gaps, n_threads, {});
    const RowCells row_cells(table, n_threads, {});
    Partition partition(table, problem.labels, problem.weights, row_keys, row_cells,
                        options.missing == MissingValues::fractional);
    std::vector<double> counts(2);
    for (std::size_t row = 0; row < problem.labels.size(); ++row) {
        counts[problem.labels[row]] += problem.weights.empty() ? 1.0 : problem.weights[row];
    }
    const NodeRows root{partition.root(), counts, counts[0] + counts[1]};
    const auto buckets =
        std::make_shared<const Buckets>(table, all, partition.rows(partition.root()), gaps, n_threads, StopToken{});
    std::vector<std::size_t> columns(table.n_columns());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    AtTheRoot result{std::vector<FoundTest>(table.n_columns()), {}};
    partition.enter(partition.root());
    ThreadTeam threads(n_threads);
    CoarseSearch(examples, options, rules, partition, xlogx, gaps, *buckets)
        .search(root, columns, result.coarse, threads, {});
    partition.presort(partition.root(), tables::alone, {});
    partition.enter(partition.root());
    ColumnSearch search(examples, options, rules, partition, xlogx, gaps);
    for (std::size_t column = 0; column < table.n_columns(); ++column)
        result.full.push_back(search.best_test(column, root));
    return result;
}

// A column that can win has the cut of the full search; one that has none gains less than the best.
void check_same(const AtTheRoot& found) {
    double best = -1;
    for (const FoundTest& test : found.full) best = std::max(best, test.usable ? test.gain : -1);
    for (std::size_t column = 0; column < found.full.size(); ++column) {
        const FoundTest &coarse = found.coarse[column], &full = found.full[column];
        if (!coarse.usable) {
            CHECK(!full.usable || full.gain < best);
        } else if (full.gain > best - 1e-6) {
            CHECK(near(coarse.gain, full.gain) && near(coarse.info, full.info) && coarse.below == full.below &&
                  coarse.above == full.above && coarse.missing_branch == full.missing_branch);
        }
    }
}

}  // namespace

TEST(the_cut_found_in_buckets_is_that_of_a_full_search) {
    std::mt19937 random(29);
    for (int trial = 0; trial < 80; ++trial) {
        const auto shape = static_cast<Shape>(trial / 20);
        const auto problem = drawn(random, 300 + random() % 6000, shape, trial % 2 == 1, trial % 4 >= 2);
        for (const auto criterion :
             {CriterionName::entropy, CriterionName::gini, CriterionName::dkm, CriterionName::hellinger}) {
            const GrowOptions options{.criterion = criterion,
                                      .ratio = false,
                                      .min_leaf = static_cast<double>(1 + trial % 7 * 10),
                                      .c45_cuts = trial % 5 == 0,
                                      .penalty = false,
                                      .missing = trial % 8 >= 4 ? MissingValues::learned : MissingValues::fractional,
                                      .n_declared_classes = 2};
            check_same(searched(problem, options, {.usable_gain = 1e-12, .penalty = false},
                                1 + static_cast<std::size_t>(trial) % 3));
        }
    }
}

TEST(buckets_hold_the_values_in_order) {
    std::mt19937 random(31);
    const auto problem = drawn(random, 5000, Shape::tied, false, true);
    const CodedTable table(problem.labels.size(), problem.columns);
    std::vector<std::uint32_t> rows(problem.labels.size());
    for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
    const std::vector<std::size_t> columns{0, 1, 2, 3, 4, 5};
    const Buckets buckets(table, columns, rows, value_gaps_of(table, 1e-5), 2, {});
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        const auto& codes = std::get<std::vector<std::uint16_t>>(table.column(column).codes);
        for (const std::uint32_t row : rows) {
            const std::size_t bucket = buckets.row(row)[column];
            if (codes[row] == missing_code<std::uint16_t>)
                CHECK(bucket == Buckets::missing);
            else
                CHECK(buckets.begin_code(column, bucket) <= codes[row] &&
                      codes[row] < buckets.begin_code(column, bucket + 1));
        }
    }
}

TEST(buckets_of_dense_values_are_not_much_larger_than_others) {
    const std::size_t n = 20000;
    tables::Problem problem{std::vector<std::uint16_t>(n)};
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.0);
    for (double& value : values) value *= 1e-6;
    problem.add(values);
    const CodedTable table(n, problem.columns);
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::uint32_t{0});
    const std::vector<std::size_t> columns{0};
    const Buckets buckets(table, columns, rows, value_gaps_of(table, 1e-5), 1, {});
    for (std::size_t bucket = 0; bucket < Buckets::most; ++bucket) {
        CHECK(buckets.begin_code(0, bucket + 1) - buckets.begin_code(0, bucket) <= n / 100);
        CHECK(buckets.begin_code(0, bucket) == n || bucket == 0 || !buckets.can_cut_after(0, bucket - 1));
    }
}

TEST(rules_that_need_every_cut_are_not_fit_for_buckets) {
    std::mt19937 random(37);
    const auto problem = drawn(random, 4000, Shape::smooth, true, false);
    const CodedTable table(problem.labels.size(), problem.columns);
    const Examples examples{&table, problem.labels, problem.weights, 2};
    const GrowOptions plain{.ratio = false}, ratio{.ratio = true};
    CHECK(CoarseSearch::is_fit_for(examples, plain, {.penalty = false}, true));
    CHECK(!CoarseSearch::is_fit_for(examples, ratio, {.penalty = false}, false));
    CHECK(!CoarseSearch::is_fit_for(examples, plain, {.penalty = true}, false));
    CHECK(!CoarseSearch::is_fit_for(examples, plain, {.count_cases = true, .penalty = false}, true));
    CHECK(CoarseSearch::is_fit_for(examples, plain, {.count_cases = true, .penalty = false}, false));
    const Examples counted{&table, problem.labels, {}, 2, problem.weights};
    CHECK(!CoarseSearch::is_fit_for(counted, plain, {.count_cases = true, .penalty = false}, false));
    CHECK(CoarseSearch::is_fit_for(counted, plain, {.penalty = false}, false));
}

}  // namespace test_coarse_search
