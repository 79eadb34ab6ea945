#include "boost/gradient_split.hpp"

#include <algorithm>
#include <array>

#include "boost/gradient_bins.hpp"
#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t most_cuts = 256;
static_assert(most_bins_of_a_byte < most_cuts && most_cuts % lanes == 0);

struct ScoreTerms {
    double gradient, hessian, l2, least;
};

// G^2 / (H + l2) of both branches, on one denominator; -1 where a branch is too small.
CALIBRANT_INLINE double score_of(GradientSum left, const ScoreTerms& node) {
    const double first_g = gradient_of(left), first_h = hessian_of(left);
    const double second_g = node.gradient - first_g, second_h = node.hessian - first_h;
    const double first = first_h + node.l2, second = second_h + node.l2;
    const double score = (first_g * first_g * second + second_g * second_g * first) / (first * second);
    return (first_h >= node.least) & (second_h >= node.least) ? score : -1.0;
}

// Writes the scores of cuts, a multiple of `lanes`, and returns the greatest.
CALIBRANT_CLONES double score_cuts(const GradientSum* left, std::size_t n, ScoreTerms node, double* scores) {
    for (std::size_t i = 0; i < n; ++i) scores[i] = score_of(left[i], node);
    double most[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) most[lane] = -1;
    for (std::size_t i = 0; i < n; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            most[lane] = scores[i + lane] > most[lane] ? scores[i + lane] : most[lane];
    return *std::max_element(most, most + lanes);
}

// Cuts among bins without rows are equal: the one in the middle, but the last where all values are in the first branch.
std::size_t middle_cut(std::span<const GradientSum> left, std::size_t cut, std::size_t n_bins) {
    std::size_t last = cut;
    while (last + 1 < left.size() && left[last + 1] == left[cut]) ++last;
    return last + 1 == n_bins ? last : cut + (last - cut) / 2;
}

}  // namespace

SplitSearch::SplitSearch(const GradientOptions& options, GradientUnits units)
    : units_(units),
      rate_(options.rate),
      l2_(options.l2 / units.hessian),
      category_l2_(options.category_l2 / units.hessian),
      smoothing_(options.category_smoothing / units.hessian),
      support_(options.category_support),
      min_leaf_(options.min_leaf),
      min_hessian_(options.min_hessian / units.hessian),
      max_categories_(options.max_categories) {}

void SplitSearch::start(const NodeSums& node) {
    node_ = node;
    gradient_ = gradient_of(node.sum);
    hessian_ = hessian_of(node.sum);
    const double per_weight = hessian_ / node.weight;
    least_ = std::max({1.0, min_hessian_, min_leaf_ * per_weight});
    least_category_ = std::max(1.0, support_ * per_weight);
    score_ = gradient_ * gradient_ / (hessian_ + l2_);
}

double SplitSearch::leaf_value(GradientSum sum) const {
    const double newton = static_cast<double>(gradient_of(sum)) / (static_cast<double>(hessian_of(sum)) + l2_);
    return -rate_ * newton * (units_.gradient / units_.hessian);
}

bool SplitSearch::is_better(double score, std::uint32_t column, const GradientSplit& best) const {
    const double gain = score - score_;
    return gain > best.gain || (best.is_found() && gain == best.gain && column < best.test.column);
}

void SplitSearch::search_numeric(std::uint32_t column, const GradientSum* cells, std::size_t n_bins,
                                 GradientSplit& best) const {
    std::array<GradientSum, most_cuts> left;
    GradientSum sum = 0;
    for (std::size_t bin = 0; bin < n_bins; ++bin) left[bin] = sum += cells[bin];
    const GradientSum missing = cells[n_bins];
    try_cuts(column, left, n_bins - (missing == 0 ? 1 : 0), n_bins, false, missing != 0, best);
    if (missing == 0) return;
    for (std::size_t bin = 0; bin < n_bins; ++bin) left[bin] += missing;
    try_cuts(column, left, n_bins - 1, n_bins, true, true, best);
}

void SplitSearch::try_cuts(std::uint32_t column, std::span<GradientSum> left, std::size_t n_cuts, std::size_t n_bins,
                           bool missing_first, bool has_missing, GradientSplit& best) const {
    const std::size_t n_padded = (n_cuts + lanes - 1) / lanes * lanes;
    std::array<GradientSum, lanes> beyond;  // cuts after the last are tried again with missing values
    std::copy_n(left.begin() + static_cast<std::ptrdiff_t>(n_cuts), n_padded - n_cuts, beyond.begin());
    std::fill(left.begin() + static_cast<std::ptrdiff_t>(n_cuts), left.begin() + static_cast<std::ptrdiff_t>(n_padded),
              GradientSum{0});
    std::array<double, most_cuts> scores;
    const double most = score_cuts(left.data(), n_padded, {gradient_, hessian_, l2_, least_}, scores.data());
    if (is_better(most, column, best)) {
        const auto found = static_cast<std::size_t>(std::find(scores.begin(), scores.end(), most) - scores.begin());
        const std::size_t cut = middle_cut(left.first(n_cuts), found, n_bins);
        const bool is_first = has_missing ? missing_first : 2.0 * hessian_of(left[cut]) >= hessian_;
        best.gain = most - score_;
        best.test = {column, static_cast<std::uint8_t>(cut), static_cast<std::uint8_t>(is_first ? n_bins : cut), false};
    }
    std::copy_n(beyond.begin(), n_padded - n_cuts, left.begin() + static_cast<std::ptrdiff_t>(n_cuts));
}

void SplitSearch::search_nominal(std::uint32_t column, const GradientSum* cells, std::size_t n_bins,
                                 GradientSplit& best) const {
    std::array<Category, most_cuts> order;
    std::size_t n = 0, n_present = 0;
    for (std::size_t code = 0; code <= n_bins; ++code) {
        const double hessian = hessian_of(cells[code]);
        n_present += cells[code] != 0;
        if (hessian >= least_category_) order[n++] = {gradient_of(cells[code]) / (hessian + smoothing_), code};
    }
    const auto by_order = [](const Category& a, const Category& b) {
        return a.order < b.order || (a.order == b.order && a.code < b.code);
    };
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), by_order);
    // A set of all categories leaves no rows for the other branch.
    const std::size_t n_most = std::min(max_categories_, n == n_present && n > 0 ? n - 1 : n);
    const std::span<Category> sorted(order.data(), n);
    try_sets(column, cells, sorted, n_most, n_bins, best);
    std::reverse(sorted.begin(), sorted.end());
    try_sets(column, cells, sorted, n_most, n_bins, best);
}

void SplitSearch::try_sets(std::uint32_t column, const GradientSum* cells, std::span<const Category> order,
                           std::size_t n_most, std::size_t n_bins, GradientSplit& best) const {
    const ScoreTerms terms{gradient_, hessian_, l2_ + category_l2_, least_};
    GradientSum left = 0;
    std::size_t n_best = 0;
    for (std::size_t n = 1; n <= n_most; ++n) {
        left += cells[order[n - 1].code];
        const double score = score_of(left, terms);
        if (!is_better(score, column, best)) continue;
        best.gain = score - score_;
        best.test.column = column;
        n_best = n;
    }
    if (n_best == 0) return;
    best.test = {column, static_cast<std::uint8_t>(n_bins), static_cast<std::uint8_t>(n_bins), true};
    for (const Category& category : order.first(n_best))
        best.test.set[category.code / 64] |= std::uint64_t{1} << (category.code % 64);
}

}  // namespace calibrant
