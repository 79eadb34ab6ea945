#include "tree/levels/level_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compiler.hpp"
#include "tree/descent.hpp"

namespace calibrant {
namespace {

constexpr std::size_t codes = 256;
constexpr std::size_t rows_ahead = 16;  // to prefetch: about the latency of memory over the time of a row
constexpr std::size_t rows_between_stops = 65536;

// The rows of the nodes of a request, in ascending order within a node.
struct RowsByNode {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> first;

    RowsByNode(std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> nodes)
        : first(nodes.size() + 1) {
        const std::int32_t last = nodes.empty() ? -1 : *std::ranges::max_element(nodes);
        std::vector<std::int32_t> place(static_cast<std::size_t>(last + 1), absent_row);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            place[static_cast<std::size_t>(nodes[i])] = static_cast<std::int32_t>(i);
        const auto place_of = [&](std::int32_t node) {
            return node < 0 || node > last ? absent_row : place[static_cast<std::size_t>(node)];
        };
        for (const std::int32_t node : node_of_row) {
            if (place_of(node) != absent_row) ++first[static_cast<std::size_t>(place_of(node)) + 1];
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) first[i + 1] += first[i];
        rows.resize(first.back());
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        for (std::size_t row = 0; row < node_of_row.size(); ++row) {
            const std::int32_t at = place_of(node_of_row[row]);
            if (at != absent_row) rows[next[static_cast<std::size_t>(at)]++] = static_cast<std::uint32_t>(row);
        }
    }
    std::span<const std::uint32_t> of(std::size_t node) const {
        return {rows.data() + first[node], first[node + 1] - first[node]};
    }
};

// Calls count_row(row, its codes) for each row.
template <class CountRow>
void for_rows(const CodedTable& table, std::span<const std::uint32_t> rows, CountRow&& count_row) {
    const std::size_t width = table.n_columns();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        prefetch(table.bytes() + rows[std::min(i + rows_ahead, rows.size() - 1)] * width);
        count_row(rows[i], table.bytes() + rows[i] * width);
    }
}

// Adds up one node: columns x 256 x classes, which is then packed.
template <class Cell>
class NodeTable {
  public:
    NodeTable(const PartRows& rows, std::span<const std::uint32_t> columns, bool counts_rows)
        : rows_(rows),
          columns_(columns),
          n_classes_(rows.n_classes),
          cells_(columns.size() * codes * rows.n_classes),
          value_rows_(counts_rows ? columns.size() * codes : 0) {}

    void add(std::span<const std::uint32_t> rows) {
        if (rows_.weights.empty())
            add_weighted(rows, [](std::uint32_t) { return Cell{1}; });
        else
            add_weighted(rows, [&](std::uint32_t row) { return static_cast<Cell>(rows_.weights[row]); });
        if (value_rows_.empty()) return;
        for_rows(*rows_.table, rows, [&](std::uint32_t, const std::uint8_t* cells) {
            for (std::size_t j = 0; j < columns_.size(); ++j) ++value_rows_[j * codes + cells[columns_[j]]];
        });
    }

    void pack(LevelHistograms<Cell>& into) const {
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            const std::size_t n_values = rows_.table->column(columns_[j]).n_values;
            pack(cells_.data() + j * codes * n_classes_, n_values, n_classes_, into.cells);
            if (!value_rows_.empty()) pack(value_rows_.data() + j * codes, n_values, 1, into.rows);
        }
    }

  private:
    template <class WeightOf>
    void add_weighted(std::span<const std::uint32_t> rows, WeightOf&& weight_of) {
        const std::size_t n_columns = columns_.size(), n_classes = n_classes_;
        for_rows(*rows_.table, rows, [&](std::uint32_t row, const std::uint8_t* cells) {
            const Cell weight = weight_of(row);
            Cell* const at = cells_.data() + rows_.labels[row];
            for (std::size_t j = 0; j < n_columns; ++j) at[(j * codes + cells[columns_[j]]) * n_classes] += weight;
        });
    }
    // Missing values, code 255, come after the last value.
    template <class T>
    static void pack(const T* from, std::size_t n_values, std::size_t width, std::vector<T>& into) {
        into.insert(into.end(), from, from + n_values * width);
        into.insert(into.end(), from + (codes - 1) * width, from + codes * width);
    }

    const PartRows& rows_;
    const std::span<const std::uint32_t> columns_;
    const std::size_t n_classes_;
    std::vector<Cell> cells_;
    std::vector<std::uint32_t> value_rows_;
};

}  // namespace

PartTotals totals_of(const PartRows& rows) {
    const std::size_t width = rows.table->n_columns();
    PartTotals totals{.counts = std::vector<double>(rows.n_classes),
                      .present = std::vector<std::uint8_t>(width * codes)};
    for (std::size_t row = 0; row < rows.labels.size(); ++row) {
        const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
        if (!(weight > 0)) continue;
        ++totals.n_rows;
        totals.counts[rows.labels[row]] += weight;
        totals.heaviest = std::max(totals.heaviest, weight);
        totals.is_whole = totals.is_whole && weight == std::floor(weight);
        const std::uint8_t* const cells = rows.table->bytes() + row * width;
        for (std::size_t j = 0; j < width; ++j) totals.present[j * codes + cells[j]] = 1;
    }
    return totals;
}

std::vector<std::vector<std::uint32_t>> last_present_of(const CodedTable& columns,
                                                        std::span<const std::uint8_t> present) {
    if (present.size() != columns.n_columns() * codes) throw std::invalid_argument("present must be columns x 256");
    std::vector<std::vector<std::uint32_t>> last(columns.n_columns());
    for (std::size_t column = 0; column < last.size(); ++column) {
        std::uint32_t greatest = 0;
        for (std::uint32_t code = 0; code < columns.column(column).n_values; ++code) {
            if (present[column * codes + code] != 0) greatest = code;
            last[column].push_back(greatest);
        }
    }
    return last;
}

void route(const Tree& tree, const CodedTable& table, std::span<std::int32_t> node_of_row, const StopToken& stop) {
    const ShareDescent descent(tree);
    const std::size_t width = table.n_columns();
    for (std::size_t row = 0; row < node_of_row.size(); ++row) {
        if (row % rows_between_stops == 0) check_stop(stop);
        if (node_of_row[row] == absent_row) continue;
        auto node = static_cast<std::size_t>(node_of_row[row]);
        const std::uint8_t* const cells = table.bytes() + row * width;
        bool is_split = false;
        while (!tree.is_leaf(node) && !is_split) {
            const std::size_t branch = descent.branch_of_value(node, cells[tree.feature[node]]);
            is_split = branch == ShareDescent::missing;
            if (!is_split) node = tree.child(node, branch);
        }
        node_of_row[row] = is_split ? absent_row : static_cast<std::int32_t>(node);
    }
}

std::size_t HistogramRequest::n_values(const CodedTable& table) const {
    std::size_t n = 0;
    for (const std::uint32_t column : columns) n += std::size_t{table.column(column).n_values} + 1;
    return n;
}

template <class Cell>
LevelHistograms<Cell> count_level(const PartRows& rows, std::span<const std::int32_t> node_of_row,
                                  const HistogramRequest& request, const StopToken& stop) {
    const RowsByNode by_node(node_of_row, request.nodes);
    LevelHistograms<Cell> result;
    result.cells.reserve(request.n_values(*rows.table) * rows.n_classes);
    for (std::size_t i = 0; i < request.nodes.size(); ++i) {
        check_stop(stop);
        const auto columns =
            std::span(request.columns).subspan(request.first[i], request.first[i + 1] - request.first[i]);
        NodeTable<Cell> table(rows, columns, request.counts_rows);
        table.add(by_node.of(i));
        table.pack(result);
    }
    return result;
}

template LevelHistograms<std::uint32_t> count_level(const PartRows&, std::span<const std::int32_t>,
                                                    const HistogramRequest&, const StopToken&);
template LevelHistograms<double> count_level(const PartRows&, std::span<const std::int32_t>, const HistogramRequest&,
                                             const StopToken&);

}  // namespace calibrant
