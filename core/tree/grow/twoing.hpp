// Twoing (Breiman, Friedman, Olshen & Stone 1984): how differently the classes are spread over two branches.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "tree/grow/criteria.hpp"

namespace calibrant {

// p_L p_R / 4 (sum_k |p(k | L) - p(k | R)|)^2: convex in the class weights of a side. Only the first branch is kept:
// the other is the rest.
class Twoing {
  public:
    static constexpr bool has_two_branches = true;

    Twoing(const Known& known, const XLogX&) : known_(known) {}
    void start() { first_ = {}; }
    void add(std::span<const double> counts, double weight) {
        if (first_.empty()) first_ = counts, weight_ = weight;
    }
    void remove(std::span<const double>, double) {}
    double gain() const {
        const double rest = known_.weight - weight_;
        if (!(weight_ > 0) || !(rest > 0)) return 0.0;
        double apart = 0;
        for (std::size_t k = 0; k < first_.size(); ++k)
            apart += std::abs(first_[k] * known_.weight - known_.counts[k] * weight_);
        const double shares = apart / known_.weight;  // times w_L w_R / w: what the sum of differences is
        return shares * shares / (4 * weight_ * rest);
    }

  private:
    Known known_;
    std::span<const double> first_{};
    double weight_ = 0;
};

static_assert(Criterion<Twoing>);

}  // namespace calibrant
