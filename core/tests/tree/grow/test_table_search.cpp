#include "tree/grow/table_search.hpp"

#include <random>

#include "harness.hpp"
#include "tables.hpp"
#include "tree/grow/column_search.hpp"

using namespace calibrant;
using tables::missing;

namespace test_table_search {
namespace {

constexpr std::size_t n_rows = 60;
constexpr CutRules rules{.usable_gain = 1e-12};
constexpr CriterionName criteria[] = {CriterionName::entropy,   CriterionName::gini,   CriterionName::dkm,
                                      CriterionName::hellinger, CriterionName::twoing, CriterionName::bayes,
                                      CriterionName::mml};

// A numeric and a nominal column of few values, weights whole or in halves.
tables::Problem drawn(std::mt19937& random, std::size_t n_classes, bool with_missing, double unit) {
    tables::Problem problem{std::vector<std::uint16_t>(n_rows), n_classes};
    std::vector<double> numeric(n_rows);
    std::vector<std::int32_t> nominal(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        numeric[i] = with_missing && random() % 6 == 0 ? missing : static_cast<double>(random() % 9);
        nominal[i] = with_missing && random() % 6 == 0 ? -1 : static_cast<std::int32_t>(random() % 4);
        problem.labels[i] = static_cast<std::uint16_t>(numeric[i] > 4 ? n_classes - 1 : random() % n_classes);
        problem.weights.push_back(unit * static_cast<double>(1 + random() % 3));
    }
    problem.add(numeric);
    problem.add(nominal, 4);
    return problem;
}

// (values + 1) x classes, and the rows of each value.
struct Counted {
    std::vector<double> table;
    std::vector<std::uint32_t> rows;
};

Counted counted(const tables::Problem& problem, std::size_t column) {
    const CodedColumn& coded = problem.columns[column];
    const auto& codes = std::get<std::vector<std::uint16_t>>(coded.codes);
    Counted result{std::vector<double>((coded.n_values + 1) * problem.n_classes),
                   std::vector<std::uint32_t>(coded.n_values + 1)};
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t value = codes[i] == missing_code<std::uint16_t> ? coded.n_values : codes[i];
        result.table[value * problem.n_classes + problem.labels[i]] += problem.weights[i];
        ++result.rows[value];
    }
    return result;
}

bool same(const FoundTest& a, const FoundTest& b) {
    return a.usable == b.usable && tables::near(a.gain, b.gain) && tables::near(a.info, b.info) && a.below == b.below &&
           a.above == b.above && a.branches == b.branches && a.missing_branch == b.missing_branch &&
           a.n_branches == b.n_branches;
}

// Every way to search the columns of a problem at the root.
void check_searches(const tables::Problem& problem, const GrowOptions& options, bool is_whole) {
    const CodedTable table(n_rows, problem.columns);
    const Examples examples{&table, problem.labels, problem.weights, problem.n_classes};
    const auto gaps = value_gaps_of(table, 1e-5);
    const XLogX xlogx(200, 200);
    const RowKeys row_keys(table, problem.labels, {}, Keys{2}, gaps, 1, {});
    const RowCells row_cells(table, 1, {});
    Partition partition(table, problem.labels, problem.weights, row_keys, row_cells,
                        options.missing == MissingValues::fractional);
    partition.enter(partition.root());
    std::vector<double> counts(problem.n_classes);
    double weight = 0;
    for (std::size_t i = 0; i < n_rows; ++i) counts[problem.labels[i]] += problem.weights[i];
    for (const double count : counts) weight += count;
    ColumnSearch by_rows(examples, options, rules, partition, xlogx, gaps);
    TableSearch by_table(table, problem.n_classes, options, rules, xlogx, gaps, least_rows(examples, options));
    const NodeCounts node{counts, weight};
    for (std::size_t column = 0; column < 2; ++column) {
        const Counted of_column = counted(problem, column);
        const FoundTest expected = by_rows.best_test(column, {partition.root(), counts, weight});
        CHECK(same(by_table.best_test(column, of_column.table, node, 0.0, of_column.rows), expected));
        if (column > 0 || problem.n_classes != 2 || !is_whole || options.min_rows > 0) continue;
        const std::vector<std::uint32_t> narrow(of_column.table.begin(), of_column.table.end());
        CHECK(same(by_table.best_cut(column, std::span<const std::uint32_t>(narrow), node, 0.0), expected));
    }
}

}  // namespace

TEST(a_table_of_counts_finds_the_test_that_its_rows_find) {
    std::mt19937 random(5);
    for (int trial = 0; trial < 24; ++trial) {
        const bool is_whole = trial % 2 == 0;
        const auto problem = drawn(random, trial % 3 == 0 ? 3 : 2, trial % 4 > 1, is_whole ? 1.0 : 0.5);
        for (const CriterionName criterion : criteria) {
            for (const NominalSplits splits : {NominalSplits::multiway, NominalSplits::subset, NominalSplits::binary}) {
                for (const MissingValues treatment : {MissingValues::fractional, MissingValues::learned}) {
                    for (const double min_rows : {0.0, 4.0}) {
                        check_searches(problem,
                                       {.criterion = criterion,
                                        .nominal_splits = splits,
                                        .min_rows = min_rows,
                                        .missing = treatment,
                                        .n_declared_classes = problem.n_classes},
                                       is_whole);
                    }
                }
            }
        }
    }
}

}  // namespace test_table_search
