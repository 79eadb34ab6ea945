// The best test of one column for a boosted stump: one cut, or one category against the rest; missing values have a
// branch of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "table/coding.hpp"
#include "tree/grow/criteria.hpp"

namespace calibrant {

// A numeric column of many values: its rows sorted, and in buckets of neighbouring values.
struct StumpBuckets {
    std::vector<std::uint16_t> of_row;       // one more than the last for missing values
    std::vector<std::uint32_t> first_value;  // of each bucket, and the end
    std::vector<std::uint32_t> order;        // the rows with a value, ascending
    std::vector<std::uint32_t> starts;       // where the rows of each value begin in `order`, and the end

    std::size_t n_buckets() const { return first_value.empty() ? 0 : first_value.size() - 1; }
    bool empty() const { return first_value.empty(); }
    std::size_t n_values() const { return starts.size() - 1; }
    std::span<const std::uint32_t> rows_of(std::size_t value) const {
        return std::span(order).subspan(starts[value], starts[value + 1] - starts[value]);
    }

    // Empty where counting the codes themselves is as fast.
    static StumpBuckets of(const CodedColumn& column);
};

// What all tests of a column have in common.
struct StumpFacts {
    std::span<const double> known;  // class weights of the rows with a value
    double known_weight, weight;    // of these, and of all rows
    double offset;                  // the gain of the branch of missing values
    const XLogX* xlogx;
    std::span<double> left, right;  // scratch
};

// The gain of a test per unit of weight, the branch of missing values included.
template <Criterion C>
class StumpGain {
  public:
    explicit StumpGain(const StumpFacts& facts)
        : facts_(facts),
          criterion_({facts.known, facts.known_weight}, *facts.xlogx),
          scale_(facts.known_weight / facts.weight) {}

    double operator()(std::span<const double> left, double low) {
        for (std::size_t k = 0; k < left.size(); ++k) facts_.right[k] = left_over(facts_.known[k], left[k]);
        criterion_.start();
        criterion_.add(left, low);
        criterion_.add(facts_.right, left_over(facts_.known_weight, low));
        return facts_.offset + scale_ * criterion_.gain();
    }
    // To within 1e-8.
    double quick(double left0, double left1) {
        return facts_.offset + scale_ * quick_two_class_gain(criterion_, left0, left1,
                                                             left_over(facts_.known[0], left0),
                                                             left_over(facts_.known[1], left1));
    }

  private:
    const StumpFacts& facts_;
    C criterion_;
    double scale_;
};

struct StumpTest {
    double gain = -std::numeric_limits<double>::infinity();
    std::uint32_t code = 0;
    double low = 0;  // the weight of the first branch
};

// The first of the tests with the greatest gain, to within 1e-9.
class FirstBest {
  public:
    static constexpr double tolerance = 1e-9;

    double most() const { return most_; }
    void offer(const StumpTest& test) {
        if (test.gain < most_ - tolerance) return;
        most_ = std::max(most_, test.gain);
        if (near_.size() >= room_) make_room();
        near_.push_back(test);
    }
    bool none() const { return near_.empty(); }
    StumpTest result() {
        keep_near();
        return first();
    }

  private:
    static constexpr std::size_t least_room = 256;

    // Doubled where most are near the best: otherwise removing the others would take quadratic time.
    void make_room() {
        keep_near();
        room_ = std::max(least_room, 2 * near_.size());
    }
    void keep_near() {
        std::erase_if(near_, [&](const StumpTest& test) { return test.gain < most_ - tolerance; });
    }
    StumpTest first() const {
        return *std::min_element(near_.begin(), near_.end(),
                                 [](const StumpTest& a, const StumpTest& b) { return a.code < b.code; });
    }

    double most_ = -std::numeric_limits<double>::infinity();
    std::size_t room_ = least_room;
    std::vector<StumpTest> near_;
};

// A cut whose quick gain is this far below the best cannot win.
inline constexpr double quick_slack = FirstBest::tolerance + 2e-8;

// Cells are values x classes, missing values last.
template <Criterion C>
void search_cuts(std::span<const double> cells, std::size_t n_values, const StumpFacts& facts, FirstBest& best) {
    StumpGain<C> gain(facts);
    const std::size_t n_classes = facts.known.size();
    double low = 0;
    std::fill(facts.left.begin(), facts.left.end(), 0.0);
    for (std::size_t value = 0; value + 1 < n_values; ++value) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            facts.left[k] += cells[value * n_classes + k];
            low += cells[value * n_classes + k];
        }
        best.offer({gain(facts.left, low), static_cast<std::uint32_t>(value), low});
    }
}

template <Criterion C>
void search_categories(std::span<const double> cells, std::size_t n_values, const StumpFacts& facts, FirstBest& best) {
    StumpGain<C> gain(facts);
    const std::size_t n_classes = facts.known.size();
    for (std::size_t value = 0; value < n_values; ++value) {
        const auto cell = cells.subspan(value * n_classes, n_classes);
        double low = 0;
        for (const double weight : cell) low += weight;
        best.offer({gain(cell, low), static_cast<std::uint32_t>(value), low});
    }
}

// The gain of a cut that moves up a sorted column, any number of classes: a row changes one class, so no sum over all
// of them is needed. An impurity may be a function of the weight and of a sum over the classes.
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

// Rows as a search of sorted values reads them.
struct StumpRows {
    std::span<const std::uint16_t> labels;
    std::span<const double> weights;

    static constexpr std::uint32_t mixed = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t class_of(std::span<const std::uint32_t> rows) const {
        const std::uint32_t first = labels[rows.front()];
        const bool is_pure =
            std::all_of(rows.begin() + 1, rows.end(), [&](std::uint32_t row) { return labels[row] == first; });
        return is_pure ? first : mixed;
    }
};

// Goes through sorted values: calls offer(value) before each value that a cut may stand before, then add(row) for its
// rows. No cut between two values that hold the same single class can be best: the gain is convex along them.
template <class Offer, class Add>
void for_each_cut(const StumpBuckets& buckets, const StumpRows& rows, std::size_t first, std::size_t end, Offer&& offer,
                  Add&& add) {
    std::uint32_t before = StumpRows::mixed;
    for (std::size_t value = first; value < end; ++value) {
        const auto here = buckets.rows_of(value);
        const std::uint32_t label = rows.class_of(here);
        const bool inside = label == before && label != StumpRows::mixed;
        if (value > 0 && !inside) offer(value);
        for (const std::uint32_t row : here) add(row);
        before = label;
    }
}

// A criterion without sums over the classes computes every cut in full.
class FullGain {
  public:
    FullGain(const Known& known, const XLogX&) : left_(known.counts.size()) {}
    void move(std::size_t label, double weight) {
        left_[label] += weight;
        low_ += weight;
    }
    double quick() const { return std::numeric_limits<double>::infinity(); }
    std::span<const double> left() const { return left_; }
    double low() const { return low_; }

  private:
    std::vector<double> left_;
    double low_ = 0;
};

template <class C>
struct MovingCut {
    using type = FullGain;
};
template <HasSumOverClasses C>
struct MovingCut<C> {
    using type = RunningGain<C>;
};

// The greatest gain of the cuts between buckets, a lower bound of that of the best cut.
template <Criterion C>
double most_between_buckets(std::span<const double> cells, std::size_t n_buckets, const StumpFacts& facts) {
    FirstBest best;
    search_cuts<C>(cells, n_buckets, facts, best);
    return best.most();
}

// Value by value, any number of classes.
template <Criterion C>
void search_sorted_values(const StumpBuckets& buckets, std::span<const double> cells, const StumpRows& rows,
                          const StumpFacts& facts, FirstBest& best) {
    const double most = most_between_buckets<C>(cells, buckets.n_buckets(), facts);
    const double scale = facts.known_weight / facts.weight;
    StumpGain<C> gain(facts);
    typename MovingCut<C>::type cut({facts.known, facts.known_weight}, *facts.xlogx);
    for_each_cut(
        buckets, rows, 0, buckets.n_values(),
        [&](std::size_t value) {
            if (facts.offset + scale * cut.quick() >= std::max(most, best.most()) - quick_slack)
                best.offer({gain(cut.left(), cut.low()), static_cast<std::uint32_t>(value - 1), cut.low()});
        },
        [&](std::uint32_t row) { cut.move(rows.labels[row], rows.weights[row]); });
}

// Two classes: the gain is convex in the class weights left of the cut, so over a bucket it is bounded by its
// values at the corners of the box that they span; only buckets that may hold the best cut are searched.
template <Criterion C>
class BucketSearch {
  public:
    BucketSearch(const StumpBuckets& buckets, const StumpRows& rows, const StumpFacts& facts, FirstBest& best)
        : buckets_(buckets), rows_(rows), gain_(facts), best_(best) {}

    void search(std::span<const double> cells) {
        const std::size_t n = buckets_.n_buckets();
        std::vector<double> edges(n + 1,
                                  -std::numeric_limits<double>::infinity());  // quick gains of the cuts between buckets
        double left0 = 0, left1 = 0;
        for (std::size_t b = 0; b + 1 < n; ++b) {
            edges[b + 1] = gain_.quick(left0 += cells[2 * b], left1 += cells[2 * b + 1]);
        }
        double most = *std::max_element(edges.begin(), edges.end());
        left0 = left1 = 0;
        for (std::size_t b = 0; b < n; ++b) {
            const double here0 = cells[2 * b], here1 = cells[2 * b + 1];
            most = std::max(most, best_.most());
            const double corner = std::max(gain_.quick(left0 + here0, left1), gain_.quick(left0, left1 + here1));
            if (std::max({corner, edges[b], edges[b + 1]}) >= most - quick_slack) search_bucket(b, left0, left1, most);
            left0 += here0;
            left1 += here1;
        }
    }

  private:
    void search_bucket(std::size_t bucket, double left0, double left1, double most) {
        double left[] = {left0, left1};
        const std::size_t first = buckets_.first_value[bucket], end = buckets_.first_value[bucket + 1];
        for_each_cut(
            buckets_, rows_, first, end, [&](std::size_t value) { offer(left, value - 1, most); },
            [&](std::uint32_t row) { left[rows_.labels[row]] += rows_.weights[row]; });
        if (end < buckets_.n_values()) offer(left, end - 1, most);
    }
    void offer(const double (&left)[2], std::size_t value, double most) {
        if (gain_.quick(left[0], left[1]) < std::max(most, best_.most()) - quick_slack) return;
        const double low = left[0] + left[1];
        best_.offer({gain_(left, low), static_cast<std::uint32_t>(value), low});
    }

    const StumpBuckets& buckets_;
    const StumpRows& rows_;
    StumpGain<C> gain_;
    FirstBest& best_;
};

}  // namespace calibrant
