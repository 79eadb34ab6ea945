#include "tree/grow/table_search.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <numeric>
#include <type_traits>

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
      known_counts_(n_classes) {}

FoundTest TableSearch::best_test(std::size_t column, const NodeHistogram& histogram, const NodeCounts& node) {
    const CodedColumn& coded = table_.column(column);
    const std::size_t n_values = std::size_t{coded.n_values} + 1, first = histogram.first[column];
    const std::size_t begin = first * n_classes_, size = n_values * n_classes_;
    const double n_known = cut_rules_.count_cases ? known_cases(first + coded.n_values, histogram, node) : 0.0;
    const auto rows = histogram.rows.empty() ? histogram.rows : histogram.rows.subspan(first, n_values);
    if (histogram.counts.empty()) return best_test(column, histogram.weights.subspan(begin, size), node, n_known, rows);
    const auto counts = histogram.counts.subspan(begin, size);
    if (coded.kind == Kind::numeric && n_classes_ == 2 && least_rows_ == 0)
        return best_cut(column, counts, node, n_known);
    cells_.assign(counts.begin(), counts.end());
    return best_test(column, cells_, node, n_known, rows);
}

// For the rule of J48: rows where their number was counted, weight elsewhere; those whose branch is learned are known.
double TableSearch::known_cases(std::size_t missing, const NodeHistogram& histogram, const NodeCounts& node) const {
    const bool by_rows = !histogram.rows.empty();
    double n_known = by_rows ? static_cast<double>(node.n_rows) : node.weight;
    if (learns_missing_) return n_known;
    if (by_rows) return n_known - histogram.rows[missing];
    for (std::size_t at = missing * n_classes_; at < (missing + 1) * n_classes_; ++at)
        n_known -= histogram.counts.empty() ? histogram.weights[at] : static_cast<double>(histogram.counts[at]);
    return n_known;
}

FoundTest TableSearch::best_test(std::size_t column, std::span<const double> table, const NodeCounts& node,
                                 double n_known, std::span<const std::uint32_t> value_rows) {
    const CodedColumn& coded = table_.column(column);
    if (coded.kind == Kind::numeric && n_classes_ == 2 && least_rows_ == 0 && !cut_rules_.count_cases)
        return best_cut(column, table, node, n_known);
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

template <class Cell, class Values>
FoundTest TableSearch::best_cut(std::size_t column, std::span<const Cell> table, const NodeCounts& node, double n_known,
                                const Values& values) {
    using Count = std::conditional_t<std::integral<Cell>, std::size_t, double>;
    const auto known_table = table.first(table.size() - 2);
    const std::array<double, 2> missing_counts{static_cast<double>(table[table.size() - 2]),
                                               static_cast<double>(table[table.size() - 1])};
    const double missing_weight = missing_counts[0] + missing_counts[1];
    const ValueGaps& gaps = gaps_[column];
    if (learns_missing_ && missing_weight > 0) {
        const NodeFacts facts = facts_of(node, node.weight, n_known);
        const Known all{node.counts, node.weight};
        const MissingRows missing{missing_counts, missing_weight};
        return search_by(options_.criterion, node.weight, [&]<Criterion C>() {
            return best_learned_cut<LearnedTwoClassCuts<C, Count>>(
                facts, all, missing, cut_rules_, table_.column(column).n_values, known_table, std::size_t{2}, gaps,
                std::span<const std::uint32_t>(), values);
        });
    }
    const Known known = missing_weight > 0 ? known_of(node, missing_counts) : Known{node.counts, node.weight};
    const NodeFacts facts = facts_of(node, known.weight, n_known);
    // Any weights keep the sums of CutSearch: those of TwoClassCuts differ in the last bits.
    return search_by(options_.criterion, node.weight, [&]<Criterion C>() {
        using Cuts = std::conditional_t<std::integral<Cell>, TwoClassCuts<C, Count>, CutSearch<C>>;
        return calibrant::best_cut<Cuts>(facts, known, cut_rules_, known_table, std::size_t{2}, gaps,
                                         std::span<const std::uint32_t>(), values);
    });
}

template FoundTest TableSearch::best_cut(std::size_t, std::span<const std::uint32_t>, const NodeCounts&, double,
                                         const EveryValue&);
template FoundTest TableSearch::best_cut(std::size_t, std::span<const std::uint32_t>, const NodeCounts&, double,
                                         const SeenValues&);
template FoundTest TableSearch::best_cut(std::size_t, std::span<const double>, const NodeCounts&, double,
                                         const EveryValue&);

NodeFacts TableSearch::facts_of(const NodeCounts& node, double known_weight, double n_known, std::size_t known_rows) {
    return {node.weight, options_.min_leaf, least_side(options_, known_weight), n_known, &xlogx_, scratch_,
            least_rows_, known_rows};
}

Known TableSearch::known_of(const NodeCounts& node, std::span<const double> missing_counts) {
    double missing = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        known_counts_[k] = left_over(node.counts[k], missing_counts[k]);
        missing += missing_counts[k];
    }
    return {known_counts_, left_over(node.weight, missing)};
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
    known_counts_.assign(n_classes_, 0.0);
    if (!values.totals.empty()) known_counts_.assign(values.totals.begin(), values.totals.end());
    for (const std::uint32_t value : values.totals.empty() ? values.seen : values.seen.first(0)) {
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
    if (!any_missing)
        return calibrant::best_cut<CutSearch<C>>(facts, known, cut_rules_, known_table, n_classes_, gaps_[column],
                                                 known_rows);
    const MissingRows missing{values.of(n_values), values.weights[n_values],
                              values.rows.empty() ? 0 : values.rows[n_values]};
    return best_learned_cut<LearnedCuts<C>>(facts, known, missing, cut_rules_, n_values, known_table, n_classes_,
                                            gaps_[column], known_rows);
}

// The first n_values of the values; the missing one is the last of them where it occurs.
template <Criterion C>
FoundTest TableSearch::search_nominal(std::size_t n_values, const ValueCounts& values, const NodeFacts& facts,
                                      const Known& known) {
    const ValueCounts counts{values.seen, values.table.first(n_values * n_classes_), values.weights.first(n_values),
                             values.rows.first(std::min(n_values, values.rows.size())), values.distinct};
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
