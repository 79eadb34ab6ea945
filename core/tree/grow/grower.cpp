#include "tree/grow/grower.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tree/grow/choice.hpp"
#include "tree/grow/coarse_search.hpp"
#include "tree/grow/column_search.hpp"
#include "tree/grow/dialect.hpp"
#include "tree/grow/partition.hpp"
#include "tree/grow/pending.hpp"
#include "tree/grow/row_split.hpp"
#include "tree/grow/split_search.hpp"
#include "tree/grow/thresholds.hpp"

namespace calibrant {
namespace {

constexpr std::uint64_t drawing_columns = 0x5851f42d4c957f2d;  // keeps the draw of columns apart from that of ties
constexpr std::size_t fewest_aside = 2000;    // a part of the tree is worth a thread from so many rows on
constexpr std::size_t most_settled = 2048;    // nodes of at most so many rows are cheaper to settle and search in full
constexpr std::size_t fewest_shared = 20000;  // and a node's columns are worth sharing

// A node left for another thread: its rows, and the columns that cannot be tested below it.
struct Aside {
    std::size_t id;
    Partition::Parcel parcel;
    std::vector<bool> used;
    Pending node;
};

class Grower {
  public:
    Grower(const Examples& examples, const GrowOptions& options, const GrowContext& context);
    explicit Grower(const Grower& whole);  // for a part of its tree, in a thread of its own
    Tree grow(const StopToken& stop);

  private:
    bool must_be_leaf(const Pending& node) const;
    bool has_too_few_rows(const Pending& node) const {
        return static_cast<double>(node.segment.size) < 2 * least_rows_ - size_tolerance;
    }
    std::int32_t majority(std::span<const double> counts) const;
    Pending make_root();
    void start(double total_weight);
    std::unique_ptr<ColumnSearch> make_search() const {
        return std::make_unique<ColumnSearch>(examples_, options_, cut_rules_, partition_, context_.xlogx,
                                              context_.gaps);
    }
    void grow_pending(const StopToken& stop);
    void settle(Pending& node, const StopToken& stop);
    void set_aside(std::size_t id, Pending&& node);
    Tree grow_aside(Aside& aside, const StopToken& stop);
    Tree with_asides(const StopToken& stop);
    std::size_t best_column(const Pending& node, const StopToken& stop);
    void search(const Pending& node, std::span<const std::size_t> columns, const StopToken& stop);
    std::size_t threads_for(const Pending& node) const;
    void mark_used(const Pending& node, bool used);

    void split(std::size_t id, const Pending& node, std::size_t column, const StopToken& stop);

    const Examples& examples_;
    const GrowOptions& options_;
    const GrowContext& context_;
    const Tolerances tolerances_;
    CutRules cut_rules_;
    const double least_rows_;
    const std::size_t n_classes_;
    const Keys keys_;
    Partition partition_;
    std::shared_ptr<std::atomic<std::size_t>> n_counts_;   // class counts kept so far, by all threads
    std::optional<CoarseSearch> coarse_;                   // for large nodes, where it will do
    std::vector<std::unique_ptr<ColumnSearch>> searches_;  // one for each thread
    std::optional<Choice> choice_;
    std::vector<bool> used_;
    std::vector<std::size_t> columns_, swaps_;  // in the order in which they are drawn, and how to undo it
    std::vector<std::int32_t> multiway_above_;  // of each node: the nearest one above that gives each value its branch
    std::vector<FoundTest> found_;
    Thresholds thresholds_;
    RowSplit row_split_;
    std::vector<Pending> children_;
    double total_weight_ = 0;
    std::size_t aside_below_ = 0;  // nodes of fewer rows are left for the threads to share
    std::vector<Aside> asides_;
    std::vector<Pending> stack_;
    Tree tree_;
};

Grower::Grower(const Examples& examples, const GrowOptions& options, const GrowContext& context)
    : examples_(examples),
      options_(options),
      context_(context),
      tolerances_(options.dialect),
      cut_rules_(cut_rules(options, tolerances_.cuts)),
      least_rows_(least_rows(examples, options)),
      n_classes_(examples.n_classes),
      keys_(keys_of(examples)),
      partition_(*examples.table, examples.labels, examples.weights, context.row_keys, context.row_cells),
      n_counts_(std::make_shared<std::atomic<std::size_t>>(0)),
      used_(examples.table->n_columns()),
      columns_(examples.table->n_columns()),
      found_(examples.table->n_columns()),
      thresholds_(examples, options.midpoint, partition_.root().size < examples.table->n_rows()),
      row_split_(examples, partition_, context.row_keys),
      tree_(examples.n_classes) {
    std::iota(columns_.begin(), columns_.end(), std::size_t{0});
}

Grower::Grower(const Grower& whole)
    : examples_(whole.examples_),
      options_(whole.options_),
      context_(whole.context_),
      tolerances_(whole.tolerances_),
      cut_rules_(whole.cut_rules_),
      least_rows_(whole.least_rows_),
      n_classes_(whole.n_classes_),
      keys_(whole.keys_),
      partition_(whole.partition_, nullptr),
      n_counts_(whole.n_counts_),
      used_(whole.used_.size()),
      columns_(whole.columns_.size()),
      found_(whole.found_.size()),
      thresholds_(whole.thresholds_),
      row_split_(examples_, partition_, context_.row_keys),
      tree_(whole.n_classes_) {
    std::iota(columns_.begin(), columns_.end(), std::size_t{0});
    start(whole.total_weight_);
}

void Grower::start(double total_weight) {
    total_weight_ = total_weight;
    const bool is_fit = CoarseSearch::is_fit_for(examples_, options_, cut_rules_, partition_.is_weighted());
    if (context_.buckets && is_fit)
        coarse_.emplace(examples_, options_, cut_rules_, partition_, context_.xlogx, context_.gaps, *context_.buckets);
    searches_.push_back(make_search());
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

Tree Grower::grow(const StopToken& stop) {
    stack_.push_back(make_root());
    start(stack_.back().weight);
    if (options_.n_threads > 1) {
        aside_below_ = std::max<std::size_t>(fewest_aside, stack_.back().segment.size / (8 * options_.n_threads));
        while (searches_.size() < options_.n_threads) searches_.push_back(make_search());
    }
    grow_pending(stop);
    return asides_.empty() ? std::move(tree_) : with_asides(stop);
}

void Grower::grow_pending(const StopToken& stop) {
    while (!stack_.empty()) {
        check_stop(stop);
        Pending node = std::move(stack_.back());
        stack_.pop_back();
        if (n_counts_->fetch_add(n_classes_) + n_classes_ > options_.most_counts) throw TooManyCounts{};
        const std::size_t id = tree_.add_node(node.parent, node.counts, node.weight, node.label);
        multiway_above_.push_back(node.multiway_above);
        if (node.parent != Tree::no_node) {
            tree_.children[tree_.first_child[static_cast<std::size_t>(node.parent)] + node.branch] =
                static_cast<std::int32_t>(id);
        }
        if (node.is_leaf || has_too_few_rows(node)) continue;
        if (!node.is_settled) partition_.unsettle();
        if (node.segment.size < aside_below_) {
            set_aside(id, std::move(node));
            continue;
        }
        settle(node, stop);
        partition_.enter(node.segment);
        const std::size_t column = best_column(node, stop);
        if (column < found_.size()) split(id, node, column, stop);
    }
}

// Below a node that is settled, so are all others. Large nodes are, where nothing else will do to search sorted
// columns.
void Grower::settle(Pending& node, const StopToken& stop) {
    const bool can_wait = coarse_ || !partition_.sorts();
    if (node.is_settled || (can_wait && node.segment.size >= most_settled && !node.asks_to_settle)) return;
    partition_.settle(node.segment, threads_for(node), stop);
    node.is_settled = true;
}

void Grower::set_aside(std::size_t id, Pending&& node) {
    mark_used(node, true);
    asides_.push_back({id, partition_.take_out(node.segment), used_, std::move(node)});
    mark_used(asides_.back().node, false);
}

Tree Grower::grow_aside(Aside& aside, const StopToken& stop) {
    tree_ = Tree(n_classes_);
    multiway_above_.clear();
    used_ = aside.used;
    aside.node.segment = partition_.put_in(std::move(aside.parcel));
    aside.node.parent = Tree::no_node;
    aside.node.is_settled = false;
    aside.node.multiway_above = Tree::no_node;
    stack_.push_back(std::move(aside.node));
    grow_pending(stop);
    return std::move(tree_);
}

// Grows what was set aside, a thread for each part, and puts the parts where they belong.
Tree Grower::with_asides(const StopToken& stop) {
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
    for (std::int32_t at = node.multiway_above; at != Tree::no_node;
         at = multiway_above_[static_cast<std::size_t>(at)]) {
        used_[static_cast<std::size_t>(tree_.feature[static_cast<std::size_t>(at)])] = used;
    }
}

// The column of the best test, or the number of columns where none has one.
std::size_t Grower::best_column(const Pending& node, const StopToken& stop) {
    const std::size_t n = columns_.size(), at_once = options_.max_features == 0 ? n : options_.max_features;
    std::fill(found_.begin(), found_.end(), FoundTest{});
    std::uint64_t random = mix(node.key ^ drawing_columns);
    std::size_t chosen = n;
    swaps_.clear();
    for (std::size_t first = 0, last = 0; first < n && chosen == n && (first == 0 || options_.redraw); first = last) {
        last = std::min(n, first + at_once);
        for (std::size_t i = first; at_once < n && i < last; ++i) {
            random = mix(random);
            swaps_.push_back(i + random % (n - i));
            std::swap(columns_[i], columns_[swaps_.back()]);
        }
        search(node, std::span<const std::size_t>(columns_).subspan(first, last - first), stop);
        chosen = choice_->choose(found_, mix(node.key));
    }
    // every node draws from the same order, whichever thread comes to it
    for (std::size_t i = swaps_.size(); i-- > 0;) std::swap(columns_[i], columns_[swaps_[i]]);
    return chosen;
}

void Grower::search(const Pending& node, std::span<const std::size_t> columns, const StopToken& stop) {
    const NodeRows rows{node.segment, node.counts, node.weight};
    const bool is_coarse = coarse_ && !node.is_settled;
    mark_used(node, true);
    if (is_coarse) coarse_->search(rows, columns, found_, threads_for(node), stop);
    parallel_for(columns.size(), threads_for(node), stop, [&](std::size_t task, std::size_t worker) {
        const std::size_t column = columns[task];
        if (used_[column] || (is_coarse && partition_.is_sorted(column))) return;
        found_[column] = searches_[worker]->best_test(column, rows);
    });
    mark_used(node, false);
}

// Threads cost time to start: only nodes of many rows are worth it.
std::size_t Grower::threads_for(const Pending& node) const {
    return node.segment.size < fewest_shared ? 1 : searches_.size();
}

void Grower::split(std::size_t id, const Pending& node, std::size_t column, const StopToken& stop) {
    const FoundTest& test = found_[column];
    const bool is_nominal = examples_.table->column(column).kind == Kind::nominal;
    const bool is_multiway = is_nominal && test.branches.empty();
    children_.assign(test.n_branches,
                     Pending{.parent = static_cast<std::int32_t>(id),
                             .is_settled = node.is_settled,
                             .asks_to_settle = coarse_ && !node.is_settled && coarse_->told_little(),
                             .depth = node.depth + 1,
                             .multiway_above = is_multiway ? static_cast<std::int32_t>(id) : node.multiway_above,
                             .counts = std::vector<double>(n_classes_)});
    if (is_multiway) {
        std::vector<std::int32_t> identity(test.n_branches);
        std::iota(identity.begin(), identity.end(), 0);
        tree_.make_nominal(id, column, test.n_branches, identity);
        row_split_.by_value(column, node, children_);
    } else if (is_nominal) {
        tree_.make_nominal(id, column, test.n_branches, test.branches);
        row_split_.by_groups(column, node, test.branches, children_);
    } else {
        const auto [value, cut] = thresholds_.of(column, test);
        tree_.make_numeric(id, column, value, cut);
        row_split_.by_cut(column, node, cut, children_);
    }
    for (std::size_t b = 0; b < children_.size(); ++b) {
        Pending& child = children_[b];
        child.branch = b;
        child.key = mix(node.key ^ (b + 1));
        child.label = child.weight > 0 ? majority(child.counts) : node.label;
        child.is_leaf = must_be_leaf(child);
    }
    row_split_.part(node, children_, threads_for(node), stop);
    for (std::size_t b = children_.size(); b-- > 0;) stack_.push_back(std::move(children_[b]));
}

}  // namespace

Tree grow(const Examples& examples, const GrowOptions& options, const GrowContext& context, const StopToken& stop) {
    return Grower(examples, options, context).grow(stop);
}

Tree grow(const Examples& examples, const GrowOptions& options, const StopToken& stop) {
    check(examples);
    return grow(examples, options, GrowContext(examples, options, stop), stop);
}

}  // namespace calibrant
