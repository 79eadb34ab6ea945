// The Bayesian criteria (Buntine 1992): how much more probable the classes of the rows are with the split than without.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "elementary.hpp"
#include "tree/grow/criteria.hpp"

namespace calibrant {

// The logarithm, in nats, of the classes' marginal likelihood in the branches over that in the node, where the class
// probabilities of every branch have a uniform prior (Dirichlet, all alpha 1): of counts n_k that add up to w it is
// ln B(n + 1) - ln B(1) = sum_k ln n_k! - ln (w + K - 1)! + ln (K - 1)!. ln B is convex, as the logarithm of the
// normalizing constant of an exponential family, so the gain is.
class Evidence {
  public:
    Evidence(const Known& known, const XLogX& xlogx)
        : factorial_(&xlogx.log_factorial()),
          n_others_(known.counts.size() - 1),
          of_no_rows_((*factorial_)(n_others_)),
          known_(known.weight),
          whole_(of(known.counts, known.weight)) {}
    void start() { branches_ = 0; }
    void add(std::span<const double> counts, double weight) { branches_ += of(counts, weight); }
    void remove(std::span<const double> counts, double weight) { branches_ -= of(counts, weight); }
    double gain() const { return (branches_ - whole_) / known_; }

    template <class Count>
    double two_class_gain(Count left0, Count left1, Count right0, Count right1) const {
        if constexpr (std::floating_point<Count>) {
            const bool is_whole = LogFactorial::is_whole(left0) && LogFactorial::is_whole(left1) &&
                                  LogFactorial::is_whole(right0) && LogFactorial::is_whole(right1);
            if (!is_whole && known_ < most_at_once) return gain_of_weights(left0, left1, right0, right1);
        }
        return (of_two(left0, left1) + of_two(right0, right1) - whole_) / known_;
    }
    // The cut moves on from the left of all rows: only the class of a row changes on both sides.
    void start_cuts(std::span<const double> counts) {
        sides_ = 0;
        for (const double n : counts) sides_ += (*factorial_)(n);
    }
    void move(double all, double before, double after) {
        if (after == before) return;
        const double left = (*factorial_)(after) - (*factorial_)(before);
        sides_ += left + ((*factorial_)(left_over(all, after)) - (*factorial_)(left_over(all, before)));
    }
    double gain_at(double low) const {
        const auto others = static_cast<double>(n_others_);
        const double totals = (*factorial_)(low + others) + (*factorial_)(known_ - low + others);
        return (sides_ - totals + 2 * of_no_rows_ - whole_) / known_;
    }

  private:
    static constexpr double most_at_once = 1e30;

    double gain_of_weights(double left0, double left1, double right0, double right1) const {
        const double x[8] = {left0, left1, left0 + left1 + 1, right0, right1, right0 + right1 + 1, 0, 0};
        double f[8];
        LogFactorial::of_eight(x, f);
        return ((f[0] + f[1] - f[2]) + (f[3] + f[4] - f[5]) - whole_) / known_;
    }
    double of(std::span<const double> counts, double weight) const {
        double sum = of_no_rows_ - (*factorial_)(weight + static_cast<double>(n_others_));
        for (const double n : counts) sum += (*factorial_)(n);
        return sum;
    }
    template <class Count>
    double of_two(Count n0, Count n1) const {
        return (*factorial_)(n0) + (*factorial_)(n1) - (*factorial_)(n0 + n1 + 1);
    }

    const LogFactorial* factorial_;
    std::size_t n_others_;
    double of_no_rows_, known_, whole_, branches_ = 0;
    double sides_ = 0;  // ln n! of all classes on both sides of the cut
};

static_assert(Criterion<Evidence> && RunningCriterion<Evidence>);

// ln of the prior probability that all branches of a test are leaves (Wallace & Patrick 1993): a node whose parent has
// a branches is a leaf with probability 1 - 1/a.
inline double log_prior_of_leaves(std::size_t n_branches) {
    const double a = static_cast<double>(n_branches > 1 ? n_branches : 2);
    return a * log_at(1 - 1 / a);
}

}  // namespace calibrant
