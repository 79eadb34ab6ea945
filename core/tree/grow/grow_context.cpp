#include <algorithm>
#include <stdexcept>

#include "tree/grow/buckets.hpp"
#include "tree/grow/c45_j48.hpp"
#include "tree/grow/coarse_search.hpp"
#include "tree/grow/column_search.hpp"
#include "tree/grow/grower.hpp"

namespace calibrant {

double least_rows(const Examples& examples, const GrowOptions& options) {
    const auto is_heavy = [](double weight) { return weight > 1; };
    const bool any_heavy = examples.whole == nullptr ? std::ranges::any_of(examples.weights, is_heavy)
                                                     : is_heavy(examples.whole->heaviest);
    const bool can_be_short = options.min_rows > 0 && any_heavy;
    return can_be_short ? options.min_rows : 0.0;
}

XLogX xlogx_for(const Examples& examples, const GrowOptions& options) {
    const std::size_t n_rows = examples.n_rows_of_all();
    return XLogX(n_rows, is_bayesian(options.criterion) ? n_rows + examples.n_classes : 0);
}

void check(const Examples& examples) {
    if (examples.n_classes < 1 || examples.n_classes > 65535)
        throw std::invalid_argument("n_classes must be 1 to 65535");
    if (examples.labels.size() != examples.table->n_rows())
        throw std::invalid_argument("labels must have one entry per row");
    if (!examples.weights.empty() && examples.weights.size() != examples.table->n_rows())
        throw std::invalid_argument("weights must have one entry per row");
    if (!examples.cases.empty() && examples.cases.size() != examples.table->n_rows())
        throw std::invalid_argument("cases must have one entry per row");
}

GrowContext::GrowContext(const Examples& examples, const GrowOptions& options, const StopToken& stop)
    : gaps(value_gaps_of(*examples.table, closest_values)),
      xlogx(xlogx_for(examples, options)),
      row_keys(*examples.table, examples.labels,
               ColumnSearch::columns_to_sort(*examples.table, keys_of(examples),
                                             ColumnSearch::most_counted_values(examples, options)),
               keys_of(examples), gaps, options.n_threads, stop),
      row_cells(*examples.table, options.n_threads, stop, ColumnSearch::most_counted_values(examples, options)) {
    const CutRules rules = cut_rules(options, Tolerances(options.dialect).cuts);
    if (examples.table->bytes() != nullptr || row_keys.n_columns() == 0 ||
        !CoarseSearch::is_fit_for(examples, options, rules, !examples.weights.empty()))
        return;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < examples.table->n_rows(); ++row) {
        if (examples.weights.empty() || examples.weights[row] > 0) rows.push_back(row);
    }
    buckets = std::make_unique<const Buckets>(*examples.table, row_keys.columns(), rows, gaps, options.n_threads, stop);
}

GrowContext::~GrowContext() = default;

}  // namespace calibrant
