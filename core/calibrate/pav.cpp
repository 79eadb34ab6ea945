// One sort, then a walk over the distinct scores with a stack of blocks (Ayer, Brunk, Ewing, Reid & Silverman 1955).
#include "calibrate/pav.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace calibrant {
namespace {

// Products instead of means, since those of counts are exact.
bool violates(const ScoreBlock& lower, const ScoreBlock& upper) {
    return (lower.positive + lower.pseudo) * (upper.weight + 2 * upper.pseudo) >=
           (upper.positive + upper.pseudo) * (lower.weight + 2 * lower.pseudo);
}

// The centre is a sum of weighted scores until `divide_centres`.
ScoreBlock joined(const ScoreBlock& lower, const ScoreBlock& upper) {
    return {lower.first,
            upper.last,
            lower.centre + upper.centre,
            lower.weight + upper.weight,
            lower.positive + upper.positive,
            lower.pseudo + upper.pseudo};
}

// A power of two that keeps sums of weighted scores far from overflow.
double unit_for(const ScoreRows& rows) {
    double largest = 0;
    for (const double score : rows.scores) largest = std::max(largest, std::abs(score));
    return std::ldexp(1.0, -std::clamp(std::ilogb(std::max(largest, std::numeric_limits<double>::min())), -1000, 1023));
}

void divide_centres(std::vector<ScoreBlock>& blocks, double unit) {
    for (ScoreBlock& block : blocks)
        block.centre = std::clamp(block.centre / block.weight / unit, block.first, block.last);
}

// Adds a pseudo-row of either class to the first and the last block, and pools new violators.
void smooth_ends(std::vector<ScoreBlock>& blocks) {
    blocks.front().pseudo = blocks.back().pseudo = 1;
    std::vector<ScoreBlock> pooled;
    for (const ScoreBlock& block : blocks) pool_block(pooled, block);
    blocks.swap(pooled);
}

// Sums for the area under the ROC curve over groups of tied rows, ascending.
class AucSums {
  public:
    void add(double weight, double positive) {
        const double negative = weight - positive;
        won_ += positive * (negatives_ + negative / 2);
        negatives_ += negative;
        positives_ += positive;
        within_ += weight * weight;
    }
    Ranked result() const {
        const double total = negatives_ + positives_;
        return {won_ / (negatives_ * positives_), (total * total - within_) / 2};
    }

  private:
    double won_ = 0, negatives_ = 0, positives_ = 0, within_ = 0;
};

// Scores keep their order between the centres of the first and of the last block, and are one rank beyond either.
template <class Item>
Ranked rank_between(SortedScores<Item>& sorted, double low, double high) {
    AucSums ranking;
    ScoreGroup below{}, above{};
    bool is_below = true;
    const auto add_below = [&] {
        if (is_below) ranking.add(below.weight, below.positive);
        is_below = false;
    };
    sorted.for_each_group([&](const ScoreGroup& group) {
        if (group.score <= low || group.score >= high) {
            ScoreGroup& end = group.score <= low ? below : above;
            end.weight += group.weight;
            end.positive += group.positive;
            return;
        }
        add_below();
        ranking.add(group.weight, group.positive);
    });
    add_below();
    ranking.add(above.weight, above.positive);
    return ranking.result();
}

template <class Item>
IsotonicFit fit_sorted(const ScoreRows& rows, const IsotonicOptions& options, std::size_t n_threads,
                       const StopToken& stop) {
    SortedScores<Item> sorted(rows, n_threads, stop);
    const double unit = unit_for(rows);
    IsotonicFit fit;
    AucSums before, after;
    sorted.for_each_group([&](const ScoreGroup& group) {
        before.add(group.weight, group.positive);
        pool_block(fit.blocks,
                   {group.score, group.score, group.score * unit * group.weight, group.weight, group.positive});
    });
    check_stop(stop);
    if (options.smooth_ends) smooth_ends(fit.blocks);
    divide_centres(fit.blocks, unit);
    fit.before = before.result();
    if (options.centred && fit.blocks.size() > 1) {
        fit.after = rank_between(sorted, fit.blocks.front().centre, fit.blocks.back().centre);
        return fit;
    }
    for (const ScoreBlock& block : fit.blocks) after.add(block.weight, block.positive);
    fit.after = after.result();
    return fit;
}

}  // namespace

void pool_block(std::vector<ScoreBlock>& blocks, ScoreBlock block) {
    while (!blocks.empty() && violates(blocks.back(), block)) {
        block = joined(blocks.back(), block);
        blocks.pop_back();
    }
    blocks.push_back(block);
}

IsotonicFit fit_isotonic(const ScoreRows& rows, const IsotonicOptions& options, std::size_t n_threads,
                         const StopToken& stop) {
    return rows.weights.empty() ? fit_sorted<PlainKey>(rows, options, n_threads, stop)
                                : fit_sorted<WeightedKey>(rows, options, n_threads, stop);
}

}  // namespace calibrant
