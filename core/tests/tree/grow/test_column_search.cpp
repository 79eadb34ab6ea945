#include "tree/grow/column_search.hpp"

#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::missing;
using tables::near;

namespace test_column_search {
namespace {

constexpr CutRules rules{.usable_gain = 1e-12, .penalty = false};
constexpr Keys keys{.class_bits = 1};

// How a column is searched: its values are counted, or its rows sorted once for a subtree, or at each node, there also
// by values that are not coded.
enum class Way { counted, presorted, drawn, uncoded };
constexpr Way ways[] = {Way::counted, Way::presorted, Way::drawn, Way::uncoded};

std::vector<double> values_of(const CodedColumn& column) {
    std::vector<double> values;
    for (const std::uint16_t code : std::get<std::vector<std::uint16_t>>(column.codes))
        values.push_back(code == missing_code<std::uint16_t> ? missing : column.values[code]);
    return values;
}

// One column searched at the root.
FoundTest searched(const tables::Problem& problem, Way way, const GrowOptions& options,
                   const CutRules& cut_rules = rules) {
    const std::size_t n_rows = problem.labels.size();
    const auto matrix = way == Way::uncoded ? values_of(problem.columns[0]) : std::vector<double>();
    const CodedTable table = way == Way::uncoded ? CodedTable::code_when_asked(n_rows, matrix, 0, 1, {})
                                                 : CodedTable(n_rows, problem.columns);
    const Examples examples{&table, problem.labels, problem.weights, 2, problem.cases};
    const auto gaps = value_gaps_of(table, 1e-5);
    const XLogX xlogx(problem.labels.size());
    const std::vector<std::size_t> sorted(way == Way::counted ? 0 : 1);
    const RowKeys row_keys(table, problem.labels, sorted, keys, gaps, 1, {}, way >= Way::drawn);
    const RowCells row_cells(table, 1, {}, way == Way::counted ? RowCells::few_values : 0);
    Partition partition(table, problem.labels, problem.weights, row_keys, row_cells);
    if (way < Way::drawn) partition.presort(partition.root(), tables::alone, {});
    std::vector<double> counts(2);
    for (std::size_t row = 0; row < problem.labels.size(); ++row) {
        counts[problem.labels[row]] += problem.weights.empty() ? 1.0 : problem.weights[row];
    }
    partition.enter(partition.root());
    ColumnSearch search(examples, options, cut_rules, partition, xlogx, gaps);
    FoundTest found = search.best_test(0, {partition.root(), counts, counts[0] + counts[1]});
    if (found.usable && !table.uncoded(0).empty()) {
        const auto& codes = std::get<std::vector<std::uint16_t>>(table.column(0).codes);
        found.below = codes[found.below], found.above = codes[found.above];
    }
    return found;
}

tables::Problem drawn(std::mt19937& random, std::size_t n, bool weighted, bool with_missing, double unit = 1) {
    tables::Problem problem{std::vector<std::uint16_t>(n)};
    std::vector<double> column(n);
    for (std::size_t i = 0; i < n; ++i) {
        column[i] = with_missing && random() % 6 == 0 ? missing : static_cast<double>(random() % 12);
        problem.labels[i] = random() % 4 == 0 ? 1 : (column[i] > 5 ? 1 : 0);
        if (weighted) problem.weights.push_back(static_cast<double>(1 + random() % 3) / (n % 8 == 0 ? 1 : 2));
    }
    for (double& value : column) value *= unit;
    problem.add(column);
    return problem;
}

// The most bits that any cut gains with at least this weight and number of rows on each side; missing
// values reduce the gain.
double best_by_hand(const tables::Problem& problem, double min_leaf, double min_rows) {
    const auto& codes = std::get<std::vector<std::uint16_t>>(problem.columns[0].codes);
    const auto bits = [](double a, double b) {
        const auto part = [&](double n) { return n > 0 ? -n * std::log2(n / (a + b)) : 0.0; };
        return part(a) + part(b);
    };
    double best = 0, all = 0;
    for (const double weight : problem.weights) all += weight;
    for (std::uint32_t cut = 0; cut + 1 < problem.columns[0].n_values; ++cut) {
        double sides[2][2] = {}, rows[2] = {};
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i] == missing_code<std::uint16_t>) continue;
            sides[codes[i] > cut][problem.labels[i]] += problem.weights[i];
            ++rows[codes[i] > cut];
        }
        const double low = sides[0][0] + sides[0][1], high = sides[1][0] + sides[1][1];
        if (std::min(low, high) < min_leaf || std::min(rows[0], rows[1]) < min_rows) continue;
        const double before = bits(sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]);
        best = std::max(best, (before - bits(sides[0][0], sides[0][1]) - bits(sides[1][0], sides[1][1])) / all);
    }
    return best;
}

constexpr GrowOptions plain{
    .ratio = false, .min_leaf = 1, .c45_cuts = false, .penalty = false, .n_declared_classes = 2};

}  // namespace

TEST(sorted_once_or_at_the_node_or_counted_finds_the_same_cut) {
    std::mt19937 random(13);
    for (int trial = 0; trial < 200; ++trial) {
        const auto problem =
            drawn(random, trial % 2 == 0 ? 12 + trial % 5 : 60 + trial % 7, trial % 3 == 0, trial % 5 == 0,
                  trial % 4 == 0 ? 3e-6 : 1);  // some values are too close for a cut
        for (const auto criterion :
             {CriterionName::entropy, CriterionName::gini, CriterionName::dkm, CriterionName::hellinger}) {
            GrowOptions options = plain;
            options.criterion = criterion;
            const FoundTest a = searched(problem, Way::presorted, options);
            for (const Way way : {Way::counted, Way::drawn, Way::uncoded}) {
                const FoundTest b = searched(problem, way, options);
                CHECK(a.usable == b.usable && near(a.gain, b.gain) && near(a.info, b.info) && a.below == b.below &&
                      a.above == b.above);
            }
        }
    }
}

TEST(release_8_requires_a_tenth_of_the_mean_class_on_each_side) {
    tables::Problem problem{std::vector<std::uint16_t>(100)};
    std::vector<double> column(100);
    for (std::size_t i = 0; i < 100; ++i) {
        column[i] = static_cast<double>(i);
        problem.labels[i] = i < 3 || i >= 60 ? 1 : 0;
    }
    problem.labels[99] = 0;
    problem.add(column);
    GrowOptions options = plain;
    options.min_leaf = 2;
    options.c45_cuts = true;
    CHECK(searched(problem, Way::presorted, options).below == 59);
    problem.labels.assign(100, 0);
    std::fill_n(problem.labels.begin(), 3, std::uint16_t{1});
    CHECK(searched(problem, Way::presorted, options).below == 4);  // 0.1 * 100 / 2
    options.c45_cuts = false;
    CHECK(searched(problem, Way::presorted, options).below == 2);
}

TEST(j48_counts_cases_and_weights_are_cases) {
    tables::Problem problem{{0, 1, 1}};
    problem.add({1, 2, 3});
    GrowOptions options = plain;
    options.min_leaf = 2;
    CutRules by_cases = rules;
    by_cases.count_cases = true;
    CHECK(!searched(problem, Way::presorted, options, by_cases).usable);
    problem.weights = {2, 1, 1};
    CHECK(searched(problem, Way::presorted, options, by_cases).usable);
    CHECK(searched(problem, Way::counted, options, by_cases).usable);
}

TEST(cases_are_counted_where_they_are_passed_whatever_the_weights) {
    for (const std::size_t n : {4, 40}) {
        for (const double weight : {1.0, 2.0, 2.5}) {
            tables::Problem problem{std::vector<std::uint16_t>(n)};
            std::vector<double> column(n);
            for (std::size_t i = 0; i < n; ++i) column[i] = problem.labels[i] = i < n / 2 ? 0 : 1;
            problem.add(column);
            if (weight != 1) problem.weights.assign(n, weight);
            GrowOptions options = plain;
            options.min_leaf = static_cast<double>(n) / 2;
            CutRules by_cases = rules;
            by_cases.count_cases = true;
            for (const double cases : {0.5, 1.0}) {
                problem.cases.assign(n, cases);
                for (const Way way : ways) {
                    CHECK(searched(problem, way, options, by_cases).usable == (cases == 1));
                    CHECK(searched(problem, way, options).usable);
                }
            }
        }
    }
}

TEST(with_rows_required_every_search_finds_the_best_cut_that_leaves_them) {
    std::mt19937 random(17);
    for (int trial = 0; trial < 200; ++trial) {
        auto problem = drawn(random, trial % 2 == 0 ? 12 + trial % 5 : 60 + trial % 7, true, trial % 3 == 0);
        for (double& weight : problem.weights) weight *= random() % 4 == 0 ? 6.5 : 1.0;
        GrowOptions options = plain;
        options.min_leaf = options.min_rows = static_cast<double>(2 + trial % 4);
        const FoundTest a = searched(problem, Way::presorted, options);
        for (const Way way : {Way::counted, Way::drawn}) {
            const FoundTest b = searched(problem, way, options);
            CHECK(a.usable == b.usable && near(a.gain, b.gain) && a.below == b.below);
        }
        const double best = best_by_hand(problem, options.min_leaf, options.min_rows);
        CHECK(a.usable ? near(a.gain, best) : best <= 1e-9);
    }
}

TEST(j48_counts_rows_as_cases_where_rows_are_required) {
    tables::Problem problem{{0, 1, 1}};
    problem.add({1, 2, 3});
    problem.weights = {2.5, 2, 2};
    GrowOptions options = plain;
    options.min_leaf = 2;
    CutRules by_cases = rules;
    by_cases.count_cases = true;
    for (const Way way : ways) {
        options.min_rows = 0;
        CHECK(searched(problem, way, options, by_cases).usable);
        options.min_rows = 1;
        CHECK(!searched(problem, way, options, by_cases).usable);
    }
}

TEST(a_value_of_one_heavy_row_fills_no_branch) {
    tables::Problem problem{{0, 0, 1, 1, 1}};
    problem.add({0, 0, 0, 0, 1}, 2);
    problem.weights = {1, 1, 1, 1, 6.23};
    GrowOptions options = plain;
    options.min_leaf = 2;
    CHECK(searched(problem, Way::counted, options).usable);
    options.min_rows = 2;
    CHECK(!searched(problem, Way::counted, options).usable);
}

TEST(wide_numeric_columns_are_kept_sorted_and_no_others) {
    tables::Problem problem{};
    std::vector<double> wide(100), narrow(100, 1.0);
    std::vector<std::int32_t> words(100);
    for (std::size_t i = 0; i < 100; ++i) {
        wide[i] = static_cast<double>(i);
        words[i] = static_cast<std::int32_t>(i);
    }
    problem.add(wide);
    problem.add(narrow);
    problem.add(words, 100);
    problem.labels.resize(100);
    const CodedTable table(100, problem.columns);
    CHECK((ColumnSearch::columns_to_sort({&table, problem.labels, {}, 2}, plain) == std::vector<std::size_t>{0}));
}

TEST(a_nominal_column_is_searched_by_the_option) {
    tables::Problem problem{{0, 0, 1, 1, 0, 0, 1, 1}};
    problem.add({0, 0, 1, 1, 2, 2, 3, 3}, 4);
    GrowOptions options = plain;
    CHECK(searched(problem, Way::counted, options).branches.empty() &&
          searched(problem, Way::counted, options).n_branches == 4);
    options.nominal_splits = NominalSplits::subset;
    CHECK((searched(problem, Way::counted, options).branches == std::vector<std::int32_t>{0, 1, 0, 1}));
    options.nominal_splits = NominalSplits::binary;
    CHECK((searched(problem, Way::counted, options).branches == std::vector<std::int32_t>{0, 1, 1, 1}));
}

TEST(two_values_are_never_grouped) {
    tables::Problem problem{{0, 0, 1, 1}};
    problem.add({0, 0, 1, 1}, 2);
    for (const auto splits : {NominalSplits::subset, NominalSplits::binary}) {
        GrowOptions options = plain;
        options.nominal_splits = splits;
        CHECK(searched(problem, Way::counted, options).branches.empty());
    }
}

}  // namespace test_column_search
