// How good a split is: one small struct for each criterion, all meeting the concept at the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

namespace calibrant {

// x log2 x, looked up for whole numbers: counts of unweighted rows are nothing else.
class XLogX {
public:
    explicit XLogX(std::size_t largest) : table_(largest + 1) {
        for (std::size_t x = 2; x <= largest; ++x) table_[x] = of(static_cast<double>(x));
    }
    double whole(std::size_t x) const { return table_[x]; }
    std::size_t largest() const { return table_.size() - 1; }
    double operator()(double x) const {
        const auto whole = static_cast<std::size_t>(x);
        return whole < table_.size() && static_cast<double>(whole) == x ? table_[whole] : of(x);
    }

private:
    static double of(double x) { return x > 0 ? x * std::log2(x) : 0.0; }
    std::vector<double> table_;
};

// What is left of a weight; rounding noise is nothing, or a square root would make much of it.
inline double left_over(double whole, double part) {
    const double rest = whole - part;
    return rest > 1e-12 * whole ? rest : 0.0;
}

// What a criterion is told of a node: the class weights of the cases with a known value, and their sum.
struct Known {
    std::span<const double> counts;
    double weight;
};

// Information gain in bits, after Quinlan.
class Entropy {
public:
    Entropy(const Known& known, const XLogX& xlogx) : xlogx_(&xlogx), known_(known.weight), base_(mixed(known.counts, known.weight)) {}
    void start() { branches_ = 0; }
    void add(std::span<const double> counts, double weight) { branches_ += mixed(counts, weight); }
    void remove(std::span<const double> counts, double weight) { branches_ -= mixed(counts, weight); }
    double gain() const { return (base_ - branches_) / known_; }
    double pair_gain(std::size_t left0, std::size_t left1, std::size_t right0, std::size_t right1) const {
        const XLogX& f = *xlogx_;
        const double left = f.whole(left0 + left1) - f.whole(left0) - f.whole(left1);
        return (base_ - left - (f.whole(right0 + right1) - f.whole(right0) - f.whole(right1))) / known_;
    }

private:
    double mixed(std::span<const double> counts, double weight) const {
        double sum = (*xlogx_)(weight);
        for (const double n : counts) sum -= (*xlogx_)(n);
        return sum;
    }
    const XLogX* xlogx_;
    double known_, base_, branches_ = 0;
};

// The Gini index of CART (Breiman, Friedman, Olshen & Stone 1984).
class Gini {
public:
    Gini(const Known& known, const XLogX&) : known_(known.weight), base_(mixed(known.counts, known.weight)) {}
    void start() { branches_ = 0; }
    void add(std::span<const double> counts, double weight) { branches_ += mixed(counts, weight); }
    void remove(std::span<const double> counts, double weight) { branches_ -= mixed(counts, weight); }
    double gain() const { return (base_ - branches_) / known_; }

private:
    static double mixed(std::span<const double> counts, double weight) {
        double squares = 0;
        for (const double n : counts) squares += n * n;
        return weight > 0 ? weight - squares / weight : 0.0;
    }
    double known_, base_, branches_ = 0;
};

// Kearns & Mansour's 2 sqrt(p (1 - p)) (Dietterich, Kearns & Mansour 1996), and ((sum sqrt p)^2 - 1) / (K - 1) for K classes.
class Dkm {
public:
    Dkm(const Known& known, const XLogX&) : known_(known.weight), base_(mixed(known.counts, known.weight)) {}
    void start() { branches_ = 0; }
    void add(std::span<const double> counts, double weight) { branches_ += mixed(counts, weight); }
    void remove(std::span<const double> counts, double weight) { branches_ -= mixed(counts, weight); }
    double gain() const { return (base_ - branches_) / known_; }

private:
    static double mixed(std::span<const double> counts, double weight) {
        double roots = 0;
        for (const double n : counts) roots += std::sqrt(n);
        return counts.size() > 1 ? (roots * roots - weight) / static_cast<double>(counts.size() - 1) : 0.0;
    }
    double known_, base_, branches_ = 0;
};

// The Hellinger distance of the classes' shares in the branches (Cieslak & Chawla 2008); the best class against the rest.
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

// A split is told branch by branch, a branch may be taken back, then it is asked for its gain per known case. The gain must be
// convex along a run of rows of one class, as that of every concave impurity is: the search looks only at the ends of such runs.
template <class C>
concept Criterion = std::constructible_from<C, const Known&, const XLogX&> &&
                    requires(C criterion, const C asked, std::span<const double> counts, double weight) {
                        criterion.start();
                        criterion.add(counts, weight);
                        criterion.remove(counts, weight);
                        { asked.gain() } -> std::same_as<double>;
                    };

// The gain of parting counted rows of two classes; a criterion may have a faster way of its own.
template <Criterion C>
double pair_gain(C& criterion, std::size_t left0, std::size_t left1, std::size_t right0, std::size_t right1) {
    if constexpr (requires { criterion.pair_gain(left0, left1, right0, right1); }) {
        return criterion.pair_gain(left0, left1, right0, right1);
    } else {
        const double left[] = {static_cast<double>(left0), static_cast<double>(left1)};
        const double right[] = {static_cast<double>(right0), static_cast<double>(right1)};
        criterion.start();
        criterion.add(left, left[0] + left[1]);
        criterion.add(right, right[0] + right[1]);
        return criterion.gain();
    }
}

static_assert(Criterion<Entropy> && Criterion<Gini> && Criterion<Dkm> && Criterion<Hellinger>);

}  // namespace calibrant
