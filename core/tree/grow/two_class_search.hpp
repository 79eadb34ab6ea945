// The best cut of a numeric column for two classes, where growing spends most of its time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tree/grow/split_search.hpp"

namespace calibrant {

inline constexpr Keys two_class_keys{.class_bits = 1};

// All values of a column in ascending order.
struct EveryValue {
    std::size_t next(std::size_t value) const { return value; }
};

// The values of a column that occur at a node, up to 255 of them and the missing one.
class SeenValues {
  public:
    static constexpr std::size_t most = 256;

    void add(std::uint32_t value) { words_[value / 64] |= std::uint64_t{1} << value % 64; }
    bool has(std::size_t value) const { return (words_[value / 64] >> value % 64 & 1) != 0; }
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

// The best cut of a presorted column, rows of whole weights: integers throughout.
template <Criterion C, class TimesOf>
FoundTest search_sorted_two_class(std::span<const SortedRow> rows, const TimesOf& times_of, const NodeFacts& node,
                                  const Known& known, const CutRules& rules, const ValueGaps& gaps) {
    if (too_few(node, known, rules)) return {};
    const auto n = static_cast<std::size_t>(known.weight), all_ones = static_cast<std::size_t>(known.counts[1]);
    const auto least = static_cast<std::size_t>(std::ceil(node.min_side - size_tolerance));  // weight of the left side
    const double most_left = known.weight - node.min_side + size_tolerance;
    if (most_left < static_cast<double>(least) || rows.size() < 2) return {};
    const auto most = static_cast<std::size_t>(most_left);
    C criterion(known, *node.xlogx);
    BestCut best(node, rules);
    const double scale = known.weight / node.weight;
    const auto apart = [&](std::size_t i) {
        return two_class_keys.can_cut_between(rows[i].key, rows[i + 1].key, gaps);
    };
    const std::size_t last = rows.size() - 1;
    std::size_t end = last;  // the last row left of a cut comes before it
    for (std::size_t right = times_of(rows[last]); end > 0 && n - right > most;) right += times_of(rows[--end]);
    std::size_t ones = 0, left = 0, i = 0;
    const auto pass = [&](std::size_t at) {
        const std::size_t times = times_of(rows[at]);
        ones += rows[at].key & 1 ? times : 0;
        left += times;
    };
    for (; i < end && left + times_of(rows[i]) < least; ++i) pass(i);
    bool pure = true, is_apart = i < end && apart(i);
    for (; i < end; ++i) {
        const std::uint32_t key = rows[i].key, next = rows[i + 1].key;
        const bool same_class = ((key ^ next) & 1) == 0, was_apart = is_apart;
        is_apart = i + 1 < end && apart(i + 1);
        pass(i);
        if (!was_apart) {
            pure = pure && same_class;
            continue;
        }
        if (pure && same_class && is_apart &&
            best.may_skip_pure_cuts()) {  // no cut inside of a run of one class is the best
            best.skip();
        } else {
            const double gain =
                two_class_gain(criterion, left - ones, ones, n - left - (all_ones - ones), all_ones - ones);
            best.offer(gain * scale, static_cast<double>(left), two_class_keys.code(key), two_class_keys.code(next));
        }
        pure = true;
    }
    return best.result(known.weight);
}

// The same from a table of counts, values x 2; `values` are those that may occur.
template <Criterion C, std::integral Count, class Values = EveryValue>
FoundTest search_counted_two_class(std::span<const Count> table, const NodeFacts& node, const Known& known,
                                   const CutRules& rules, const ValueGaps& gaps, const Values& values = {}) {
    const auto n = static_cast<std::size_t>(known.weight), all_ones = static_cast<std::size_t>(known.counts[1]);
    if (too_few(node, known, rules)) return {};
    const double least = node.min_side - size_tolerance, most = static_cast<double>(n) - node.min_side + size_tolerance;
    C criterion(known, *node.xlogx);
    BestCut best(node, rules);
    const double scale = known.weight / node.weight;
    std::size_t left = 0, ones = 0, before = 0;
    for (std::size_t value = values.next(0); value < table.size() / 2; value = values.next(value + 1)) {
        const Count zeros_here = table[2 * value], ones_here = table[2 * value + 1];
        if (zeros_here + ones_here == 0) continue;
        const auto low = static_cast<double>(left);
        if (low > most) break;
        if (left > 0 && low >= least && gaps.can_cut_between(before, value)) {
            const double gain =
                two_class_gain(criterion, left - ones, ones, n - left - (all_ones - ones), all_ones - ones);
            best.offer(gain * scale, low, static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(value));
        }
        left += zeros_here + ones_here;
        ones += ones_here;
        before = value;
    }
    return best.result(known.weight);
}

// Keeps the best cut between two classes while known cases are added in ascending order; any weights.
template <Criterion C>
class TwoClassCuts {
  public:
    TwoClassCuts(const NodeFacts& node, const Known& known, const CutRules& rules)
        : criterion_(known, *node.xlogx),
          best_(node, rules),
          all_{known.counts[0], known.counts[1]},
          known_(known.weight),
          scale_(known.weight / node.weight),
          least_(node.min_side - size_tolerance),
          most_(known.weight - node.min_side + size_tolerance) {}

    void start_at(double left0, double left1) { left_[0] = left0, left_[1] = left1; }
    void add(std::uint32_t label, double weight) { left_[label] += weight; }
    double low() const { return left_[0] + left_[1]; }
    bool too_low() const { return low() < least_; }
    bool too_high(double more = 0) const { return low() + more > most_; }
    void try_cut(std::uint32_t below, std::uint32_t above) {
        const double right0 = left_over(all_[0], left_[0]), right1 = left_over(all_[1], left_[1]);
        if (!best_.needs_every_cut() &&
            !best_.may_win(scale_ * quick_two_class_gain(criterion_, left_[0], left_[1], right0, right1)))
            return best_.skip();
        best_.offer(scale_ * two_class_gain(criterion_, left_[0], left_[1], right0, right1), low(), below, above);
    }
    bool may_skip_pure_cut(double more) const { return best_.may_skip_pure_cuts() && !too_high(more); }
    void skip() { best_.skip(); }
    FoundTest result() { return best_.result(known_); }

  private:
    C criterion_;
    BestCut best_;
    double all_[2], left_[2] = {0, 0};
    double known_, scale_, least_, most_;
};

// Adds a run of sorted rows to `cuts`, trying the cuts between them.
template <class Cuts, class WeightOf>
void search_run(Cuts& cuts, std::span<const SortedRow> rows, const WeightOf& weight_of, const ValueGaps& gaps) {
    const auto apart = [&](std::size_t i) {
        return two_class_keys.can_cut_between(rows[i].key, rows[i + 1].key, gaps);
    };
    bool pure = true;  // the rows since the last boundary are of one class
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const std::uint32_t key = rows[i].key, next = rows[i + 1].key;
        cuts.add(key & 1, weight_of(rows[i]));
        const bool same_class = ((key ^ next) & 1) == 0;
        if (!apart(i)) {
            pure = pure && same_class;
            continue;
        }
        if (!cuts.too_low()) {
            if (cuts.too_high()) return;
            const bool inside = pure && same_class && i + 2 < rows.size() && apart(i + 1) &&
                                cuts.may_skip_pure_cut(weight_of(rows[i + 1]));
            if (inside)
                cuts.skip();
            else
                cuts.try_cut(two_class_keys.code(key), two_class_keys.code(next));
        }
        pure = true;
    }
}

// The best cut of a sorted column, any weights.
template <Criterion C, class WeightOf>
FoundTest search_weighted_two_class(std::span<const SortedRow> rows, const WeightOf& weight_of, const NodeFacts& node,
                                    const Known& known, const CutRules& rules, const ValueGaps& gaps) {
    if (too_few(node, known, rules)) return {};
    TwoClassCuts<C> cuts(node, known, rules);
    search_run(cuts, rows, weight_of, gaps);
    return cuts.result();
}

}  // namespace calibrant
