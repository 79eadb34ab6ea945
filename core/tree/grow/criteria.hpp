// How good a split is: one small class for each criterion, all meeting the concept Criterion.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "elementary.hpp"
#include "tree/grow/bayes_logs.hpp"

namespace calibrant {

// x log2 x, looked up for whole numbers, which all counts of unweighted rows are; ln x! with it, looked up only where a
// Bayesian criterion needs it.
class XLogX {
  public:
    explicit XLogX(std::size_t largest, std::size_t largest_factorial = 0)
        : table_(std::min(largest, most_kept) + 1), log_factorial_(largest_factorial) {
        for (std::size_t x = 2; x < table_.size(); ++x) table_[x] = of(static_cast<double>(x));
        for (std::size_t step = 0; step < steps; ++step) {
            const double at = 1 + static_cast<double>(step) / steps;
            logs_[step] = {log2_of(at), 1 / at};
        }
    }
    double operator()(std::size_t x) const { return x < table_.size() ? table_[x] : of(static_cast<double>(x)); }
    double operator()(double x) const {
        const auto whole = static_cast<std::size_t>(x);
        return whole < table_.size() && static_cast<double>(whole) == x ? table_[whole] : of(x);
    }

    // Those of whole numbers less than n_kept(), looked up without a question.
    const double* kept() const { return table_.data(); }
    std::size_t n_kept() const { return table_.size(); }

    const LogFactorial& log_factorial() const { return log_factorial_; }

    // To within 1e-10 x, in a third of the time: enough to see that a cut cannot win.
    double quick(double x) const {
        if (!(x >= std::numeric_limits<double>::min())) return 0.0;
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const auto& [log, inverse] = logs_[bits >> (52 - step_bits) & (steps - 1)];
        const double mantissa = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
        const double floor = std::bit_cast<double>((bits & step_mask) | 0x3ff0000000000000);
        const double r = (mantissa - floor) * inverse;
        const double rest = r * (1.4426950408889634 + r * (-0.7213475204444817 + r * 0.4808983469629878));
        return x * (static_cast<double>(static_cast<int>(bits >> 52) - 1023) + log + rest);
    }

  private:
    static constexpr std::size_t most_kept = std::size_t{1}
                                             << 16;  // 512 KB, within the second-level cache; larger counts are rare
    static constexpr int step_bits = 8;
    static constexpr std::size_t steps = std::size_t{1} << step_bits;
    static constexpr std::uint64_t step_mask = ((std::uint64_t{1} << step_bits) - 1) << (52 - step_bits);
    struct Log {
        double log, inverse;
    };

    static double of(double x) { return x > 0 ? x * log2_of(x) : 0.0; }
    std::vector<double> table_;
    std::array<Log, steps> logs_{};
    LogFactorial log_factorial_;
};

// whole - part, 0 where only rounding error is left: a square root would magnify it.
inline double left_over(double whole, double part) {
    const double rest = whole - part;
    return rest > 1e-12 * whole ? rest : 0.0;
}

// What a criterion needs of a node: the class weights of the cases with a known value, and their sum.
struct Known {
    std::span<const double> counts;
    double weight;
};

// Quinlan's information, in bits.
class Information {
  public:
    explicit Information(const XLogX& xlogx) : xlogx_(&xlogx) {}
    double of(std::span<const double> counts, double weight) const {
        double sum = (*xlogx_)(weight);
        for (const double n : counts) sum -= (*xlogx_)(n);
        return sum;
    }
    template <class Count>
    CALIBRANT_INLINE double of_two(Count n0, Count n1) const {
        return (*xlogx_)(n0 + n1) - (*xlogx_)(n0) - (*xlogx_)(n1);
    }
    double quick_of_two(double n0, double n1) const {
        return xlogx_->quick(n0 + n1) - xlogx_->quick(n0) - xlogx_->quick(n1);
    }
    CALIBRANT_INLINE double kept_of_two(std::size_t n0, std::size_t n1) const {
        const double* const kept = xlogx_->kept();
        return kept[n0 + n1] - kept[n0] - kept[n1];
    }

  private:
    const XLogX* xlogx_;
};

// The Gini index of CART (Breiman, Friedman, Olshen & Stone 1984).
struct GiniIndex {
    explicit GiniIndex(const XLogX&) {}
    static double of(std::span<const double> counts, double weight) {
        double squares = 0;
        for (const double n : counts) squares += n * n;
        return weight > 0 ? weight - squares / weight : 0.0;
    }
};

// Kearns & Mansour's 2 sqrt(p (1 - p)) (Dietterich, Kearns & Mansour 1996), and ((sum sqrt p)^2 - 1) / (K - 1) for K
// classes.
struct KearnsMansour {
    explicit KearnsMansour(const XLogX&) {}
    static double of(std::span<const double> counts, double weight) {
        double roots = 0;
        for (const double n : counts) roots += std::sqrt(n);
        return counts.size() > 1 ? (roots * roots - weight) / static_cast<double>(counts.size() - 1) : 0.0;
    }
};

// How mixed some cases are, times their weight; concave, so that no split makes it more.
template <class I>
concept Impurity = std::constructible_from<I, const XLogX&> &&
                   requires(const I impurity, std::span<const double> counts, double weight) {
                       { impurity.of(counts, weight) } -> std::same_as<double>;
                   };

// The decrease of an impurity by a split.
template <Impurity I>
class Decrease {
  public:
    Decrease(const Known& known, const XLogX& xlogx)
        : impurity_(xlogx),
          known_(known.weight),
          per_case_(1 / known.weight),
          base_(impurity_.of(known.counts, known.weight)) {}
    void start() { branches_ = 0; }
    void add(std::span<const double> counts, double weight) { branches_ += impurity_.of(counts, weight); }
    void remove(std::span<const double> counts, double weight) { branches_ -= impurity_.of(counts, weight); }
    double gain() const { return (base_ - branches_) / known_; }

    template <class Count>
    double two_class_gain(Count left0, Count left1, Count right0, Count right1) const {
        return (base_ - (of_two(left0, left1) + of_two(right0, right1))) / known_;
    }
    // The same in parts: a branch has `part`, and branches whose parts add up to `parts` gain gain_of(parts).
    template <class Count>
    double part(Count n0, Count n1) const {
        return of_two(n0, n1);
    }
    double gain_of(double parts) const { return (base_ - parts) / known_; }
    double part(std::span<const double> counts, double weight) const { return impurity_.of(counts, weight); }
    double quick_two_class_gain(double left0, double left1, double right0, double right1) const {
        if constexpr (requires { impurity_.quick_of_two(left0, left1); }) {
            return (base_ - (impurity_.quick_of_two(left0, left1) + impurity_.quick_of_two(right0, right1))) / known_;
        } else {
            return two_class_gain(left0, left1, right0, right1);
        }
    }
    CALIBRANT_INLINE double kept_two_class_gain(std::size_t left0, std::size_t left1, std::size_t right0,
                                                std::size_t right1) const
        requires requires(I impurity) { impurity.kept_of_two(left0, left1); }
    {
        return (base_ - (impurity_.kept_of_two(left0, left1) + impurity_.kept_of_two(right0, right1))) * per_case_;
    }

  private:
    template <class Count>
    double of_two(Count n0, Count n1) const {
        if constexpr (requires { impurity_.of_two(n0, n1); }) {
            return impurity_.of_two(n0, n1);
        } else {
            const double counts[] = {static_cast<double>(n0), static_cast<double>(n1)};
            return impurity_.of(counts, counts[0] + counts[1]);
        }
    }
    I impurity_;
    double known_, per_case_, base_, branches_ = 0;
};

using Entropy = Decrease<Information>;
using Gini = Decrease<GiniIndex>;
using Dkm = Decrease<KearnsMansour>;

// The Hellinger distance of the classes' shares in the branches (Cieslak & Chawla 2008); the best class against the
// rest.
class Hellinger {
  public:
    Hellinger(const Known& known, const XLogX&) : whole_(known.counts.size()), parts_(known.counts.size()) {
        for (std::size_t k = 0; k < whole_.size(); ++k) whole_[k] = overlap(known.counts[k], known.weight);
    }
    void start() { std::fill(parts_.begin(), parts_.end(), 0.0); }
    void add(std::span<const double> counts, double weight) {
        for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k] += overlap(counts[k], weight);
    }
    void remove(std::span<const double> counts, double weight) {
        for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k] -= overlap(counts[k], weight);
    }
    double gain() const {
        double best = 0;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            if (whole_[k] > 0) best = std::max(best, 2 * (1 - parts_[k] / whole_[k]));
        }
        return best > 1e-12 ? std::sqrt(best) : 0.0;
    }

  private:
    static double overlap(double n, double weight) { return std::sqrt(n * left_over(weight, n)); }
    std::vector<double> whole_, parts_;
};

// Branches are added one by one, and may be removed, before gain() returns the gain per known case. The gain must be
// quasi-convex in the class weights of a side, as that of every concave impurity is: its greatest value over a run of
// rows of one class lies at an end, over a box of class weights at a corner, and the searches look nowhere else.
template <class C>
concept Criterion = std::constructible_from<C, const Known&, const XLogX&> &&
                    requires(C criterion, const C complete, std::span<const double> counts, double weight) {
                        criterion.start();
                        criterion.add(counts, weight);
                        criterion.remove(counts, weight);
                        { complete.gain() } -> std::same_as<double>;
                    };

// The gain of a cut between rows of two classes, from counts or from weights; a criterion may have a faster formula.
template <Criterion C, class Count>
double two_class_gain(C& criterion, Count left0, Count left1, Count right0, Count right1) {
    if constexpr (requires { criterion.two_class_gain(left0, left1, right0, right1); }) {
        return criterion.two_class_gain(left0, left1, right0, right1);
    } else {
        const double left[] = {static_cast<double>(left0), static_cast<double>(left1)};
        const double right[] = {static_cast<double>(right0), static_cast<double>(right1)};
        criterion.start();
        criterion.add(left, left[0] + left[1]);
        criterion.add(right, right[0] + right[1]);
        return criterion.gain();
    }
}

// The same to within 1e-9.
template <Criterion C>
double quick_two_class_gain(C& criterion, double left0, double left1, double right0, double right1) {
    if constexpr (requires { criterion.quick_two_class_gain(left0, left1, right0, right1); }) {
        return criterion.quick_two_class_gain(left0, left1, right0, right1);
    } else {
        return two_class_gain(criterion, left0, left1, right0, right1);
    }
}

// The same for counts less than XLogX::n_kept().
template <Criterion C>
CALIBRANT_INLINE double kept_two_class_gain(C& criterion, std::size_t left0, std::size_t left1, std::size_t right0,
                                            std::size_t right1) {
    if constexpr (requires { criterion.kept_two_class_gain(left0, left1, right0, right1); }) {
        return criterion.kept_two_class_gain(left0, left1, right0, right1);
    } else {
        return two_class_gain(criterion, left0, left1, right0, right1);
    }
}

// A criterion whose branches add to its gain one by one.
template <class C>
concept SumOfParts = Criterion<C> && requires(const C criterion, std::span<const double> counts, double weight) {
    { criterion.part(counts, weight) } -> std::same_as<double>;
    { criterion.gain_of(weight) } -> std::same_as<double>;
};

// A criterion that follows a cut through sorted rows: the weight of one class to the left of it changes at a time.
template <class C>
concept RunningCriterion =
    Criterion<C> && requires(C criterion, const C complete, std::span<const double> counts, double weight) {
        criterion.start_cuts(counts);
        criterion.move(weight, weight, weight);
        { complete.gain_at(weight) } -> std::same_as<double>;
    };

static_assert(Criterion<Entropy> && Criterion<Gini> && Criterion<Dkm> && Criterion<Hellinger>);

// Twoing (Breiman, Friedman, Olshen & Stone 1984), how differently the classes are spread over two branches:
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

// The Bayesian criteria (Buntine 1992): how much more probable the classes of the rows are with the split than without.
//
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
