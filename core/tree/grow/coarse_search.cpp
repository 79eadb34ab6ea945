#include "tree/grow/coarse_search.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "compiler.hpp"
#include "parallel.hpp"
#include "tree/grow/learned_cuts.hpp"
#include "tree/grow/row_sort.hpp"

namespace calibrant {
namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();
constexpr double slack = 1e-5;  // above all tolerances: a bucket that is skipped could not even tie
// If more of the rows than this share had to be sorted, sorting all of them once for the whole subtree is cheaper.
constexpr double most_sorted = 0.3;
constexpr std::size_t rows_per_block = 4096;
constexpr std::size_t rows_ahead = 16;  // to prefetch: about the latency of memory over the time of a row

// Adds the rows' weights to `table`, columns x buckets x classes, for some of the columns.
template <class Count, class CountOf>
void tally(const Buckets& buckets, std::span<const std::size_t> indices, std::span<const std::uint32_t> rows,
           std::span<const std::uint16_t> labels, Count* table, CountOf&& count_of) {
    constexpr std::size_t width = Buckets::slots * 2;
    for (const std::size_t index : indices) std::fill_n(table + index * width, width, Count{0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint8_t* const cells = buckets.row(rows[i]);
        prefetch(buckets.row(rows[std::min(i + rows_ahead, rows.size() - 1)]));
        Count* const at = table + labels[rows[i]];
        const Count count = count_of(i);
        for (const std::size_t index : indices) at[index * width + 2 * std::size_t{cells[index]}] += count;
    }
}

}  // namespace

// A column at the node searched.
struct CoarseSearch::Column {
    std::size_t index = 0;  // among the columns in buckets
    const CodedColumn* coded = nullptr;
    const ValueGaps* gaps = nullptr;
    bool is_searched = false;
    double counts[2] = {0, 0};  // class weights of the known cases, and of the missing ones where a side is learned
    double weight = 0;
    double missing[2] = {0, 0};  // class weights of the cases that each cut may send to either side
    double best = lowest;        // the greatest gain of a cut between buckets
    double hoped = lowest;       // the same where values are too dense to know whether the cut is possible
    double presence = lowest;    // the gain of a test whether the value is missing
    std::array<std::array<double, 2>, Buckets::slots> left{};  // class weights before each bucket
    std::array<double, Buckets::slots>
        upper{};  // no cut in the bucket or at its edges gains more; `lowest` for an empty bucket
    std::array<std::uint8_t, Buckets::slots> is_wanted{};
    std::array<std::uint8_t, Buckets::slots> starts_apart{};  // a cut is possible before the bucket
    std::vector<std::uint32_t> positions{};                   // of the rows of wanted buckets, within the segment
    std::size_t n_positions = 0;
    std::vector<SortedRow> rows{}, spare{};

    Known known() const { return {counts, weight}; }
    bool has_missing() const { return missing[0] + missing[1] > 0; }
    bool is_empty(std::size_t bucket) const { return upper[bucket] == lowest; }
};

bool CoarseSearch::is_fit_for(const Examples& examples, const GrowOptions& options, const CutRules& rules,
                              bool is_weighted) {
    // the average gain needs every column, the penalty and the mean over the cuts need every cut
    if (options.ratio || rules.penalty || rules.averages) return false;
    if (rules.count_cases && (is_weighted || !examples.cases.empty()))
        return false;  // counts cannot distinguish cases from weights
    return examples.n_classes == 2 && least_rows(examples, options) == 0;  // nor rows from weights
}

CoarseSearch::CoarseSearch(const Examples& examples, const GrowOptions& options, const CutRules& rules,
                           const Partition& partition, const XLogX& xlogx, std::span<const ValueGaps> gaps,
                           const Buckets& buckets)
    : examples_(examples),
      options_(options),
      rules_(rules),
      partition_(partition),
      xlogx_(xlogx),
      buckets_(buckets),
      index_of_(examples.table->n_columns(), no_index),
      columns_(buckets.n_columns()) {
    for (std::size_t index = 0; index < columns_.size(); ++index) {
        Column& column = columns_[index];
        column.index = index;
        index_of_[buckets_.column(index)] = index;
        column.coded = &examples.table->column(buckets_.column(index));
        column.gaps = &gaps[buckets_.column(index)];
    }
    const std::size_t size = columns_.size() * Buckets::slots * 2;
    if (partition.is_whole())
        counts_.resize(size);
    else
        weights_.resize(size);
}

CoarseSearch::~CoarseSearch() = default;

void CoarseSearch::search(const NodeRows& node, std::span<const std::size_t> columns, std::span<FoundTest> found,
                          ThreadTeam& threads, const StopToken& stop) {
    searched_.clear();
    for (const std::size_t column : columns) {
        if (has(column)) searched_.push_back(index_of_[column]);
    }
    if (searched_.empty()) return;
    switch (options_.criterion) {
        case CriterionName::entropy:
            return search_all<Entropy>(node, found, threads, stop);
        case CriterionName::gini:
            return search_all<Gini>(node, found, threads, stop);
        case CriterionName::dkm:
            return search_all<Dkm>(node, found, threads, stop);
        case CriterionName::hellinger:
            return search_all<Hellinger>(node, found, threads, stop);
        case CriterionName::twoing:
            return search_all<Twoing>(node, found, threads, stop);
        case CriterionName::bayes:
        case CriterionName::mml:
            return;  // never searched in buckets
    }
}

template <Criterion C>
void CoarseSearch::search_all(const NodeRows& node, std::span<FoundTest> found, ThreadTeam& threads,
                              const StopToken& stop) {
    const std::size_t n_parts = std::min(threads.size(), searched_.size());
    const auto in_parts = [&](auto&& body) {
        threads.parallel_for(n_parts, stop, [&](std::size_t part, std::size_t) {
            const std::size_t first = searched_.size() * part / n_parts, last = searched_.size() * (part + 1) / n_parts;
            body(std::span<const std::size_t>(searched_).subspan(first, last - first));
        });
    };
    in_parts([&](std::span<const std::size_t> indices) {
        count(indices, node);
        for (const std::size_t index : indices) bound<C>(columns_[index], node);
    });
    double best = lowest;
    for (const std::size_t index : searched_) best = std::max(best, columns_[index].best);
    best = best_probed<C>(best, node);
    in_parts([&](std::span<const std::size_t> indices) {
        for (const std::size_t index : indices) choose_buckets(columns_[index], best - slack, node);
        collect(indices, node);
        for (const std::size_t index : indices) found[buckets_.column(index)] = scan<C>(columns_[index], node);
    });
    std::size_t n_sorted = 0;
    for (const std::size_t index : searched_) n_sorted += columns_[index].n_positions;
    bounds_are_loose_ =
        static_cast<double>(n_sorted) > most_sorted * static_cast<double>(searched_.size() * node.segment.size);
}

void CoarseSearch::count(std::span<const std::size_t> indices, const NodeRows& node) {
    const auto rows = partition_.rows(node.segment);
    if (!partition_.is_weighted()) {
        return tally(buckets_, indices, rows, examples_.labels, counts_.data(),
                     [](std::size_t) { return std::uint32_t{1}; });
    }
    if (partition_.is_whole()) {
        const std::uint16_t* const times = partition_.times();
        return tally(buckets_, indices, rows, examples_.labels, counts_.data(),
                     [&](std::size_t i) { return std::uint32_t{times[rows[i]]}; });
    }
    const double* const weights = partition_.weights();
    tally(buckets_, indices, rows, examples_.labels, weights_.data(), [&](std::size_t i) { return weights[rows[i]]; });
}

std::array<double, 2> CoarseSearch::counted(std::size_t index, std::size_t bucket) const {
    const std::size_t at = (index * Buckets::slots + bucket) * 2;
    if (partition_.is_whole()) return {static_cast<double>(counts_[at]), static_cast<double>(counts_[at + 1])};
    return {weights_[at], weights_[at + 1]};
}

NodeFacts CoarseSearch::facts_of(const Column& column, const NodeRows& node) const {
    return {node.weight,
            options_.min_leaf,
            least_side(options_, column.weight),
            static_cast<double>(node.segment.size),
            &xlogx_,
            {}};
}

// Sums the buckets and bounds the gain of the cuts in each. Along a bucket the class weights left of a cut move within
// a box, from those before the bucket to those after it. A concave impurity makes the gain convex in them, and a convex
// function is greatest at a corner of a box: the two cuts at the edges, and all of one class on either side.
template <Criterion C>
void CoarseSearch::bound(Column& column, const NodeRows& node) {
    set_counts(column, node);
    column.best = column.presence = column.hoped = lowest;
    const NodeFacts facts = facts_of(column, node);
    column.is_searched = !too_few(facts, column.known(), rules_);
    if (!column.is_searched) return;
    C criterion(column.known(), xlogx_);
    const double scale = column.weight / node.weight;
    const auto gain_of = [&](double left0, double left1) {
        return scale * quick_two_class_gain(criterion, left0, left1, left_over(column.counts[0], left0),
                                            left_over(column.counts[1], left1));
    };
    const bool has_missing = column.has_missing();
    const double missing0 = column.missing[0], missing1 = column.missing[1], missing = missing0 + missing1;
    const auto gain_at = [&](double left0, double left1) {
        const double right = gain_of(left0, left1);
        return has_missing ? std::max(right, gain_of(left0 + missing0, left1 + missing1)) : right;
    };
    const double least = facts.min_side - size_tolerance, most = column.weight - facts.min_side + size_tolerance;
    const auto fits = [&](double left) { return left >= least && left <= most; };
    const auto offer_cut = [&](double left, double gain, bool is_possible) {
        if (!fits(left) || (has_missing && !fits(left + missing))) return;
        double& best = is_possible ? column.best : column.hoped;
        best = std::max(best, gain);
    };
    std::size_t before = no_index;  // the last bucket that is not empty
    double left0 = 0, left1 = 0, gain = has_missing ? gain_at(0, 0) : 0;
    for (std::size_t bucket = 0; bucket < Buckets::most; ++bucket) {
        const auto [here0, here1] = counted(column.index, bucket);
        column.left[bucket] = {left0, left1};
        column.upper[bucket] = lowest;
        if (here0 + here1 == 0) continue;
        column.starts_apart[bucket] = before == no_index || starts_apart(column, before, bucket);
        if (before != no_index) offer_cut(left0 + left1, gain, column.starts_apart[bucket] != 0);
        before = bucket;
        const double end0 = left0 + here0, end1 = left1 + here1, end = gain_at(end0, end1);
        double upper = std::max(gain, end);
        if (here0 > 0 && here1 > 0 && !buckets_.has_one_value(column.index, bucket)) {
            upper = std::max({upper, gain_at(left0, end1), gain_at(end0, left1)});
        }
        column.upper[bucket] = upper;
        left0 = end0, left1 = end1, gain = end;
    }
    if (!has_missing || !fits(left0 + left1)) return;
    column.presence = gain_of(left0, left1);
    column.best = std::max(column.best, column.presence);
}

// Whether a cut is possible between two buckets that have rows, and none between them.
bool CoarseSearch::starts_apart(const Column& column, std::size_t before, std::size_t bucket) const {
    return buckets_.can_cut_after(column.index, before) ||
           column.gaps->is_apart(buckets_.last_value(column.index, before), buckets_.first_value(column.index, bucket));
}

// The gain of a cut that is possible, at least `best`. Where values are dense, the cuts near the most promising edge of
// a bucket are searched to find one.
template <Criterion C>
double CoarseSearch::best_probed(double best, const NodeRows& node) {
    const auto hoped = [&](std::size_t index) { return columns_[index].hoped; };
    const std::size_t index = std::ranges::max(searched_, {}, hoped);
    Column& column = columns_[index];
    if (!column.is_searched || column.hoped <= best) return best;
    choose_buckets(column, column.hoped - slack, node);
    collect(std::span(&index, 1), node);
    const FoundTest found = scan<C>(column, node);
    return found.usable ? std::max(best, found.gain) : best;
}

// The class weights of the cases that cuts split, and of those among them that may go to either side.
void CoarseSearch::set_counts(Column& column, const NodeRows& node) const {
    const auto missing = counted(column.index, Buckets::missing);
    const bool learns = options_.missing == MissingValues::learned;
    for (std::size_t k = 0; k < 2; ++k) {
        column.counts[k] = learns ? node.counts[k] : left_over(node.counts[k], missing[k]);
        column.missing[k] = learns ? missing[k] : 0.0;
    }
    column.weight = learns ? node.weight : left_over(node.weight, missing[0] + missing[1]);
}

// Marks the buckets where a cut may gain `to_beat`.
void CoarseSearch::choose_buckets(Column& column, double to_beat, const NodeRows& node) {
    column.n_positions = 0;
    column.is_wanted.fill(0);
    if (!column.is_searched) return;
    column.is_searched = column.presence >= to_beat;
    for (std::size_t bucket = 0; bucket < Buckets::most; ++bucket) {
        column.is_wanted[bucket] = !column.is_empty(bucket) && column.upper[bucket] >= to_beat;
        column.is_searched = column.is_searched || column.is_wanted[bucket] != 0;
    }
    widen_runs(column);
    if (column.is_searched && column.positions.size() < node.segment.size) column.positions.resize(node.segment.size);
}

// The search skips cuts within rows of one class, counted from the last possible cut. Where wanted buckets begin in the
// middle of dense values, the bucket before them tells the classes since then; more are needed if it has one class
// only.
void CoarseSearch::widen_runs(Column& column) const {
    bool is_needed = false;
    for (std::size_t bucket = Buckets::most; bucket-- > 0;) {
        if (column.is_empty(bucket)) continue;
        const bool was_wanted = column.is_wanted[bucket] != 0;
        if (is_needed) column.is_wanted[bucket] = 1;
        const auto [here0, here1] = counted(column.index, bucket);
        const bool is_unknown = was_wanted || (is_needed && (here0 == 0 || here1 == 0));
        is_needed = is_unknown && column.starts_apart[bucket] == 0;
    }
}

// Block by block, so that the cells of a block are read once.
void CoarseSearch::collect(std::span<const std::size_t> indices, const NodeRows& node) {
    const auto rows = partition_.rows(node.segment);
    for (std::size_t begin = 0; begin < rows.size(); begin += rows_per_block) {
        const std::size_t end = std::min(rows.size(), begin + rows_per_block);
        for (std::size_t i = begin; i < end; ++i) prefetch(buckets_.row(rows[i]));
        for (const std::size_t index : indices) {
            Column& column = columns_[index];
            if (!column.is_searched) continue;
            std::uint32_t* const to = column.positions.data();
            std::size_t n = column.n_positions;
            for (std::size_t i = begin; i < end; ++i) {
                to[n] = static_cast<std::uint32_t>(i);
                n += column.is_wanted[buckets_.row(rows[i])[index]];
            }
            column.n_positions = n;
        }
    }
}

void CoarseSearch::fetch(Column& column, const NodeRows& node) {
    const auto rows = partition_.rows(node.segment);
    column.rows.resize(column.n_positions);
    std::visit(
        [&](const auto& codes) {
            for (std::size_t i = 0; i < column.n_positions; ++i) {
                const std::uint32_t row = rows[column.positions[i]];
                const std::uint32_t ahead = rows[column.positions[std::min(i + rows_ahead, column.n_positions - 1)]];
                prefetch(&examples_.labels[ahead]);
                if constexpr (requires { codes.data(); }) prefetch(codes.data() + ahead);
                column.rows[i] = {row, two_class_keys.key(codes[row], examples_.labels[row], *column.gaps)};
            }
        },
        column.coded->codes);
    sort_rows(column.rows, column.spare, two_class_keys.greatest(column.coded->n_values));
}

template <Criterion C>
FoundTest CoarseSearch::scan(Column& column, const NodeRows& node) {
    if (!column.is_searched) return {};
    fetch(column, node);
    const NodeFacts facts = facts_of(column, node);
    const Known known = column.known();
    BestCut best(facts, rules_);
    if (column.has_missing()) {
        const MissingRows missing{column.missing, column.missing[0] + column.missing[1]};
        LearnedTwoClassCuts<C, double> cuts(facts, known, missing, best);
        search_runs(cuts, column);
        cuts.finish(column.coded->n_values);
    } else if (partition_.is_whole() && known.weight < static_cast<double>(xlogx_.n_kept())) {
        TwoClassCuts<C, std::size_t> cuts(facts, known, best);
        search_runs(cuts, column);
    } else {
        TwoClassCuts<C, double> cuts(facts, known, best);
        search_runs(cuts, column);
    }
    return best.result(known.weight);
}

// Searches the rows of the wanted buckets, one run of adjacent buckets at a time.
template <class Cuts>
void CoarseSearch::search_runs(Cuts& cuts, const Column& column) const {
    const double* const weights = partition_.is_weighted() ? partition_.weights() : nullptr;
    using Weight = typename Cuts::Weight;
    const auto weight_of = [weights](const SortedRow& row) {
        return weights == nullptr ? Weight{1} : static_cast<Weight>(weights[row.row]);
    };
    std::size_t begin = 0;
    const std::span<const SortedRow> rows(column.rows);
    for (std::size_t bucket = 0; bucket < Buckets::most;) {
        const auto first = bucket;
        for (; bucket < Buckets::most && (column.is_wanted[bucket] || column.is_empty(bucket));) ++bucket;
        const std::uint32_t end_code = buckets_.begin_code(column.index, bucket);
        const auto end =
            std::partition_point(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(),
                                 [&](const SortedRow& row) { return two_class_keys.code(row.key) < end_code; });
        const auto size = static_cast<std::size_t>(end - rows.begin()) - begin;
        cuts.start_at({static_cast<Weight>(column.left[first][0]), static_cast<Weight>(column.left[first][1])});
        try_cuts(cuts, rows.subspan(begin, size), two_class_keys, weight_of, *column.gaps);
        begin += size;
        ++bucket;
    }
}

}  // namespace calibrant
