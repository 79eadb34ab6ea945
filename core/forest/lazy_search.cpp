#include "forest/lazy_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "elementary.hpp"

namespace calibrant {

namespace {

constexpr double gain_units = 1 << 30;
constexpr double share_units = static_cast<double>(std::int64_t{1} << 40);
constexpr double rounding = 1e-9;

double x_log_x(double x) { return x > 0 ? x * log2_of(x) : 0.0; }

}  // namespace

// The query's branch of a test, classes reweighted to be equally frequent in the node: the sum of their shares, the sum
// of x log x, and the weight of the rows before reweighting.
struct LazySearch::Branch {
    double sum = 0;
    double logs = 0;
    double weight = 0;

    void change(Part& part, double by, double of_row, bool with_logs) {
        const Part before = part;
        part.share = std::max(0.0, part.share + by);
        sum += part.share - before.share;
        weight += of_row;
        if (!with_logs) return;
        part.log = x_log_x(part.share);
        logs += part.log - before.log;
    }
};

LazySearch::LazySearch(const LazyExamples& examples)
    : examples_(examples),
      counts_(examples.n_classes),
      per_weight_(examples.n_classes),
      parts_(examples.n_classes),
      mark_(examples.n_rows) {}

void LazySearch::count(std::span<const std::uint32_t> rows, std::span<const double> weight) {
    std::ranges::fill(counts_, 0.0);
    for (const auto row : rows) counts_[examples_.labels[row]] += weight[row];
    total_ = 0;
    n_present_ = 0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
        total_ += counts_[k];
        if (counts_[k] > 0 && n_present_++ == 0) first_present_ = k;
        per_weight_[k] = counts_[k] > 0 ? 1.0 / counts_[k] : 0.0;
    }
}

const std::vector<LazyTest>& LazySearch::tests(std::span<const std::uint32_t> rows, std::span<const double> weight,
                                               std::span<const std::uint32_t> query, double min_leaf) {
    found_.clear();
    min_leaf_ = min_leaf * (1 - rounding);
    if (total_ < min_leaf_) return found_;
    if (++stamp_ == 0) {  // after 2^32 nodes
        std::ranges::fill(mark_, 0u);
        stamp_ = 1;
    }
    for (const auto row : rows) mark_[row] = stamp_;
    for (std::size_t column = 0; column < examples_.n_columns; ++column) {
        if (query[column] == lazy_missing) continue;
        if (examples_.is_nominal[column]) {
            search_nominal(column, rows, weight, query[column]);
        } else {
            search_numeric(column, rows, weight, query[column]);
        }
    }
    std::ranges::stable_sort(found_, [](const auto& a, const auto& b) { return a.beats(b); });
    return found_;
}

// Keeps a test with some gain and enough weight if it is the best so far. With two classes the gain rises with the
// larger share, by more than a unit of the gain (2^-30) for each .0001 (2.8e-8 bits at .5001): a branch less certain
// than the best by .0001 cannot win, and its logarithms are saved.
void LazySearch::offer(const Branch& branch, LazyTest test, LazyTest& best) {
    if (branch.weight < min_leaf_ || !(branch.sum > 0)) return;
    double entropy = 0;
    if (n_present_ == 2) {
        const double share = std::clamp(parts_[first_present_].share / branch.sum, 0.0, 1.0);
        const double certainty = std::max(share, 1 - share);
        if (certainty < best_certainty_ - 1e-4) return;
        best_certainty_ = std::max(certainty, best_certainty_);
        entropy = -x_log_x(share) - x_log_x(1 - share);
    } else {
        entropy = log2_of(branch.sum) - branch.logs / branch.sum;
    }
    test.gain = std::llround((log2_of(static_cast<double>(n_present_)) - entropy) * gain_units);
    test.share = std::llround(branch.weight / total_ * share_units);
    if (test.gain > 0 && test.beats(best)) best = test;
}

// Turns the class weights summed in parts_ into shares.
void LazySearch::normalize_parts(Branch& branch) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        parts_[k].share *= per_weight_[k];
        parts_[k].log = x_log_x(parts_[k].share);
        branch.sum += parts_[k].share;
        branch.logs += parts_[k].log;
    }
}

void LazySearch::search_nominal(std::size_t column, std::span<const std::uint32_t> rows, std::span<const double> weight,
                                std::uint32_t category) {
    const auto codes = examples_.column(column);
    Branch branch;
    bool has_others = false;
    best_certainty_ = 0;
    std::ranges::fill(parts_, Part{});
    for (const auto row : rows) {
        if (codes[row] == category) {
            parts_[examples_.labels[row]].share += weight[row];
            branch.weight += weight[row];
        } else {
            has_others |= codes[row] != lazy_missing;
        }
    }
    if (!has_others) return;
    normalize_parts(branch);
    LazyTest best;
    offer(branch, {column, category, LazySide::equal}, best);
    if (best.gain > 0) found_.push_back(best);
}

// Small nodes sort their rows; large ones, where n log n exceeds the table, pick them out of the presorted table.
void LazySearch::sort_known(std::size_t column, std::span<const std::uint32_t> rows) {
    const auto codes = examples_.column(column);
    const auto key = [&](std::uint32_t row) { return std::uint64_t{codes[row]} << 32 | row; };
    known_.clear();
    if (rows.size() * static_cast<std::size_t>(std::bit_width(rows.size())) > examples_.n_rows) {
        for (const auto row : examples_.sorted(column)) {
            if (mark_[row] == stamp_ && codes[row] != lazy_missing) known_.push_back(key(row));
        }
        return;
    }
    for (const auto row : rows) {
        if (codes[row] != lazy_missing) known_.push_back(key(row));
    }
    std::ranges::sort(known_);
}

// The first `n_known` of the sorted rows as a branch.
LazySearch::Branch LazySearch::summed(std::size_t n_known, std::span<const double> weight) {
    Branch branch;
    std::ranges::fill(parts_, Part{});
    for (std::size_t i = 0; i < n_known; ++i) {
        const auto row = static_cast<std::uint32_t>(known_[i]);
        parts_[examples_.labels[row]].share += weight[row];
        branch.weight += weight[row];
    }
    normalize_parts(branch);
    return branch;
}

// Cuts stand after each code in the node but the last. Below the query's rank its branch is what lies above the cut, so
// that rows are removed one after the other; from there on it is what lies at or below the cut, and rows are added.
void LazySearch::search_numeric(std::size_t column, std::span<const std::uint32_t> rows, std::span<const double> weight,
                                std::uint32_t rank) {
    sort_known(column, rows);
    const auto code = [&](std::size_t i) { return static_cast<std::uint32_t>(known_[i] >> 32); };
    const auto n_below =
        static_cast<std::size_t>(std::ranges::lower_bound(known_, std::uint64_t{rank} << 32) - known_.begin());
    LazyTest best;
    best_certainty_ = 0;
    const auto scan = [&](Branch branch, std::size_t first, std::size_t last, double sign, LazySide side) {
        for (std::size_t i = first; i < last; ++i) {
            const auto row = static_cast<std::uint32_t>(known_[i]);
            const auto label = examples_.labels[row];
            branch.change(parts_[label], sign * weight[row] * per_weight_[label], sign * weight[row], n_present_ > 2);
            if (i + 1 < known_.size() && code(i + 1) != code(i)) offer(branch, {column, code(i), side}, best);
        }
    };
    scan(summed(known_.size(), weight), 0, n_below, -1.0, LazySide::above);
    scan(summed(n_below, weight), n_below, known_.size(), 1.0, LazySide::at_most);
    if (best.gain > 0) found_.push_back(best);
}

}  // namespace calibrant
