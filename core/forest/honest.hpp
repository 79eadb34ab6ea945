// Out-of-bag answers for training rows that know nothing of the row's own class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/pools.hpp"
#include "stop.hpp"

namespace calibrant {

// What is asked of a bin's counts: the probabilities of the classes or, where there are `alphas`, the probability of
// the row's own class if rows out of the bag counted so often.
struct Question {
    const Pooling& pooling;
    std::span<const double> alphas;

    std::size_t width(std::size_t n_classes) const { return alphas.empty() ? n_classes : alphas.size(); }
    // Writes the answer and says whether there is one.
    bool ask(std::span<const double> inside, std::span<const double> outside, std::size_t own_class,
             std::span<double> to) const;
};

// Sums of answers (rows x width) and how many trees are in each.
class AnswerSums {
  public:
    AnswerSums(std::size_t n_rows, std::size_t width) : width_(width), sums_(n_rows * width), n_trees_(n_rows) {}

    // Adds what a tree says of a row: a sum weighted by shares, and their sum.
    void add(std::size_t row, std::span<const double> mixed, double mass) {
        if (!(mass > 0)) return;
        for (std::size_t k = 0; k < width_; ++k) sums_[row * width_ + k] += mixed[k] / mass;
        ++n_trees_[row];
    }
    // The means, NaN where no tree answered.
    std::vector<double> means() &&;

  private:
    std::size_t width_;
    std::vector<double> sums_;
    std::vector<std::uint32_t> n_trees_;
};

// Lets the leaves of the trees that a row is out of the bag of answer for it, each as if the row had not been counted
// there; a leaf that is empty without it says nothing.
std::vector<double> answer_without_own(const ForestWays& ways, std::span<const std::size_t> n_nodes,
                                       const BaggedRows& rows, const Question& question, std::size_t n_threads,
                                       const StopToken& stop);

}  // namespace calibrant
