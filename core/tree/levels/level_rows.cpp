#include "tree/levels/level_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tree/descent.hpp"

namespace calibrant {
namespace {

constexpr std::size_t codes = 256;
constexpr std::size_t rows_between_stops = 65536;

// Adds up the histograms of some nodes of a request in one pass over the rows: columns x 256 x classes, then packed.
template <class Cell>
class LevelTable {
  public:
    LevelTable(const PartRows& rows, const HistogramRequest& request, std::size_t begin, std::size_t end)
        : rows_(rows),
          request_(request),
          begin_(request.first[begin]),
          end_(request.first[end]),
          n_classes_(rows.n_classes),
          cells_((end_ - begin_) * codes * n_classes_),
          value_rows_(request.counts_rows ? (end_ - begin_) * codes : 0) {
        const auto nodes = std::span(request.nodes).subspan(begin, end - begin);
        place_.assign(static_cast<std::size_t>(*std::ranges::max_element(nodes)) + 1, absent);
        for (std::size_t i = begin; i < end; ++i) place_[static_cast<std::size_t>(request.nodes[i])] = i;
    }

    void add(std::span<const std::int32_t> node_of_row, const StopToken& stop) {
        if (rows_.weights.empty())
            add_weighted(node_of_row, stop, [](std::size_t) { return Cell{1}; });
        else
            add_weighted(node_of_row, stop, [&](std::size_t row) { return static_cast<Cell>(rows_.weights[row]); });
    }

    void pack(LevelHistograms<Cell>& into) const {
        for (std::size_t j = begin_; j < end_; ++j) {
            const std::size_t n_values = rows_.table->column(request_.columns[j]).n_values, at = (j - begin_) * codes;
            pack(cells_.data() + at * n_classes_, n_values, n_classes_, into.cells);
            if (!value_rows_.empty()) pack(value_rows_.data() + at, n_values, 1, into.rows);
        }
    }

  private:
    template <class WeightOf>
    void add_weighted(std::span<const std::int32_t> node_of_row, const StopToken& stop, WeightOf&& weight_of) {
        const std::uint8_t* const bytes = rows_.table->bytes();
        const std::uint32_t* const columns = request_.columns.data();
        const std::size_t* const first = request_.first.data();
        const std::size_t width = rows_.table->n_columns(), n_classes = n_classes_, n_places = place_.size();
        for (std::size_t row = 0; row < node_of_row.size(); ++row) {
            if (row % rows_between_stops == 0) check_stop(stop);
            const auto node = static_cast<std::size_t>(node_of_row[row]);  // an absent row has a great number then
            if (node >= n_places || place_[node] == absent) continue;
            const std::size_t place = place_[node];
            const std::uint8_t* const codes_of_row = bytes + row * width;
            const Cell weight = weight_of(row);
            Cell* const at = cells_.data() + rows_.labels[row];
            for (std::size_t j = first[place]; j < first[place + 1]; ++j) {
                const std::size_t cell = (j - begin_) * codes + codes_of_row[columns[j]];
                at[cell * n_classes] += weight;
                if (!value_rows_.empty()) ++value_rows_[cell];
            }
        }
    }
    // Missing values, code 255, come after the last value.
    template <class T>
    static void pack(const T* from, std::size_t n_values, std::size_t width, std::vector<T>& into) {
        into.insert(into.end(), from, from + n_values * width);
        into.insert(into.end(), from + (codes - 1) * width, from + codes * width);
    }

    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    const PartRows& rows_;
    const HistogramRequest& request_;
    const std::size_t begin_, end_, n_classes_;
    std::vector<std::size_t> place_;  // of each node in the request
    std::vector<Cell> cells_;
    std::vector<std::uint32_t> value_rows_;
};

// The end of the nodes, from `begin` on, whose tables fit the cache together.
std::size_t end_of_group(const HistogramRequest& request, std::size_t begin, std::size_t bytes_of_column) {
    constexpr std::size_t cache_bytes = std::size_t{1} << 20;  // of the second-level cache
    std::size_t end = begin + 1;
    while (end < request.nodes.size() &&
           (request.first[end + 1] - request.first[begin]) * bytes_of_column <= cache_bytes)
        ++end;
    return end;
}

// Where a row goes from a node, the same without a branch of the processor whether it stays there or moves on.
struct Step {
    std::uint32_t column = 0, cut = 0;
    std::int32_t low, high, missing;
    bool is_nominal = false, is_last = true;
};

// The steps from absent rows, which stay what they are, and from each node.
std::vector<Step> steps_of(const Tree& tree) {
    std::vector<Step> steps{{.low = absent_row, .high = absent_row, .missing = absent_row}};
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        const auto own = static_cast<std::int32_t>(node);
        Step& step = steps.emplace_back(Step{.low = own, .high = own, .missing = own});
        if (tree.is_leaf(node)) continue;
        step.column = static_cast<std::uint32_t>(tree.feature[node]);
        step.is_last = false;
        step.is_nominal = tree.n_values[node] > 0;
        if (step.is_nominal) continue;
        const auto child = [&](std::size_t branch) { return static_cast<std::int32_t>(tree.child(node, branch)); };
        step.cut = tree.cut_code[node];
        step.low = child(0);
        step.high = child(1);
        const std::int32_t branch = tree.missing_branch[node];
        step.missing = branch == Tree::all_branches ? absent_row : child(static_cast<std::size_t>(branch));
    }
    return steps;
}

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
    const std::vector<Step> steps = steps_of(tree);
    const Step* const step_of = steps.data() + 1;  // that of absent rows comes first
    const ShareDescent descent(tree);
    const std::size_t width = table.n_columns();
    for (std::size_t begin = 0; begin < node_of_row.size(); begin += rows_between_stops) {
        check_stop(stop);
        const std::size_t end = std::min(node_of_row.size(), begin + rows_between_stops);
        for (bool is_done = false; !is_done;) {
            is_done = true;
            for (std::size_t row = begin; row < end; ++row) {
                const Step& step = step_of[node_of_row[row]];
                const std::uint8_t code = table.bytes()[row * width + step.column];
                std::int32_t next = code <= step.cut ? step.low : step.high;
                next = code == missing_code<std::uint8_t> ? step.missing : next;
                if (step.is_nominal) {
                    const auto node = static_cast<std::size_t>(node_of_row[row]);
                    const std::size_t branch = descent.branch_of_value(node, code);
                    next = branch == ShareDescent::missing ? absent_row
                                                           : static_cast<std::int32_t>(tree.child(node, branch));
                }
                node_of_row[row] = next;
                is_done = is_done && step_of[next].is_last;
            }
        }
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
    LevelHistograms<Cell> result;
    result.cells.reserve(request.n_values(*rows.table) * rows.n_classes);
    for (std::size_t begin = 0, end = 0; begin < request.nodes.size(); begin = end) {
        end = end_of_group(request, begin, codes * rows.n_classes * sizeof(Cell));
        LevelTable<Cell> table(rows, request, begin, end);
        table.add(node_of_row, stop);
        table.pack(result);
    }
    return result;
}

template LevelHistograms<std::uint32_t> count_level(const PartRows&, std::span<const std::int32_t>,
                                                    const HistogramRequest&, const StopToken&);
template LevelHistograms<double> count_level(const PartRows&, std::span<const std::int32_t>, const HistogramRequest&,
                                             const StopToken&);

}  // namespace calibrant
