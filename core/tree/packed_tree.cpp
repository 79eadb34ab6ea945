#include "tree/packed_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

namespace calibrant {
namespace {

constexpr double most_weight = 1e280;  // so that the sum of all nodes is finite
constexpr std::size_t most_nodes = std::numeric_limits<std::int32_t>::max();
constexpr double rounding = 1e-6;  // of weights, which are summed in another order than counts

void require(bool holds) {
    if (!holds) throw std::invalid_argument("the arrays do not describe packed trees");
}

bool is_same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

double sum_of(std::span<const double> counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

// The counts of every test as the sum of its branches, added from the last branch to the first.
std::vector<double> summed_counts(const Tree& tree) {
    std::vector<double> counts(tree.counts.size());
    for (std::size_t node = 0; node < tree.n_nodes(); ++node)
        if (tree.is_leaf(node)) std::ranges::copy(tree.counts_of(node), &counts[node * tree.n_classes]);
    add_to_parents(tree.parent, tree.n_classes, counts);
    return counts;
}

// The class with the greatest count, the first of equals; of a node without any that of its parent.
std::int32_t majority_of(const Tree& tree, std::size_t node) {
    const auto counts = tree.counts_of(node);
    const auto most = std::ranges::max_element(counts);
    if (*most > 0 || node == 0) return static_cast<std::int32_t>(most - counts.begin());
    return tree.label[static_cast<std::size_t>(tree.parent[node])];
}

std::uint32_t code_of(const CodedTable& table, std::size_t column, double threshold) {
    const auto& values = table.column(column).values;
    const auto above = std::upper_bound(values.begin(), values.end(), threshold);
    return above == values.begin() ? 0 : static_cast<std::uint32_t>(above - values.begin() - 1);
}

// Appends the trees to the arrays.
class Packer {
  public:
    explicit Packer(std::span<const std::uint32_t> n_categories) : n_categories_(n_categories) {}

    void add_shape(const Tree& tree) {
        tree.check();
        std::vector<std::size_t> pending{0};
        for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
            if (pending.empty() || pending.back() != node) throw std::invalid_argument("nodes must be in preorder");
            pending.pop_back();
            add_test(tree, node);
            for (std::size_t branch = tree.n_children[node]; branch-- > 0;) pending.push_back(tree.child(node, branch));
        }
        arrays_.integers.n_nodes.push_back(static_cast<std::uint32_t>(tree.n_nodes()));
    }

    void add_labels(const Tree& tree) {
        for (std::size_t node = 0; node < tree.n_nodes(); ++node, ++n_labelled_) {
            if (tree.label[node] == majority_of(tree, node)) continue;
            arrays_.integers.label_node.push_back(n_labelled_);
            arrays_.integers.label.push_back(static_cast<std::uint32_t>(tree.label[node]));
        }
    }

    WideTreeArrays arrays() && {
        if (std::ranges::all_of(arrays_.log_prior, [](double value) { return value == 0; })) arrays_.log_prior.clear();
        return std::move(arrays_);
    }

  private:
    void add_test(const Tree& tree, std::size_t node) {
        auto& integers = arrays_.integers;
        const std::size_t column = tree.is_leaf(node) ? 0 : static_cast<std::size_t>(tree.feature[node]) + 1;
        integers.test.push_back(static_cast<std::uint32_t>(column));
        if (column == 0) return;
        integers.missing_branch.push_back(static_cast<std::uint32_t>(tree.missing_branch[node] + 1));
        arrays_.log_prior.push_back(tree.log_prior.empty() ? 0.0 : tree.log_prior[node]);
        if (column > n_categories_.size() || tree.n_values[node] != n_categories_[column - 1])
            throw std::invalid_argument("tests must be of the columns of the table");
        if (tree.n_values[node] == 0) return arrays_.cut.push_back(tree.threshold[node]);
        integers.n_branches.push_back(tree.n_children[node]);
        for (std::size_t value = 0; value < tree.n_values[node]; ++value)
            integers.branch_of_category.push_back(
                static_cast<std::uint32_t>(std::max(tree.branch_of_value[tree.first_value[node] + value], -1) + 1));
    }

    std::span<const std::uint32_t> n_categories_;
    WideTreeArrays arrays_{};
    std::uint32_t n_labelled_ = 0;
};

bool adds_up(const Tree& tree) { return std::ranges::equal(tree.counts, summed_counts(tree), is_same); }

bool has_summed_weight(const Tree& tree) {
    for (std::size_t node = 0; node < tree.n_nodes(); ++node)
        if (!is_same(tree.weight[node], sum_of(tree.counts_of(node)))) return false;
    return true;
}

}  // namespace

WideTreeArrays pack_trees(std::span<const Tree* const> trees, std::size_t n_classes,
                          std::span<const std::uint32_t> n_categories) {
    Packer packer(n_categories);
    for (const Tree* tree : trees) {
        if (tree->n_classes != n_classes) throw std::invalid_argument("trees must have the same classes");
        packer.add_shape(*tree);
        packer.add_labels(*tree);
    }
    WideTreeArrays arrays = std::move(packer).arrays();
    const bool has_weights = std::ranges::any_of(trees, [](const Tree* tree) { return !has_summed_weight(*tree); });
    const bool only_leaves =
        !has_weights && std::ranges::all_of(trees, [](const Tree* tree) { return adds_up(*tree); });
    for (std::size_t k = 0; k < n_classes; ++k)
        for (const Tree* tree : trees)
            for (std::size_t node = 0; node < tree->n_nodes(); ++node)
                if (!only_leaves || tree->is_leaf(node)) arrays.counts.push_back(tree->counts_of(node)[k]);
    for (const Tree* tree : trees)
        if (has_weights) arrays.weight.insert(arrays.weight.end(), tree->weight.begin(), tree->weight.end());
    return arrays;
}

PackedTrees::PackedTrees(std::size_t n_classes, std::vector<std::uint32_t> n_categories,
                         const TreeArrays<NarrowArray>& arrays)
    : n_classes_(n_classes), n_categories_(std::move(n_categories)), arrays_(arrays) {
    require(n_classes_ > 0 && arrays_.n_nodes.size() > 0);
    check_types();
    check_cuts();
    starts_.reserve(arrays_.n_nodes.size() + 1);
    for (std::size_t tree = 0; tree < arrays_.n_nodes.size(); ++tree)
        starts_.push_back(check_tree(starts_.back(), arrays_.n_nodes.at<std::size_t>(tree)));
    check_sizes();
    check_counts();
    check_weights();
    find_labels();
}

void PackedTrees::check_types() const {
    const auto& a = arrays_;
    for (const NarrowArray* array : {&a.n_nodes, &a.test, &a.first_cut, &a.cut_rank, &a.n_branches,
                                     &a.branch_of_category, &a.missing_branch, &a.label_node, &a.label})
        require(array->holds_integers());
}

void PackedTrees::check_cuts() const {
    std::visit([](auto cuts) { require(std::ranges::none_of(cuts, [](auto cut) { return cut != cut; })); },
               arrays_.cut.values());
    if (!has_ranks()) return;
    const NarrowArray& first = arrays_.first_cut;
    const std::size_t n_columns = n_categories_.size();
    require(first.size() == n_columns + 1 && first.at<std::size_t>(0) == 0 &&
            first.at<std::size_t>(n_columns) == arrays_.cut.size());
    for (std::size_t column = 0; column < n_columns; ++column)
        require(first.at<std::size_t>(column) <= first.at<std::size_t>(column + 1));
}

// Follows the nodes in preorder: each takes one open branch of the tests above it, and a test opens its own.
PackedTrees::Start PackedTrees::check_tree(Start at, std::size_t n_nodes) const {
    require(n_nodes > 0 && n_nodes <= most_nodes && n_nodes <= arrays_.test.size() - at.node);
    std::visit(
        [&]<class T>(std::span<const T> tests) {
            std::size_t n_open = 1;
            for (const T test : tests.subspan(at.node, n_nodes)) {
                require(n_open-- > 0);
                if (test == 0)
                    ++at.leaf;
                else
                    check_test(static_cast<std::size_t>(test) - 1, at, n_open);
            }
            require(n_open == 0);
        },
        arrays_.test.values());
    at.node += n_nodes;
    return at;
}

void PackedTrees::check_test(std::size_t column, Start& at, std::size_t& n_open) const {
    require(column < n_categories_.size());
    const std::size_t n = n_branches(column, at);
    require(n >= 2 && missing_branch(at) < static_cast<std::int64_t>(n) && log_prior(at) <= 0);
    n_open += n;
    if (n_categories_[column] == 0) {
        if (has_ranks())
            require(arrays_.cut_rank.at<std::size_t>(at.numeric) + arrays_.first_cut.at<std::size_t>(column) <
                    arrays_.first_cut.at<std::size_t>(column + 1));
        ++at.numeric;
        return;
    }
    for (std::size_t i = 0; i < n_categories_[column]; ++i)
        require(arrays_.branch_of_category.at<std::size_t>(at.category + i) <= n);
    at.category += n_categories_[column];
    ++at.nominal;
}

void PackedTrees::check_sizes() const {
    const Start& end = starts_.back();
    const auto has_size = [](const NarrowArray& array, std::size_t size) { require(array.size() == size); };
    has_size(arrays_.test, end.node);
    has_size(has_ranks() ? arrays_.cut_rank : arrays_.cut, end.numeric);
    require(has_ranks() || arrays_.cut_rank.size() == 0);
    has_size(arrays_.n_branches, end.nominal);
    has_size(arrays_.branch_of_category, end.category);
    require(arrays_.missing_branch.size() == n_tests() || arrays_.missing_branch.size() == 1);
    require(arrays_.counts.size() % n_classes_ == 0);
    require(counts_leaves() || n_counted() == end.node);
    require(arrays_.weight.size() == 0 || arrays_.weight.size() == end.node);
    has_size(arrays_.label, arrays_.label_node.size());
    has_size(arrays_.log_prior, arrays_.log_prior.size() == 0 ? 0 : n_tests());
}

// Every root must have some weight: what looks for the nearest node above with some ends there.
void PackedTrees::check_counts() const {
    std::visit(
        [&]<class T>(std::span<const T> counts) {
            if constexpr (std::is_floating_point_v<T>)
                require(std::ranges::all_of(counts, [](double count) { return count >= 0 && count <= most_weight; }));
            for (std::size_t tree = 0; tree < n_trees(); ++tree) {
                const std::size_t first = counts_leaves() ? starts_[tree].leaf : starts_[tree].node;
                const std::size_t n = counts_leaves() ? starts_[tree + 1].leaf - first : 1;
                bool has_weight = false;
                for (std::size_t k = 0; k < n_classes_ && !has_weight; ++k)
                    has_weight = std::ranges::any_of(counts.subspan(k * n_counted() + first, n),
                                                     [](T count) { return count > 0; });
                require(has_weight);
            }
        },
        arrays_.counts.values());
}

// Where the counts of all nodes are kept, the weight of each must be that of its counts and of its branches: a row with
// a missing value is shared among them.
void PackedTrees::check_weights() const {
    if (counts_leaves()) return;
    std::vector<double> open;  // the weights of nodes whose parent is still to come
    for (std::size_t tree = n_trees(); tree-- > 0;) {
        Start at = starts_[tree + 1];
        for (std::size_t node = starts_[tree + 1].node; node-- > starts_[tree].node;) {
            const double weight = checked_weight(node);
            const auto test = arrays_.test.at<std::size_t>(node);
            if (test > 0) {
                if (n_categories_[test - 1] > 0) --at.nominal;
                const auto branches = std::span(open).last(n_branches(test - 1, at));
                require(sum_of(branches) >= weight * (1 - rounding));
                open.resize(open.size() - branches.size());
            }
            open.push_back(weight);
        }
        open.clear();
    }
}

double PackedTrees::checked_weight(std::size_t node) const {
    double sum = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) sum += arrays_.counts.at<double>(k * n_counted() + node);
    const double weight = arrays_.weight.size() > 0 ? arrays_.weight.at<double>(node) : sum;
    require(weight <= most_weight && std::abs(sum - weight) <= rounding * weight);
    return weight;
}

void PackedTrees::find_labels() {
    std::size_t i = 0;
    for (std::size_t tree = 0; tree < n_trees(); ++tree) {
        starts_[tree].label = i;
        for (; i < arrays_.label_node.size(); ++i) {
            const auto node = arrays_.label_node.at<std::size_t>(i);
            require(i == 0 || arrays_.label_node.at<std::size_t>(i - 1) < node);
            require(arrays_.label.at<std::size_t>(i) < n_classes_);
            if (node >= starts_[tree + 1].node) break;
        }
    }
    require(i == arrays_.label_node.size());
    starts_.back().label = i;
}

std::size_t PackedTrees::n_branches(std::size_t column, const Start& at) const {
    return n_categories_[column] == 0 ? 2 : arrays_.n_branches.at<std::size_t>(at.nominal);
}

std::int32_t PackedTrees::missing_branch(const Start& at) const {
    const std::size_t test = arrays_.missing_branch.size() == 1 ? 0 : at.numeric + at.nominal;
    const auto branch = arrays_.missing_branch.at<std::size_t>(test);
    require(branch <= most_nodes);
    return static_cast<std::int32_t>(branch) - 1;
}

double PackedTrees::cut(std::size_t column, const Start& at) const {
    if (!has_ranks()) return arrays_.cut.at<double>(at.numeric);
    return arrays_.cut.at<double>(arrays_.first_cut.at<std::size_t>(column) +
                                  arrays_.cut_rank.at<std::size_t>(at.numeric));
}

double PackedTrees::log_prior(const Start& at) const {
    if (arrays_.log_prior.size() == 0) return 0;
    const auto value = arrays_.log_prior.at<double>(at.numeric + at.nominal);
    require(std::abs(value) <= most_weight);
    return value;
}

Tree PackedTrees::unpack(std::size_t tree_number, const CodedTable* table) const {
    if (tree_number >= n_trees()) throw std::out_of_range("there is no such tree");
    if (table != nullptr && table->n_columns() != n_categories_.size())
        throw std::invalid_argument("the table must have the columns of the trees");
    // A branch that waits for its node.
    struct Open {
        std::int32_t parent;
        std::size_t branch;
    };
    Start at = starts_[tree_number];
    Tree tree(n_classes_);
    std::vector<Open> open{{Tree::no_node, 0}};
    for (std::size_t node = 0; node < n_nodes(tree_number); ++node) {
        require(!open.empty());
        const auto [parent, branch] = open.back();
        open.pop_back();
        const auto test = arrays_.test.at<std::size_t>(starts_[tree_number].node + node);
        const std::size_t id = add_node(tree, test, parent, at, table);
        if (parent != Tree::no_node)
            tree.children[tree.first_child[static_cast<std::size_t>(parent)] + branch] = static_cast<std::int32_t>(id);
        for (std::size_t below = tree.n_children[id]; below-- > 0;)
            open.push_back({static_cast<std::int32_t>(id), below});
    }
    require(open.empty());
    add_counts(tree, starts_[tree_number]);
    add_labels(tree, tree_number);
    tree.check();  // the memory may be that of a file that somebody has changed since
    return tree;
}

std::size_t PackedTrees::add_node(Tree& tree, std::size_t test, std::int32_t parent, Start& at,
                                  const CodedTable* table) const {
    const std::size_t n_nodes = starts_.back().node;
    const std::size_t id = tree.add_node(parent, {}, 0.0, 0);
    if (test == 0) return id;
    const std::size_t column = test - 1;
    require(column < n_categories_.size());
    const std::size_t n = n_branches(column, at), n_values = n_categories_[column];
    const std::int32_t branch_of_missing = missing_branch(at);
    tree.set_log_prior(id, log_prior(at));
    if (n_values == 0) {
        const double threshold = cut(column, at);
        tree.make_numeric(id, column, threshold, table == nullptr ? 0 : code_of(*table, column, threshold),
                          branch_of_missing);
        ++at.numeric;
        return id;
    }
    require(n <= n_nodes);
    std::vector<std::int32_t> branches(n_values);
    for (std::size_t i = 0; i < n_values; ++i)
        branches[i] = static_cast<std::int32_t>(arrays_.branch_of_category.at<std::size_t>(at.category + i)) - 1;
    tree.make_nominal(id, column, n, branches, branch_of_missing);
    at.category += n_values;
    ++at.nominal;
    return id;
}

void PackedTrees::add_counts(Tree& tree, const Start& start) const {
    tree.counts.resize(tree.n_nodes() * n_classes_);
    std::visit(
        [&](auto counts) {
            std::size_t from = counts_leaves() ? start.leaf : start.node;
            for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
                if (counts_leaves() && !tree.is_leaf(node)) continue;
                require(from < n_counted());
                for (std::size_t k = 0; k < n_classes_; ++k)
                    tree.counts[node * n_classes_ + k] = static_cast<double>(counts[k * n_counted() + from]);
                ++from;
            }
        },
        arrays_.counts.values());
    if (counts_leaves()) add_to_parents(tree.parent, n_classes_, tree.counts);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node)
        tree.weight[node] =
            arrays_.weight.size() > 0 ? arrays_.weight.at<double>(start.node + node) : sum_of(tree.counts_of(node));
}

void PackedTrees::add_labels(Tree& tree, std::size_t tree_number) const {
    const std::size_t first = starts_[tree_number].node, end = starts_[tree_number + 1].label;
    std::size_t i = starts_[tree_number].label;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        const bool is_kept = i < end && arrays_.label_node.at<std::size_t>(i) == first + node;
        tree.label[node] = is_kept ? arrays_.label.at<std::int32_t>(i++) : majority_of(tree, node);
    }
}

}  // namespace calibrant
