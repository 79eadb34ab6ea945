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

#include "tree/grow/cut_search.hpp"

namespace calibrant {

// The rows of a node whose value is missing: class weights, their sum and, where it matters, the number of rows.
struct MissingRows {
    std::span<const double> counts;
    double weight;
    std::size_t rows = 0;
};

// The same cut, with the missing values on either side; 1 is the right one.
inline constexpr std::int32_t missing_left = 0, missing_right = 1;

// Which sides of a cut the missing values may go to; `low` is the weight of the known values up to the cut.
template <class Count>
class MissingSides {
  public:
    MissingSides(const NodeFacts& node, double missing)
        : range_(node.min_side, node.weight), missing_(static_cast<Count>(missing)) {}

    bool fits_right(Count low) const { return !range_.too_low(low) && !range_.too_high(low); }
    bool fits_left(Count low) const { return fits_right(low + missing_); }
    bool too_low(Count low) const { return range_.too_low(low + missing_); }
    bool too_high(Count low) const { return range_.too_high(low); }

  private:
    LeftRange<Count> range_;
    Count missing_;
};

// Keeps the best cut while known cases are added in ascending order: any weights, any number of classes. The counts of
// `all` and `node` are those of every row of the node.
template <Criterion C>
class LearnedCuts {
  public:
    using Weight = double;
    using Left = ManyClassSums;
    static constexpr bool has_two_classes = false;

    LearnedCuts(const NodeFacts& node, const Known& all, const MissingRows& missing, BestCut& best)
        : node_(node),
          all_(all),
          missing_(missing),
          sides_(node, missing.weight),
          criterion_(all, *node.xlogx),
          best_(best),
          left_(node.scratch.first(all.counts.size())),
          first_(node.scratch.subspan(all.counts.size(), all.counts.size())),
          second_(node.scratch.subspan(2 * all.counts.size(), all.counts.size())) {
        if constexpr (SumOfParts<C>) of_missing_ = criterion_.part(missing.counts, missing.weight);
    }

    Left start() const {
        std::fill(left_.begin(), left_.end(), 0.0);
        return {left_};
    }
    void add(Left& left, std::size_t label, double weight) const {
        left.counts[label] += weight;
        left.weight += weight;
    }
    bool too_low(const Left& left) const {
        return sides_.too_low(left.weight) || !node_.has_rows(left.rows + missing_.rows);
    }
    bool too_high(const Left& left) const {
        return sides_.too_high(left.weight) || !node_.has_rows(node_.known_rows - left.rows);
    }
    // A cut inside a run of one class is skipped only where both sides were tried before and can be tried after it.
    bool may_skip_pure_cut(const Left& left, double more) const {
        return has_tried_both_ && best_.may_skip_pure_cuts() &&
               fits_left(left.weight + more, left.rows + 1 + missing_.rows);
    }
    void skip() { best_.skip(2); }
    void try_cut(const Left& left, std::uint32_t below, std::uint32_t above) {
        const bool to_right = fits_right(left), to_left = fits_left(left.weight, left.rows + missing_.rows);
        has_tried_both_ = has_tried_both_ || (to_right && to_left);
        if (!best_.may_win(upper_bound(left))) return best_.skip(std::size_t{to_right} + std::size_t{to_left});
        if (to_right) offer(left, missing_right, below, above);
        if (to_left) offer(left, missing_left, below, above);
    }
    // Tries whether the value is missing; the code of a missing value is the number of values.
    void finish(std::uint32_t n_values) {
        for (std::size_t k = 0; k < left_.size(); ++k) left_[k] = left_over(all_.counts[k], missing_.counts[k]);
        const Left known{left_, all_.weight - missing_.weight, node_.known_rows - missing_.rows};
        if (fits_right(known)) offer(known, missing_right, n_values - 1, n_values);
    }

  private:
    bool fits_right(const Left& left) const {
        return sides_.fits_right(left.weight) && node_.has_rows(left.rows) &&
               node_.has_rows(node_.known_rows - left.rows);
    }
    bool fits_left(double weight, std::size_t rows) const {
        return sides_.fits_left(weight) && node_.has_rows(rows) && node_.has_rows(node_.known_rows - rows);
    }
    // The gain of a split in three, the missing values by themselves: with a concave impurity neither side gains more.
    double upper_bound(const Left& left) {
        if constexpr (!SumOfParts<C>) {
            return std::numeric_limits<double>::infinity();
        } else {
            for (std::size_t k = 0; k < second_.size(); ++k)
                second_[k] = left_over(all_.counts[k], left.counts[k] + missing_.counts[k]);
            const double right = criterion_.part(second_, all_.weight - left.weight - missing_.weight);
            return criterion_.gain_of(criterion_.part(left.counts, left.weight) + right + of_missing_);
        }
    }
    void offer(const Left& left, std::int32_t side, std::uint32_t below, std::uint32_t above) {
        const double added = side == missing_left ? 1.0 : 0.0, low = left.weight + added * missing_.weight;
        for (std::size_t k = 0; k < first_.size(); ++k) {
            first_[k] = left.counts[k] + added * missing_.counts[k];
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
    BestCut& best_;
    double of_missing_ = 0;
    bool has_tried_both_ = false;
    std::span<double> left_, first_, second_;
};

// The same for two classes, from whole weights or from any.
template <Criterion C, class Count>
class LearnedTwoClassCuts {
  public:
    using Weight = Count;
    using Left = TwoClassSums<Count>;
    static constexpr bool has_two_classes = true;

    LearnedTwoClassCuts(const NodeFacts& node, const Known& all, const MissingRows& missing, BestCut& best)
        : sides_(node, missing.weight),
          criterion_(all, *node.xlogx),
          best_(best),
          all_{static_cast<Count>(all.counts[0]), static_cast<Count>(all.counts[1])},
          missing_{static_cast<Count>(missing.counts[0]), static_cast<Count>(missing.counts[1])},
          known_{rest_of(all_.first, missing_.first), rest_of(all_.second, missing_.second)},
          weight_(all.weight) {
        if constexpr (SumOfParts<C>) of_missing_ = criterion_.part(missing_.first, missing_.second);
    }

    void start_at(Left left) { start_ = left; }
    Left start() const { return start_; }
    void add(Left& left, std::size_t label, Count weight) const { left.add(label, weight); }
    bool too_low(const Left& left) const { return sides_.too_low(left.weight()); }
    bool too_high(const Left& left) const { return sides_.too_high(left.weight()); }
    bool may_skip_pure_cut(const Left& left, Count more) const {
        return has_tried_both_ && best_.may_skip_pure_cuts() && sides_.fits_left(left.weight() + more);
    }
    void skip() { best_.skip(2); }
    void try_cut(const Left& left, std::uint32_t below, std::uint32_t above) {
        const bool to_right = sides_.fits_right(left.weight()), to_left = sides_.fits_left(left.weight());
        has_tried_both_ = has_tried_both_ || (to_right && to_left);
        const auto skip_both = [&] { best_.skip(std::size_t{to_right} + std::size_t{to_left}); };
        if constexpr (SumOfParts<C> && std::integral<Count>) {
            const double of_left = part(left), of_right = part(rest(known_, left));
            if (!best_.may_win(criterion_.gain_of(of_left + of_right + of_missing_))) return skip_both();
            if (to_right)
                best_.offer(criterion_.gain_of(of_left + part(rest(all_, left))), as_double(left), below, above,
                            missing_right);
            if (to_left) {
                const Left first = with_missing(left);
                best_.offer(criterion_.gain_of(part(first) + of_right), as_double(first), below, above, missing_left);
            }
        } else {
            if (!best_.may_win(upper_bound(left))) return skip_both();
            if (to_right) offer(left, missing_right, below, above);
            if (to_left) offer(with_missing(left), missing_left, below, above);
        }
    }
    // Tries whether the value is missing; the code of a missing value is the number of values.
    void finish(std::uint32_t n_values) {
        if (sides_.fits_right(known_.weight())) offer(known_, missing_right, n_values - 1, n_values);
    }

  private:
    static double as_double(const Left& side) { return static_cast<double>(side.weight()); }
    static Left rest(const Left& whole, const Left& part) {
        return {rest_of(whole.first, part.first), rest_of(whole.second, part.second)};
    }
    Left with_missing(const Left& left) const { return {left.first + missing_.first, left.second + missing_.second}; }
    double part(const Left& side) const { return criterion_.part(side.first, side.second); }

    // To within 1e-9, the gain of a split in three, the missing values by themselves: with a concave impurity neither
    // side gains more.
    double upper_bound(const Left& left) const {
        if constexpr (SumOfParts<C>) {
            const Left right = rest(known_, left);
            return criterion_.quick_two_class_gain(left.first, left.second, right.first, right.second) -
                   of_missing_ / weight_;
        } else {
            return std::numeric_limits<double>::infinity();
        }
    }
    void offer(const Left& first, std::int32_t side, std::uint32_t below, std::uint32_t above) {
        const Left second = rest(all_, first);
        best_.offer(two_class_gain(criterion_, first.first, first.second, second.first, second.second),
                    as_double(first), below, above, side);
    }

    const MissingSides<Count> sides_;
    C criterion_;
    BestCut& best_;
    const Left all_, missing_, known_;
    Left start_{};
    double weight_, of_missing_ = 0;
    bool has_tried_both_ = false;
};

// The best cut of a column with missing values: what follows `n_values` are the arguments of try_cuts.
template <class Cuts, class... Column>
FoundTest best_learned_cut(const NodeFacts& node, const Known& all, const MissingRows& missing, const CutRules& rules,
                           std::uint32_t n_values, const Column&... column) {
    if (too_few(node, all, rules)) return {};
    BestCut best(node, rules);
    Cuts cuts(node, all, missing, best);
    try_cuts(cuts, column...);
    cuts.finish(n_values);
    return best.result(all.weight);
}

}  // namespace calibrant
