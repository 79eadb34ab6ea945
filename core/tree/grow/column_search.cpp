#include "tree/grow/column_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tree/grow/node_rules.hpp"
#include "tree/grow/row_sort.hpp"

namespace calibrant {
namespace {

constexpr std::size_t few_rows = 16;  // sorting these is faster than clearing and scanning a table of counts
constexpr std::size_t many_rows =
    512;  // from here on, summing four tables costs less than waiting for the same cell twice in a row
constexpr std::size_t most_lanes = 4;

}  // namespace

void ValueTable::reserve(std::size_t n_values, std::size_t n_classes) {
    if (weights.size() >= n_values) return;
    weights.resize(n_values);
    rows.resize(n_values);
    table.resize(n_values * n_classes);
}

void ValueTable::clear(std::size_t n_classes) {
    for (const std::uint32_t value : seen) {
        weights[value] = 0;
        rows[value] = 0;
        std::fill_n(table.begin() + static_cast<std::ptrdiff_t>(value * n_classes), n_classes, 0.0);
    }
    seen.clear();
}

std::size_t ColumnSearch::most_counted_values(const Examples& examples, const GrowOptions& options) {
    if (examples.table->bytes() == nullptr) return RowCells::few_values;
    const bool draws_few = options.max_features > 0 && 2 * options.max_features < examples.table->n_columns();
    const bool is_whole =
        examples.whole != nullptr
            ? examples.whole->is_whole
            : std::ranges::all_of(examples.weights, [](double weight) { return weight == std::floor(weight); });
    return draws_few || (examples.n_classes == 2 && is_whole) ? max_byte_values : RowCells::few_values;
}

std::vector<std::size_t> ColumnSearch::columns_to_sort(const Examples& examples, const GrowOptions& options) {
    const Keys keys = keys_of(examples);
    const std::size_t most_counted = most_counted_values(examples, options);
    std::vector<std::size_t> sorted;
    for (std::size_t column = 0; column < examples.table->n_columns(); ++column) {
        if (!examples.table->uncoded(column).empty() && keys.fit(examples.table->n_rows())) {
            sorted.push_back(column);
            continue;
        }
        const CodedColumn& coded = examples.table->column(column);
        if (coded.kind == Kind::numeric && !RowCells::is_fit_for(coded, most_counted) && keys.fit(coded.n_values))
            sorted.push_back(column);
    }
    return sorted;
}

ColumnSearch::ColumnSearch(const Examples& examples, const GrowOptions& options, const CutRules& cut_rules,
                           const Partition& partition, const XLogX& xlogx, std::span<const ValueGaps> gaps)
    : examples_(examples),
      options_(options),
      cut_rules_(cut_rules),
      partition_(partition),
      least_rows_(least_rows(examples, options)),
      cases_(options.min_rows > 0 ? std::span<const double>() : examples.case_counts()),
      n_classes_(examples.n_classes),
      keys_(partition.keys()),
      is_plain_two_class_(n_classes_ == 2 && !partition.is_weighted()),
      learns_missing_(options.missing == MissingValues::learned),
      gaps_(gaps),
      tables_(*examples.table, examples.n_classes, options, cut_rules, xlogx, gaps, least_rows_),
      missing_counts_(examples.n_classes),
      no_gaps_({}, closest_values) {}

FoundTest ColumnSearch::best_test(std::size_t column, const NodeRows& node) {
    const bool is_counted = partition_.is_counted(column);
    if (partition_.is_sorted(column))
        return search_by(options_.criterion, node.weight,
                         [&]<Criterion C>() { return search_presorted<C>(column, node); });
    if (is_counted && node.segment.size <= few_rows)
        return search_by(options_.criterion, node.weight,
                         [&]<Criterion C>() { return search_few_rows<C>(column, node); });
    if (partition_.is_sorted_when_drawn(column))
        return search_by(options_.criterion, node.weight, [&]<Criterion C>() { return search_drawn<C>(column, node); });
    const bool two_classes = is_counted && n_classes_ == 2 && least_rows_ == 0;
    if (two_classes && partition_.is_whole()) {
        const bool are_few = node.segment.size < examples_.table->column(column).n_values;
        return are_few ? search_seen_counts(column, node) : search_two_class_counts(column, node);
    }
    if (two_classes && !cut_rules_.count_cases) return search_two_class_weights(column, node);
    return search_values(column, node);
}

template <Criterion C>
FoundTest ColumnSearch::search_presorted(std::size_t column, const NodeRows& node) {
    auto rows = partition_.sorted_rows(column, node.segment, rank_sort_);
    const CodedColumn& coded = examples_.table->column(column);
    Known known{node.counts, node.weight};
    if (coded.n_missing > 0) {
        const std::uint32_t missing = coded.n_values;
        const auto end = std::partition_point(rows.begin(), rows.end(),
                                              [&](const SortedRow& row) { return keys_.code(row.key) < missing; });
        std::fill(missing_counts_.begin(), missing_counts_.end(), 0.0);
        for (auto row = end; row != rows.end(); ++row) {
            missing_counts_[keys_.label(row->key)] += weight_of(partition_.number(*row));
        }
        rows = rows.first(static_cast<std::size_t>(end - rows.begin()));
        if (learns_missing_ && rows.size() < node.segment.size) return search_learned_rows<C>(column, rows, node);
        known = tables_.known_of(node.totals(), missing_counts_);
    }
    return search_rows<C>(gaps_[column], rows, node, known);
}

template <Criterion C>
FoundTest ColumnSearch::search_rows(const ValueGaps& gaps, std::span<const SortedRow> rows, const NodeRows& node,
                                    const Known& known) {
    auto n_known = static_cast<double>(rows.size());
    if (cut_rules_.count_cases && !cases_.empty()) {
        n_known = 0;
        for (const SortedRow& row : rows) n_known += cases_[partition_.origin(partition_.number(row))];
    }
    const NodeFacts facts = tables_.facts_of(node.totals(), known.weight, n_known, rows.size());
    const bool two_classes = n_classes_ == 2 && least_rows_ == 0;
    const auto best = [&]<class Cuts>(const auto& weight_of) {
        return best_cut<Cuts>(facts, known, cut_rules_, rows, keys_, weight_of, gaps);
    };
    using WholeTwo = TwoClassCuts<C, std::size_t>;
    if (!partition_.is_weighted()) {
        const auto once = [](const SortedRow&) { return std::size_t{1}; };
        return is_plain_two_class_ ? best.template operator()<WholeTwo>(once)
                                   : best.template operator()<CutSearch<C>>(once);
    }
    if (partition_.is_packed()) {
        const auto times = [this](const SortedRow& row) { return std::size_t{partition_.times(row)}; };
        return two_classes ? best.template operator()<WholeTwo>(times) : best.template operator()<CutSearch<C>>(times);
    }
    const auto weight_of = [weights = partition_.weights()](const SortedRow& row) { return weights[row.row]; };
    return two_classes ? best.template operator()<TwoClassCuts<C, double>>(weight_of)
                       : best.template operator()<CutSearch<C>>(weight_of);
}

// The known rows; missing_counts_ has the others.
template <Criterion C>
FoundTest ColumnSearch::search_learned_rows(std::size_t column, std::span<const SortedRow> rows, const NodeRows& node) {
    const bool counts_cases = cut_rules_.count_cases && !cases_.empty();
    const NodeFacts facts = tables_.facts_of(
        node.totals(), node.weight, counts_cases ? count_cases(column, node) : static_cast<double>(node.segment.size),
        node.segment.size);
    const Known all{node.counts, node.weight};
    const MissingRows missing{missing_counts_, std::accumulate(missing_counts_.begin(), missing_counts_.end(), 0.0),
                              node.segment.size - rows.size()};
    const std::uint32_t n_values = examples_.table->column(column).n_values;
    const auto found = [&](const auto& weight_of) {
        const auto best = [&]<class Cuts>() {
            return best_learned_cut<Cuts>(facts, all, missing, cut_rules_, n_values, rows, keys_, weight_of,
                                          gaps_[column]);
        };
        if (n_classes_ == 2 && least_rows_ == 0)
            return best.template operator()<LearnedTwoClassCuts<C, decltype(weight_of(rows.front()))>>();
        return best.template operator()<LearnedCuts<C>>();
    };
    if (!partition_.is_weighted()) return found([](const SortedRow&) { return std::size_t{1}; });
    if (partition_.is_packed())
        return found([this](const SortedRow& row) { return std::size_t{partition_.times(row)}; });
    return found([weights = partition_.weights()](const SortedRow& row) { return weights[row.row]; });
}

// Few rows of a column of few values.
template <Criterion C>
FoundTest ColumnSearch::search_few_rows(std::size_t column, const NodeRows& node) {
    const auto cells = partition_.counted_cells(column);
    gather(
        column, node, examples_.table->column(column).n_values, [&](std::uint32_t row) { return cells.code(row); },
        [&](std::uint32_t row) { return cells.label(row); });
    return search_gathered<C>(column, node);
}

// Rows of a column of many values, where nodes are not presorted.
template <Criterion C>
FoundTest ColumnSearch::search_drawn(std::size_t column, const NodeRows& node) {
    if (const auto values = examples_.table->uncoded(column); !values.empty()) return search_uncoded<C>(values, node);
    std::visit(
        [&]<class Column>(const Column& codes) {
            gather(
                column, node, missing_code<CodeOf<Column>>, [&](std::uint32_t row) { return codes[row]; },
                [&](std::uint32_t row) { return examples_.labels[row]; });
        },
        examples_.table->column(column).codes);
    return search_gathered<C>(column, node);
}

// Positions in the order of the node's values stand for codes: of equal values the last one, as a code and a class are
// followed by the row where rows are sorted by their keys.
template <Criterion C>
FoundTest ColumnSearch::search_uncoded(std::span<const double> column, const NodeRows& node) {
    const auto rows = order_.of(column, partition_.rows(node.segment));
    gathered_.resize(rows.size());
    bool any_close = false, is_close = false;
    for (std::size_t i = rows.size(), code = i - 1; i-- > 0;) {
        if (i + 1 < rows.size() && rows[i].value != rows[i + 1].value) {
            code = i;
            is_close = !no_gaps_.is_apart(rows[i].value, rows[i + 1].value);
            any_close |= is_close;
        }
        gathered_[i] = {partition_.packed(rows[i].row),
                        keys_.key(static_cast<std::uint32_t>(code), examples_.labels[rows[i].row], is_close)};
    }
    for (std::size_t i = 0; i < rows.size();) {
        const std::size_t next = std::size_t{keys_.code(gathered_[i].key)} + 1;
        if (next - i > 1)
            std::sort(gathered_.begin() + static_cast<std::ptrdiff_t>(i),
                      gathered_.begin() + static_cast<std::ptrdiff_t>(next), by_key_and_row);
        i = next;
    }
    FoundTest found;
    const Known known{node.counts, node.weight};
    if (any_close) {
        ordered_.resize(rows.size());
        std::ranges::transform(rows, ordered_.begin(), &RowValue::value);
        found = search_rows<C>(ValueGaps(ordered_, closest_values), gathered_, node, known);
    } else {
        found = search_rows<C>(no_gaps_, gathered_, node, known);
    }
    if (!found.usable) return found;
    found.below = rows[found.below].row;
    found.above = rows[found.above].row;
    return found;
}

template <class CodeOf, class LabelOf>
void ColumnSearch::gather(std::size_t column, const NodeRows& node, std::uint32_t missing, CodeOf&& code_of,
                          LabelOf&& label_of) {
    gathered_.clear();
    std::fill(missing_counts_.begin(), missing_counts_.end(), 0.0);
    const ValueGaps& gaps = gaps_[column];
    for (const std::uint32_t row : partition_.rows(node.segment)) {
        const std::uint32_t code = code_of(row), label = label_of(row);
        if (code == missing)
            missing_counts_[label] += weight_of(row);
        else
            gathered_.push_back({partition_.packed(row), keys_.key(code, label, gaps)});
    }
}

// Sorts the rows gathered on the spot.
template <Criterion C>
FoundTest ColumnSearch::search_gathered(std::size_t column, const NodeRows& node) {
    sort_rows(gathered_, spare_, keys_.greatest(examples_.table->column(column).n_values));
    if (learns_missing_ && gathered_.size() < node.segment.size) return search_learned_rows<C>(column, gathered_, node);
    return search_rows<C>(gaps_[column], gathered_, node, tables_.known_of(node.totals(), missing_counts_));
}

// Counts rows in a table of values x 2. Many rows are counted in four tables in turn: adding twice in a row to the same
// cell has to wait for the first addition.
template <class Count, class CountOf>
void ColumnSearch::count_two_classes(std::size_t column, const NodeRows& node, std::vector<Count>& table,
                                     CountOf&& count_of) const {
    const std::size_t size = 2 * (std::size_t{examples_.table->column(column).n_values} + 1);
    const std::size_t lanes = node.segment.size < many_rows ? 1 : most_lanes;
    table.assign(size * lanes, Count{0});
    const auto rows = partition_.rows(node.segment);
    const auto cells = partition_.counted_cells(column);
    const auto add = [&](Count* to, std::uint32_t row) {
        to[2 * std::size_t{cells.code(row)} + cells.label(row)] += count_of(row);
    };
    std::size_t i = 0;
    for (; lanes > 1 && i + most_lanes <= rows.size(); i += most_lanes) {
        for (std::size_t lane = 0; lane < most_lanes; ++lane) add(table.data() + lane * size, rows[i + lane]);
    }
    for (; i < rows.size(); ++i) add(table.data(), rows[i]);
    for (std::size_t lane = 1; lane < lanes; ++lane) {
        for (std::size_t at = 0; at < size; ++at) table[at] += table[lane * size + at];
    }
    table.resize(size);
}

// Whole counts of two classes, for columns of few values.
FoundTest ColumnSearch::search_two_class_counts(std::size_t column, const NodeRows& node) {
    const double* const weights = partition_.weights();
    if (is_plain_two_class_)
        count_two_classes(column, node, two_class_counts_, [](std::uint32_t) { return std::uint32_t{1}; });
    else
        count_two_classes(column, node, two_class_counts_,
                          [weights](std::uint32_t row) { return static_cast<std::uint32_t>(weights[row]); });
    const bool needs_cases = cut_rules_.count_cases && !examples_.cases.empty();
    return tables_.best_cut(column, std::span<const std::uint32_t>(two_class_counts_), node.totals(),
                            needs_cases ? count_cases(column, node) : node.weight);
}

// The same for fewer rows than the column has values: only those that occur are visited and cleared.
FoundTest ColumnSearch::search_seen_counts(std::size_t column, const NodeRows& node) {
    const CountedCells cells = partition_.counted_cells(column);
    const double* const weights = partition_.weights();
    const std::size_t n_values = examples_.table->column(column).n_values;
    if (n_values >= SeenValues::most || cut_rules_.count_cases) return search_two_class_counts(column, node);
    seen_counts_.resize(2 * SeenValues::most);
    for (const std::uint32_t row : partition_.rows(node.segment)) {
        const std::uint32_t code = cells.code(row);
        seen_.add(code);
        seen_counts_[2 * std::size_t{code} + cells.label(row)] +=
            is_plain_two_class_ ? 1U : static_cast<std::uint32_t>(weights[row]);
    }
    const auto table = std::span<const std::uint32_t>(seen_counts_).first(2 * (n_values + 1));
    FoundTest found = tables_.best_cut(column, table, node.totals(), node.weight, seen_);
    for (std::size_t value = seen_.next(0); value < SeenValues::most; value = seen_.next(value + 1))
        seen_counts_[2 * value] = seen_counts_[2 * value + 1] = 0;
    seen_.clear();
    return found;
}

// Weights of two classes, for columns of few values.
FoundTest ColumnSearch::search_two_class_weights(std::size_t column, const NodeRows& node) {
    const double* const weights = partition_.weights();
    count_two_classes(column, node, two_class_weights_, [weights](std::uint32_t row) { return weights[row]; });
    return tables_.best_cut(column, std::span<const double>(two_class_weights_), node.totals(), 0.0);
}

// Fills values_; where the branch of missing values is learned, they are one more value, the last.
void ColumnSearch::count_values(std::size_t column, const NodeRows& node) {
    const CodedColumn& coded = examples_.table->column(column);
    values_.reserve(std::size_t{coded.n_values} + 1, n_classes_);
    const bool counts_rows = least_rows_ > 0;
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (const std::uint32_t row : partition_.rows(node.segment)) {
                const std::uint32_t origin = partition_.origin(row);
                std::uint32_t code = codes[origin];
                if (code == missing_code<Code>) {
                    if (!learns_missing_) continue;
                    code = coded.n_values;
                }
                const double weight = weight_of(row);
                if (values_.weights[code] == 0) values_.seen.push_back(code);
                values_.weights[code] += weight;
                if (counts_rows) ++values_.rows[code];
                values_.table[code * n_classes_ + examples_.labels[origin]] += weight;
            }
        },
        coded.codes);
}

// Known cases, those whose branch is learned included, each counted whole, for the rule of J48.
double ColumnSearch::count_cases(std::size_t column, const NodeRows& node) const {
    double n_known = 0;
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (const std::uint32_t row : partition_.rows(node.segment)) {
                const std::uint32_t origin = partition_.origin(row);
                if (learns_missing_ || codes[origin] != missing_code<Code>)
                    n_known += cases_.empty() ? 1.0 : cases_[origin];
            }
        },
        examples_.table->column(column).codes);
    return n_known;
}

FoundTest ColumnSearch::search_values(std::size_t column, const NodeRows& node) {
    count_values(column, node);
    const CodedColumn& coded = examples_.table->column(column);
    const bool needs_cases = coded.kind == Kind::numeric && cut_rules_.count_cases;
    const std::size_t size = std::size_t{coded.n_values} + 1;
    const ValueCounts values{values_.seen, std::span<const double>(values_.table).first(size * n_classes_),
                             std::span<const double>(values_.weights).first(size),
                             std::span<const std::uint32_t>(values_.rows).first(size)};
    FoundTest found = tables_.best_test(column, values, node.totals(), needs_cases ? count_cases(column, node) : 0.0);
    values_.clear(n_classes_);
    return found;
}

}  // namespace calibrant
