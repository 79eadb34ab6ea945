// Isotonic regression of two classes on a score: pool adjacent violators, and the ranking before and after.
#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/score_groups.hpp"
#include "stop.hpp"

namespace calibrant {

// Neighbouring scores of one probability: the least and the greatest score, their weighted mean, the weight of the rows
// and of the positive ones, and the pseudo-rows of either class added to them.
struct ScoreBlock {
    double first, last, centre;
    double weight, positive;
    double pseudo = 0;
    double probability() const { return (positive + pseudo) / (weight + 2 * pseudo); }
};

// How well scores rank the classes, and the weight of the pairs of rows that they do not tie.
struct Ranked {
    double auc, pairs_apart;
};

struct IsotonicFit {
    std::vector<ScoreBlock> blocks;
    Ranked before, after;
};

struct IsotonicOptions {
    bool smooth_ends = false;  // one more row of each class in the first and the last block
    bool centred = false;      // the map rises between the centres of the blocks, which ties fewer rows
};

// Adds a block of higher scores than all before, and pools violators; centres are sums of weighted scores.
void pool_block(std::vector<ScoreBlock>& blocks, ScoreBlock block);

IsotonicFit fit_isotonic(const ScoreRows& rows, const IsotonicOptions& options, std::size_t n_threads,
                         const StopToken& stop);

}  // namespace calibrant
