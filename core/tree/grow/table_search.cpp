#include "tree/grow/table_search.hpp"

#include <algorithm>
#include <concepts>
#include <numeric>
#include <type_traits>

#include "tree/grow/learned_cuts.hpp"
#include "tree/grow/two_class_search.hpp"

namespace calibrant {

double least_side(const GrowOptions& options, double known_weight) {
    if (!options.c45_cuts) return options.min_leaf;
    const double tenth = 0.1 * known_weight / static_cast<double>(options.n_declared_classes);
    return tenth <= options.min_leaf ? options.min_leaf : std::min(tenth, 25.0);
}

TableSearch::TableSearch(const CodedTable& table, std::size_t n_classes, const GrowOptions& options,
                         const CutRules& cut_rules, const XLogX& xlogx, std::span<const ValueGaps> gaps,
                         double least_rows)
    : table_(table),
      options_(options),
      cut_rules_(cut_rules),
      xlogx_(xlogx),
      gaps_(gaps),
      least_rows_(least_rows),
      n_classes_(n_classes),
      learns_missing_(options.missing == MissingValues::learned),
      scratch_(3 * n_classes),
      known_counts_(n_classes),
      missing_counts_(n_classes) {}

FoundTest TableSearch::best_test(std::size_t column, std::span<const double> table, const NodeCounts& node,
                                 double n_known, std::span<const std::uint32_t> value_rows) {
    const CodedColumn& coded = table_.column(column);
    if (coded.kind == Kind::numeric && n_classes_ == 2 && least_rows_ == 0 && !cut_rules_.count_cases)
        return best_cut(column, table, node);
    const std::size_t n_values = std::size_t{coded.n_values} + 1;
    weights_.assign(n_values, 0.0);
    seen_.clear();
    for (std::uint32_t value = 0; value < coded.n_values + (learns_missing_ ? 1 : 0); ++value) {
        const auto cell = table.subspan(value * n_classes_, n_classes_);
        weights_[value] = std::accumulate(cell.begin(), cell.end(), 0.0);
        if (weights_[value] > 0) seen_.push_back(value);
    }
    return best_test(column, ValueCounts{seen_, table, weights_, value_rows}, node, n_known);
}

FoundTest TableSearch::best_test(std::size_t column, const ValueCounts& values, const NodeCounts& node,
                                 double n_known) {
    return search_by(options_.criterion, node.weight,
                     [&]<Criterion C>() { return search_values<C>(column, values, node, n_known); });
}

FoundTest TableSearch::best_cut(std::size_t column, std::span<const std::uint32_t> table, const NodeCounts& node,
                                double n_known) {
    return best_cut_of(column, table, node, n_known);
}

FoundTest TableSearch::best_cut(std::size_t column, std::span<const std::uint64_t> table, const NodeCounts& node,
                                double n_known) {
    return best_cut_of(column, table, node, n_known);
}

FoundTest TableSearch::best_cut(std::size_t column, std::span<const double> table, const NodeCounts& node) {
    return best_cut_of(column, table, node, 0.0);
}

FoundTest TableSearch::best_cut(std::size_t column, std::span<const std::uint32_t> table, const SeenValues& seen,
                                const NodeCounts& node) {
    const NodeFacts facts = facts_of(node, node.weight, node.weight);
    const Known known{node.counts, node.weight};
    return search_by(options_.criterion, node.weight, [&]<Criterion C>() {
        return search_counted_two_class<C>(table, facts, known, cut_rules_, gaps_[column], seen);
    });
}

template <class Count>
FoundTest TableSearch::best_cut_of(std::size_t column, std::span<const Count> table, const NodeCounts& node,
                                   double n_known) {
    const std::size_t size = table.size() - 2;
    missing_counts_ = {static_cast<double>(table[size]), static_cast<double>(table[size + 1])};
    const bool any_missing = missing_counts_[0] + missing_counts_[1] > 0;
    if (learns_missing_ && any_missing)
        return search_by(options_.criterion, node.weight,
                         [&]<Criterion C>() { return search_learned<C>(column, table.first(size), node, n_known); });
    const Known known = any_missing ? known_of(node) : Known{node.counts, node.weight};
    return search_by(options_.criterion, node.weight,
                     [&]<Criterion C>() { return search_known<C>(column, table.first(size), node, known, n_known); });
}

NodeFacts TableSearch::facts_of(const NodeCounts& node, double known_weight, double n_known, std::size_t known_rows) {
    return {node.weight, options_.min_leaf, least_side(options_, known_weight), n_known, &xlogx_, scratch_,
            least_rows_, known_rows};
}

// The counts of a node without missing_counts_.
Known TableSearch::known_of(const NodeCounts& node) {
    double missing = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        known_counts_[k] = left_over(node.counts[k], missing_counts_[k]);
        missing += missing_counts_[k];
    }
    return {known_counts_, left_over(node.weight, missing)};
}

template <Criterion C, class Count>
FoundTest TableSearch::search_known(std::size_t column, std::span<const Count> known_table, const NodeCounts& node,
                                    const Known& known, double n_known) {
    const NodeFacts facts = facts_of(node, known.weight, n_known);
    if constexpr (std::integral<Count>)
        return search_counted_two_class<C>(known_table, facts, known, cut_rules_, gaps_[column]);
    else
        return search_counted<C>(known_table, facts, known, cut_rules_, gaps_[column]);
}

// missing_counts_ has the missing values.
template <Criterion C, class Count>
FoundTest TableSearch::search_learned(std::size_t column, std::span<const Count> known_table, const NodeCounts& node,
                                      double n_known) {
    const NodeFacts facts = facts_of(node, node.weight, n_known);
    const Known all{node.counts, node.weight};
    if (too_few(facts, all, cut_rules_)) return {};
    const MissingRows missing{missing_counts_, missing_counts_[0] + missing_counts_[1]};
    using Sum = std::conditional_t<std::integral<Count>, std::size_t, double>;
    LearnedTwoClassCuts<C, Sum> cuts(facts, all, missing, cut_rules_);
    try_two_class_cuts(cuts, known_table, gaps_[column]);
    return cuts.result(table_.column(column).n_values);
}

// The number of known rows, where it is needed.
std::size_t TableSearch::rows_of(const ValueCounts& values) const {
    std::size_t n_rows = 0;
    if (least_rows_ == 0) return n_rows;
    for (const std::uint32_t value : values.seen) n_rows += values.rows[value];
    return n_rows;
}

template <Criterion C>
FoundTest TableSearch::search_values(std::size_t column, const ValueCounts& values, const NodeCounts& node,
                                     double n_known) {
    std::fill(known_counts_.begin(), known_counts_.end(), 0.0);
    for (const std::uint32_t value : values.seen) {
        const auto cell = values.of(value);
        for (std::size_t k = 0; k < n_classes_; ++k) known_counts_[k] += cell[k];
    }
    const Known known{known_counts_, std::accumulate(known_counts_.begin(), known_counts_.end(), 0.0)};
    const CodedColumn& coded = table_.column(column);
    const NodeFacts facts = facts_of(node, known.weight, n_known, rows_of(values));
    const std::uint32_t n_values = coded.n_values;
    const bool any_missing = values.weights[n_values] > 0;  // only where their branch is learned
    if (coded.kind == Kind::nominal) {
        FoundTest found = search_nominal<C>(std::size_t{n_values} + (any_missing ? 1 : 0), values, facts, known);
        if (any_missing) found.take_last_as_missing(n_values);
        return found;
    }
    const auto known_table = values.table.first(n_values * n_classes_);
    const auto known_rows = values.rows.first(std::min<std::size_t>(n_values, values.rows.size()));
    if (!any_missing) return search_counted<C>(known_table, facts, known, cut_rules_, gaps_[column], known_rows);
    if (too_few(facts, known, cut_rules_)) return {};
    const MissingRows missing{values.of(n_values), values.weights[n_values],
                              values.rows.empty() ? 0 : values.rows[n_values]};
    LearnedCuts<C> cuts(facts, known, missing, cut_rules_);
    try_cuts(cuts, known_table, n_classes_, gaps_[column], known_rows);
    return cuts.result(n_values);
}

// The first n_values of the values; the missing one is the last of them where it occurs.
template <Criterion C>
FoundTest TableSearch::search_nominal(std::size_t n_values, const ValueCounts& values, const NodeFacts& facts,
                                      const Known& known) {
    const ValueCounts counts{values.seen, values.table.first(n_values * n_classes_), values.weights.first(n_values),
                             values.rows.first(std::min(n_values, values.rows.size()))};
    // Twoing compares two branches: a value against the rest.
    const NominalSplits splits = requires { C::has_two_branches; } ? NominalSplits::binary : options_.nominal_splits;
    switch (n_values > 2 ? splits : NominalSplits::multiway) {
        case NominalSplits::subset:
            return search_subsets<C>(counts, facts, known, options_.ratio);
        case NominalSplits::binary:
            return search_one_against_rest<C>(counts, facts, known, options_.ratio, cut_rules_);
        case NominalSplits::multiway:
            break;
    }
    return search_multiway<C>(counts.seen, counts.table, counts.weights, facts, known, counts.rows);
}

}  // namespace calibrant
