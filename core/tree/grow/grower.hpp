// Grows one tree: pop a node, find its best test, make it a leaf or split its rows, push the children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/criteria.hpp"
#include "tree/grow/row_cells.hpp"
#include "tree/grow/value_gaps.hpp"
#include "tree/tree.hpp"

namespace calibrant {

class Buckets;

enum class CriterionName : std::uint8_t { entropy, gini, dkm, hellinger, twoing, bayes, mml };
// The criteria that compare probabilities: every cut counts, and the best test is taken even where it loses.
constexpr bool is_bayesian(CriterionName name) { return name == CriterionName::bayes || name == CriterionName::mml; }

enum class NominalSplits : std::uint8_t { multiway, subset, binary };
enum class Dialect : std::uint8_t { c45, j48 };
// Cases with a missing value are shared among the branches, or sent to the branch that gains most.
enum class MissingValues : std::uint8_t { fractional, learned };

struct GrowOptions {
    CriterionName criterion = CriterionName::entropy;
    bool ratio = true;  // divide by the split information, among tests of at least average gain
    NominalSplits nominal_splits =
        NominalSplits::multiway;  // a branch for each value, groups of values, or one value against the rest
    double min_leaf = 2;
    double min_rows = 0;        // the number of rows that must come with the weight of min_leaf
    bool c45_cuts = true;       // at least min_leaf, a tenth of the mean class size, at most 25, on each side of a cut
    std::size_t max_depth = 0;  // 0: no limit
    bool midpoint = false;      // thresholds half-way between two values, not at a value that occurs
    bool penalty = true;        // the cost of choosing among cuts (Quinlan 1996)
    Dialect dialect = Dialect::c45;
    MissingValues missing = MissingValues::fractional;
    bool accept_zero_gain = true;  // a nominal test that gains nothing may be chosen
    std::size_t n_declared_classes = 0;
    bool random_ties = false;
    std::uint64_t seed = 0;
    std::size_t n_threads = 1;     // any number gives the same tree
    std::size_t max_features = 0;  // columns drawn at each node; 0: all of them
    bool redraw = true;            // where no column drawn has a test, draw among the others
    std::size_t most_counts = std::numeric_limits<std::size_t>::max();  // of all nodes: nodes x classes
};

// All rows that a tree is grown from, where a subtree is grown from some of them elsewhere.
struct WholeTree {
    std::size_t n_table_rows = 0;  // those of weight 0 included
    std::size_t n_rows = 0;
    double weight = 0, heaviest = 0;  // of all rows, and of one
    bool is_whole = true;             // every weight is a whole number
    std::vector<std::vector<std::uint32_t>>
        last_present{};  // of each column and code: the greatest code up to it that a row has; empty: all occur
};

// Training rows: the class of each, numbered in the order that breaks ties, and its weight.
struct Examples {
    const CodedTable* table = nullptr;
    std::span<const std::uint16_t> labels;
    std::span<const double> weights;  // empty: every row counts once; a row of weight 0 is absent
    std::size_t n_classes = 0;
    std::span<const double>
        cases{};  // the number of cases of a row where J48 counts cases, not weight; empty: its weight
    const WholeTree* whole = nullptr;  // the rows that these are some of, where a subtree is grown

    std::size_t n_rows_of_all() const { return whole == nullptr ? table->n_rows() : whole->n_table_rows; }
    std::span<const double> case_counts() const { return cases.empty() ? weights : cases; }
};

// Thrown where a tree would keep more class counts than allowed.
struct TooManyCounts : std::bad_alloc {
    const char* what() const noexcept override { return "the class counts of all nodes take more memory than allowed"; }
};

// The number of rows that a branch must have besides its weight: none where no row has a weight above 1, since enough
// weight is then enough rows.
double least_rows(const Examples& examples, const GrowOptions& options);

// Values looked up for the rows of a whole tree: a subtree must look up the same, to the bit.
XLogX xlogx_for(const Examples& examples, const GrowOptions& options);

// Whether trees of so few rows look at so few of the columns at a node that ranking the drawn values there takes less
// time than coding all columns before: CodedTable::code_when_asked.
bool draws_too_few_to_code(std::size_t n_rows, std::size_t n_columns, std::size_t max_features);

// Throws std::invalid_argument unless there is a label, and a weight and a number of cases if any, for each row.
void check(const Examples& examples);

// What all trees grown from one table have in common.
struct GrowContext {
    GrowContext(const Examples& examples, const GrowOptions& options, const StopToken& stop);
    GrowContext(const GrowContext&) = delete;
    GrowContext& operator=(const GrowContext&) = delete;
    ~GrowContext();

    std::vector<ValueGaps> gaps;
    XLogX xlogx;
    RowKeys row_keys;
    RowCells row_cells;
    std::unique_ptr<const Buckets> buckets;  // null where large nodes are not searched in them
};

Tree grow(const Examples& examples, const GrowOptions& options, const StopToken& stop);
Tree grow(const Examples& examples, const GrowOptions& options, const GrowContext& context, const StopToken& stop);

// A node whose subtree is grown from its own rows: examples.whole has what it must know of the others.
struct SubtreeRoot {
    std::uint64_t key = 0;
    std::size_t depth = 0;
    std::vector<bool> used{};  // of each column: whether it cannot be tested again
};
Tree grow_subtree(const Examples& examples, const GrowOptions& options, const SubtreeRoot& top, const StopToken& stop);

}  // namespace calibrant
