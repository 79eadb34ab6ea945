// The gain of a cut that moves up a sorted column, any number of classes: a row changes one class, so no sum over all
// of them is needed.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tree/grow/criteria.hpp"

namespace calibrant {

// An impurity that is a function of the weight and of a sum over the classes.
template <Criterion C>
struct SumOverClasses;

template <>
struct SumOverClasses<Entropy> {
    static double term(double n, const XLogX& xlogx) { return xlogx.quick(n); }
    static double impurity(double sum, double weight, std::size_t, const XLogX& xlogx) {
        return xlogx.quick(weight) - sum;
    }
};

template <>
struct SumOverClasses<Gini> {
    static double term(double n, const XLogX&) { return n * n; }
    static double impurity(double sum, double weight, std::size_t, const XLogX&) {
        return weight > 0 ? weight - sum / weight : 0.0;
    }
};

template <>
struct SumOverClasses<Dkm> {
    static double term(double n, const XLogX&) { return std::sqrt(n); }
    static double impurity(double sum, double weight, std::size_t n_classes, const XLogX&) {
        return (sum * sum - weight) / static_cast<double>(n_classes - 1);
    }
};

template <class C>
concept HasSumOverClasses = requires { sizeof(SumOverClasses<C>); };

// To within 1e-8, like the other quick gains: enough to see that a cut cannot win.
template <HasSumOverClasses C>
class RunningGain {
  public:
    RunningGain(const Known& known, const XLogX& xlogx)
        : known_(known), xlogx_(xlogx), high_(known.weight), left_(known.counts.size()), terms_(known.counts.size()) {
        for (std::size_t k = 0; k < terms_.size(); ++k) {
            terms_[k].high = Sum::term(known.counts[k], xlogx);
            sum_.high += terms_[k].high;
        }
        base_ = Sum::impurity(sum_.high, high_, terms_.size(), xlogx);
    }

    // Takes a row over to the low side.
    void move(std::size_t label, double weight) {
        left_[label] += weight;
        low_ += weight;
        high_ = left_over(known_.weight, low_);
        const Sides now{Sum::term(left_[label], xlogx_),
                        Sum::term(left_over(known_.counts[label], left_[label]), xlogx_)};
        sum_.low += now.low - terms_[label].low;
        sum_.high += now.high - terms_[label].high;
        terms_[label] = now;
    }
    double quick() const {
        const std::size_t n_classes = terms_.size();
        return (base_ - Sum::impurity(sum_.low, low_, n_classes, xlogx_) -
                Sum::impurity(sum_.high, high_, n_classes, xlogx_)) /
               known_.weight;
    }
    std::span<const double> left() const { return left_; }
    double low() const { return low_; }

  private:
    using Sum = SumOverClasses<C>;
    struct Sides {
        double low = 0, high = 0;
    };

    Known known_;
    const XLogX& xlogx_;
    double low_ = 0, high_, base_ = 0;
    Sides sum_;
    std::vector<double> left_;
    std::vector<Sides> terms_;
};

}  // namespace calibrant
