// The best cut of a numeric column: one scan of sorted rows and one of a table of values, over accumulators that know
// how many classes there are and what weights are.
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
#include <utility>

#include "tree/grow/split_search.hpp"

namespace calibrant {

inline constexpr Keys two_class_keys{.class_bits = 1};

// whole - part: exact for whole numbers, without the rounding error that left_over removes from others.
template <class Count>
Count rest_of(Count whole, Count part) {
    if constexpr (std::integral<Count>)
        return whole - part;
    else
        return left_over(whole, part);
}

// The weights that the left side of a cut may have, so that both sides keep enough.
template <class Count>
class LeftRange {
  public:
    LeftRange(double min_side, double weight) {
        const double least = std::max(0.0, min_side - size_tolerance), most = weight - min_side + size_tolerance;
        if (most < least) return;
        least_ = static_cast<Count>(least), most_ = static_cast<Count>(most);
        if constexpr (std::integral<Count>) least_ += static_cast<double>(least_) < least ? 1 : 0;
    }
    bool too_low(Count left) const { return left < least_; }
    bool too_high(Count left) const { return left > most_; }

  private:
    Count least_ = 1, most_ = 0;  // nothing fits
};

// The class weights left of a cut, and the number of rows where it matters. A scan keeps them, and the best cut, apart
// from the accumulator, so that all of that stays in registers: 15 % of the time of an exact tree of 60,000 x 20.
struct ManyClassSums {
    std::span<double> counts;
    double weight = 0;
    std::size_t rows = 0;
};

template <class Count>
struct TwoClassSums {
    Count first = 0, second = 0;

    Count weight() const { return first + second; }
    // A product instead of a branch; times 0 and 1 it is exact.
    void add(std::size_t label, Count weight) {
        const Count of_second = static_cast<Count>(label) * weight;
        first += weight - of_second;
        second += of_second;
    }
};

// Keeps the best cut while known cases are added in ascending order: any weights, any number of classes.
template <Criterion C>
class CutSearch {
  public:
    using Weight = double;
    using Left = ManyClassSums;
    static constexpr bool has_two_classes = false;

    CutSearch(const NodeFacts& node, const Known& known, BestCut& best)
        : node_(node),
          known_(known),
          criterion_(known, *node.xlogx),
          best_(best),
          right_(node.scratch.last(known.counts.size())) {}

    Left start() {
        const std::span<double> left = node_.scratch.first(known_.counts.size());
        std::fill(left.begin(), left.end(), 0.0);
        if constexpr (RunningCriterion<C>) criterion_.start_cuts(known_.counts);
        return {left};
    }
    void add(Left& left, std::size_t label, double weight) {
        const double before = left.counts[label];
        left.counts[label] += weight;
        left.weight += weight;
        if constexpr (RunningCriterion<C>) criterion_.move(known_.counts[label], before, left.counts[label]);
    }
    bool too_low(const Left& left) const {
        return left.weight < node_.min_side - size_tolerance || !node_.has_rows(left.rows);
    }
    bool too_high(const Left& left, double more = 0, std::size_t more_rows = 0) const {
        return left.weight + more > known_.weight - node_.min_side + size_tolerance ||
               !node_.has_rows(node_.known_rows - left.rows - more_rows);
    }
    bool may_skip_pure_cut(const Left& left, double more) const {
        return best_.may_skip_pure_cuts() && !too_high(left, more, 1);
    }
    void skip() { best_.skip(); }
    void try_cut(const Left& left, std::uint32_t below, std::uint32_t above) {
        best_.offer(gain(left) * known_.weight / node_.weight, left.weight, below, above);
    }

  private:
    double gain(const Left& left) {
        if constexpr (RunningCriterion<C>) {
            return criterion_.gain_at(left.weight);
        } else {
            for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = left_over(known_.counts[k], left.counts[k]);
            criterion_.start();
            criterion_.add(left.counts, left.weight);
            criterion_.add(right_, known_.weight - left.weight);
            return criterion_.gain();
        }
    }

    const NodeFacts& node_;
    const Known& known_;
    C criterion_;
    BestCut& best_;
    std::span<double> right_;
};

// The same for two classes, where growing spends most of its time: whole weights in integers, or any weights.
template <Criterion C, class Count>
class TwoClassCuts {
  public:
    using Weight = Count;
    using Left = TwoClassSums<Count>;
    static constexpr bool has_two_classes = true;

    TwoClassCuts(const NodeFacts& node, const Known& known, BestCut& best)
        : criterion_(known, *node.xlogx),
          best_(best),
          range_(node.min_side, known.weight),
          all_{static_cast<Count>(known.counts[0]), static_cast<Count>(known.counts[1])},
          scale_(known.weight / node.weight),
          is_kept_(known.weight < static_cast<double>(node.xlogx->n_kept())) {}

    // Where rows before the first are not scanned, `left` has their weights.
    void start_at(Left left) { start_ = left; }
    Left start() const { return start_; }
    void add(Left& left, std::size_t label, Count weight) const { left.add(label, weight); }
    bool too_low(const Left& left) const { return range_.too_low(left.weight()); }
    bool too_high(const Left& left) const { return range_.too_high(left.weight()); }
    bool may_skip_pure_cut(const Left& left, Count more) const {
        return best_.may_skip_pure_cuts() && !range_.too_high(left.weight() + more);
    }
    void skip() { best_.skip(); }
    bool needs_only_the_best() const
        requires std::integral<Count>
    {
        return is_kept_ && best_.needs_only_the_best();
    }
    double best_gain() const { return best_.gain(); }
    // To within 1e-9.
    CALIBRANT_INLINE double near_gain(const Left& left) const {
        return scale_ *
               kept_two_class_gain(criterion_, left.first, left.second, all_[0] - left.first, all_[1] - left.second);
    }
    CALIBRANT_INLINE void try_cut(const Left& left, std::uint32_t below, std::uint32_t above) {
        const Count right0 = rest_of(all_[0], left.first), right1 = rest_of(all_[1], left.second);
        if constexpr (!std::integral<Count>) {  // what is looked up for whole numbers costs no more than a quick gain
            if (!best_.needs_every_cut() &&
                !best_.may_win(scale_ * quick_two_class_gain(criterion_, left.first, left.second, right0, right1)))
                return best_.skip();
        }
        best_.offer(scale_ * two_class_gain(criterion_, left.first, left.second, right0, right1),
                    static_cast<double>(left.weight()), below, above);
    }

  private:
    mutable C criterion_;  // some criteria add branches up in themselves
    BestCut& best_;
    const LeftRange<Count> range_;
    Count all_[2];
    Left start_{};
    double scale_;
    bool is_kept_;  // whether all counts are looked up
};

// Adds the known rows of a column in ascending order, trying those cuts between them that may be the best, for whole
// weights of two classes. Whether two rows are of one class, or a cut
// is possible between them, cannot be predicted: the gains of a block of cuts are computed without asking, and only
// those near the greatest that is possible are looked at (a third of the time of a forest before).
template <class Cuts, class WeightOf>
CALIBRANT_NOINLINE void try_best_cuts(Cuts& cuts, std::span<const SortedRow> rows, const WeightOf& weight_of,
                                      const ValueGaps& gaps) {
    constexpr Keys keys = two_class_keys;
    constexpr std::size_t block = 128;
    constexpr double slack = 1e-6;  // far above the tolerance: a cut that is left out could not even tie
    constexpr double lowest = -std::numeric_limits<double>::infinity(), if_possible[] = {lowest, 0.0};
    const auto apart = [&](std::size_t i) { return keys.can_cut_between(rows[i].key, rows[i + 1].key, gaps); };
    const auto label = [&](std::size_t i) { return keys.label(rows[i].key); };
    // A cut inside a run of one class, as try_cuts() below skips it: it asks for a cut before and a cut after this one.
    const auto is_skipped = [&](std::size_t i, typename Cuts::Left left) {
        if (i + 2 >= rows.size() || label(i) != label(i + 1) || !apart(i + 1)) return false;
        if (cuts.too_high({left.first + weight_of(rows[i + 1]), left.second})) return false;
        for (std::size_t first = i; label(first) == label(i); --first) {
            (label(first) == 0 ? left.first : left.second) -= weight_of(rows[first]);
            if (first == 0) return false;
            if (apart(first - 1)) return !cuts.too_low(left);
        }
        return false;
    };
    const Cuts like = cuts;  // which no store can change
    std::array<double, block> gains;
    std::array<typename Cuts::Left, block> lefts;
    typename Cuts::Left left = cuts.start();
    for (std::size_t begin = 0; begin + 1 < rows.size() && !cuts.too_high(left); begin += block) {
        const std::size_t n = std::min(block, rows.size() - 1 - begin);
        double best = cuts.best_gain();
        for (std::size_t i = 0; i < n; ++i) {
            const SortedRow &row = rows[begin + i], &next = rows[begin + i + 1];
            like.add(left, keys.label(row.key), weight_of(row));
            lefts[i] = left;
            gains[i] = like.near_gain(left);
            const bool is_possible = (keys.code(row.key) != keys.code(next.key)) & !keys.is_close(row.key) &
                                     !like.too_low(left) & !like.too_high(left);
            best = std::max(best, gains[i] + if_possible[is_possible]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (gains[i] < best - slack || cuts.too_low(lefts[i]) || !apart(begin + i)) continue;
            if (cuts.too_high(lefts[i])) return;
            if (is_skipped(begin + i, lefts[i])) continue;
            cuts.try_cut(lefts[i], keys.code(rows[begin + i].key), keys.code(rows[begin + i + 1].key));
        }
    }
}

// Adds the known rows of a column in ascending order, trying the cuts between them.
template <class Cuts, class WeightOf>
void try_cuts(Cuts& cuts, std::span<const SortedRow> rows, const Keys& any_keys, const WeightOf& weight_of,
              const ValueGaps& gaps) {
    if constexpr (requires { cuts.needs_only_the_best(); }) {
        if (cuts.needs_only_the_best()) return try_best_cuts(cuts, rows, weight_of, gaps);
    }
    const Keys keys = Cuts::has_two_classes ? two_class_keys : any_keys;  // known when this is compiled, or not
    const auto apart = [&](std::size_t i) { return keys.can_cut_between(rows[i].key, rows[i + 1].key, gaps); };
    const auto weight = [&](std::size_t i) { return static_cast<typename Cuts::Weight>(weight_of(rows[i])); };
    typename Cuts::Left left = cuts.start();
    bool pure = true;  // the rows since the last boundary are of one class
    bool next_apart = rows.size() > 1 && apart(0);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const std::uint32_t label = keys.label(rows[i].key), next_label = keys.label(rows[i + 1].key);
        const bool is_apart = std::exchange(next_apart, i + 2 < rows.size() && apart(i + 1));
        cuts.add(left, label, weight(i));
        if constexpr (!Cuts::has_two_classes) ++left.rows;
        if (!is_apart) {
            pure = pure && label == next_label;
            continue;
        }
        if (!cuts.too_low(left)) {
            if (cuts.too_high(left)) return;
            // the gain is convex along rows of one class, so only the ends of such a run can be best
            if (pure && label == next_label && next_apart && cuts.may_skip_pure_cut(left, weight(i + 1)))
                cuts.skip();
            else
                cuts.try_cut(left, keys.code(rows[i].key), keys.code(rows[i + 1].key));
        }
        pure = true;
    }
}

// All values of a column in ascending order.
struct EveryValue {
    std::size_t next(std::size_t value) const { return value; }
};

// The values of a column that occur at a node, up to 255 of them and the missing one.
class SeenValues {
  public:
    static constexpr std::size_t most = 256;

    void add(std::uint32_t value) { words_[value / 64] |= std::uint64_t{1} << value % 64; }
    void clear() { words_ = {}; }
    // The first that is at least `value`; `most` where there is none.
    std::size_t next(std::size_t value) const {
        std::size_t word = value / 64;
        if (word == words_.size()) return most;
        std::uint64_t bits = words_[word] >> value % 64 << value % 64;
        while (bits == 0) {
            if (++word == words_.size()) return most;
            bits = words_[word];
        }
        return 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
    }

  private:
    std::array<std::uint64_t, most / 64> words_{};
};

// Adds a table of weights, values x classes, in the same way. `values` are those that may occur, and `value_rows` the
// rows of each, where their number matters.
template <class Cuts, class Cell, class Values = EveryValue>
void try_cuts(Cuts& cuts, std::span<const Cell> table, std::size_t n_classes, const ValueGaps& gaps,
              std::span<const std::uint32_t> value_rows = {}, const Values& values = {}) {
    const std::size_t width = Cuts::has_two_classes ? 2 : n_classes, n_values = table.size() / width;
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    typename Cuts::Left left = cuts.start();
    std::size_t before = none;
    for (std::size_t value = values.next(0); value < n_values; value = values.next(value + 1)) {
        const Cell* const cell = table.data() + value * width;
        // a sum, because whether a class is absent cannot be predicted; weights are not negative
        Cell sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum += cell[k];
        if (sum == 0) continue;
        if (before != none && !cuts.too_low(left) && gaps.can_cut_between(before, value)) {
            if (cuts.too_high(left)) return;
            cuts.try_cut(left, static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(value));
        }
        for (std::size_t k = 0; k < width; ++k) cuts.add(left, k, static_cast<typename Cuts::Weight>(cell[k]));
        if constexpr (!Cuts::has_two_classes) {
            if (!value_rows.empty()) left.rows += value_rows[value];
        }
        before = value;
    }
}

// The best cut of a column: what follows `rules` are the arguments of try_cuts. A function of its own for each kind of
// column: the loops of several kinds in one function compete for registers (10 % of the time of a forest).
template <class Cuts, class... Column>
CALIBRANT_NOINLINE FoundTest best_cut(const NodeFacts& node, const Known& known, const CutRules& rules,
                                      const Column&... column) {
    if (too_few(node, known, rules)) return {};
    BestCut best(node, rules);
    Cuts cuts(node, known, best);
    try_cuts(cuts, column...);
    return best.result(known.weight);
}

}  // namespace calibrant
