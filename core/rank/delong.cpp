#include "rank/delong.hpp"

#include <limits>

namespace calibrant {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The variance of a mean of placements, from their weight, sum and sum of squares.
double variance_of_mean(double weight, double sum, double squares) {
    return weight > 1 ? (squares - sum * sum / weight) / (weight - 1) / weight : nan;
}

template <class Item>
AreaVariance of_sorted(SortedScores<Item>&& sorted, double positive, double negative) {
    double sum_positive = 0, squares_positive = 0, sum_negative = 0, squares_negative = 0, below = 0, found = 0;
    sorted.for_each_group([&](const ScoreGroup& group) {
        const double of_negative = group.weight - group.positive;
        const double beaten = (below + 0.5 * of_negative) / negative,
                     beaten_by = (positive - found - 0.5 * group.positive) / positive;
        sum_positive += group.positive * beaten;
        squares_positive += group.positive * beaten * beaten;
        sum_negative += of_negative * beaten_by;
        squares_negative += of_negative * beaten_by * beaten_by;
        below += of_negative;
        found += group.positive;
    });
    return {sum_positive / positive, variance_of_mean(positive, sum_positive, squares_positive),
            variance_of_mean(negative, sum_negative, squares_negative), positive, negative};
}

}  // namespace

AreaVariance area_variance(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop) {
    double all = 0, positive = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
        all += weight;
        positive += rows.positive[row] ? weight : 0.0;
    }
    if (!(positive > 0 && all - positive > 0)) return {nan, nan, nan, positive, all - positive};
    if (rows.weights.empty()) return of_sorted(SortedScores<PlainKey>(rows, n_threads, stop), positive, all - positive);
    return of_sorted(SortedScores<WeightedKey>(rows, n_threads, stop), positive, all - positive);
}

}  // namespace calibrant
