#include "tree/grow/grower.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tree/grow/buckets.hpp"
#include "tree/grow/coarse_search.hpp"
#include "tree/grow/column_search.hpp"
#include "tree/grow/local_histograms.hpp"
#include "tree/grow/node_queue.hpp"
#include "tree/grow/node_rules.hpp"
#include "tree/grow/partition.hpp"
#include "tree/grow/row_split.hpp"
#include "tree/grow/value_index.hpp"

namespace calibrant {

double least_rows(const Examples& examples, const GrowOptions& options) {
    const auto is_heavy = [](double weight) { return weight > 1; };
    const bool any_heavy = examples.whole == nullptr ? std::ranges::any_of(examples.weights, is_heavy)
                                                     : is_heavy(examples.whole->heaviest);
    const bool can_be_short = options.min_rows > 0 && any_heavy;
    return can_be_short ? options.min_rows : 0.0;
}

XLogX xlogx_for(const Examples& examples, const GrowOptions& options) {
    const std::size_t n_rows = examples.n_rows_of_all();
    return XLogX(n_rows, is_bayesian(options.criterion) ? n_rows + examples.n_classes : 0);
}

void check(const Examples& examples) {
    if (examples.n_classes < 1 || examples.n_classes > 65535)
        throw std::invalid_argument("n_classes must be 1 to 65535");
    if (examples.labels.size() != examples.table->n_rows())
        throw std::invalid_argument("labels must have one entry per row");
    if (!examples.weights.empty() && examples.weights.size() != examples.table->n_rows())
        throw std::invalid_argument("weights must have one entry per row");
    if (!examples.cases.empty() && examples.cases.size() != examples.table->n_rows())
        throw std::invalid_argument("cases must have one entry per row");
}

namespace {

constexpr std::size_t min_deferred_rows = 2000;  // a subtree of fewer rows is not worth handing to a thread
constexpr std::size_t always_presorted = 2048;   // below this, sorting once for the whole subtree beats counting in
                                                 // buckets at each node: the rows fit the second-level cache
// Where a node draws one of very many columns, sorting those drawn costs less than partitioning all at every split; of
// large tables, whose codes leave the cache, where it draws even fewer. Columns of bytes are counted.
bool draws_very_few(std::size_t n_rows, std::size_t n_columns, std::size_t max_features) {
    const std::size_t columns_for_each_drawn = n_rows <= 2 * always_presorted ? 12 : 24;
    return max_features > 0 && n_columns >= columns_for_each_drawn * max_features;
}
bool draws_very_few(const Examples& examples, const GrowOptions& options) {
    return examples.table->bytes() == nullptr &&
           draws_very_few(examples.table->n_rows(), examples.table->n_columns(), options.max_features);
}

bool draws_few(const Examples& examples, const GrowOptions& options) {
    return options.max_features > 0 && examples.table->n_columns() >= 2 * options.max_features;
}

}  // namespace

bool draws_too_few_to_code(std::size_t n_rows, std::size_t n_columns, std::size_t max_features) {
    return n_rows < always_presorted && draws_very_few(n_rows, n_columns, max_features);
}

GrowContext::GrowContext(const Examples& examples, const GrowOptions& options, const StopToken& stop)
    : gaps(value_gaps_of(
          *examples.table, closest_values,
          !draws_too_few_to_code(examples.table->n_rows(), examples.table->n_columns(), options.max_features))),
      xlogx(xlogx_for(examples, options)),
      row_keys(*examples.table, examples.labels, ColumnSearch::columns_to_sort(examples, options), keys_of(examples),
               gaps, options.n_threads, stop, draws_very_few(examples, options)),
      row_cells(*examples.table, options.n_threads, stop, ColumnSearch::most_counted_values(examples, options)) {
    const CutRules rules = cut_rules(options);
    const bool has_no_large_node = row_keys.sorts_when_drawn() && examples.table->n_rows() < always_presorted;
    if (examples.table->bytes() != nullptr || row_keys.n_columns() == 0 || has_no_large_node ||
        !CoarseSearch::is_fit_for(examples, options, rules, !examples.weights.empty()))
        return;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < examples.table->n_rows(); ++row) {
        if (examples.weights.empty() || examples.weights[row] > 0) rows.push_back(row);
    }
    buckets = std::make_unique<const Buckets>(*examples.table, row_keys.columns(), rows, gaps, options.n_threads, stop);
}

GrowContext::~GrowContext() = default;

namespace {

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
    PendingNode make_root();
    Tree grow_from(PendingNode&& root, std::vector<bool> used, double total_weight, const StopToken& stop);
    void start(double total_weight);
    std::unique_ptr<ColumnSearch> make_search() const {
        return std::make_unique<ColumnSearch>(examples_, options_, cut_rules_, partition_, context_.xlogx,
                                              context_.gaps);
    }
    void grow_pending(const StopToken& stop);
    void presort(PendingNode& node, const StopToken& stop);
    bool is_large(const PendingNode& node) const {
        return node.segment.size >= always_presorted && !node.should_presort;
    }
    Tree grow_deferred(DeferredNode& deferred, const StopToken& stop);
    Tree with_deferred(const StopToken& stop);
    void search(const PendingNode& node, std::span<const std::size_t> columns, const std::vector<bool>& used,
                std::span<FoundTest> found, const StopToken& stop);
    void split(std::size_t id, PendingNode& node, std::size_t column, const StopToken& stop);
    void split_off(PendingNode& node, std::size_t column, std::uint32_t value);
    void subtract_histograms(const StopToken& stop);

    const Examples& examples_;
    const GrowOptions& options_;
    const GrowContext& context_;
    CutRules cut_rules_;
    Partition partition_;
    NodeQueue nodes_;
    ThreadTeam threads_;  // that share the nodes of many rows, and then the deferred ones
    RowSplit row_split_;
    std::optional<CoarseSearch> coarse_;                   // for large nodes, where it applies
    std::optional<LocalHistograms> histograms_;            // the same for tables of bytes
    std::shared_ptr<Histogram> histogram_;                 // of all columns of the node being split, where it is known
    std::vector<std::unique_ptr<ColumnSearch>> searches_;  // one for each thread
    std::vector<std::uint32_t> place_of_;                  // of every row, where nodes have an index of their values
    std::size_t defer_below_ = 0;                          // nodes of fewer rows are deferred to the threads
    std::vector<DeferredNode> deferred_;
};

Grower::Grower(const Examples& examples, const GrowOptions& options, const GrowContext& context)
    : examples_(examples),
      options_(options),
      context_(context),
      cut_rules_(cut_rules(options)),
      partition_(*examples.table, examples.labels, examples.weights, context.row_keys, context.row_cells,
                 options.missing == MissingValues::fractional, examples.whole == nullptr || examples.whole->is_whole,
                 draws_few(examples, options)),
      nodes_(examples, options, partition_.root().size < examples.table->n_rows()),
      threads_(options.n_threads),
      row_split_(examples, partition_, context.row_keys) {}

Grower::Grower(const Grower& whole)
    : examples_(whole.examples_),
      options_(whole.options_),
      context_(whole.context_),
      cut_rules_(whole.cut_rules_),
      partition_(whole.partition_, nullptr),
      nodes_(whole.nodes_, nullptr),
      threads_(1),
      row_split_(examples_, partition_, context_.row_keys) {
    start(whole.nodes_.total_weight());
}

void Grower::start(double total_weight) {
    // multiples of 2^-51 of the power of two in the total: their sums take at most 52 bits, and are exact
    if (examples_.table->bytes() != nullptr) partition_.set_weight_step(std::exp2(std::ilogb(total_weight) - 51));
    const bool is_fit = CoarseSearch::is_fit_for(examples_, options_, cut_rules_, partition_.is_weighted());
    if (context_.buckets && is_fit)
        coarse_.emplace(examples_, options_, cut_rules_, partition_, context_.xlogx, context_.gaps, *context_.buckets);
    if (LocalHistograms::is_fit_for(examples_, cut_rules_, partition_))
        histograms_.emplace(examples_, options_, partition_);
    if (ValueIndex::is_fit_for(examples_, options_, partition_)) place_of_.resize(examples_.table->n_rows());
    searches_.push_back(make_search());
}

PendingNode Grower::make_root() {
    PendingNode root{.segment = partition_.root(), .counts = std::vector<double>(examples_.n_classes)};
    for (const std::uint32_t row : partition_.rows(root.segment)) {
        const double weight = examples_.weights.empty() ? 1.0 : examples_.weights[row];
        root.counts[examples_.labels[row]] += weight;
        root.weight += weight;
    }
    nodes_.rules().start_root(root);
    return root;
}

Tree Grower::grow(const StopToken& stop) {
    PendingNode root = make_root();
    const double total_weight = root.weight;
    return grow_from(std::move(root), std::vector<bool>(examples_.table->n_columns()), total_weight, stop);
}

Tree Grower::grow_below(const SubtreeRoot& top, const StopToken& stop) {
    PendingNode root = make_root();
    root.key = top.key;
    root.depth = top.depth;
    root.is_leaf = false;
    return grow_from(std::move(root), top.used, examples_.whole->weight, stop);
}

Tree Grower::grow_from(PendingNode&& root, std::vector<bool> used, double total_weight, const StopToken& stop) {
    if (threads_.size() > 1) defer_below_ = std::max(min_deferred_rows, root.segment.size / (8 * threads_.size()));
    nodes_.start(std::move(root), std::move(used), total_weight);
    start(total_weight);
    while (searches_.size() < threads_.size()) searches_.push_back(make_search());
    grow_pending(stop);
    return deferred_.empty() ? std::move(nodes_.tree()) : with_deferred(stop);
}

void Grower::grow_pending(const StopToken& stop) {
    nodes_.grow_pending(stop, [&](std::size_t id, PendingNode& node) {
        if (!node.is_presorted) partition_.leave_presorted();
        if (node.segment.size < defer_below_) {
            node.index.reset();
            deferred_.push_back({id, partition_.extract(node.segment), nodes_.used_columns(node), std::move(node)});
            return;
        }
        presort(node, stop);
        partition_.enter(node.segment);
        if (node.is_presorted)
            node.index.reset();  // rows have other numbers
        else if (!place_of_.empty() && !node.index)
            node.index = std::make_shared<ValueIndex>(examples_, options_.missing == MissingValues::learned, partition_,
                                                      node.segment, place_of_);
        const auto search_drawn = [&](auto columns, const auto& used, auto found) {
            search(node, columns, used, found, stop);
            return true;
        };
        const std::size_t column = nodes_.best_column(node, search_drawn);
        if (column < examples_.table->n_columns()) split(id, node, column, stop);
    });
}

// A node's rows go through two representations. Large nodes are rows of the table, counted in buckets; a small node, or
// one whose bucket counts bound little, is presorted: its rows are renumbered from 0 and its columns sorted once, and
// every node below it inherits that by stable partition. Large nodes are presorted as well where buckets do not apply.
void Grower::presort(PendingNode& node, const StopToken& stop) {
    const bool can_count = coarse_ || histograms_ || !partition_.sorts();
    if (context_.row_keys.sorts_when_drawn() || (!node.is_presorted && can_count && is_large(node))) return;
    if (!node.is_presorted) partition_.presort(node.segment, threads_, stop);
    node.is_presorted = true;
    partition_.rank(node.segment);
}

Tree Grower::grow_deferred(DeferredNode& deferred, const StopToken& stop) {
    deferred.node.segment = partition_.load(std::move(deferred.extracted));
    deferred.node.parent = Tree::no_node;
    deferred.node.is_presorted = false;
    deferred.node.multiway_above = Tree::no_node;
    nodes_.start(std::move(deferred.node), std::move(deferred.used), nodes_.total_weight());
    grow_pending(stop);
    return std::move(nodes_.tree());
}

// Grows the deferred subtrees, one per thread at a time, and grafts them onto the tree.
Tree Grower::with_deferred(const StopToken& stop) {
    std::vector<Tree> subtrees(deferred_.size());
    std::vector<std::unique_ptr<Grower>> growers(std::min(threads_.size(), deferred_.size()));
    threads_.parallel_for(deferred_.size(), stop, [&](std::size_t i, std::size_t worker) {
        if (!growers[worker]) growers[worker] = std::make_unique<Grower>(*this);
        subtrees[i] = growers[worker]->grow_deferred(deferred_[i], stop);
    });
    std::vector<const Tree*> below(nodes_.tree().n_nodes(), nullptr);
    for (std::size_t i = 0; i < subtrees.size(); ++i) below[deferred_[i].id] = &subtrees[i];
    return nodes_.tree().with_subtrees(below);
}

// Large nodes are searched by their histograms or buckets, columns that these leave out and small nodes by their rows.
void Grower::search(const PendingNode& node, std::span<const std::size_t> columns, const std::vector<bool>& used,
                    std::span<FoundTest> found, const StopToken& stop) {
    const NodeRows rows{node.segment, node.counts, node.weight};
    const bool is_whole = columns.size() == found.size();
    const bool is_counted = histograms_ && !node.is_presorted;
    const bool is_coarse = coarse_ && !node.is_presorted && (is_large(node) || !context_.row_keys.sorts_when_drawn());
    histogram_ = is_counted && is_whole ? node.histogram : nullptr;
    if (is_counted && !histogram_)
        histogram_ = std::make_shared<Histogram>(histograms_->count(node.segment, columns, threads_, stop));
    if (is_coarse) coarse_->search(rows, columns, found, threads_, stop);
    threads_.parallel_for(columns.size(), stop, [&](std::size_t task, std::size_t worker) {
        const std::size_t column = columns[task];
        if (used[column] || (is_coarse && coarse_->has(column))) return;
        if (node.index) {
            node.index->find_distinct(column);
            found[column] = searches_[worker]->best_test(column, node.index->counts(column), rows);
            return;
        }
        found[column] = is_counted ? searches_[worker]->best_test(column, histograms_->view(*histogram_), rows)
                                   : searches_[worker]->best_test(column, rows);
    });
    if (!is_whole) histogram_.reset();  // nothing can be subtracted from a part of the columns
}

void Grower::split(std::size_t id, PendingNode& node, std::size_t column, const StopToken& stop) {
    FoundTest& test = nodes_.found(column);
    const CodedColumn& coded = examples_.table->column(column);
    if (!examples_.table->uncoded(column).empty() && partition_.is_sorted_when_drawn(column)) {
        std::visit([&](const auto& codes) { test.below = codes[test.below], test.above = codes[test.above]; },
                   coded.codes);
    }
    const std::uint32_t cut = nodes_.begin_split(id, node, column);
    const std::span<PendingNode> children = nodes_.children();
    const bool should_presort = node.should_presort || (coarse_ && !node.is_presorted && coarse_->bounds_are_loose());
    for (PendingNode& child : children) child.should_presort = should_presort;
    const std::uint32_t alone = node.index ? test.alone : FoundTest::no_value;
    if (alone != FoundTest::no_value && node.index->is_small(column, alone, node.segment))
        return split_off(node, column, alone);
    if (is_multiway(coded, test))
        row_split_.by_value(column, node, children, test.missing_branch);
    else if (coded.kind == Kind::nominal)
        row_split_.by_groups(column, node, test.branches_of(coded.n_values), children, test.missing_branch);
    else
        row_split_.by_cut(column, node, cut, children, test.missing_branch);
    nodes_.start_children(node);
    row_split_.split(node, children, threads_, stop);
    if (histogram_) subtract_histograms(stop);
    nodes_.push_children();
}

// One value goes to the first branch, and the second keeps the index without it.
void Grower::split_off(PendingNode& node, std::size_t column, std::uint32_t value) {
    const std::span<PendingNode> children = nodes_.children();
    const auto counts = node.index->counts(column);
    const auto first = counts.of(value);
    children[0].counts.assign(first.begin(), first.end());
    children[0].weight = counts.weights[value];
    for (std::size_t k = 0; k < first.size(); ++k) children[1].counts[k] = node.counts[k] - first[k];
    children[1].weight = node.weight - children[0].weight;
    nodes_.start_children(node);
    const std::size_t n_first = node.index->split_off(column, value, node.segment, partition_.rows_to_reorder());
    children[1].segment = {node.segment.begin, node.segment.size - n_first};
    children[0].segment = {node.segment.begin + children[1].segment.size, n_first};
    children[1].index = std::move(node.index);
    nodes_.push_children();
}

// The largest child has what its siblings leave of their parent: counting these is enough.
void Grower::subtract_histograms(const StopToken& stop) {
    const std::span<PendingNode> children = nodes_.children();
    const bool keeps_all_rows = std::ranges::none_of(children, [](const PendingNode& child) { return child.is_leaf; });
    const auto largest = std::ranges::max_element(
        children, [](const PendingNode& a, const PendingNode& b) { return a.segment.size < b.segment.size; });
    if (!keeps_all_rows || !histograms_->can_subtract() || largest->segment.size < always_presorted) return;
    for (PendingNode& child : children) {
        if (&child == &*largest) continue;
        child.histogram =
            std::make_shared<Histogram>(histograms_->count(child.segment, nodes_.columns().all(), threads_, stop));
        histogram_->subtract(*child.histogram);
        if (child.segment.size < always_presorted) child.histogram.reset();
    }
    largest->histogram = std::move(histogram_);
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
