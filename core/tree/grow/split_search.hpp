// The best test of one column at one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "tree/grow/bayes_logs.hpp"
#include "tree/grow/criteria.hpp"
#include "tree/grow/value_gaps.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// A row of a sorted column: its number, and its code and class in one key.
struct SortedRow {
    std::uint32_t row;
    std::uint32_t key;
};

// Between code and class is a bit: whether the next greater value of the column is too close for a cut. Only then are
// the gaps looked up.
struct Keys {
    int class_bits;

    std::uint32_t key(std::uint32_t code, std::uint32_t label, bool is_close) const {
        return (code << 1 | std::uint32_t{is_close}) << class_bits | label;
    }
    std::uint32_t key(std::uint32_t code, std::uint32_t label, const ValueGaps& gaps) const {
        return key(code, label, gaps.is_close_to_next(code));
    }
    std::uint32_t code(std::uint32_t key) const { return key >> (class_bits + 1); }
    std::uint32_t label(std::uint32_t key) const { return key & ((std::uint32_t{1} << class_bits) - 1); }
    bool is_close(std::uint32_t key) const { return (key >> class_bits & 1) != 0; }
    std::uint32_t greatest(std::uint32_t n_values) const {
        return key(n_values, (std::uint32_t{1} << class_bits) - 1, true);
    }
    bool fit(std::uint64_t n_values) const { return (n_values + 1) << (class_bits + 1) <= std::uint64_t{1} << 32; }

    // Returns whether a cut may lie between two rows, the first of which comes no later.
    CALIBRANT_INLINE bool can_cut_between(std::uint32_t first, std::uint32_t second, const ValueGaps& gaps) const {
        if (code(first) == code(second)) return false;
        return !is_close(first) || gaps.can_cut_between(code(first), code(second));
    }
};

inline constexpr double size_tolerance = 1e-9;

// What every search at a node shares.
struct NodeFacts {
    double weight;      // of all cases, those with missing values included
    double min_branch;  // a branch counts as filled from this weight on
    double min_side;    // the least weight on each side of a numeric cut
    double n_known;     // cases with a known value, each counted as one; for J48's rule only
    const XLogX* xlogx;
    std::span<double> scratch;   // three rows of class weights
    double min_rows = 0;         // rows that a filled branch, and a side of a cut, must have; 0: any number
    std::size_t known_rows = 0;  // rows with a known value, where min_rows matters

    bool is_filled(double branch_weight, std::size_t branch_rows) const {
        return branch_weight >= min_branch - size_tolerance && has_rows(branch_rows);
    }
    bool has_rows(std::size_t branch_rows) const {
        return min_rows == 0 || static_cast<double>(branch_rows) >= min_rows - size_tolerance;
    }
};

// The rules in which C4.5 and J48 differ.
struct CutRules {
    double tolerance = 1e-9;                                       // a later cut must gain more than this to win
    double least_gain = -std::numeric_limits<double>::infinity();  // and the first one more than this
    double usable_gain = 0.0;  // a cut is usable where its gain, the penalty taken off, exceeds this
    bool count_cases = false;  // enough known cases: by their number, against min_side (J48), not their weight
    bool penalty = true;       // take log2(cuts tried) / weight off the gain (Quinlan 1996)
    bool averages = false;     // the gain of a column is the log of the mean over its cuts (Buntine 1992), in nats
};

// The result of a search; cases with a missing value gain nothing.
struct FoundTest {
    bool usable = false;
    double gain = 0;
    double info = 0;                     // the split information, missing values as one more outcome
    std::uint32_t below = 0, above = 0;  // numeric: the codes on both sides of the cut
    std::size_t n_branches = 0;
    std::vector<std::int32_t> branches{};  // nominal: the branch of each value; empty where each value has its own
    std::int32_t missing_branch = Tree::all_branches;  // where the test sends missing values
    double log_prior = 0;  // of a cut: the mean over the cuts of its column relative to it, in nats; see Tree

    static constexpr std::uint32_t no_value = std::numeric_limits<std::uint32_t>::max();
    // Nominal: the value that is tested against all others; `branches` may be empty then.
    std::uint32_t alone = no_value;

    // The branch of each value of a nominal test.
    std::vector<std::int32_t> branches_of(std::size_t n_values) const {
        if (!branches.empty()) return branches;
        std::vector<std::int32_t> all(n_values, 1);
        if (alone < n_values) all[alone] = 0;
        return all;
    }
    // Of a nominal test whose last value, after n_values others, stands for the missing one.
    void take_last_as_missing(std::size_t n_values) {
        if (!usable) return;
        missing_branch = static_cast<std::int32_t>(alone == no_value ? n_values : std::size_t{alone != n_values});
        if (branches.empty()) return;
        missing_branch = branches.back();
        branches.pop_back();
    }
};

inline constexpr double tie_tolerance = 1e-9;  // scores closer than this are equal
inline constexpr double split_epsilon =
    1e-3;  // C4.5 release 8: the score of an unusable test, and the slack in "at least average"

// T(u, b_1, b_2, ...) / w: the information in the branching itself.
inline double split_information(const NodeFacts& node, double missing, std::span<const double> branches) {
    double sum = (*node.xlogx)(node.weight) - (*node.xlogx)(missing);
    for (const double weight : branches) sum -= (*node.xlogx)(weight);
    return sum / node.weight;
}

inline bool too_few(const NodeFacts& node, const Known& known, const CutRules& rules) {
    if (rules.count_cases) return node.n_known < 2 * node.min_side - 1e-6;
    return known.weight < 2 * node.min_branch - size_tolerance;
}

// The best cut so far, and the number tried.
class BestCut {
  public:
    BestCut(const NodeFacts& node, const CutRules& rules) : node_(node), rules_(rules), gain_(rules.least_gain) {}

    // Whether a cut inside a run of one class may be skipped. J48's tolerance is coarse enough for such a cut to win
    // over the end of the run, which gains a little more.
    bool may_skip_pure_cuts() const { return tries_ > 0 && rules_.tolerance <= tie_tolerance && !rules_.averages; }
    void skip(std::size_t n = 1) { tries_ += n; }
    // Returns whether a cut whose gain is known to within 1e-6 may win.
    bool may_win(double gain) const { return gain > gain_ + rules_.tolerance - 1e-6; }
    bool needs_every_cut() const { return rules_.averages; }
    // Whether cuts that gain less than the best by far more than the tolerance have no effect on the result.
    bool needs_only_the_best() const {
        return !rules_.penalty && !rules_.averages && rules_.tolerance <= tie_tolerance;
    }
    double gain() const { return gain_; }
    void offer(double gain, double low, std::uint32_t below, std::uint32_t above,
               std::int32_t missing_branch = Tree::all_branches) {
        ++tries_;
        if (rules_.averages) {
            mean_.add(gain * node_.weight, low - last_low_);
            last_low_ = low;
        }
        if (!(gain > gain_ + rules_.tolerance)) return;
        gain_ = gain;
        low_ = low;
        below_ = below;
        above_ = above;
        missing_branch_ = missing_branch;
    }
    FoundTest result(double known_weight) {
        if (tries_ == 0 || !std::isfinite(gain_)) return {};
        double gain = gain_ - (rules_.penalty ? log2_of(static_cast<double>(tries_)) / node_.weight : 0.0);
        double log_prior = 0;
        if (rules_.averages) {
            const double mean = mean_.log_mean();
            log_prior = std::min(0.0, mean - gain_ * node_.weight);
            gain = mean / node_.weight;
        }
        if (!(gain > rules_.usable_gain)) return {};
        const double sides[] = {low_, known_weight - low_};
        return {.usable = true,
                .gain = gain,
                .info = split_information(node_, std::max(0.0, node_.weight - known_weight), sides),
                .below = below_,
                .above = above_,
                .n_branches = 2,
                .missing_branch = missing_branch_,
                .log_prior = log_prior};
    }

  private:
    const NodeFacts& node_;
    const CutRules& rules_;
    double gain_, low_ = 0;
    std::uint32_t below_ = 0, above_ = 0;
    std::int32_t missing_branch_ = Tree::all_branches;
    std::size_t tries_ = 0;
    LogMean mean_;  // over the rows left of the last cut: each repeats the first cut at or above it
    double last_low_ = 0;
};

// One branch for each value; `seen` lists the values that occur at the node, with their rows of `table` (values x
// classes), their weights and, where it matters, the number of their rows.
template <Criterion C>
FoundTest search_multiway(std::span<const std::uint32_t> seen, std::span<const double> table,
                          std::span<const double> value_weights, const NodeFacts& node, const Known& known,
                          std::span<const std::uint32_t> value_rows = {}) {
    const auto is_filled = [&](std::uint32_t value) {
        return node.is_filled(value_weights[value], value_rows.empty() ? 0 : value_rows[value]);
    };
    if (std::count_if(seen.begin(), seen.end(), is_filled) < 2) return {};
    C criterion(known, *node.xlogx);
    criterion.start();
    const std::size_t n_classes = known.counts.size();
    double info = (*node.xlogx)(node.weight) - (*node.xlogx)(std::max(0.0, node.weight - known.weight));
    for (const std::uint32_t value : seen) {
        criterion.add(table.subspan(value * n_classes, n_classes), value_weights[value]);
        info -= (*node.xlogx)(value_weights[value]);
    }
    return {.usable = true,
            .gain = criterion.gain() * known.weight / node.weight,
            .info = info / node.weight,
            .n_branches = value_weights.size()};
}

}  // namespace calibrant
