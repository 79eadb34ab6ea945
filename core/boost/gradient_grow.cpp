#include "boost/gradient_grow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "counter_random.hpp"

namespace calibrant {
namespace {

// Draws a share of the items, at least one, to the front.
std::size_t draw_share(std::span<std::uint32_t> items, double share, CounterRandom random) {
    if (items.empty()) return 0;
    const auto n = static_cast<double>(items.size());
    const auto n_drawn = std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(share * n)), 1, items.size());
    if (n_drawn == items.size()) return n_drawn;
    for (std::size_t i = 0; i < n_drawn; ++i) {
        const auto other = static_cast<std::size_t>(random.uniform() * static_cast<double>(items.size() - i));
        std::swap(items[i], items[i + other]);
    }
    return n_drawn;
}

}  // namespace

GradientGrower::GradientGrower(const BinnedTable& table, const GradientOptions& options)
    : table_(&table), options_(options), cells_(table.n_cells() * options.max_leaves), search_(options, {}) {}

const GrowingTree& GradientGrower::grow(std::span<std::uint32_t> rows, const TreeTargets& targets, std::uint64_t seed) {
    targets_ = targets;
    search_ = SplitSearch(options_, targets.units);
    draw_columns(seed);
    start(rows);
    while (leaves_.size() < options_.max_leaves) {
        const std::size_t at = best_leaf();
        if (at == leaves_.size()) break;
        split(at);
    }
    for (const Leaf& leaf : leaves_) tree_.values.push_back(search_.leaf_value(leaf.sums.sum));
    return tree_;
}

void GradientGrower::draw_columns(std::uint64_t seed) {
    seed_ = seed;
    columns_.resize(table_->usable().size());
    std::iota(columns_.begin(), columns_.end(), 0U);
    columns_.resize(draw_share(columns_, options_.column_share, {seed, 0}));
    std::sort(columns_.begin(), columns_.end());
    histogram_.choose(*table_, columns_);
}

void GradientGrower::start(std::span<std::uint32_t> rows) {
    rows_ = rows;
    second_rows_.resize(rows.size());
    tree_.nodes.clear();
    tree_.values.clear();
    Leaf root;
    root.end = rows.size();
    root.sums.weight = weight_of(0, root.end);
    for (const std::uint32_t row : rows) root.sums.sum += targets_.of_row[row];
    leaves_.assign(1, root);
    if (!is_splittable(root) || columns_.empty()) return;
    histogram_.sum(*table_, rows_, targets_.of_row.data(), cells(0));
    search(leaves_.front());
}

std::size_t GradientGrower::best_leaf() const {
    std::size_t best = leaves_.size();
    double most = 0;
    for (std::size_t at = 0; at < leaves_.size(); ++at)
        if (leaves_[at].split.gain > most) best = at, most = leaves_[at].split.gain;
    return best;
}

void GradientGrower::split(std::size_t at) {
    const Leaf leaf = leaves_[at];
    const auto node = static_cast<std::int32_t>(tree_.nodes.size());
    const std::size_t middle = partition(leaf);
    const auto other = static_cast<std::int32_t>(leaves_.size());
    tree_.nodes.push_back({leaf.split.test, ~static_cast<std::int32_t>(at), ~other});
    if (leaf.parent >= 0) {
        auto& parent = tree_.nodes[static_cast<std::size_t>(leaf.parent)];
        (leaf.is_first ? parent.first : parent.second) = node;
    }
    leaves_[at] = child(leaf, node, true, leaf.begin, middle);
    leaves_.push_back(child(leaf, node, false, middle, leaf.end));
    Leaf &first = leaves_[at], &second = leaves_.back();
    second.slot = leaves_.size() - 1;
    const bool first_is_smaller = first.end - first.begin <= second.end - second.begin;
    if (first_is_smaller) std::swap(first.slot, second.slot);  // the larger one keeps the node's
    find_sums(first_is_smaller ? first : second, first_is_smaller ? second : first);
}

GradientGrower::Leaf GradientGrower::child(const Leaf& leaf, std::int32_t parent, bool is_first, std::size_t begin,
                                           std::size_t end) const {
    Leaf made;
    made.begin = begin;
    made.end = end;
    made.depth = leaf.depth + 1;
    made.slot = leaf.slot;
    made.parent = parent;
    made.is_first = is_first;
    made.sums.weight = weight_of(begin, end);
    for (std::size_t i = begin; i < end; ++i) made.sums.sum += targets_.of_row[rows_[i]];
    return made;
}

// Moves the rows of the second branch behind those of the first, each in the order they had.
std::size_t GradientGrower::partition(const Leaf& leaf) {
    std::array<std::uint8_t, 256> is_first;
    for (std::size_t code = 0; code < 256; ++code)
        is_first[code] = leaf.split.test.is_first(static_cast<std::uint8_t>(code));
    const std::uint8_t* const codes = table_->codes(leaf.split.test.column);
    std::size_t n_first = leaf.begin, n_second = 0;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        const std::uint32_t row = rows_[i];
        const std::size_t goes_first = is_first[codes[row]];
        rows_[n_first] = row;
        second_rows_[n_second] = row;
        n_first += goes_first;
        n_second += 1 - goes_first;
    }
    std::copy_n(second_rows_.begin(), n_second, rows_.begin() + static_cast<std::ptrdiff_t>(n_first));
    return n_first;
}

// Sums are counted for the smaller leaf; the larger one's are what is left of the node's.
void GradientGrower::find_sums(Leaf& smaller, Leaf& larger) {
    if (leaves_.size() == options_.max_leaves || (!is_splittable(smaller) && !is_splittable(larger))) return;
    histogram_.sum(*table_, rows_.subspan(smaller.begin, smaller.end - smaller.begin), targets_.of_row.data(),
                   cells(smaller.slot));
    histogram_.subtract(cells(smaller.slot), cells(larger.slot));
    for (Leaf* leaf : {&smaller, &larger})
        if (is_splittable(*leaf)) search(*leaf);
}

void GradientGrower::search(Leaf& leaf) {
    search_.start(leaf.sums);
    node_columns_ = columns_;
    const auto parent = static_cast<std::uint64_t>(leaf.parent + std::int64_t{1});
    const std::uint64_t number = 2 * parent + leaf.is_first + 1;  // 0 is the tree's own
    const std::size_t n_columns = draw_share(node_columns_, options_.node_share, {seed_, number});
    const GradientSum* const sums = cells(leaf.slot);
    for (const std::uint32_t column : std::span(node_columns_).first(n_columns)) {
        const std::size_t original = table_->usable()[column];
        const std::size_t n_bins = table_->rules().n_bins[original];
        const GradientSum* const of_column = sums + table_->first_cell(column);
        if (table_->rules().is_nominal[original])
            search_.search_nominal(column, of_column, n_bins, leaf.split);
        else
            search_.search_numeric(column, of_column, n_bins, leaf.split);
    }
}

bool GradientGrower::is_splittable(const Leaf& leaf) const {
    return leaf.depth < options_.max_depth && leaf.sums.weight >= 2 * options_.min_leaf && leaf.end - leaf.begin > 1 &&
           options_.max_leaves > 1;
}

double GradientGrower::weight_of(std::size_t begin, std::size_t end) const {
    if (targets_.weights.empty()) return static_cast<double>(end - begin);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += targets_.weights[rows_[i]];
    return sum;
}

}  // namespace calibrant
