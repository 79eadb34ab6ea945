#include "tree/levels/level_tree.hpp"

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <utility>

#include "tree/grow/node_rules.hpp"

namespace calibrant {

LevelTree::LevelTree(const CodedTable& columns, std::span<const double> counts, const GrowOptions& options,
                     WholeTree whole, double few_rows)
    : columns_(columns),
      options_(options),
      whole_(std::move(whole)),
      examples_{&columns, {}, {}, counts.size(), {}, &whole_},
      few_rows_(few_rows),
      counts_rows_(options.min_rows > 0),
      cut_rules_(cut_rules(options_)),
      xlogx_(xlogx_for(examples_, options_)),
      gaps_(value_gaps_of(columns, closest_values)),
      nodes_(examples_, options_, false),
      search_(columns, counts.size(), options_, cut_rules_, xlogx_, gaps_, nodes_.least_rows()),
      first_(columns.n_columns()) {
    PendingNode root{.segment = {0, whole_.n_rows},
                     .weight = whole_.weight,
                     .counts = std::vector<double>(counts.begin(), counts.end())};
    nodes_.rules().start_root(root);
    nodes_.start(std::move(root), std::vector<bool>(columns.n_columns()), whole_.weight);
    open_pending();
}

// A node that is no leaf is left to be grown from its rows, or waits for its histograms.
void LevelTree::open_pending() {
    nodes_.grow_pending({}, [&](std::size_t id, PendingNode& node) {
        const double about = node.weight * static_cast<double>(whole_.n_rows) / whole_.weight;
        if (about <= few_rows_) {
            left_.push_back(static_cast<std::int32_t>(id));
            left_roots_.push_back({node.key, node.depth, nodes_.used_columns(node)});
        } else {
            open_.push_back({id, std::move(node)});
        }
    });
}

std::vector<std::uint32_t> LevelTree::columns_of(const OpenNode& open) {
    std::vector<std::uint32_t> columns;
    nodes_.columns().draw(open.node.key, [&](std::span<const std::size_t> drawn) {
        columns.insert(columns.end(), drawn.begin(), drawn.end());
        return !open.needs_all;
    });
    return columns;
}

HistogramRequest LevelTree::request() {
    HistogramRequest result;
    result.counts_rows = counts_rows_;
    for (OpenNode& open : open_) {
        open.columns = columns_of(open);
        result.nodes.push_back(static_cast<std::int32_t>(open.id));
        result.columns.insert(result.columns.end(), open.columns.begin(), open.columns.end());
        result.first.push_back(result.columns.size());
    }
    return result;
}

// The histograms of the next node, taken from the front of those that are left.
template <class Cell>
NodeHistogram LevelTree::take(const OpenNode& open, std::span<const Cell>& cells,
                              std::span<const std::uint32_t>& rows) {
    std::fill(first_.begin(), first_.end(), NodeHistogram::absent);
    std::size_t n_values = 0;
    for (const std::uint32_t column : open.columns) {
        first_[column] = n_values;
        n_values += std::size_t{columns_.column(column).n_values} + 1;
    }
    const std::size_t n_cells = n_values * examples_.n_classes, n_rows = counts_rows_ ? n_values : 0;
    if (cells.size() < n_cells || rows.size() < n_rows)
        throw std::invalid_argument("the histograms are not those of the request");
    NodeHistogram histogram{.rows = rows.first(n_rows), .first = first_};
    if constexpr (std::integral<Cell>)
        histogram.counts = cells.first(n_cells);
    else
        histogram.weights = cells.first(n_cells);
    cells = cells.subspan(n_cells);
    rows = rows.subspan(n_rows);
    return histogram;
}

template <class Cell>
void LevelTree::grow(std::span<const Cell> cells, std::span<const std::uint32_t> rows) {
    if (std::integral<Cell> != whole_.is_whole)
        throw std::invalid_argument("cells must be whole numbers if and only if all weights are");
    for (OpenNode& open : std::exchange(open_, {})) {
        const NodeHistogram histogram = take(open, cells, rows);
        const auto search = [&](auto drawn, const auto& used, auto found) {
            const auto is_absent = [&](std::size_t column) { return first_[column] == NodeHistogram::absent; };
            if (std::ranges::any_of(drawn, is_absent)) return false;
            for (const std::size_t column : drawn) {
                if (!used[column])
                    found[column] = search_.best_test(column, histogram,
                                                      {open.node.counts, open.node.weight, open.node.segment.size});
            }
            return true;
        };
        const std::size_t column = nodes_.best_column(open.node, search);
        if (column == NodeQueue::not_counted) {
            open.needs_all = true;
            open_.push_back(std::move(open));
        } else if (column < columns_.n_columns()) {
            split(open, column, histogram);
        }
    }
}

template void LevelTree::grow(std::span<const std::uint32_t>, std::span<const std::uint32_t>);
template void LevelTree::grow(std::span<const double>, std::span<const std::uint32_t>);

// The children are counted by adding up the values that go to each. Sums of whole numbers, and of multiples of one
// power of two, are exact: their order does not matter.
void LevelTree::split(const OpenNode& open, std::size_t column, const NodeHistogram& histogram) {
    const FoundTest& test = nodes_.found(column);
    const CodedColumn& coded = columns_.column(column);
    const std::uint32_t cut = nodes_.begin_split(open.id, open.node, column);
    const auto branch_of = [&](std::size_t value) {
        if (value == coded.n_values) return static_cast<std::size_t>(test.missing_branch);
        if (coded.kind == Kind::numeric) return std::size_t{value > cut};
        return is_multiway(coded, test) ? value : static_cast<std::size_t>(test.branches[value]);
    };
    const std::size_t n_classes = examples_.n_classes;
    std::vector<double> counts(n_classes);
    for (std::size_t value = 0; value <= coded.n_values; ++value) {
        double weight = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const std::size_t cell = (first_[column] + value) * n_classes + k;
            counts[k] = whole_.is_whole ? static_cast<double>(histogram.counts[cell]) : histogram.weights[cell];
            weight += counts[k];
        }
        if (weight == 0) continue;
        PendingNode& child = nodes_.children()[branch_of(value)];
        for (std::size_t k = 0; k < n_classes; ++k) child.counts[k] += counts[k];
        child.weight += weight;
        if (counts_rows_) child.segment.size += histogram.rows[first_[column] + value];
    }
    nodes_.start_children(open.node);
    nodes_.push_children();
    open_pending();
}

const SubtreeRoot& LevelTree::root_of(std::int32_t node) const {
    const auto found = std::ranges::find(left_, node);
    if (found == left_.end()) throw std::invalid_argument("the node is not left to be grown");
    return left_roots_[static_cast<std::size_t>(found - left_.begin())];
}

Tree LevelTree::finished(std::span<const Tree* const> subtrees) const {
    if (subtrees.size() != left_.size()) throw std::invalid_argument("there must be one subtree for each node left");
    std::vector<const Tree*> below(tree().n_nodes(), nullptr);
    for (std::size_t i = 0; i < left_.size(); ++i) below[static_cast<std::size_t>(left_[i])] = subtrees[i];
    return tree().with_subtrees(below);
}

}  // namespace calibrant
