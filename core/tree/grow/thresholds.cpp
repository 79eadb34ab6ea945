#include "tree/grow/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace calibrant {
namespace {

double middle_of(double below, double above) {
    const double middle = below + (above - below) / 2;
    return middle < above && std::isfinite(middle) ? middle : below;
}

}  // namespace

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

}  // namespace calibrant
