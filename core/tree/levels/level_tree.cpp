#include "tree/levels/level_tree.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tree/grow/c45_j48.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {
namespace {

// Sums of whole numbers, and of multiples of one power of two, are exact: their order does not matter.
double sum_of(std::span<const double> cells) { return std::accumulate(cells.begin(), cells.end(), 0.0); }

}  // namespace

LevelTree::LevelTree(const CodedTable& columns, std::span<const double> counts, const GrowOptions& options,
                     WholeTree whole, double few_rows)
    : columns_(columns),
      options_(options),
      whole_(std::move(whole)),
      examples_{&columns, {}, {}, counts.size(), {}, &whole_},
      n_classes_(counts.size()),
      few_rows_(few_rows),
      least_rows_(least_rows(examples_, options_)),
      counts_rows_(options.min_rows > 0),
      rules_(options_),
      cut_rules_(cut_rules(options_, rules_.tolerances().cuts)),
      xlogx_(xlogx_for(examples_, options_)),
      gaps_(value_gaps_of(columns, closest_values)),
      search_(columns, n_classes_, options_, cut_rules_, xlogx_, gaps_, least_rows_),
      split_choice_(columns, options_, rules_.tolerances().attribute, whole_.weight),
      thresholds_(examples_, options_.midpoint, false),
      draw_(columns.n_columns(), options_),
      found_(columns.n_columns()),
      tree_(n_classes_) {
    PendingNode root{.segment = {0, whole_.n_rows},
                     .weight = whole_.weight,
                     .counts = std::vector<double>(counts.begin(), counts.end())};
    rules_.start_root(root);
    open(add(std::move(root)));
}

std::int32_t LevelTree::add(PendingNode&& node) {
    const std::size_t id = tree_.add_node(node.parent, node.counts, node.weight, node.label);
    if (node.parent != Tree::no_node)
        tree_.children[tree_.first_child[static_cast<std::size_t>(node.parent)] + node.branch] =
            static_cast<std::int32_t>(id);
    nodes_.push_back(std::move(node));
    return static_cast<std::int32_t>(id);
}

// A node is a leaf, is left to be grown from its rows, or waits for its histograms.
void LevelTree::open(std::int32_t node) {
    const PendingNode& state = state_of(node);
    const auto n_rows = static_cast<double>(state.segment.size);
    if (state.is_leaf || (least_rows_ > 0 && n_rows < 2 * least_rows_ - size_tolerance)) return;
    const double about = state.weight * static_cast<double>(whole_.n_rows) / whole_.weight;
    if (about <= few_rows_)
        left_.push_back(node);
    else
        open_.push_back({node});
}

std::vector<std::uint32_t> LevelTree::columns_of(const OpenNode& open) {
    std::vector<std::uint32_t> columns;
    draw_.draw(state_of(open.node).key, [&](std::span<const std::size_t> drawn) {
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
        result.nodes.push_back(open.node);
        result.columns.insert(result.columns.end(), open.columns.begin(), open.columns.end());
        result.first.push_back(result.columns.size());
    }
    return result;
}

LevelTree::NodeTables LevelTree::tables_of(const OpenNode& open, std::span<const double>& cells,
                                           std::span<const std::uint32_t>& rows) {
    NodeTables tables{cells, rows, std::vector<std::size_t>(columns_.n_columns(), none)};
    std::size_t n_values = 0;
    for (const std::uint32_t column : open.columns) {
        tables.first[column] = n_values;
        n_values += std::size_t{columns_.column(column).n_values} + 1;
    }
    if (cells.size() < n_values * n_classes_ || (counts_rows_ && rows.size() < n_values))
        throw std::invalid_argument("the histograms are not those of the request");
    cells = cells.subspan(n_values * n_classes_);
    if (counts_rows_) rows = rows.subspan(n_values);
    return tables;
}

void LevelTree::grow(std::span<const double> cells, std::span<const std::uint32_t> rows) {
    const std::vector<OpenNode> level = std::move(open_);
    open_.clear();
    for (const OpenNode& node : level) {
        const NodeTables tables = tables_of(node, cells, rows);
        const std::size_t column = best_column(node, tables);
        if (column == none)
            open_.push_back({node.node, true});
        else if (column < columns_.n_columns())
            split(node.node, column, tables);
    }
}

std::size_t LevelTree::best_column(const OpenNode& open, const NodeTables& tables) {
    const PendingNode& node = state_of(open.node);
    const std::vector<bool> used = used_columns(node);
    std::fill(found_.begin(), found_.end(), FoundTest{});
    std::size_t chosen = columns_.n_columns();
    draw_.draw(node.key, [&](std::span<const std::size_t> drawn) {
        for (const std::size_t column : drawn) {
            if (tables.first[column] == none) chosen = none;
        }
        if (chosen == none) return true;
        for (const std::size_t column : drawn) {
            if (!used[column]) found_[column] = best_test(column, node, tables);
        }
        chosen = split_choice_.choose(found_, mix64(node.key));
        return chosen < columns_.n_columns();
    });
    return chosen;
}

std::span<const double> LevelTree::cells_of(std::size_t column, const NodeTables& tables) const {
    return tables.cells.subspan(tables.first[column] * n_classes_,
                                (std::size_t{columns_.column(column).n_values} + 1) * n_classes_);
}

std::span<const std::uint32_t> LevelTree::rows_of(std::size_t column, const NodeTables& tables) const {
    if (!counts_rows_) return {};
    return tables.rows.subspan(tables.first[column], std::size_t{columns_.column(column).n_values} + 1);
}

FoundTest LevelTree::best_test(std::size_t column, const PendingNode& node, const NodeTables& tables) {
    const auto cells = cells_of(column, tables);
    const auto rows = rows_of(column, tables);
    const NodeCounts counts{node.counts, node.weight};
    const double n_known = known_cases(column, cells, rows);
    const bool is_cut = columns_.column(column).kind == Kind::numeric && n_classes_ == 2 && least_rows_ == 0;
    if (!is_cut || !whole_.is_whole) return search_.best_test(column, cells, counts, n_known, rows);
    whole_cells_.assign(cells.begin(), cells.end());
    return search_.best_cut(column, std::span<const std::uint64_t>(whole_cells_), counts, n_known);
}

// For the rule of J48: rows where their number matters, and weight elsewhere; those whose branch is learned are known.
double LevelTree::known_cases(std::size_t column, std::span<const double> cells,
                              std::span<const std::uint32_t> rows) const {
    const std::size_t n_values =
        columns_.column(column).n_values + std::size_t{options_.missing == MissingValues::learned ? 1U : 0U};
    if (!counts_rows_) return sum_of(cells.first(n_values * n_classes_));
    return std::accumulate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n_values), 0.0);
}

void LevelTree::split(std::int32_t id, std::size_t column, const NodeTables& tables) {
    const PendingNode node = state_of(id);
    const FoundTest& test = found_[column];
    const CodedColumn& coded = columns_.column(column);
    const bool is_last = is_multiway(coded, test);
    std::vector<PendingNode> children(test.n_branches, PendingNode{.parent = id,
                                                                   .depth = node.depth + 1,
                                                                   .multiway_above = is_last ? id : node.multiway_above,
                                                                   .counts = std::vector<double>(n_classes_)});
    const std::uint32_t cut = write_test(tree_, static_cast<std::size_t>(id), column, coded, test, thresholds_);
    const auto cells = cells_of(column, tables);
    const auto rows = rows_of(column, tables);
    for (std::size_t value = 0; value <= coded.n_values; ++value) {
        const auto counts = cells.subspan(value * n_classes_, n_classes_);
        const double weight = sum_of(counts);
        if (weight == 0) continue;
        std::size_t branch = value;
        if (value == coded.n_values)
            branch = static_cast<std::size_t>(test.missing_branch);
        else if (coded.kind == Kind::numeric)
            branch = value > cut ? 1 : 0;
        else if (!is_last)
            branch = static_cast<std::size_t>(test.branches[value]);
        PendingNode& child = children.at(branch);
        for (std::size_t k = 0; k < n_classes_; ++k) child.counts[k] += counts[k];
        child.weight += weight;
        if (counts_rows_) child.segment.size += rows[value];
    }
    for (std::size_t b = 0; b < children.size(); ++b) {
        rules_.start_child(node, b, children[b]);
        open(add(std::move(children[b])));
    }
}

// A nominal column tested above with a branch per value has one value left: it cannot be tested again.
std::vector<bool> LevelTree::used_columns(const PendingNode& node) const {
    std::vector<bool> used(columns_.n_columns());
    for (std::int32_t at = node.multiway_above; at != Tree::no_node; at = state_of(at).multiway_above)
        used[static_cast<std::size_t>(tree_.feature[static_cast<std::size_t>(at)])] = true;
    return used;
}

SubtreeRoot LevelTree::root_of(std::int32_t node) const {
    const PendingNode& state = state_of(node);
    return {state.key, state.depth, used_columns(state)};
}

Tree LevelTree::finished(std::span<const Tree* const> subtrees) const {
    if (subtrees.size() != left_.size()) throw std::invalid_argument("there must be one subtree for each node left");
    std::vector<const Tree*> below(tree_.n_nodes(), nullptr);
    for (std::size_t i = 0; i < left_.size(); ++i) below[static_cast<std::size_t>(left_[i])] = subtrees[i];
    return tree_.with_subtrees(below);
}

}  // namespace calibrant
