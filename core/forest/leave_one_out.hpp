// Out-of-bag predictions for training rows with each row's own count, or those of its group, left out of the leaves
// that predict it. Without that, out-of-bag probabilities of pure noise looked better than any could be (0.84 bits;
// fresh rows 1.02).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/leaf_counts.hpp"
#include "stop.hpp"

namespace calibrant {

// What is estimated from a bin's counts: the class probabilities or, where there are `alphas`, the probability of the
// row's own class for each weight of out-of-bag rows.
struct CountEstimate {
    const Pooling& pooling;
    std::span<const double> alphas;

    std::size_t width(std::size_t n_classes) const { return alphas.empty() ? n_classes : alphas.size(); }
    // Writes the estimate and returns whether the bin has one.
    bool estimate(std::span<const double> inside, std::span<const double> outside, std::size_t own_class,
                  std::span<double> to) const;
};

// Sums of predictions (rows x width) and the number of trees in each.
class PredictionSums {
  public:
    PredictionSums(std::size_t n_rows, std::size_t width) : width_(width), sums_(n_rows * width), n_trees_(n_rows) {}

    // Adds the prediction of a tree for a row: a sum weighted by leaf shares, and the sum of these.
    void add(std::size_t row, std::span<const double> mixed, double mass) {
        if (!(mass > 0)) return;
        for (std::size_t k = 0; k < width_; ++k) sums_[row * width_ + k] += mixed[k] / mass;
        ++n_trees_[row];
    }
    // The means, NaN where no tree had a prediction.
    std::vector<double> means() &&;

  private:
    std::size_t width_;
    std::vector<double> sums_;
    std::vector<std::uint32_t> n_trees_;
};

// Predicts each row by its leaves in the trees whose bag does not hold it, as if the rows of its group had not been
// counted there; a leaf that is empty without them has no prediction. Where the rows are some of those of a larger
// source, `whole` has the leaf counts of all rows for each tree (nodes x 2 classes); else it is empty, and they are
// counted here. Throws std::invalid_argument where `whole` does not fit the trees, or there are groups with it.
std::vector<double> predict_leave_one_out(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                          const BaggedRows& rows, const CountEstimate& estimate,
                                          std::span<const std::span<const double>> whole, std::size_t n_threads,
                                          const StopToken& stop);

}  // namespace calibrant
