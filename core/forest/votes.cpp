#include "forest/votes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace calibrant {

std::size_t majority(std::span<const double> values) {
    const double most = *std::max_element(values.begin(), values.end());
    std::size_t index = 0;
    while (values[index] < most - vote_tolerance) ++index;  // the first of equals, rounding aside
    return index;
}

// A tree has no vote on the rows that it was grown from.
void mask_in_bag(const Bags* bags, IndexRange trees, IndexRange rows, ReachedLeaves& reached) {
    if (bags == nullptr) return;
    std::vector<std::uint16_t> drawn(rows.size());
    for (std::size_t tree = trees.begin; tree < trees.end; ++tree) {
        const std::span<std::int32_t> leaves = reached.leaves(tree - trees.begin);
        bags->count(tree, rows.begin, drawn);
        for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i] = drawn[i] == 0 ? leaves[i] : ReachedLeaves::none;
    }
}

TreeVotes::TreeVotes(std::vector<std::span<const double>> tables, std::size_t n_classes)
    : tables_(std::move(tables)), n_classes_(n_classes) {
    if (n_classes == 0) throw std::invalid_argument("no classes to vote for");
    votes_.reserve(tables_.size());
    for (const auto& table : tables_) {
        auto& votes = votes_.emplace_back(table.size() / n_classes);
        for (std::size_t node = 0; node < votes.size(); ++node)
            votes[node] = static_cast<std::uint16_t>(majority(table.subspan(node * n_classes, n_classes)));
    }
}

std::size_t TreeVotes::vote(std::size_t tree, std::span<const LeafShare> leaves, std::span<double> mixed) const {
    double mass = 0;
    std::fill(mixed.begin(), mixed.end(), 0.0);
    for (const auto& [leaf, share] : leaves) {
        const double* const frequencies_here = frequencies(tree, static_cast<std::size_t>(leaf));
        for (std::size_t k = 0; k < n_classes_; ++k) mixed[k] += share * frequencies_here[k];
        mass += share;
    }
    for (double& frequency : mixed) frequency /= mass;
    return majority(mixed);
}

void TreeVotes::count(const ReachedLeaves& reached, std::span<std::uint32_t> votes) const {
    std::fill(votes.begin(), votes.end(), 0U);
    std::vector<double> mixed(n_classes_);
    for (std::size_t tree = 0; tree < n_trees(); ++tree) {
        const auto leaves = reached.leaves(tree);
        const std::uint16_t* const cast = votes_[tree].data();
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            if (leaves[i] >= 0)
                ++votes[i * n_classes_ + cast[leaves[i]]];
            else if (leaves[i] != ReachedLeaves::none)
                ++votes[i * n_classes_ + vote(tree, reached.shares(leaves[i]), mixed)];
        }
    }
}

void TreeVotes::elect(const ReachedLeaves& reached, std::span<std::uint32_t> votes,
                      std::span<std::int32_t> labels) const {
    count(reached, votes);
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i] = winner(reached, i, votes.subspan(i * n_classes_, n_classes_));
}

std::int32_t TreeVotes::winner(const ReachedLeaves& reached, std::size_t row,
                               std::span<const std::uint32_t> votes) const {
    if (n_classes_ == 2 && votes[0] != votes[1]) return votes[1] > votes[0];  // by far the most frequent case
    std::vector<double> sums;
    return winner_of(votes, sums, [&](std::span<double> to) {
        for (std::size_t tree = 0; tree < n_trees(); ++tree) add_frequencies(reached, tree, row, to);
    });
}

void TreeVotes::add_frequencies(const ReachedLeaves& reached, std::size_t tree, std::size_t row,
                                std::span<double> sums) const {
    const std::int32_t leaf = reached.leaves(tree)[row];
    if (leaf == ReachedLeaves::none) return;
    std::vector<double> mixed;
    const double* shares = nullptr;
    if (leaf >= 0) {
        shares = frequencies(tree, static_cast<std::size_t>(leaf));
    } else {
        mixed.resize(n_classes_);
        vote(tree, reached.shares(leaf), mixed);
        shares = mixed.data();
    }
    for (std::size_t k = 0; k < n_classes_; ++k) sums[k] += shares[k];
}

void vote(const LeafPaths& paths, const TreeVotes& tree_votes, const Bags* bags, std::span<double> votes,
          std::span<std::int32_t> labels, std::size_t n_threads, const StopToken& stop) {
    tree_votes.check(paths);
    if (bags != nullptr) bags->check(tree_votes.n_trees(), paths.n_rows());
    const std::size_t n_classes = tree_votes.n_classes();
    const IndexRange trees{0, tree_votes.n_trees()};
    paths.in_blocks(trees, n_threads, stop, [&](IndexRange rows, ReachedLeaves& reached) {
        mask_in_bag(bags, trees, rows, reached);
        std::vector<std::uint32_t> counted(rows.size() * n_classes);
        tree_votes.elect(reached, counted, labels.subspan(rows.begin, rows.size()));
        if (!votes.empty())
            std::copy(counted.begin(), counted.end(),
                      votes.begin() + static_cast<std::ptrdiff_t>(rows.begin * n_classes));
    });
}

}  // namespace calibrant
