// The rules of C4.5 and J48 that every way of growing follows at a node: when it is a leaf, which columns are drawn,
// which test is chosen, where its threshold lies.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "counter_random.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/split_search.hpp"
#include "tree/tree.hpp"

namespace calibrant {

inline constexpr double closest_values = 1e-5;  // C4.5 and J48 do not cut between closer ones

// Scores closer than these count as equal, so that rounding decides nothing; 1e-6 is SMALL of Weka's Utils.
struct Tolerances {
    explicit Tolerances(Dialect dialect)
        : attribute(dialect == Dialect::c45 ? 1e-7 : 1e-6),
          label(dialect == Dialect::c45 ? 1e-9 : 1e-6),
          cuts(dialect == Dialect::c45
                   ? CutRules{.usable_gain = 1e-12}
                   : CutRules{.tolerance = 1e-6, .least_gain = 0, .usable_gain = 1e-6, .count_cases = true}) {}
    double attribute;  // a later attribute must score more than this to win
    double label;      // and a later class have more weight than this
    CutRules cuts;
};

inline Keys keys_of(const Examples& examples) { return {static_cast<int>(std::bit_width(examples.n_classes - 1))}; }

inline CutRules cut_rules(const GrowOptions& options) {
    CutRules rules = Tolerances(options.dialect).cuts;
    rules.penalty = options.penalty;
    if (is_bayesian(options.criterion)) {
        rules.penalty = false;
        rules.averages = true;
        rules.least_gain = rules.usable_gain = -std::numeric_limits<double>::infinity();
    }
    return rules;
}

struct PendingNode;

class NodeRules {
  public:
    explicit NodeRules(const GrowOptions& options) : options_(options), tolerances_(options.dialect) {}

    const Tolerances& tolerances() const { return tolerances_; }
    // Sets key, label and whether it is a leaf, of a node whose depth, class weights and their sum are set.
    void start_root(PendingNode& root) const;
    void start_child(const PendingNode& parent, std::size_t branch, PendingNode& child) const;

  private:
    bool must_be_leaf(const PendingNode& node) const;
    std::int32_t majority(std::span<const double> counts) const;

    const GrowOptions& options_;
    const Tolerances tolerances_;
};

// The columns in the order drawn at a node, from its key.
class ColumnDraw {
  public:
    ColumnDraw(std::size_t n_columns, const GrowOptions& options);

    std::size_t n_columns() const { return columns_.size(); }
    std::span<const std::size_t> all() const { return columns_; }
    std::size_t at_once() const { return at_once_; }

    // Calls is_done(columns) with those drawn, and with more of the others until it returns true or none are left.
    template <class IsDone>
    void draw(std::uint64_t key, IsDone&& is_done) {
        const std::size_t n = columns_.size();
        std::uint64_t random = mix64(key ^ column_stream);
        bool done = false;
        for (std::size_t first = 0, last = 0; first < n && !done && (first == 0 || redraw_); first = last) {
            last = std::min(n, first + at_once_);
            for (std::size_t i = first; at_once_ < n && i < last; ++i) {
                random = mix64(random);
                swaps_.push_back(i + random % (n - i));
                std::swap(columns_[i], columns_[swaps_.back()]);
            }
            done = is_done(std::span<const std::size_t>(columns_).subspan(first, last - first));
        }
        undo();
    }

  private:
    static constexpr std::uint64_t column_stream = 0x5851f42d4c957f2d;  // separates the draw of columns from ties
    void undo();

    const std::size_t at_once_;
    const bool redraw_;
    std::vector<std::size_t> columns_, swaps_;  // in the order drawn, and the swaps to undo
};

// Chooses among the tests found at a node: Quinlan's rule of at least average gain (Quinlan 1993), and ties.
class SplitChoice {
  public:
    // `n_cases` is the weight of all rows that the tree is grown from.
    SplitChoice(const CodedTable& table, const GrowOptions& options, double tolerance, double n_cases);

    // The column with the best test among `columns`, in ascending order: the first of equals or, with random ties, the
    // one that `random` selects; the number of tests where none is usable. There is one test for each of all columns.
    std::size_t choose(std::span<const FoundTest> tests, std::span<const std::size_t> columns,
                       std::uint64_t random) const;

  private:
    double average_gain(std::span<const FoundTest> tests, std::span<const std::size_t> columns) const;
    double score(const FoundTest& test, double average) const;

    const GrowOptions& options_;
    const double tolerance_;     // a later test must score more than this to win
    const double unusable_;      // the score of a test that cannot be chosen
    std::vector<bool> is_wide_;  // nominal columns of very many values, unless all columns are such
};

// The threshold of a numeric cut: a value that occurs, as in C4.5, or half-way between two.
class Thresholds {
  public:
    Thresholds(const Examples& examples, bool midpoint, bool has_absent_rows)
        : examples_(examples),
          midpoint_(midpoint),
          has_absent_rows_(examples.whole == nullptr ? has_absent_rows : !examples.whole->last_present.empty()),
          last_present_(examples.table->n_columns()) {
        if (examples.whole != nullptr && has_absent_rows_) last_present_ = examples.whole->last_present;
    }

    struct Threshold {
        double value;
        std::uint32_t code;  // the greatest that goes to the first branch
    };
    Threshold of(std::size_t column, const FoundTest& test);

  private:
    std::uint32_t last_present(std::size_t column, std::uint32_t code);

    const Examples& examples_;
    const bool midpoint_, has_absent_rows_;
    std::vector<std::vector<std::uint32_t>> last_present_;
};

// Whether a test has a branch for each value of a nominal column, which can then not be tested again.
inline bool is_multiway(const CodedColumn& column, const FoundTest& test) {
    return column.kind == Kind::nominal && test.branches.empty() && test.alone == FoundTest::no_value;
}

// Turns a leaf of the tree into the test found; returns the greatest code that a cut sends to the first branch.
std::uint32_t write_test(Tree& tree, std::size_t node, std::size_t column, const CodedColumn& coded,
                         const FoundTest& test, Thresholds& thresholds);

}  // namespace calibrant
