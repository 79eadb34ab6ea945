#include "tree/grow/node_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tree/grow/node_queue.hpp"

namespace calibrant {

void NodeRules::start_root(PendingNode& root) const {
    root.key = mix64(options_.seed);
    root.label = majority(root.counts);
    root.is_leaf = must_be_leaf(root);
}

void NodeRules::start_child(const PendingNode& parent, std::size_t branch, PendingNode& child) const {
    child.branch = branch;
    child.key = mix64(parent.key ^ (branch + 1));
    child.label = child.weight > 0 ? majority(child.counts) : parent.label;
    child.is_leaf = must_be_leaf(child);
}

std::int32_t NodeRules::majority(std::span<const double> counts) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < counts.size(); ++k) {
        if (counts[k] > counts[best] + tolerances_.label) best = k;
    }
    return static_cast<std::int32_t>(best);
}

bool NodeRules::must_be_leaf(const PendingNode& node) const {
    const double largest = *std::max_element(node.counts.begin(), node.counts.end());
    // shares of cases leave rounding errors, which must not be split
    const bool is_pure = node.weight - largest <= 1e-9 * std::max(1.0, node.weight);
    const bool is_small = node.weight < 2 * options_.min_leaf - size_tolerance;
    return is_pure || is_small || (options_.max_depth > 0 && node.depth >= options_.max_depth);
}

ColumnDraw::ColumnDraw(std::size_t n_columns, const GrowOptions& options)
    : at_once_(options.max_features == 0 ? n_columns : options.max_features),
      redraw_(options.redraw),
      columns_(n_columns) {
    std::iota(columns_.begin(), columns_.end(), std::size_t{0});
}

// So that every node draws from the same order on any thread.
void ColumnDraw::undo() {
    for (std::size_t i = swaps_.size(); i-- > 0;) std::swap(columns_[i], columns_[swaps_[i]]);
    swaps_.clear();
}

SplitChoice::SplitChoice(const CodedTable& table, const GrowOptions& options, double tolerance, double n_cases)
    : options_(options),
      tolerance_(tolerance),
      unusable_(is_bayesian(options.criterion) ? -std::numeric_limits<double>::infinity() : -split_epsilon),
      is_wide_(table.n_columns()) {
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        if (!table.uncoded(column).empty()) continue;  // a numeric one
        const CodedColumn& coded = table.column(column);
        is_wide_[column] = coded.kind == Kind::nominal && static_cast<double>(coded.n_values) >= 0.3 * n_cases;
    }
    const bool all_wide = std::find(is_wide_.begin(), is_wide_.end(), false) == is_wide_.end();
    if (all_wide) is_wide_.assign(table.n_columns(), false);
}

// The mean gain of the usable tests, those on wide columns left out; where none is left, no test is above average.
double SplitChoice::average_gain(std::span<const FoundTest> tests, std::span<const std::size_t> columns) const {
    double sum = 0, n = 0;
    for (const std::size_t column : columns) {
        if (!tests[column].usable || is_wide_[column]) continue;
        sum += tests[column].gain;
        ++n;
    }
    return n > 0 ? sum / n : 1e6;  // no gain reaches it
}

double SplitChoice::score(const FoundTest& test, double average) const {
    if (!test.usable) return unusable_;
    if (!options_.ratio) return test.info > 0 ? test.gain : unusable_;
    const double least_info = options_.dialect == Dialect::c45 ? split_epsilon : 1e-6;
    return test.gain >= average - split_epsilon && test.info > least_info ? test.gain / test.info : -split_epsilon;
}

std::size_t SplitChoice::choose(std::span<const FoundTest> tests, std::span<const std::size_t> columns,
                                std::uint64_t random) const {
    const double average = options_.ratio ? average_gain(tests, columns) : 0;
    double best = is_bayesian(options_.criterion) || options_.accept_zero_gain ? unusable_ : 0;
    std::size_t chosen = tests.size();
    for (const std::size_t column : columns) {
        const double value = score(tests[column], average);
        if (!(value > best + tolerance_)) continue;
        best = value;
        chosen = column;
    }
    if (!options_.random_ties || chosen == tests.size()) return chosen;
    std::vector<std::size_t> equals;
    for (const std::size_t column : columns) {
        if (score(tests[column], average) >= best - tolerance_) equals.push_back(column);
    }
    return equals[random % equals.size()];
}

Thresholds::Threshold Thresholds::of(std::size_t column, const FoundTest& test) {
    const CodedColumn& coded = examples_.table->column(column);
    const auto& values = coded.values;
    if (test.above == values.size())  // every known value goes to the first branch
        return {std::numeric_limits<double>::infinity(), static_cast<std::uint32_t>(values.size() - 1)};
    double middle = middle_of(values[test.below], coded.low(test.above));
    const auto first = values.begin() + test.below, last = values.begin() + test.above;  // between which it lies
    const auto above = std::upper_bound(first, last, middle);
    const auto code = static_cast<std::uint32_t>(above - values.begin() - 1);
    // a bin of values that the node lacks may reach over the middle: no cut divides a bin
    if (coded.low(code + 1) <= middle) middle = middle_of(values[code], coded.low(code + 1));
    if (midpoint_) return {middle, code};
    const std::uint32_t present = last_present(column, code);
    return {values[present], present};
}

// The greatest code up to `code` that a row of positive weight has.
std::uint32_t Thresholds::last_present(std::size_t column, std::uint32_t code) {
    if (!has_absent_rows_) return code;
    auto& last = last_present_[column];
    if (last.empty()) {
        const CodedColumn& coded = examples_.table->column(column);
        last.assign(coded.n_values, 0);
        std::visit(
            [&]<class Column>(const Column& codes) {
                using Code = CodeOf<Column>;
                for (std::size_t row = 0; row < codes.size(); ++row) {
                    if (codes[row] != missing_code<Code> && examples_.weights[row] > 0) last[codes[row]] = codes[row];
                }
            },
            coded.codes);
        std::partial_sum(last.begin(), last.end(), last.begin(),
                         [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    }
    return last[code];
}

std::uint32_t write_test(Tree& tree, std::size_t node, std::size_t column, const CodedColumn& coded,
                         const FoundTest& test, Thresholds& thresholds) {
    std::uint32_t cut = 0;
    if (is_multiway(coded, test)) {
        std::vector<std::int32_t> identity(coded.n_values);
        std::iota(identity.begin(), identity.end(), 0);
        tree.make_nominal(node, column, test.n_branches, identity, test.missing_branch);
    } else if (test.alone != FoundTest::no_value) {
        tree.make_one_against_rest(node, column, coded.n_values, test.alone, test.missing_branch);
    } else if (coded.kind == Kind::nominal) {
        tree.make_nominal(node, column, test.n_branches, test.branches, test.missing_branch);
    } else {
        const auto [value, code] = thresholds.of(column, test);
        tree.make_numeric(node, column, value, code, test.missing_branch);
        cut = code;
    }
    tree.set_log_prior(node, test.log_prior);
    return cut;
}

}  // namespace calibrant
