#include "boost/stumps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <variant>

#include "boost/stump_cuts.hpp"
#include "tree/grow/criteria.hpp"
#include "tree/row_blocks.hpp"

namespace calibrant {
namespace {

constexpr std::size_t n_branches = 3;

// Sums the weights of the rows in cells by index and class; an index beyond the last is that of missing values.
template <class Index>
void count_cells(const Index& index, std::span<const std::uint16_t> labels, std::span<const double> weights,
                 std::size_t n_values, std::size_t n_classes, std::span<double> cells) {
    using Cell = CodeOf<Index>;
    const auto last = static_cast<Cell>(n_values);
    for (std::size_t row = 0; row < index.size(); ++row)
        cells[std::min<Cell>(index[row], last) * n_classes + labels[row]] += weights[row];
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The gain of the branch of missing values; twoing has no third branch.
template <Criterion C>
double gain_of_missing(const Known& all, std::span<const double> known, std::span<const double> missing,
                       const XLogX& xlogx) {
    if constexpr (requires { C::has_two_branches; }) return 0.0;
    C criterion(all, xlogx);
    criterion.start();
    criterion.add(known, sum(known));
    criterion.add(missing, sum(missing));
    return std::max(0.0, criterion.gain());
}

}  // namespace

StumpSearch::StumpSearch(const CodedTable& table, std::vector<std::uint16_t> labels, std::size_t n_classes,
                         StumpCriterion criterion, std::size_t n_threads, const StopToken& stop)
    : table_(&table),
      labels_(std::move(labels)),
      n_classes_(n_classes),
      criterion_(criterion),
      rows_of_class_(n_classes),
      threads_(std::make_unique<ThreadTeam>(n_threads)),
      scratch_(threads_->size()),
      buckets_(table.n_columns()) {
    if (labels_.size() != table.n_rows()) throw std::invalid_argument("labels must have one entry per row");
    if (std::any_of(labels_.begin(), labels_.end(), [&](std::uint16_t label) { return label >= n_classes; })) {
        throw std::invalid_argument("labels must be below n_classes");
    }
    for (std::uint32_t row = 0; row < labels_.size(); ++row) rows_of_class_[labels_[row]].push_back(row);
    threads_->parallel_for(table.n_columns(), stop, [&](std::size_t column, std::size_t) {
        buckets_[column] = StumpBuckets::of(table.column(column));
    });
}

Stump StumpSearch::best(std::span<const double> weights, const StopToken& stop) {
    if (weights.size() != n_rows()) throw std::invalid_argument("weights must have one entry per row");
    const auto counts = class_weights(weights, stop);
    const Known all{counts, sum(counts)};
    std::vector<Found> found(table_->n_columns());
    threads_->parallel_for(found.size(), stop, [&](std::size_t column, std::size_t worker) {
        found[column] = search_column(column, weights, all, scratch_[worker]);
    });
    Stump stump;
    if (const std::size_t column = choose(found); column < found.size()) {
        stump.column = static_cast<std::int32_t>(column);
        stump.code = found[column].code;
        stump.gain = found[column].gain;
        name(stump);
    }
    stump.counts.assign(n_branches * n_classes_, 0.0);
    with_branches(stump, [&](const auto& branch_of) {
        threads_->parallel_for(n_classes_, stop, [&](std::size_t k, std::size_t) {
            double sums[n_branches] = {};
            for (const std::uint32_t row : rows_of_class_[k]) sums[branch_of(row)] += weights[row];
            for (std::size_t branch = 0; branch < n_branches; ++branch)
                stump.counts[branch * n_classes_ + k] = sums[branch];
        });
    });
    return stump;
}

void StumpSearch::reweight(const Stump& stump, std::span<const double> factors, std::span<double> weights,
                           const StopToken& stop) {
    if (weights.size() != n_rows() || factors.size() != n_branches * n_classes_)
        throw std::invalid_argument("weights must have one entry per row, factors one per branch and class");
    with_branches(stump, [&](const auto& branch_of) {
        threads_->parallel_for((n_rows() + rows_per_task - 1) / rows_per_task, stop,
                               [&](std::size_t task, std::size_t) {
                                   const std::size_t end = std::min(n_rows(), (task + 1) * rows_per_task);
                                   for (std::size_t row = task * rows_per_task; row < end; ++row)
                                       weights[row] *= factors[branch_of(row) * n_classes_ + labels_[row]];
                               });
    });
}

StumpSearch::Found StumpSearch::search_column(std::size_t column, std::span<const double> weights, const Known& all,
                                              Scratch& scratch) const {
    switch (criterion_) {
        case StumpCriterion::gini:
            return search<Gini>(column, weights, all, scratch);
        case StumpCriterion::dkm:
            return search<Dkm>(column, weights, all, scratch);
        case StumpCriterion::twoing:
            return search<Twoing>(column, weights, all, scratch);
        default:
            return search<Entropy>(column, weights, all, scratch);
    }
}

template <Criterion C>
StumpSearch::Found StumpSearch::search(std::size_t column, std::span<const double> weights, const Known& all,
                                       Scratch& scratch) const {
    count(column, weights, scratch);
    const double known_weight = sum(scratch.known);
    if (!(known_weight > 0)) return {};
    const StumpFacts facts{
        scratch.known, known_weight, all.weight,   gain_of_missing<C>(all, scratch.known, scratch.missing, xlogx_),
        &xlogx_,       scratch.left, scratch.right};
    const CodedColumn& coded = table_->column(column);
    const StumpRows rows{labels_, weights};
    FirstBest best;
    if (coded.kind == Kind::nominal)
        search_categories<C>(scratch.cells, coded.n_values, facts, best);
    else if (buckets_[column].empty())
        search_cuts<C>(scratch.cells, coded.n_values, facts, best);
    else if (n_classes_ == 2)
        BucketSearch<C>(buckets_[column], rows, facts, best).search(scratch.cells);
    else
        search_sorted_values<C>(buckets_[column], scratch.cells, rows, facts, best);
    if (best.none()) return {};
    const StumpTest test = best.result();
    const double parts[] = {test.low, known_weight - test.low, all.weight - known_weight};
    double info = xlogx_(all.weight);
    for (const double part : parts) info -= xlogx_(std::max(0.0, part));
    return {.usable = true, .code = test.code, .gain = test.gain, .info = info / all.weight};
}

std::size_t StumpSearch::n_cells(std::size_t column) const {
    return buckets_[column].empty() ? table_->column(column).n_values : buckets_[column].n_buckets();
}

void StumpSearch::count(std::size_t column, std::span<const double> weights, Scratch& scratch) const {
    const std::size_t n = n_cells(column);
    scratch.cells.assign((n + 1) * n_classes_, 0.0);
    const auto add = [&](const auto& index) { count_cells(index, labels_, weights, n, n_classes_, scratch.cells); };
    if (buckets_[column].empty())
        std::visit(add, table_->column(column).codes);
    else
        add(buckets_[column].of_row);
    scratch.left.resize(n_classes_);
    scratch.right.resize(n_classes_);
    scratch.missing.assign(scratch.cells.end() - static_cast<std::ptrdiff_t>(n_classes_), scratch.cells.end());
    scratch.known.assign(n_classes_, 0.0);
    for (std::size_t cell = 0; cell < n * n_classes_; ++cell) scratch.known[cell % n_classes_] += scratch.cells[cell];
}

// The most gain, or for the gain ratio the greatest one among tests of at least average gain; of equals the first.
std::size_t StumpSearch::choose(std::span<const Found> found) const {
    const bool by_ratio = criterion_ == StumpCriterion::gain_ratio;
    double total = 0, n_usable = 0;
    for (const Found& each : found) {
        total += each.usable ? each.gain : 0.0;
        n_usable += each.usable;
    }
    const double least = by_ratio && n_usable > 0 ? total / n_usable - FirstBest::tolerance : -1.0;
    std::size_t chosen = found.size();
    double most = -1;
    for (std::size_t column = 0; column < found.size(); ++column) {
        const Found& each = found[column];
        if (!each.usable || each.gain < least) continue;
        const double score = by_ratio ? (each.info > 0 ? each.gain / each.info : 0.0) : each.gain;
        if (score > most + FirstBest::tolerance) chosen = column, most = score;
    }
    return chosen;
}

std::vector<double> StumpSearch::class_weights(std::span<const double> weights, const StopToken& stop) {
    std::vector<double> counts(n_classes_);
    threads_->parallel_for(n_classes_, stop, [&](std::size_t k, std::size_t) {
        double total = 0;
        for (const std::uint32_t row : rows_of_class_[k]) total += weights[row];
        counts[k] = total;
    });
    return counts;
}

void StumpSearch::name(Stump& stump) const {
    const CodedColumn& coded = table_->column(static_cast<std::size_t>(stump.column));
    if (coded.kind == Kind::nominal) return;
    stump.threshold = middle_of(coded.values[stump.code], coded.low(stump.code + 1));
}

// Calls visit with a function that returns the branch of a row.
template <class Visit>
void StumpSearch::with_branches(const Stump& stump, Visit&& visit) const {
    if (stump.column == Stump::none) return visit([](std::size_t) { return std::size_t{0}; });
    const CodedColumn& coded = table_->column(static_cast<std::size_t>(stump.column));
    const bool is_nominal = coded.kind == Kind::nominal;
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            visit([&](std::size_t row) {
                const std::size_t other = is_nominal ? codes[row] != stump.code : codes[row] > stump.code;
                return codes[row] == missing_code<Code> ? std::size_t{2} : other;
            });
        },
        coded.codes);
}

}  // namespace calibrant
