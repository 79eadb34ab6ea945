#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "elementary.hpp"
#include "parallel.hpp"
#include "tree/prune/cases.hpp"
#include "tree/prune/pruning.hpp"

namespace calibrant {
namespace {

constexpr double slack = 0.1;  // C4.5 release 8
constexpr double j48_tolerance = 1e-6;
constexpr std::size_t at_root = static_cast<std::size_t>(-1);

// A node on the current path, and what is known of it so far.
struct Visit {
    std::size_t node;
    Slice cases;
    std::size_t top;             // of the cases, before those of this node
    std::size_t slot = at_root;  // the index of the node in `children`
    SplitCases split{};
    std::size_t next_branch = 0;
    double errors = 0;  // of the branches that are finished
};

class Pruner {
  public:
    Pruner(const Tree& tree, const Examples& examples, const PessimisticOptions& options, const StopToken& stop)
        : tree_(tree), options_(options), stop_(stop), is_leaf_now_(tree.n_nodes()), counts_(tree.n_classes) {
        if (options.raising) cases_.emplace(tree_, examples);
    }
    Tree prune();

  private:
    bool is_leaf(std::size_t node) const { return tree_.is_leaf(node) || is_leaf_now_[node]; }
    bool no_worse(double errors, double than) const;
    double pessimistic_errors(double weight, double errors) const;
    double leaf_errors(std::size_t node) const;
    std::size_t largest_branch(std::size_t node) const;

    void start(std::size_t node, Slice cases, std::size_t slot, std::size_t top);
    bool descend();
    void decide();
    void finish(double errors);
    void raise(std::size_t branch);

    template <class OnNode>
    void walk(std::size_t node, Slice cases, OnNode&& on_node);
    double estimate(std::size_t node, Slice cases, double enough);
    void count_again(std::size_t node, Slice cases);

    Tree tree_;
    const PessimisticOptions& options_;
    const StopToken& stop_;
    std::optional<Cases> cases_;
    std::size_t root_ = 0;
    std::vector<bool> is_leaf_now_;
    std::vector<double> counts_;
    std::vector<Visit> visits_;
};

bool Pruner::no_worse(double errors, double than) const {
    const double most = than + slack;
    return errors <= most || (options_.dialect == Dialect::j48 && errors - most < j48_tolerance);
}

double Pruner::pessimistic_errors(double weight, double errors) const {
    return weight > 0 ? errors + extra_errors(weight, errors, options_) : 0.0;
}

double Pruner::leaf_errors(std::size_t node) const {
    return pessimistic_errors(tree_.weight[node], errors_as_leaf(tree_, node));
}

// The last of equals.
std::size_t Pruner::largest_branch(std::size_t node) const {
    const double tolerance = options_.dialect == Dialect::j48 ? j48_tolerance : 1e-9;
    double most = 0;
    std::size_t largest = 0;
    for (std::size_t branch = 0; branch < tree_.n_children[node]; ++branch) {
        const double weight = tree_.weight[tree_.child(node, branch)];
        if (!(weight > most - tolerance)) continue;
        most = weight;
        largest = branch;
    }
    return largest;
}

// Nodes in postorder; a branch that replaces its parent starts again with all cases of the parent.
Tree Pruner::prune() {
    start(0, cases_ ? cases_->all() : Slice{}, at_root, cases_ ? cases_->top() : 0);
    while (!visits_.empty()) {
        check_stop(stop_);
        if (is_leaf(visits_.back().node))
            finish(leaf_errors(visits_.back().node));
        else if (!descend())
            decide();
    }
    return copy_below(tree_, root_, is_leaf_now_);
}

void Pruner::start(std::size_t node, Slice cases, std::size_t slot, std::size_t top) {
    visits_.push_back({.node = node, .cases = cases, .top = top, .slot = slot});
    if (cases_ && !is_leaf(node)) visits_.back().split = cases_->split(node, cases);
}

// Goes on to the next branch that has cases; false where there is none left.
bool Pruner::descend() {
    Visit& visit = visits_.back();
    while (visit.next_branch < tree_.n_children[visit.node]) {
        const std::size_t branch = visit.next_branch++, child = tree_.child(visit.node, branch);
        if (!(tree_.weight[child] > 0)) continue;
        const std::size_t top = cases_ ? cases_->top() : 0;
        const Slice cases = cases_ ? cases_->enter(visit.split, branch) : Slice{};
        start(child, cases, tree_.first_child[visit.node] + branch, top);
        return true;
    }
    return false;
}

void Pruner::decide() {
    const Visit& visit = visits_.back();
    const std::size_t branch = largest_branch(visit.node);
    const double of_leaf = leaf_errors(visit.node), of_tree = visit.errors;
    const double enough = std::max(of_tree + 2 * slack, of_leaf);  // more errors than this change no decision
    const double of_branch = cases_ ? estimate(tree_.child(visit.node, branch), visit.cases, enough)
                                    : std::numeric_limits<double>::infinity();
    if (no_worse(of_leaf, of_tree) && no_worse(of_leaf, of_branch)) {
        is_leaf_now_[visit.node] = true;
        finish(of_leaf);
    } else if (no_worse(of_branch, of_tree)) {
        raise(branch);
    } else {
        finish(of_tree);
    }
}

void Pruner::finish(double errors) {
    if (cases_) cases_->truncate(visits_.back().top);
    visits_.pop_back();
    if (!visits_.empty()) visits_.back().errors += errors;
}

void Pruner::raise(std::size_t branch) {
    const Visit visit = std::move(visits_.back());
    visits_.pop_back();
    const std::size_t child = tree_.child(visit.node, branch);
    if (visit.slot == at_root)
        root_ = child;
    else
        tree_.children[visit.slot] = static_cast<std::int32_t>(child);
    count_again(child, visit.cases);
    start(child, visit.cases, visit.slot, visit.top);
}

// Calls on_node(node, cases) for the node and all nodes below it that have cases, in preorder, while it returns true.
template <class OnNode>
void Pruner::walk(std::size_t from, Slice all, OnNode&& on_node) {
    std::vector<Visit> path;
    const std::size_t first_top = cases_->top();
    const auto visit_node = [&](std::size_t node, Slice cases, std::size_t top) {
        path.push_back({.node = node, .cases = cases, .top = top});
        if (!is_leaf(node)) path.back().split = cases_->split(node, cases);
        return on_node(node, cases);
    };
    bool continues = visit_node(from, all, first_top);
    while (continues && !path.empty()) {
        check_stop(stop_);
        Visit& visit = path.back();
        if (is_leaf(visit.node) || visit.next_branch == tree_.n_children[visit.node]) {
            cases_->truncate(visit.top);
            path.pop_back();
            continue;
        }
        const std::size_t branch = visit.next_branch++, top = cases_->top();
        const Slice cases = cases_->enter(visit.split, branch);
        if (!cases.empty()) continues = visit_node(tree_.child(visit.node, branch), cases, top);
    }
    cases_->truncate(first_top);
}

// The errors that a subtree would make on these cases, or some number above `enough`.
double Pruner::estimate(std::size_t from, Slice all, double enough) {
    double errors = 0;
    walk(from, all, [&](std::size_t node, Slice cases) {
        if (!is_leaf(node)) return true;
        std::fill(counts_.begin(), counts_.end(), 0.0);
        double weight = 0;
        cases_->tally(cases, [&](std::size_t label, double more) {
            counts_[label] += more;
            weight += more;
        });
        errors += pessimistic_errors(weight, std::max(0.0, weight - *std::max_element(counts_.begin(), counts_.end())));
        return errors <= enough;
    });
    return errors;
}

// Sets the counts of a subtree to those of these cases. Of equally frequent classes C4.5 keeps the old one, J48 takes
// the first.
void Pruner::count_again(std::size_t from, Slice all) {
    const bool is_j48 = options_.dialect == Dialect::j48;
    walk(from, all, [&](std::size_t node, Slice cases) {
        const std::span<double> counts(tree_.counts.data() + node * tree_.n_classes, tree_.n_classes);
        std::fill(counts.begin(), counts.end(), 0.0);
        tree_.weight[node] = 0;
        cases_->tally(cases, [&](std::size_t label, double more) {
            counts[label] += more;
            tree_.weight[node] += more;
        });
        auto best = is_j48 ? std::size_t{0} : static_cast<std::size_t>(tree_.label[node]);
        for (std::size_t k = 0; k < counts.size(); ++k) {
            if (counts[k] > counts[best] + (is_j48 ? j48_tolerance : 0.0)) best = k;
        }
        tree_.label[node] = static_cast<std::int32_t>(best);
        return true;
    });
}

}  // namespace

double extra_errors(double weight, double errors, const PessimisticOptions& options) {
    const bool is_j48 = options.dialect == Dialect::j48;
    const double least = weight * (1 - power_of_share(options.confidence, 1 / weight));
    if (errors < (is_j48 ? 0.0 : 1e-6) || errors == 0) return least;
    if (errors < (is_j48 ? 1.0 : 0.9999)) return least + errors * (extra_errors(weight, 1.0, options) - least);
    if (errors + 0.5 >= weight) return is_j48 ? std::max(weight - errors, 0.0) : 0.67 * (weight - errors);
    const double e = errors + 0.5, z2 = options.z * options.z;
    const double rate = (e + z2 / 2 + std::sqrt(z2 * (e * (1 - e / weight) + z2 / 4))) / (weight + z2);
    return weight * rate - errors;
}

Tree prune_pessimistic(const Tree& tree, const Examples& examples, const PessimisticOptions& options,
                       const StopToken& stop) {
    if (tree.n_nodes() == 0) throw std::invalid_argument("the tree has no nodes");
    const double most = options.dialect == Dialect::j48 ? 0.5 : 1.0;
    if (!(options.confidence > 0 && options.confidence <= most))
        throw std::invalid_argument("confidence must be above 0 and at most 1, or 0.5 for J48");
    if (options.raising) {
        const std::size_t n_rows = examples.table->n_rows();
        if (examples.labels.size() != n_rows) throw std::invalid_argument("labels must have one entry per row");
        if (!examples.weights.empty() && examples.weights.size() != n_rows)
            throw std::invalid_argument("weights must have one entry per row");
        if (std::any_of(examples.labels.begin(), examples.labels.end(),
                        [&](std::size_t label) { return label >= tree.n_classes; })) {
            throw std::invalid_argument("labels must be classes of the tree");
        }
    }
    const Tree pruned = Pruner(tree, examples, options, stop).prune();
    return options.dialect == Dialect::c45 ? drop_unreachable(pruned) : pruned;
}

}  // namespace calibrant
