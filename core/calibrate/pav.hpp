// Isotonic regression of two classes on a score: pool adjacent violators, and what pooling does to the ranking.
#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/score_groups.hpp"
#include "stop.hpp"

namespace calibrant {

// Neighbouring scores of one probability: the least and the greatest score, their weighted mean, the rows, and how many
// more of either class are imagined to be among them.
struct ScoreBlock {
    double first, last, centre;
    double weight, positive;
    double imagined = 0;
    double probability() const { return (positive + imagined) / (weight + 2 * imagined); }
};

// How well scores rank the classes, and how many pairs of rows they leave apart.
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

// Adds a block of higher scores than all before, and pools what falls; centres are sums of weighted scores.
void pool_block(std::vector<ScoreBlock>& blocks, ScoreBlock block);

IsotonicFit fit_isotonic(const ScoreRows& rows, const IsotonicOptions& options, std::size_t n_threads,
                         const StopToken& stop);

}  // namespace calibrant
