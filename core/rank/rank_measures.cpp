// Sums run from the highest probability down, so that the few rows at the top are not lost to rounding in the total.
#include "rank/rank_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "elementary.hpp"
#include "rank/harmonic.hpp"

namespace calibrant {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool has_both(const Ranking& ranking) { return ranking.positive() > 0 && ranking.weight() > ranking.positive(); }

// Calls visit(weight, weight of the class) for each group, in descending order of the probability of the class.
template <class Visit>
void for_each_of_class(const Ranking& ranking, bool of_other, Visit&& visit) {
    if (of_other)
        ranking.for_each_group_upwards(
            [&](const ScoreGroup& group) { visit(group.weight, group.weight - group.positive); });
    else
        ranking.for_each_group([&](const ScoreGroup& group) { visit(group.weight, group.positive); });
}

// The area over one group, from `found` positives among `depth` rows to `positive` more among `weight` more, as Davis &
// Goadrich interpolate: precision is (found + x) / (depth + x weight / positive) after x more positives.
double mixed_area(double found, double depth, double positive, double weight) {
    const double slope = weight / positive;
    if (depth == 0) return positive / slope;
    return positive / slope + (found - depth / slope) / slope * log1p_of(weight / depth);
}

}  // namespace

double area_under_roc(const Ranking& ranking) {
    double won = 0, positives = 0, negatives = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        const double negative = group.weight - group.positive;
        won += negative * (positives + group.positive / 2);
        positives += group.positive;
        negatives += negative;
    });
    return has_both(ranking) ? won / (positives * negatives) : nan;
}

double average_precision(const Ranking& ranking) {
    double sum = 0, found = 0, depth = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        found += group.positive;
        depth += group.weight;
        sum += group.positive * (found / depth);
    });
    return found > 0 ? sum / found : nan;
}

double area_under_precision(const Ranking& ranking, bool straight) {
    double area = 0, found = 0, depth = 0, precision = nan;
    ranking.for_each_group([&](const ScoreGroup& group) {
        const double reached = (found + group.positive) / (depth + group.weight);
        const double before = depth == 0 ? reached : precision;
        if (group.positive > 0)
            area += straight ? group.positive * (before + reached) / 2
                             : mixed_area(found, depth, group.positive, group.weight);
        found += group.positive;
        depth += group.weight;
        precision = reached;
    });
    return found > 0 ? area / found : nan;
}

double greatest_gap(const Ranking& ranking) {
    if (!has_both(ranking)) return nan;
    const double per_positive = 1 / ranking.positive(), per_negative = 1 / (ranking.weight() - ranking.positive());
    double positives = 0, negatives = 0, gap = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        positives += group.positive;
        negatives += group.weight - group.positive;
        gap = std::max(gap, std::abs(positives * per_positive - negatives * per_negative));
    });
    return std::min(gap, 1.0);
}

// Rank r of a group that starts after s rows, f of them of the class, has f + q (r - s) of it, q the group's share. The
// sum over its ranks of (f + q (r - s)) / r is q times its size plus (f - q s) times the sum of 1 / r.
double mean_lift(const Ranking& ranking, bool of_other) {
    double sum = 0, found = 0, depth = 0;
    for_each_of_class(ranking, of_other, [&](double weight, double of_class) {
        const double harmonic = weight == 1 ? 1 / (depth + 1) : harmonic_between(depth, depth + weight);
        sum += of_class + (found - of_class / weight * depth) * harmonic;
        found += of_class;
        depth += weight;
    });
    return found > 0 ? sum / found : nan;
}

std::vector<double> found_within(const Ranking& ranking, std::span<const double> depths, bool of_other) {
    std::vector<double> counts;
    double found = 0, depth = 0;
    for_each_of_class(ranking, of_other, [&](double weight, double of_class) {
        for (; counts.size() < depths.size() && depths[counts.size()] <= depth + weight;
             counts.push_back(found + of_class * ((depths[counts.size()] - depth) / weight))) {
        }
        found += of_class;
        depth += weight;
    });
    counts.resize(depths.size(), found);
    return counts;
}

std::vector<double> precision_at(const Ranking& ranking, std::span<const double> recalls) {
    constexpr double slack = 1e-12;  // for sums that miss their share by rounding alone
    std::vector<double> best(recalls.size());
    double found = 0, depth = 0;
    std::size_t reached = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        found += group.positive;
        depth += group.weight;
        while (reached < recalls.size() && recalls[reached] * ranking.positive() * (1 - slack) <= found) ++reached;
        if (reached > 0) best[reached - 1] = std::max(best[reached - 1], found / depth);
    });
    for (std::size_t i = best.size(); i-- > 1;) best[i - 1] = std::max(best[i - 1], best[i]);
    if (found == 0) std::fill(best.begin(), best.end(), nan);
    return best;
}

std::vector<RankBin> mass_bins(const Ranking& ranking, std::size_t n_bins) {
    constexpr double slack = 1e-12;  // as above
    const double total = ranking.weight(), n = static_cast<double>(n_bins);
    std::vector<RankBin> bins;
    RankBin open;
    double depth = 0, next = 1;
    ranking.for_each_group_upwards([&](const ScoreGroup& group) {
        open.weight += group.weight;
        open.positive += group.positive;
        open.probability += group.weight * group.score;
        depth += group.weight;
        if (depth * n < next * total * (1 - slack)) return;
        while (next < n && depth * n >= next * total * (1 - slack)) ++next;
        if (bins.size() + 1 < n_bins) bins.push_back(std::exchange(open, {}));
    });
    if (open.weight > 0) bins.push_back(open);
    return bins;
}

std::vector<RankBin> hull_blocks(const Ranking& ranking) {
    std::vector<RankBin> found;
    found.reserve(ranking.blocks().size());
    for (const ScoreBlock& block : ranking.blocks())
        found.push_back({block.weight, block.weight - block.positive, block.centre});
    return found;
}

double isotonic_gap(const Ranking& ranking) {
    auto block = ranking.blocks().begin();
    double sum = 0;
    ranking.for_each_group([&](const ScoreGroup& group) {
        while (-group.score > block->last) ++block;
        sum += group.weight * std::abs(group.score - (1 - block->probability()));
    });
    return sum / ranking.weight();
}

}  // namespace calibrant
