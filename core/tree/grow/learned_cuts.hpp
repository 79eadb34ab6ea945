// Cuts of a numeric column that send the missing values of a node to one side: each cut is tried with them on the right
// and on the left, and a test whether the value is missing comes last.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tree/grow/criteria.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

// The rows of a node whose value is missing: class weights, their sum and, where it matters, the number of rows.
struct MissingRows {
    std::span<const double> counts;
    double weight;
    std::size_t rows = 0;
};

// The same cut, with the missing values on either side; 1 is the right one.
inline constexpr std::int32_t missing_left = 0, missing_right = 1;

// Which sides of a cut the missing values may go to, so that both sides keep enough weight.
template <class Count>
class MissingSides {
  public:
    MissingSides(const NodeFacts& node, double missing) : missing_(static_cast<Count>(missing)) {
        double least = node.min_side - size_tolerance, most = node.weight - node.min_side + size_tolerance;
        if constexpr (std::integral<Count>) least = std::ceil(std::max(least, 0.0)), most = std::floor(most);
        if (most < least) least = 1, most = 0;
        least_ = static_cast<Count>(least), most_ = static_cast<Count>(most);
    }

    // `low` is the weight of the known values up to the cut.
    bool fits_right(Count low) const { return low >= least_ && low <= most_; }
    bool fits_left(Count low) const { return fits_right(low + missing_); }
    bool too_low(Count low) const { return low + missing_ < least_; }
    bool too_high(Count low) const { return low > most_; }

  private:
    Count missing_, least_, most_;
};

// Keeps the best cut while known cases are added in ascending order: any weights, any number of classes. The counts of
// `all` and `node` are those of every row of the node.
template <Criterion C>
class LearnedCuts {
  public:
    LearnedCuts(const NodeFacts& node, const Known& all, const MissingRows& missing, const CutRules& rules)
        : node_(node),
          all_(all),
          missing_(missing),
          sides_(node, missing.weight),
          criterion_(all, *node.xlogx),
          best_(node, rules),
          left_(node.scratch.first(all.counts.size())),
          first_(node.scratch.subspan(all.counts.size(), all.counts.size())),
          second_(node.scratch.subspan(2 * all.counts.size(), all.counts.size())) {
        std::fill(left_.begin(), left_.end(), 0.0);
        if constexpr (SumOfParts<C>) of_missing_ = criterion_.part(missing.counts, missing.weight);
    }

    void add(std::size_t label, double weight) {
        left_[label] += weight;
        low_ += weight;
    }
    void add_rows(std::size_t n_rows) { low_rows_ += n_rows; }
    bool too_low() const { return sides_.too_low(low_) || !node_.has_rows(low_rows_ + missing_.rows); }
    bool too_high() const { return sides_.too_high(low_) || !node_.has_rows(node_.known_rows - low_rows_); }
    // A cut inside a run of one class is skipped only where both sides were tried before and can be tried after it.
    bool may_skip_pure_cut(double more, std::size_t more_rows) const {
        return has_tried_both_ && best_.may_skip_pure_cuts() &&
               fits_left(low_ + more, low_rows_ + more_rows + missing_.rows);
    }
    void skip() { best_.skip(2); }
    void try_cut(std::uint32_t below, std::uint32_t above) {
        const bool right = fits_right(), left = fits_left(low_, low_rows_ + missing_.rows);
        has_tried_both_ = has_tried_both_ || (right && left);
        if (!best_.may_win(upper_bound())) return best_.skip(std::size_t{right} + std::size_t{left});
        if (right) offer(missing_right, below, above);
        if (left) offer(missing_left, below, above);
    }
    // With the test whether the value is missing; the code of a missing value is the number of values.
    FoundTest result(std::uint32_t n_values) {
        for (std::size_t k = 0; k < left_.size(); ++k) left_[k] = left_over(all_.counts[k], missing_.counts[k]);
        low_ = all_.weight - missing_.weight;
        low_rows_ = node_.known_rows - missing_.rows;
        if (fits_right()) offer(missing_right, n_values - 1, n_values);
        return best_.result(all_.weight);
    }

  private:
    bool fits_right() const {
        return sides_.fits_right(low_) && node_.has_rows(low_rows_) && node_.has_rows(node_.known_rows - low_rows_);
    }
    bool fits_left(double low, std::size_t rows) const {
        return sides_.fits_left(low) && node_.has_rows(rows) && node_.has_rows(node_.known_rows - rows);
    }
    // The gain of a split in three, the missing values by themselves: with a concave impurity neither side gains more.
    double upper_bound() {
        if constexpr (!SumOfParts<C>) {
            return std::numeric_limits<double>::infinity();
        } else {
            for (std::size_t k = 0; k < left_.size(); ++k)
                second_[k] = left_over(all_.counts[k], left_[k] + missing_.counts[k]);
            const double right = criterion_.part(second_, all_.weight - low_ - missing_.weight);
            return criterion_.gain_of(criterion_.part(left_, low_) + right + of_missing_);
        }
    }
    void offer(std::int32_t side, std::uint32_t below, std::uint32_t above) {
        const double added = side == missing_left ? 1.0 : 0.0, low = low_ + added * missing_.weight;
        for (std::size_t k = 0; k < left_.size(); ++k) {
            first_[k] = left_[k] + added * missing_.counts[k];
            second_[k] = left_over(all_.counts[k], first_[k]);
        }
        criterion_.start();
        criterion_.add(first_, low);
        criterion_.add(second_, all_.weight - low);
        best_.offer(criterion_.gain(), low, below, above, side);
    }

    const NodeFacts& node_;
    const Known& all_;
    const MissingRows& missing_;
    const MissingSides<double> sides_;
    C criterion_;
    BestCut best_;
    double low_ = 0, of_missing_ = 0;
    std::size_t low_rows_ = 0;
    bool has_tried_both_ = false;
    std::span<double> left_, first_, second_;
};

// The same for two classes, from whole weights or from any.
template <Criterion C, class Count>
class LearnedTwoClassCuts {
  public:
    LearnedTwoClassCuts(const NodeFacts& node, const Known& all, const MissingRows& missing, const CutRules& rules)
        : sides_(node, missing.weight),
          criterion_(all, *node.xlogx),
          best_(node, rules),
          all_{static_cast<Count>(all.counts[0]), static_cast<Count>(all.counts[1])},
          missing_{static_cast<Count>(missing.counts[0]), static_cast<Count>(missing.counts[1])},
          known_{rest(all_[0], missing_[0]), rest(all_[1], missing_[1])},
          weight_(all.weight) {
        if constexpr (SumOfParts<C>) of_missing_ = criterion_.part(missing_[0], missing_[1]);
    }

    void start_at(Count left0, Count left1) { left_[0] = left0, left_[1] = left1; }
    void add(std::size_t label, Count weight) { left_[label] += weight; }
    bool too_low() const { return sides_.too_low(low()); }
    bool too_high() const { return sides_.too_high(low()); }
    bool may_skip_pure_cut(Count more) const {
        return has_tried_both_ && best_.may_skip_pure_cuts() && sides_.fits_left(low() + more);
    }
    void skip() { best_.skip(2); }
    void try_cut(std::uint32_t below, std::uint32_t above) {
        const bool right = sides_.fits_right(low()), left = sides_.fits_left(low());
        has_tried_both_ = has_tried_both_ || (right && left);
        if constexpr (SumOfParts<C> && std::integral<Count>) {
            const double of_left = criterion_.part(left_[0], left_[1]);
            const double of_right = criterion_.part(known_[0] - left_[0], known_[1] - left_[1]);
            if (!best_.may_win(criterion_.gain_of(of_left + of_right + of_missing_))) return skip(right, left);
            if (right) {
                const double parts = of_left + criterion_.part(all_[0] - left_[0], all_[1] - left_[1]);
                best_.offer(criterion_.gain_of(parts), as_double(low()), below, above, missing_right);
            }
            if (left) {
                const Count first[] = {left_[0] + missing_[0], left_[1] + missing_[1]};
                const double parts = criterion_.part(first[0], first[1]) + of_right;
                best_.offer(criterion_.gain_of(parts), as_double(first[0] + first[1]), below, above, missing_left);
            }
        } else {
            if (!best_.may_win(upper_bound())) return skip(right, left);
            if (right) offer(missing_right, below, above);
            if (left) offer(missing_left, below, above);
        }
    }
    // With the test whether the value is missing; the code of a missing value is the number of values.
    FoundTest result(std::uint32_t n_values) {
        left_[0] = known_[0], left_[1] = known_[1];
        if (sides_.fits_right(low())) offer(missing_right, n_values - 1, n_values);
        return best_.result(weight_);
    }

  private:
    static double as_double(Count n) { return static_cast<double>(n); }
    static Count rest(Count whole, Count part) {
        if constexpr (std::integral<Count>)
            return whole - part;
        else
            return left_over(whole, part);
    }
    Count low() const { return left_[0] + left_[1]; }
    void skip(bool right, bool left) { best_.skip(std::size_t{right} + std::size_t{left}); }

    // To within 1e-9, the gain of a split in three, the missing values by themselves: with a concave impurity neither
    // side gains more.
    double upper_bound() const {
        if constexpr (SumOfParts<C>) {
            const double right0 = rest(known_[0], left_[0]), right1 = rest(known_[1], left_[1]);
            return criterion_.quick_two_class_gain(left_[0], left_[1], right0, right1) - of_missing_ / weight_;
        } else {
            return std::numeric_limits<double>::infinity();
        }
    }
    void offer(std::int32_t side, std::uint32_t below, std::uint32_t above) {
        Count first[] = {left_[0], left_[1]};
        if (side == missing_left) first[0] += missing_[0], first[1] += missing_[1];
        const double gain =
            two_class_gain(criterion_, first[0], first[1], rest(all_[0], first[0]), rest(all_[1], first[1]));
        best_.offer(gain, as_double(first[0] + first[1]), below, above, side);
    }

    const MissingSides<Count> sides_;
    C criterion_;
    BestCut best_;
    Count all_[2], missing_[2], known_[2], left_[2] = {0, 0};
    double weight_, of_missing_ = 0;
    bool has_tried_both_ = false;
};

// Adds a table of two classes, values x 2, to `cuts`, trying the cuts between the values.
template <class Cuts, class Count>
void try_two_class_cuts(Cuts& cuts, std::span<const Count> table, const ValueGaps& gaps) {
    bool any_before = false;
    std::size_t before = 0;
    for (std::size_t value = 0; value < table.size() / 2; ++value) {
        const Count zeros = table[2 * value], ones = table[2 * value + 1];
        if (zeros == 0 && ones == 0) continue;
        if (any_before && !cuts.too_low() && gaps.can_cut_between(before, value)) {
            if (cuts.too_high()) return;
            cuts.try_cut(static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(value));
        }
        cuts.add(0, zeros);
        cuts.add(1, ones);
        any_before = true;
        before = value;
    }
}

}  // namespace calibrant
