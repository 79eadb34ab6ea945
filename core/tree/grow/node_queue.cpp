#include "tree/grow/node_queue.hpp"

namespace calibrant {

NodeQueue::NodeQueue(const Examples& examples, const GrowOptions& options, bool has_absent_rows)
    : examples_(examples),
      options_(options),
      rules_(options),
      least_rows_(calibrant::least_rows(examples, options)),
      n_counts_(std::make_shared<std::atomic<std::size_t>>(0)),
      columns_(examples.table->n_columns(), options),
      thresholds_(examples, options.midpoint, has_absent_rows),
      found_(examples.table->n_columns()) {}

NodeQueue::NodeQueue(const NodeQueue& whole, std::nullptr_t)
    : examples_(whole.examples_),
      options_(whole.options_),
      rules_(whole.rules_),
      least_rows_(whole.least_rows_),
      total_weight_(whole.total_weight_),
      n_counts_(whole.n_counts_),
      columns_(whole.columns_),
      thresholds_(whole.thresholds_),
      found_(whole.found_.size()) {}

void NodeQueue::start(PendingNode&& root, std::vector<bool> used, double total_weight) {
    total_weight_ = total_weight;
    split_choice_.emplace(*examples_.table, options_, rules_.tolerances().attribute, total_weight);
    used_ = std::move(used);
    multiway_above_.clear();
    tree_ = Tree(examples_.n_classes);
    queue_.clear();
    queue_.push_back(std::move(root));
}

std::size_t NodeQueue::add(const PendingNode& node) {
    const std::size_t n_classes = examples_.n_classes;
    if (n_counts_->fetch_add(n_classes) + n_classes > options_.most_counts) throw TooManyCounts{};
    const std::size_t id = tree_.add_node(node.parent, node.counts, node.weight, node.label);
    multiway_above_.push_back(node.multiway_above);
    if (node.parent != Tree::no_node)
        tree_.children[tree_.first_child[static_cast<std::size_t>(node.parent)] + node.branch] =
            static_cast<std::int32_t>(id);
    return id;
}

void NodeQueue::mark_used(const PendingNode& node, bool used) {
    for (std::int32_t at = node.multiway_above; at != Tree::no_node; at = multiway_above_[static_cast<std::size_t>(at)])
        used_[static_cast<std::size_t>(tree_.feature[static_cast<std::size_t>(at)])] = used;
}

std::vector<bool> NodeQueue::used_columns(const PendingNode& node) {
    mark_used(node, true);
    std::vector<bool> used = used_;
    mark_used(node, false);
    return used;
}

std::uint32_t NodeQueue::begin_split(std::size_t id, const PendingNode& node, std::size_t column) {
    const FoundTest& test = found_[column];
    const CodedColumn& coded = examples_.table->column(column);
    const auto parent = static_cast<std::int32_t>(id);
    children_.assign(test.n_branches,
                     PendingNode{.parent = parent,
                                 .is_presorted = node.is_presorted,
                                 .depth = node.depth + 1,
                                 .multiway_above = is_multiway(coded, test) ? parent : node.multiway_above,
                                 .counts = std::vector<double>(examples_.n_classes)});
    return write_test(tree_, id, column, coded, test, thresholds_);
}

void NodeQueue::start_children(const PendingNode& node) {
    for (std::size_t b = 0; b < children_.size(); ++b) rules_.start_child(node, b, children_[b]);
}

// The first branch on top: it is the next to be grown.
void NodeQueue::push_children() {
    for (std::size_t b = children_.size(); b-- > 0;) queue_.push_back(std::move(children_[b]));
}

}  // namespace calibrant
