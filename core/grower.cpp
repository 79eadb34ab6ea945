#include "grower.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "choice.hpp"
#include "column_search.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "split_search.hpp"

namespace calibrant {
namespace {

constexpr std::size_t fewest_aside = 2000;    // a part of the tree is worth a thread from so many rows on
constexpr std::size_t fewest_shared = 20000;  // and a node's columns are worth sharing

// What the two programs do differently while growing.
struct Tolerances {
    explicit Tolerances(Dialect dialect)
        : attribute(dialect == Dialect::c45 ? 1e-7 : 1e-6), label(dialect == Dialect::c45 ? 1e-9 : 1e-6),
          cuts(dialect == Dialect::c45 ? CutRules{.usable_gain = 1e-12}
                                       : CutRules{.tolerance = 1e-6, .least_gain = 0, .usable_gain = 1e-6, .count_cases = true}) {}
    double attribute;  // a later attribute must score more than this to win
    double label;      // and a later class have more weight than this
    CutRules cuts;
};

// A node that waits to be grown.
struct Pending {
    std::int32_t parent = Tree::no_node;
    std::size_t branch = 0;
    Segment segment{};
    bool is_leaf = false;
    std::size_t depth = 0;
    std::int32_t multiway_above = Tree::no_node;  // the nearest node above that gives each nominal value its branch
    std::uint64_t key = 0;                        // names the path from the root
    double weight = 0;
    std::int32_t label = 0;
    std::vector<double> counts{};
};

std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// A node left for another thread: its rows, and the columns that cannot be tested below it.
struct Aside {
    std::size_t id;
    Partition::Parcel parcel;
    std::vector<bool> used;
    Pending node;
};

class Grower {
public:
    Grower(const Examples& examples, const GrowOptions& options);
    explicit Grower(const Grower& whole);  // for a part of its tree, in a thread of its own
    Tree grow(const std::stop_token& stop);

private:
    bool must_be_leaf(const Pending& node) const;
    std::int32_t majority(std::span<const double> counts) const;
    Pending make_root();
    void start(double total_weight);
    void grow_pending(const std::stop_token& stop);
    void set_aside(std::size_t id, Pending&& node);
    Tree grow_aside(Aside& aside, const std::stop_token& stop);
    Tree with_asides(const std::stop_token& stop);
    void search_all(const Pending& node, const std::stop_token& stop);
    std::size_t threads_for(const Pending& node) const;
    void mark_used(const Pending& node, bool used);

    void split(std::size_t id, const Pending& node, std::size_t column, const std::stop_token& stop);
    std::uint32_t set_threshold(std::size_t id, std::size_t column);
    std::uint32_t last_present(std::size_t column, std::uint32_t code);
    void tally_sorted(std::size_t column, const Pending& node, std::uint32_t cut, std::vector<Pending>& children, std::vector<Branch>& branches);
    template <class BranchOf>
    void tally(std::size_t column, const Pending& node, std::vector<Pending>& children, std::vector<Branch>& branches, BranchOf&& branch_of);
    void share_unknown(std::vector<Pending>& children, std::vector<Branch>& branches);

    const Examples& examples_;
    const GrowOptions& options_;
    const Tolerances tolerances_;
    CutRules cut_rules_;
    const std::size_t n_classes_;
    const int class_bits_;
    Partition partition_;
    std::vector<std::unique_ptr<ColumnSearch>> searches_;  // one for each thread
    std::optional<Choice> choice_;
    std::vector<bool> used_;
    std::vector<std::int32_t> multiway_above_;  // of each node: the nearest one above that gives each value its branch
    std::vector<FoundTest> found_;
    const bool has_absent_rows_;
    std::vector<std::vector<std::uint32_t>> last_present_;
    std::vector<double> unknown_counts_;
    double unknown_weight_ = 0;
    std::size_t n_unknown_ = 0;
    double total_weight_ = 0;
    std::size_t aside_below_ = 0;  // nodes of fewer rows are left for the threads to share
    std::vector<Aside> asides_;
    std::vector<Pending> stack_;
    Tree tree_;
};

CutRules cut_rules(const GrowOptions& options, CutRules rules) {
    rules.penalty = options.penalty;
    return rules;
}

Grower::Grower(const Examples& examples, const GrowOptions& options)
    : examples_(examples), options_(options), tolerances_(options.dialect), cut_rules_(cut_rules(options, tolerances_.cuts)),
      n_classes_(examples.n_classes), class_bits_(static_cast<int>(std::bit_width(examples.n_classes - 1))),
      partition_(*examples.table, examples.labels, examples.weights, ColumnSearch::columns_to_sort(*examples.table, class_bits_), class_bits_),
      used_(examples.table->n_columns()), found_(examples.table->n_columns()),
      has_absent_rows_(partition_.root().size < examples.table->n_rows()), last_present_(examples.table->n_columns()),
      unknown_counts_(examples.n_classes), tree_(examples.n_classes) {}

Grower::Grower(const Grower& whole)
    : examples_(whole.examples_), options_(whole.options_), tolerances_(whole.tolerances_), cut_rules_(whole.cut_rules_),
      n_classes_(whole.n_classes_), class_bits_(whole.class_bits_), partition_(whole.partition_, whole.examples_.table->n_rows()),
      used_(whole.used_.size()), found_(whole.found_.size()), has_absent_rows_(whole.has_absent_rows_),
      last_present_(whole.last_present_.size()), unknown_counts_(whole.n_classes_), tree_(whole.n_classes_) {
    start(whole.total_weight_);
}

void Grower::start(double total_weight) {
    total_weight_ = total_weight;
    searches_.push_back(std::make_unique<ColumnSearch>(examples_, options_, cut_rules_, partition_, class_bits_, total_weight));
    choice_.emplace(*examples_.table, options_, tolerances_.attribute, total_weight);
}

Pending Grower::make_root() {
    Pending root{.segment = partition_.root(), .key = mix(options_.seed), .counts = std::vector<double>(n_classes_)};
    for (const std::uint32_t row : partition_.rows(root.segment)) {
        const double weight = examples_.weights.empty() ? 1.0 : examples_.weights[row];
        root.counts[examples_.labels[row]] += weight;
        root.weight += weight;
    }
    root.label = majority(root.counts);
    root.is_leaf = must_be_leaf(root);
    return root;
}

std::int32_t Grower::majority(std::span<const double> counts) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < counts.size(); ++k) {
        if (counts[k] > counts[best] + tolerances_.label) best = k;
    }
    return static_cast<std::int32_t>(best);
}

bool Grower::must_be_leaf(const Pending& node) const {
    const double largest = *std::max_element(node.counts.begin(), node.counts.end());
    const bool is_pure = node.weight - largest <= 1e-9 * std::max(1.0, node.weight);
    const bool is_small = node.weight < 2 * options_.min_leaf - size_tolerance;
    return is_pure || is_small || (options_.max_depth > 0 && node.depth >= options_.max_depth);
}

Tree Grower::grow(const std::stop_token& stop) {
    stack_.push_back(make_root());
    start(stack_.back().weight);
    if (options_.n_threads > 1) {
        aside_below_ = std::max<std::size_t>(fewest_aside, stack_.back().segment.size / (8 * options_.n_threads));
        while (searches_.size() < options_.n_threads) {
            searches_.push_back(std::make_unique<ColumnSearch>(examples_, options_, cut_rules_, partition_, class_bits_, total_weight_));
        }
    }
    grow_pending(stop);
    return asides_.empty() ? std::move(tree_) : with_asides(stop);
}

void Grower::grow_pending(const std::stop_token& stop) {
    while (!stack_.empty()) {
        check_stop(stop);
        Pending node = std::move(stack_.back());
        stack_.pop_back();
        const std::size_t id = tree_.add_node(node.parent, node.counts, node.weight, node.label);
        multiway_above_.push_back(node.multiway_above);
        if (node.parent != Tree::no_node) {
            tree_.children[tree_.first_child[static_cast<std::size_t>(node.parent)] + node.branch] = static_cast<std::int32_t>(id);
        }
        if (node.is_leaf) continue;
        if (node.segment.size < aside_below_) {
            set_aside(id, std::move(node));
            continue;
        }
        partition_.enter(node.segment);
        search_all(node, stop);
        const std::size_t column = choice_->choose(found_, mix(node.key));
        if (column < found_.size()) split(id, node, column, stop);
    }
}

void Grower::set_aside(std::size_t id, Pending&& node) {
    mark_used(node, true);
    asides_.push_back({id, partition_.take_out(node.segment), used_, std::move(node)});
    mark_used(asides_.back().node, false);
}

Tree Grower::grow_aside(Aside& aside, const std::stop_token& stop) {
    tree_ = Tree(n_classes_);
    multiway_above_.clear();
    used_ = aside.used;
    aside.node.segment = partition_.put_in(std::move(aside.parcel));
    aside.node.parent = Tree::no_node;
    aside.node.multiway_above = Tree::no_node;
    stack_.push_back(std::move(aside.node));
    grow_pending(stop);
    return std::move(tree_);
}

// Grows what was set aside, a thread for each part, and puts the parts where they belong.
Tree Grower::with_asides(const std::stop_token& stop) {
    std::vector<Tree> parts(asides_.size());
    std::vector<std::unique_ptr<Grower>> growers(std::min(options_.n_threads, asides_.size()));
    parallel_for(asides_.size(), growers.size(), stop, [&](std::size_t part, std::size_t worker) {
        if (!growers[worker]) growers[worker] = std::make_unique<Grower>(*this);
        parts[part] = growers[worker]->grow_aside(asides_[part], stop);
    });
    std::vector<const Tree*> below(tree_.n_nodes(), nullptr);
    for (std::size_t part = 0; part < parts.size(); ++part) below[asides_[part].id] = &parts[part];
    return tree_.with_subtrees(below);
}

// A nominal column that was tested above, a branch for each value, has one value left: it cannot be tested again.
void Grower::mark_used(const Pending& node, bool used) {
    for (std::int32_t at = node.multiway_above; at != Tree::no_node; at = multiway_above_[static_cast<std::size_t>(at)]) {
        used_[static_cast<std::size_t>(tree_.feature[static_cast<std::size_t>(at)])] = used;
    }
}

void Grower::search_all(const Pending& node, const std::stop_token& stop) {
    const NodeRows rows{node.segment, node.counts, node.weight};
    mark_used(node, true);
    parallel_for(found_.size(), threads_for(node), stop, [&](std::size_t column, std::size_t worker) {
        found_[column] = used_[column] ? FoundTest{} : searches_[worker]->best_test(column, rows);
    });
    mark_used(node, false);
}

// Threads cost time to start: only nodes of many rows are worth it.
std::size_t Grower::threads_for(const Pending& node) const { return node.segment.size < fewest_shared ? 1 : searches_.size(); }

// The greatest code up to the given one that a row of some weight has.
std::uint32_t Grower::last_present(std::size_t column, std::uint32_t code) {
    if (!has_absent_rows_) return code;
    auto& last = last_present_[column];
    if (last.empty()) {
        const CodedColumn& coded = examples_.table->column(column);
        last.assign(coded.n_values, 0);
        std::visit(
            [&]<class Code>(const std::vector<Code>& codes) {
                for (std::size_t row = 0; row < codes.size(); ++row) {
                    if (codes[row] != missing_code<Code> && examples_.weights[row] > 0) last[codes[row]] = codes[row];
                }
            },
            coded.codes);
        std::partial_sum(last.begin(), last.end(), last.begin(), [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    }
    return last[code];
}

// The threshold and the greatest code that goes to the first branch.
std::uint32_t Grower::set_threshold(std::size_t id, std::size_t column) {
    const auto& values = examples_.table->column(column).values;
    const FoundTest& test = found_[column];
    double middle = values[test.below] + (values[test.above] - values[test.below]) / 2;
    if (!(middle < values[test.above]) || !std::isfinite(middle)) middle = values[test.below];
    const auto above = std::upper_bound(values.begin(), values.end(), middle);
    auto code = static_cast<std::uint32_t>(above - values.begin() - 1);
    if (!options_.midpoint) code = last_present(column, code);
    tree_.make_numeric(id, column, options_.midpoint ? middle : values[code], code);
    return code;
}

// A cut of a presorted column without holes, all weights 1: the first rows go left, the others right.
void Grower::tally_sorted(std::size_t column, const Pending& node, std::uint32_t cut, std::vector<Pending>& children,
                          std::vector<Branch>& branches) {
    n_unknown_ = 0;
    const std::uint32_t class_mask = (1U << class_bits_) - 1;
    for (const SortedRow& row : partition_.sorted_rows(column, node.segment)) {
        const std::size_t branch = row.key >> class_bits_ > cut;
        partition_.mark_side(row.row, branch == 1);
        children[branch].counts[row.key & class_mask] += 1;
        ++branches[branch].segment.size;
    }
    for (std::size_t b = 0; b < 2; ++b) children[b].weight = static_cast<double>(branches[b].segment.size);
}

template <class BranchOf>
void Grower::tally(std::size_t column, const Pending& node, std::vector<Pending>& children, std::vector<Branch>& branches,
                   BranchOf&& branch_of) {
    std::fill(unknown_counts_.begin(), unknown_counts_.end(), 0.0);
    unknown_weight_ = 0;
    n_unknown_ = 0;
    std::visit(
        [&]<class Code>(const std::vector<Code>& codes) {
            for (const std::uint32_t row : partition_.rows(node.segment)) {
                const double weight = partition_.is_weighted() ? partition_.weight_of(row) : 1.0;
                const std::size_t label = examples_.labels[row];
                if (codes[row] == missing_code<Code>) {
                    unknown_counts_[label] += weight;
                    unknown_weight_ += weight;
                    ++n_unknown_;
                    partition_.mark(row, Partition::unknown);
                    continue;
                }
                const auto branch = static_cast<std::uint32_t>(branch_of(codes[row]));
                partition_.mark(row, branch);
                partition_.mark_side(row, branch == 1);
                children[branch].counts[label] += weight;
                children[branch].weight += weight;
                ++branches[branch].segment.size;
            }
        },
        examples_.table->column(column).codes);
}

// Cases with unknown value go to every branch, in proportion to its known cases.
void Grower::share_unknown(std::vector<Pending>& children, std::vector<Branch>& branches) {
    double known = 0;
    for (const Pending& child : children) known += child.weight;
    for (std::size_t b = 0; b < children.size(); ++b) {
        branches[b].share = children[b].weight / known;
        if (n_unknown_ == 0 || branches[b].share == 0) continue;
        for (std::size_t k = 0; k < n_classes_; ++k) children[b].counts[k] += branches[b].share * unknown_counts_[k];
        children[b].weight += branches[b].share * unknown_weight_;
        branches[b].segment.size += n_unknown_;
    }
}

void Grower::split(std::size_t id, const Pending& node, std::size_t column, const std::stop_token& stop) {
    const bool is_nominal = examples_.table->column(column).kind == Kind::nominal;
    const bool is_multiway = is_nominal && found_[column].branches.empty();
    const std::size_t n_branches = found_[column].n_branches;
    const bool by_sides = n_branches == 2 && examples_.table->column(column).n_missing == 0;
    std::vector<Pending> children(n_branches, Pending{.parent = static_cast<std::int32_t>(id), .depth = node.depth + 1,
                                                      .multiway_above = is_multiway ? static_cast<std::int32_t>(id) : node.multiway_above,
                                                      .counts = std::vector<double>(n_classes_)});
    std::vector<Branch> branches(n_branches);
    if (is_multiway) {
        std::vector<std::int32_t> identity(n_branches);
        std::iota(identity.begin(), identity.end(), 0);
        tree_.make_nominal(id, column, n_branches, identity);
        tally(column, node, children, branches, [](auto code) { return code; });
    } else if (is_nominal) {
        const auto& branch_of_value = found_[column].branches;
        tree_.make_nominal(id, column, n_branches, branch_of_value);
        tally(column, node, children, branches, [&](auto code) { return branch_of_value[code]; });
    } else {
        const std::uint32_t cut = set_threshold(id, column);
        if (by_sides && partition_.is_sorted(column) && !partition_.is_weighted()) tally_sorted(column, node, cut, children, branches);
        else tally(column, node, children, branches, [cut](auto code) { return code > cut; });
    }
    share_unknown(children, branches);
    for (std::size_t b = 0; b < n_branches; ++b) {
        Pending& child = children[b];
        child.branch = b;
        child.key = mix(node.key ^ (b + 1));
        child.label = child.weight > 0 ? majority(child.counts) : node.label;
        child.is_leaf = must_be_leaf(child);
        branches[b].keep = !child.is_leaf;
    }
    partition_.part(node.segment, branches, by_sides, threads_for(node), stop);
    for (std::size_t b = n_branches; b-- > 0;) {
        children[b].segment = branches[b].segment;
        stack_.push_back(std::move(children[b]));
    }
}

}  // namespace

Tree grow(const Examples& examples, const GrowOptions& options, const std::stop_token& stop) {
    if (examples.n_classes < 1 || examples.n_classes > 65535) throw std::invalid_argument("a tree has 1 to 65535 classes");
    if (examples.labels.size() != examples.table->n_rows()) throw std::invalid_argument("one label for each row");
    if (!examples.weights.empty() && examples.weights.size() != examples.table->n_rows()) throw std::invalid_argument("one weight for each row");
    return Grower(examples, options).grow(stop);
}

}  // namespace calibrant
