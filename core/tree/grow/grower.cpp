#include "tree/grow/grower.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tree/grow/c45_j48.hpp"
#include "tree/grow/coarse_search.hpp"
#include "tree/grow/column_search.hpp"
#include "tree/grow/histogram_search.hpp"
#include "tree/grow/node_rules.hpp"
#include "tree/grow/partition.hpp"
#include "tree/grow/pending_node.hpp"
#include "tree/grow/row_split.hpp"
#include "tree/grow/split_choice.hpp"
#include "tree/grow/split_search.hpp"
#include "tree/grow/thresholds.hpp"

namespace calibrant {
namespace {

constexpr std::size_t min_deferred_rows = 2000;  // a subtree of fewer rows is not worth handing to a thread
constexpr std::size_t always_presorted = 2048;   // below this, sorting once for the whole subtree beats counting in
                                                 // buckets at each node: the rows fit the second-level cache
constexpr std::size_t min_shared_rows =
    20000;  // searching the columns of fewer rows takes less time than starting threads

// A node left to another thread: its rows, and the columns that cannot be tested below it.
struct DeferredNode {
    std::size_t id;
    Partition::ExtractedRows extracted;
    std::vector<bool> used;
    PendingNode node;
};

class Grower {
  public:
    Grower(const Examples& examples, const GrowOptions& options, const GrowContext& context);
    explicit Grower(const Grower& whole);  // for a subtree, in its own thread
    Tree grow(const StopToken& stop);
    Tree grow_below(const SubtreeRoot& top, const StopToken& stop);

  private:
    bool has_too_few_rows(const PendingNode& node) const {
        return static_cast<double>(node.segment.size) < 2 * least_rows_ - size_tolerance;
    }
    PendingNode make_root();
    Tree grow_from(PendingNode&& root, double total_weight, const StopToken& stop);
    void start(double total_weight, std::size_t n_threads);
    std::unique_ptr<ColumnSearch> make_search() const {
        return std::make_unique<ColumnSearch>(examples_, options_, cut_rules_, partition_, context_.xlogx,
                                              context_.gaps);
    }
    void grow_pending(const StopToken& stop);
    void presort(PendingNode& node, const StopToken& stop);
    void defer(std::size_t id, PendingNode&& node);
    Tree grow_deferred(DeferredNode& deferred, const StopToken& stop);
    Tree with_deferred(const StopToken& stop);
    std::size_t best_column(const PendingNode& node, const StopToken& stop);
    void search(const PendingNode& node, std::span<const std::size_t> columns, const StopToken& stop);
    void search_histograms(const PendingNode& node, std::span<const std::size_t> columns, const StopToken& stop);
    void subtract_histograms(const StopToken& stop);
    std::size_t threads_for(const PendingNode& node) const;
    void mark_used(const PendingNode& node, bool used);

    void split(std::size_t id, const PendingNode& node, std::size_t column, const StopToken& stop);

    const Examples& examples_;
    const GrowOptions& options_;
    const GrowContext& context_;
    const NodeRules rules_;
    CutRules cut_rules_;
    const double least_rows_;
    const std::size_t n_classes_;
    const Keys keys_;
    Partition partition_;
    std::shared_ptr<std::atomic<std::size_t>> n_counts_;   // class counts stored so far, by all threads
    std::optional<CoarseSearch> coarse_;                   // for large nodes, where it applies
    std::optional<HistogramSearch> histograms_;            // the same for tables of bytes
    std::shared_ptr<Histogram> histogram_;                 // of all columns of the node being split, where it is known
    std::vector<std::unique_ptr<ColumnSearch>> searches_;  // one for each thread
    std::optional<SplitChoice> split_choice_;
    std::vector<bool> used_;
    ColumnDraw columns_;
    std::vector<std::int32_t> multiway_above_;  // of each node: the nearest one above with a branch per value
    std::vector<FoundTest> found_;
    Thresholds thresholds_;
    RowSplit row_split_;
    std::vector<PendingNode> children_;
    double total_weight_ = 0;
    std::size_t defer_below_ = 0;  // nodes of fewer rows are deferred to the threads
    std::vector<DeferredNode> deferred_;
    std::vector<PendingNode> stack_;
    Tree tree_;
};

Grower::Grower(const Examples& examples, const GrowOptions& options, const GrowContext& context)
    : examples_(examples),
      options_(options),
      context_(context),
      rules_(options),
      cut_rules_(cut_rules(options, rules_.tolerances().cuts)),
      least_rows_(least_rows(examples, options)),
      n_classes_(examples.n_classes),
      keys_(keys_of(examples)),
      partition_(*examples.table, examples.labels, examples.weights, context.row_keys, context.row_cells,
                 options.missing == MissingValues::fractional, examples.whole == nullptr || examples.whole->is_whole),
      n_counts_(std::make_shared<std::atomic<std::size_t>>(0)),
      used_(examples.table->n_columns()),
      columns_(examples.table->n_columns(), options),
      found_(examples.table->n_columns()),
      thresholds_(examples, options.midpoint, partition_.root().size < examples.table->n_rows()),
      row_split_(examples, partition_, context.row_keys),
      tree_(examples.n_classes) {}

Grower::Grower(const Grower& whole)
    : examples_(whole.examples_),
      options_(whole.options_),
      context_(whole.context_),
      rules_(whole.rules_),
      cut_rules_(whole.cut_rules_),
      least_rows_(whole.least_rows_),
      n_classes_(whole.n_classes_),
      keys_(whole.keys_),
      partition_(whole.partition_, nullptr),
      n_counts_(whole.n_counts_),
      used_(whole.used_.size()),
      columns_(whole.columns_),
      found_(whole.found_.size()),
      thresholds_(whole.thresholds_),
      row_split_(examples_, partition_, context_.row_keys),
      tree_(whole.n_classes_) {
    start(whole.total_weight_, 1);
}

void Grower::start(double total_weight, std::size_t n_threads) {
    total_weight_ = total_weight;
    if (examples_.table->bytes() != nullptr) partition_.set_weight_step(std::exp2(std::ilogb(total_weight) - 51));
    const bool is_fit = CoarseSearch::is_fit_for(examples_, options_, cut_rules_, partition_.is_weighted());
    if (context_.buckets && is_fit)
        coarse_.emplace(examples_, options_, cut_rules_, partition_, context_.xlogx, context_.gaps, *context_.buckets);
    if (HistogramSearch::is_fit_for(examples_, cut_rules_, partition_))
        histograms_.emplace(examples_, options_, cut_rules_, partition_, context_.xlogx, context_.gaps, n_threads);
    searches_.push_back(make_search());
    split_choice_.emplace(*examples_.table, options_, rules_.tolerances().attribute, total_weight);
}

PendingNode Grower::make_root() {
    PendingNode root{.segment = partition_.root(), .counts = std::vector<double>(n_classes_)};
    for (const std::uint32_t row : partition_.rows(root.segment)) {
        const double weight = examples_.weights.empty() ? 1.0 : examples_.weights[row];
        root.counts[examples_.labels[row]] += weight;
        root.weight += weight;
    }
    rules_.start_root(root);
    return root;
}

Tree Grower::grow(const StopToken& stop) {
    PendingNode root = make_root();
    const double total_weight = root.weight;
    return grow_from(std::move(root), total_weight, stop);
}

Tree Grower::grow_below(const SubtreeRoot& top, const StopToken& stop) {
    PendingNode root = make_root();
    root.key = top.key;
    root.depth = top.depth;
    root.is_leaf = false;
    used_ = top.used;
    return grow_from(std::move(root), examples_.whole->weight, stop);
}

Tree Grower::grow_from(PendingNode&& root, double total_weight, const StopToken& stop) {
    stack_.push_back(std::move(root));
    start(total_weight, options_.n_threads);
    if (options_.n_threads > 1) {
        defer_below_ = std::max<std::size_t>(min_deferred_rows, stack_.back().segment.size / (8 * options_.n_threads));
        while (searches_.size() < options_.n_threads) searches_.push_back(make_search());
    }
    grow_pending(stop);
    return deferred_.empty() ? std::move(tree_) : with_deferred(stop);
}

void Grower::grow_pending(const StopToken& stop) {
    while (!stack_.empty()) {
        check_stop(stop);
        PendingNode node = std::move(stack_.back());
        stack_.pop_back();
        if (n_counts_->fetch_add(n_classes_) + n_classes_ > options_.most_counts) throw TooManyCounts{};
        const std::size_t id = tree_.add_node(node.parent, node.counts, node.weight, node.label);
        multiway_above_.push_back(node.multiway_above);
        if (node.parent != Tree::no_node) {
            tree_.children[tree_.first_child[static_cast<std::size_t>(node.parent)] + node.branch] =
                static_cast<std::int32_t>(id);
        }
        if (node.is_leaf || has_too_few_rows(node)) continue;
        if (!node.is_presorted) partition_.leave_presorted();
        if (node.segment.size < defer_below_) {
            defer(id, std::move(node));
            continue;
        }
        presort(node, stop);
        partition_.enter(node.segment);
        const std::size_t column = best_column(node, stop);
        if (column < found_.size()) split(id, node, column, stop);
    }
}

// A node's rows go through two representations. Large nodes are rows of the table, counted in buckets; a small node, or
// one whose bucket counts bound little, is presorted: its rows are renumbered from 0 and its columns sorted once, and
// every node below it inherits that by stable partition. Large nodes are presorted as well where buckets do not apply.
void Grower::presort(PendingNode& node, const StopToken& stop) {
    const bool can_count = coarse_ || histograms_ || !partition_.sorts();
    if (node.is_presorted || (can_count && node.segment.size >= always_presorted && !node.should_presort)) return;
    partition_.presort(node.segment, threads_for(node), stop);
    node.is_presorted = true;
}

void Grower::defer(std::size_t id, PendingNode&& node) {
    mark_used(node, true);
    deferred_.push_back({id, partition_.extract(node.segment), used_, std::move(node)});
    mark_used(deferred_.back().node, false);
}

Tree Grower::grow_deferred(DeferredNode& deferred, const StopToken& stop) {
    tree_ = Tree(n_classes_);
    multiway_above_.clear();
    used_ = deferred.used;
    deferred.node.segment = partition_.load(std::move(deferred.extracted));
    deferred.node.parent = Tree::no_node;
    deferred.node.is_presorted = false;
    deferred.node.multiway_above = Tree::no_node;
    stack_.push_back(std::move(deferred.node));
    grow_pending(stop);
    return std::move(tree_);
}

// Grows the deferred subtrees, one per thread at a time, and grafts them onto the tree.
Tree Grower::with_deferred(const StopToken& stop) {
    std::vector<Tree> subtrees(deferred_.size());
    std::vector<std::unique_ptr<Grower>> growers(std::min(options_.n_threads, deferred_.size()));
    parallel_for(deferred_.size(), growers.size(), stop, [&](std::size_t i, std::size_t worker) {
        if (!growers[worker]) growers[worker] = std::make_unique<Grower>(*this);
        subtrees[i] = growers[worker]->grow_deferred(deferred_[i], stop);
    });
    std::vector<const Tree*> below(tree_.n_nodes(), nullptr);
    for (std::size_t i = 0; i < subtrees.size(); ++i) below[deferred_[i].id] = &subtrees[i];
    return tree_.with_subtrees(below);
}

// A nominal column tested above with a branch per value has one value left: it cannot be tested again.
void Grower::mark_used(const PendingNode& node, bool used) {
    for (std::int32_t at = node.multiway_above; at != Tree::no_node;
         at = multiway_above_[static_cast<std::size_t>(at)]) {
        used_[static_cast<std::size_t>(tree_.feature[static_cast<std::size_t>(at)])] = used;
    }
}

// The column of the best test, or the number of columns where there is none.
std::size_t Grower::best_column(const PendingNode& node, const StopToken& stop) {
    std::fill(found_.begin(), found_.end(), FoundTest{});
    histogram_.reset();
    std::size_t chosen = found_.size();
    columns_.draw(node.key, [&](std::span<const std::size_t> columns) {
        search(node, columns, stop);
        chosen = split_choice_->choose(found_, mix64(node.key));
        return chosen < found_.size();
    });
    return chosen;
}

void Grower::search(const PendingNode& node, std::span<const std::size_t> columns, const StopToken& stop) {
    const NodeRows rows{node.segment, node.counts, node.weight};
    if (histograms_ && !node.is_presorted) return search_histograms(node, columns, stop);
    const bool is_coarse = coarse_ && !node.is_presorted;
    mark_used(node, true);
    if (is_coarse) coarse_->search(rows, columns, found_, threads_for(node), stop);
    parallel_for(columns.size(), threads_for(node), stop, [&](std::size_t task, std::size_t worker) {
        const std::size_t column = columns[task];
        if (used_[column] || (is_coarse && partition_.is_sorted(column))) return;
        found_[column] = searches_[worker]->best_test(column, rows);
    });
    mark_used(node, false);
}

void Grower::search_histograms(const PendingNode& node, std::span<const std::size_t> columns, const StopToken& stop) {
    const std::size_t n_threads = threads_for(node);
    const bool is_whole = columns.size() == found_.size();
    auto histogram = is_whole ? node.histogram : nullptr;
    if (!histogram) histogram = std::make_shared<Histogram>(histograms_->count(node.segment, columns, n_threads, stop));
    mark_used(node, true);
    histograms_->search({node.segment, node.counts, node.weight}, *histogram, columns, used_, found_, n_threads, stop);
    mark_used(node, false);
    histogram_ = is_whole ? std::move(histogram) : nullptr;
}

// The largest child has what its siblings leave of their parent: counting these is enough.
void Grower::subtract_histograms(const StopToken& stop) {
    const bool keeps_all_rows = std::ranges::none_of(children_, [](const PendingNode& child) { return child.is_leaf; });
    const auto largest = std::ranges::max_element(
        children_, [](const PendingNode& a, const PendingNode& b) { return a.segment.size < b.segment.size; });
    if (!keeps_all_rows || !histograms_->can_subtract() || largest->segment.size < always_presorted) return;
    for (PendingNode& child : children_) {
        if (&child == &*largest) continue;
        child.histogram =
            std::make_shared<Histogram>(histograms_->count(child.segment, columns_.all(), threads_for(child), stop));
        histogram_->subtract(*child.histogram);
        if (child.segment.size < always_presorted) child.histogram.reset();
    }
    largest->histogram = std::move(histogram_);
}

// Starting threads takes time: only nodes of many rows are worth it.
std::size_t Grower::threads_for(const PendingNode& node) const {
    return node.segment.size < min_shared_rows ? 1 : searches_.size();
}

void Grower::split(std::size_t id, const PendingNode& node, std::size_t column, const StopToken& stop) {
    const FoundTest& test = found_[column];
    const CodedColumn& coded = examples_.table->column(column);
    children_.assign(
        test.n_branches,
        PendingNode{.parent = static_cast<std::int32_t>(id),
                    .is_presorted = node.is_presorted,
                    .should_presort = coarse_ && !node.is_presorted && coarse_->bounds_are_loose(),
                    .depth = node.depth + 1,
                    .multiway_above = is_multiway(coded, test) ? static_cast<std::int32_t>(id) : node.multiway_above,
                    .counts = std::vector<double>(n_classes_)});
    const std::uint32_t cut = write_test(tree_, id, column, coded, test, thresholds_);
    if (is_multiway(coded, test))
        row_split_.by_value(column, node, children_, test.missing_branch);
    else if (coded.kind == Kind::nominal)
        row_split_.by_groups(column, node, test.branches, children_, test.missing_branch);
    else
        row_split_.by_cut(column, node, cut, children_, test.missing_branch);
    for (std::size_t b = 0; b < children_.size(); ++b) rules_.start_child(node, b, children_[b]);
    row_split_.split(node, children_, threads_for(node), stop);
    if (histogram_) subtract_histograms(stop);
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

Tree grow_subtree(const Examples& examples, const GrowOptions& options, const SubtreeRoot& top, const StopToken& stop) {
    check(examples);
    const GrowContext context(examples, options, stop);
    return Grower(examples, options, context).grow_below(top, stop);
}

}  // namespace calibrant
