// Nominal tests of fewer branches than values: groups found by merging (Quinlan 1993, the option -s of C4.5), or one
// value against the rest (the option -B of Weka's J48).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow/criteria.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

// The values of a column at a node: which occur, their class weights (values x classes), their weights, and
// their rows where the number matters.
struct ValueCounts {
    std::span<const std::uint32_t> seen;
    std::span<const double> table, weights;
    std::span<const std::uint32_t> rows{};
    // Where they are known, the first value of each that have the same counts, ascending: another one has the same
    // score.
    std::span<const std::uint32_t> distinct{};
    std::span<const double> totals{};  // the class weights of all values, where they are known

    std::size_t n_classes() const { return table.size() / weights.size(); }
    std::span<const double> of(std::uint32_t value) const { return table.subspan(value * n_classes(), n_classes()); }
    std::vector<std::uint32_t> in_order() const;  // the values that occur, ascending
};

// The groups that are being merged, one for each value of more than half a case to begin with.
class ValueGroups {
  public:
    static constexpr double least_weight = 0.5;

    explicit ValueGroups(const ValueCounts& values);

    std::size_t size() const { return weights_.size(); }
    double weight(std::size_t group) const { return weights_[group]; }
    std::span<const double> counts(std::size_t group) const {
        return {counts_.data() + group * n_classes_, n_classes_};
    }
    std::span<const std::uint32_t> left_out() const {
        return left_out_;
    }  // values that occur, but with too little weight

    // Adds group `from` to group `to`; the last group takes its index.
    void merge(std::size_t to, std::size_t from);
    // Merges the groups that hold one and the same class alone; returns whether there were any.
    bool merge_pure();

    bool is_filled(std::size_t group, const NodeFacts& node) const {
        return node.is_filled(weights_[group], rows_[group]);
    }
    std::size_t n_filled(const NodeFacts& node) const;
    std::size_t heaviest(const NodeFacts& node) const;  // of the filled ones, if any

    // The branch of each of n_values values; those in no group share one more branch, the last.
    std::vector<std::int32_t> branches(std::size_t n_values) const;

  private:
    std::size_t n_classes_;
    std::vector<double> weights_, counts_;
    std::vector<std::size_t> rows_;
    std::vector<std::vector<std::uint32_t>> members_;
    std::vector<std::uint32_t> left_out_;
};

// What merging compares: the gain, the split information, and the score: their ratio, or the gain.
struct MergeScore {
    double gain = -split_epsilon, info = 0, score = 0;
};

inline double score(double gain, double info, bool ratio) {
    if (gain < -tie_tolerance) return -split_epsilon;
    if (ratio) return info > split_epsilon ? gain / info : -split_epsilon;
    return info > 0 ? gain : -split_epsilon;
}

// Scores the split into the present groups and the splits in which two of them are merged.
template <Criterion C>
class GroupScorer {
  public:
    GroupScorer(const ValueGroups& groups, const NodeFacts& node, const Known& known, bool ratio)
        : groups_(groups),
          node_(node),
          known_(known),
          ratio_(ratio),
          all_(known, *node.xlogx),
          trial_(all_),
          merged_(node.scratch.first(known.counts.size())) {
        start();
    }

    // Must be called after every merge.
    void start() {
        total_ = std::max(0.0, node_.weight - known_.weight);
        parts_ = (*node_.xlogx)(total_);
        n_filled_ = 0;
        all_.start();
        for (std::size_t group = 0; group < groups_.size(); ++group) add(groups_.counts(group), groups_.weight(group));
    }
    void add(std::span<const double> counts, double weight) {
        all_.add(counts, weight);
        total_ += weight;
        parts_ += (*node_.xlogx)(weight);
        n_filled_ += is_filled(weight);
    }
    MergeScore present() const { return scored(all_, n_filled_, parts_); }
    MergeScore with_merged(std::size_t a, std::size_t b) {
        const double weight = groups_.weight(a) + groups_.weight(b);
        for (std::size_t k = 0; k < merged_.size(); ++k) merged_[k] = groups_.counts(a)[k] + groups_.counts(b)[k];
        trial_ = all_;
        trial_.remove(groups_.counts(a), groups_.weight(a));
        trial_.remove(groups_.counts(b), groups_.weight(b));
        trial_.add(merged_, weight);
        const XLogX& f = *node_.xlogx;
        return scored(trial_,
                      n_filled_ - is_filled(groups_.weight(a)) - is_filled(groups_.weight(b)) + is_filled(weight),
                      parts_ - f(groups_.weight(a)) - f(groups_.weight(b)) + f(weight));
    }
    double gain() const { return all_.gain() * known_.weight / node_.weight; }

  private:
    // While merging, one case fills a branch; min_branch applies to the result.
    static std::size_t is_filled(double weight) { return weight >= 1 - size_tolerance ? 1 : 0; }
    MergeScore scored(const C& criterion, std::size_t n_filled, double parts) const {
        const double gain = n_filled < 2 ? -split_epsilon : criterion.gain() * known_.weight / node_.weight;
        const double info = ((*node_.xlogx)(total_)-parts) / node_.weight;
        return {gain, info, score(gain, info, ratio_)};
    }

    const ValueGroups& groups_;
    const NodeFacts& node_;
    const Known& known_;
    const bool ratio_;
    C all_, trial_;
    std::span<double> merged_;
    double total_ = 0, parts_ = 0;
    std::size_t n_filled_ = 0;
};

// Merges groups in pairs while that raises the score or, where gains are not divided, until two are left.
template <Criterion C>
MergeScore merge_groups(ValueGroups& groups, GroupScorer<C>& scorer, MergeScore previous, const NodeFacts& node,
                        bool ratio) {
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    const double least_gain = previous.gain / 2;
    while (groups.size() > 2) {
        const std::size_t n_reasonable = groups.n_filled(node);
        const std::size_t barred = n_reasonable < 3 ? groups.heaviest(node) : none;
        MergeScore best;
        std::size_t to = none, from = none;
        for (std::size_t a = 0; a + 1 < groups.size(); ++a) {
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                if (a == barred || b == barred) continue;
                const MergeScore trial = scorer.with_merged(a, b);
                const bool is_first_with_gain =
                    trial.gain >= least_gain - tie_tolerance && best.gain < least_gain - tie_tolerance;
                const bool is_forced = to == none && (!ratio || n_reasonable < 2);
                if (!is_first_with_gain && !is_forced && !(trial.score >= best.score - tie_tolerance)) continue;
                best = trial;
                to = a;
                from = b;
            }
        }
        if (to == none || (ratio && n_reasonable >= 2 && best.score < previous.score + 1e-5)) break;
        previous = best;
        groups.merge(to, from);
        scorer.start();
    }
    return previous;
}

inline constexpr std::size_t most_merged =
    256;  // more groups than this are not merged, since every merge compares all pairs; each gets a branch

// Groups of values as branches; of two pairs of the same score the later one is merged.
template <Criterion C>
FoundTest search_subsets(const ValueCounts& values, const NodeFacts& node, const Known& known, bool ratio) {
    if (known.weight < split_epsilon) return {};
    ValueGroups groups(values);
    const bool any_merged = groups.merge_pure();
    GroupScorer<C> scorer(groups, node, known, ratio);
    if (!any_merged) {
        for (const std::uint32_t value : groups.left_out()) scorer.add(values.of(value), values.weights[value]);
    }
    MergeScore result = scorer.present();
    scorer.start();
    if (groups.size() <= most_merged) result = merge_groups(groups, scorer, result, node, ratio);
    if (!(result.score > 0) || groups.n_filled(node) < 2) return {};
    FoundTest found{.usable = true, .gain = scorer.gain(), .info = result.info};
    found.branches = groups.branches(values.weights.size());
    found.n_branches =
        groups.size() + (std::ranges::count(found.branches, static_cast<std::int32_t>(groups.size())) > 0 ? 1 : 0);
    return found;
}

// The first of the best tests of one value (branch 0) against all others (branch 1).
template <Criterion C>
FoundTest search_one_against_rest(const ValueCounts& values, const NodeFacts& node, const Known& known, bool ratio,
                                  const CutRules& rules) {
    C criterion(known, *node.xlogx);
    const std::span<double> rest = node.scratch.first(known.counts.size());
    FoundTest found;
    double best = 0;
    std::uint32_t chosen = 0;
    std::vector<std::uint32_t> in_order;
    if (values.distinct.empty()) in_order = values.in_order();
    for (const std::uint32_t value :
         values.distinct.empty() ? std::span<const std::uint32_t>(in_order) : values.distinct) {
        const double sides[] = {values.weights[value], known.weight - values.weights[value]};
        const std::size_t n_rows = values.rows.empty() ? 0 : values.rows[value];
        if (!node.is_filled(sides[0], n_rows) || !node.is_filled(sides[1], node.known_rows - n_rows)) continue;
        const auto counts = values.of(value);
        for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = left_over(known.counts[k], counts[k]);
        criterion.start();
        criterion.add(counts, sides[0]);
        criterion.add(rest, sides[1]);
        const double gain = criterion.gain() * known.weight / node.weight;
        const double info = split_information(node, std::max(0.0, node.weight - known.weight), sides);
        const double value_score = ratio ? (info > 1e-6 ? gain / info : 0.0) : gain;
        if (found.usable && !(value_score > best + rules.tolerance)) continue;
        found = {.usable = true, .gain = gain, .info = info, .n_branches = 2};
        best = value_score;
        chosen = value;
    }
    if (!found.usable) return {};
    found.alone = chosen;
    if (values.distinct.empty()) {
        found.branches.assign(values.weights.size(), 1);
        found.branches[chosen] = 0;
    }
    if (rules.averages) {  // one of the values that occur, all equally probable
        found.log_prior = -log_at(static_cast<double>(values.seen.size()));
        found.gain += found.log_prior / node.weight;
    }
    return found;
}

}  // namespace calibrant
