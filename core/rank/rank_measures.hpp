// Measures of a ranking of two classes, each a walk over its groups.
#pragma once

#include <span>
#include <vector>

#include "rank/ranking.hpp"

namespace calibrant {

// The share of pairs of a positive and a negative row that are in the right order, half of those that are tied; NaN
// where a class has no row.
double area_under_roc(const Ranking& ranking);

// The mean over positive rows of the precision among all rows that are ranked as high.
double average_precision(const Ranking& ranking);

// The area under the curve of precision against recall, both taken to change within a group as if its rows came mixed
// (Davis & Goadrich 2006), or with straight lines between its points.
double area_under_precision(const Ranking& ranking, bool straight);

// The Kolmogorov-Smirnov distance: the greatest difference between the shares of the two classes ranked as high.
double greatest_gap(const Ranking& ranking);

// The mean over ranks 1, 2, ... of the share of a class among the rows up to there, divided by its share among all. The
// class is the positive one, or the other with the ranking upside down.
double mean_lift(const Ranking& ranking, bool of_other);

// The expected weight of positive rows among the first, for each of some weights in ascending order; within a group
// they are spread evenly.
std::vector<double> found_within(const Ranking& ranking, std::span<const double> depths, bool of_other);

// The greatest precision that is reached at each of some recalls, in ascending order, or at a greater one.
std::vector<double> precision_at(const Ranking& ranking, std::span<const double> recalls);

// The mean absolute difference between the share of positives and the mean probability in windows of neighbouring
// ranks (Caruana & Niculescu-Mizil 2004). A window holds a weight of `width` and starts at every whole weight; where
// there is less in all, one window holds it.
double window_calibration(const Ranking& ranking, double width);

// Weight, weight of the positive rows and sum of the probabilities of neighbouring rows.
struct RankBin {
    double weight = 0, positive = 0, probability = 0;
};

// Bins from the lowest probability on, each closed once it holds its share of the weight and the probability changes.
std::vector<RankBin> mass_bins(const Ranking& ranking, std::size_t n_bins);

// The blocks of isotonic regression, the highest first: the corners of the convex hull of the ROC curve.
std::vector<RankBin> hull_blocks(const Ranking& ranking);

// The mean absolute difference between the probabilities and those of isotonic regression.
double isotonic_gap(const Ranking& ranking);

}  // namespace calibrant
