#include "tree/grow/value_index.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "table/coded_table.hpp"

namespace calibrant {
namespace {

constexpr std::size_t many_values = 256;  // fewer are split off in few steps
constexpr std::uint32_t not_indexed = std::numeric_limits<std::uint32_t>::max();

}  // namespace

bool ValueIndex::is_fit_for(const Examples& examples, const GrowOptions& options, const Partition& partition) {
    const bool takes_one =
        options.nominal_splits == NominalSplits::binary || options.criterion == CriterionName::twoing;
    if (!takes_one || options.max_features > 0 || !partition.is_whole()) return false;
    bool any_wide = false;
    for (std::size_t column = 0; column < examples.table->n_columns(); ++column) {
        const CodedColumn& coded = examples.table->column(column);
        if (coded.kind != Kind::nominal) return false;
        any_wide = any_wide || coded.n_values >= many_values;
    }
    return any_wide;
}

ValueIndex::ValueIndex(const Examples& examples, bool learns_missing, const Partition& partition, Segment segment,
                       std::vector<std::uint32_t>& place_of)
    : examples_(examples), learns_missing_(learns_missing), place_of_(place_of), columns_(examples.table->n_columns()) {
    const auto rows = partition.rows(segment);
    for (std::size_t i = 0; i < rows.size(); ++i) place_of_[rows[i]] = static_cast<std::uint32_t>(segment.begin + i);
    const std::size_t n_classes = examples.n_classes;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        IndexedColumn& column = columns_[j];
        const std::size_t n_values = std::size_t{examples.table->column(j).n_values} + 1;
        column.table.resize(n_values * n_classes);
        column.weights.resize(n_values);
        column.totals.resize(n_classes);
        column.rows.resize(n_values);
        column.order.resize(rows.size());
        std::vector<std::uint32_t> values(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t value = values[i] = value_of(j, rows[i]);
            if (value == not_indexed) continue;
            const double weight = weight_of(rows[i]);
            column.table[value * n_classes + examples.labels[rows[i]]] += weight;
            column.weights[value] += weight;
            column.totals[examples.labels[rows[i]]] += weight;
            ++column.rows[value];
        }
        column.first.resize(n_values);
        std::exclusive_scan(column.rows.begin(), column.rows.end(), column.first.begin(), std::uint32_t{0});
        auto next = column.first;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (values[i] != not_indexed) column.order[next[values[i]]++] = rows[i];
        }
        column.group_of.resize(n_values);
        for (std::uint32_t value = 0; value < n_values; ++value) {
            if (column.rows[value] == 0) continue;
            column.seen.push_back(value);
            column.regroup(value);
        }
    }
}

std::uint32_t ValueIndex::value_of(std::size_t column, std::uint32_t row) const {
    const CodedColumn& coded = examples_.table->column(column);
    return std::visit(
        [&]<class Codes>(const Codes& codes) {
            const std::uint32_t code = codes[row];
            if (code != missing_code<CodeOf<Codes>>) return code;
            return learns_missing_ ? coded.n_values : not_indexed;
        },
        coded.codes);
}

std::size_t ValueIndex::split_off(std::size_t column, std::uint32_t value, Segment segment,
                                  std::span<std::uint32_t> rows) {
    const std::uint32_t* const candidates = columns_[column].order.data() + columns_[column].first[value];
    const std::size_t n_rows = columns_[column].rows[value];
    std::size_t end = segment.begin + segment.size;
    std::vector<std::pair<std::size_t, std::uint32_t>> changed;
    const std::size_t last = end - n_rows;
    for (const std::uint32_t* row = candidates; end > last; ++row) {
        const std::size_t place = place_of_[*row];
        if (place >= end) continue;  // it left the index with another value
        --end;
        const std::uint32_t moved = rows[end];
        std::swap(rows[place], rows[end]);
        place_of_[moved] = static_cast<std::uint32_t>(place);
        place_of_[*row] = static_cast<std::uint32_t>(end);
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            const std::uint32_t own = value_of(j, *row);
            if (own == not_indexed) continue;
            remove(columns_[j], own, *row);
            if (j != column) changed.emplace_back(j, own);
        }
    }
    columns_[column].regroup(value);
    for (const auto& [j, own] : changed) columns_[j].regroup(own);
    return n_rows;
}

void ValueIndex::IndexedColumn::regroup(std::uint32_t value) {
    if (rows[value] == 0) {
        group_of[value] = nullptr;
        return;
    }
    const auto own = counts().of(value);
    std::vector<double> key(own.begin(), own.end());
    key.push_back(rows[value]);
    std::vector<std::uint32_t>& group = groups[std::move(key)];
    if (group_of[value] == &group) return;
    group_of[value] = &group;
    group.push_back(value);
    std::ranges::push_heap(group, std::greater<>());
}

void ValueIndex::IndexedColumn::find_distinct() {
    distinct.clear();
    for (auto at = groups.begin(); at != groups.end();) {
        auto& group = at->second;
        while (!group.empty() && group_of[group.front()] != &group) {
            std::ranges::pop_heap(group, std::greater<>());
            group.pop_back();
        }
        if (!group.empty()) distinct.push_back(group.front());
        at = group.empty() ? groups.erase(at) : std::next(at);
    }
    std::ranges::sort(distinct);
}

void ValueIndex::remove(IndexedColumn& column, std::uint32_t value, std::uint32_t row) const {
    const double weight = weight_of(row);
    column.table[value * examples_.n_classes + examples_.labels[row]] -= weight;
    column.weights[value] -= weight;
    column.totals[examples_.labels[row]] -= weight;
    if (--column.rows[value] == 0) column.seen.erase(std::ranges::lower_bound(column.seen, value));
}

}  // namespace calibrant
