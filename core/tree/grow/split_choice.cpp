#include "tree/grow/split_choice.hpp"

#include <algorithm>
#include <limits>

namespace calibrant {

SplitChoice::SplitChoice(const CodedTable& table, const GrowOptions& options, double tolerance, double n_cases)
    : options_(options),
      tolerance_(tolerance),
      unusable_(is_bayesian(options.criterion) ? -std::numeric_limits<double>::infinity() : -split_epsilon),
      is_wide_(table.n_columns()) {
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        const CodedColumn& coded = table.column(column);
        is_wide_[column] = coded.kind == Kind::nominal && static_cast<double>(coded.n_values) >= 0.3 * n_cases;
    }
    const bool all_wide = std::find(is_wide_.begin(), is_wide_.end(), false) == is_wide_.end();
    if (all_wide) is_wide_.assign(table.n_columns(), false);
}

// The mean gain of the usable tests, those on wide columns left out; where none is left, no test is above average.
double SplitChoice::average_gain(std::span<const FoundTest> tests) const {
    double sum = 0, n = 0;
    for (std::size_t column = 0; column < tests.size(); ++column) {
        if (!tests[column].usable || is_wide_[column]) continue;
        sum += tests[column].gain;
        ++n;
    }
    return n > 0 ? sum / n : 1e6;
}

double SplitChoice::score(const FoundTest& test, double average) const {
    if (!test.usable) return unusable_;
    if (!options_.ratio) return test.info > 0 ? test.gain : unusable_;
    const double least_info = options_.dialect == Dialect::c45 ? split_epsilon : 1e-6;
    return test.gain >= average - split_epsilon && test.info > least_info ? test.gain / test.info : -split_epsilon;
}

std::size_t SplitChoice::choose(std::span<const FoundTest> tests, std::uint64_t random) const {
    const double average = options_.ratio ? average_gain(tests) : 0;
    double best = is_bayesian(options_.criterion) || options_.accept_zero_gain ? unusable_ : 0;
    std::size_t chosen = tests.size();
    for (std::size_t column = 0; column < tests.size(); ++column) {
        const double value = score(tests[column], average);
        if (!(value > best + tolerance_)) continue;
        best = value;
        chosen = column;
    }
    if (!options_.random_ties || chosen == tests.size()) return chosen;
    std::vector<std::size_t> equals;
    for (std::size_t column = 0; column < tests.size(); ++column) {
        if (score(tests[column], average) >= best - tolerance_) equals.push_back(column);
    }
    return equals[random % equals.size()];
}

}  // namespace calibrant
