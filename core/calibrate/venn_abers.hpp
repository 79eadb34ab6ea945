// Venn-Abers predictors: the value of isotonic regression at an object of unknown label, for either label (Vovk,
// Petej & Fedorova 2015).
#pragma once

#include <span>

namespace calibrant {

// Distinct scores in ascending order: the weight of the rows at each and the weight of the positive ones among them.
struct PooledScores {
    std::span<const double> weight;
    std::span<const double> positive;
};

// The values for an object of weight 1: at position i there are i distinct scores before it, so there is one
// position more than there are scores.
struct VennAbersPairs {
    std::span<double> if_negative;
    std::span<double> if_positive;
};

// Linear in the scores: two hulls of the cumulative sums, along which the object moves.
void venn_abers(const PooledScores& pooled, const VennAbersPairs& pairs);

}  // namespace calibrant
