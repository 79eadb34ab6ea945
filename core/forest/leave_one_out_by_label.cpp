#include "forest/leave_one_out_by_label.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "forest/vote_bits.hpp"

namespace calibrant {
namespace {

// A row at a leaf, and the share of it that reaches the leaf.
struct LeafRow {
    std::uint32_t row;
    double share;
};

// The rows of a tree, grouped by leaf.
struct RowsByLeaf {
    std::vector<std::size_t> first;
    std::vector<LeafRow> entries;

    std::span<const LeafRow> at(std::size_t leaf) const {
        return {entries.data() + first[leaf], first[leaf + 1] - first[leaf]};
    }
};

RowsByLeaf group_by_leaf(const LeafPaths& paths, std::size_t tree, std::size_t n_nodes, const StopToken& stop) {
    RowsByLeaf leaves{std::vector<std::size_t>(n_nodes + 1), {}};
    paths.each(tree, stop, [&](std::size_t, std::size_t leaf, double) { ++leaves.first[leaf + 1]; });
    std::partial_sum(leaves.first.begin(), leaves.first.end(), leaves.first.begin());
    leaves.entries.resize(leaves.first.back());
    std::vector<std::size_t> next(leaves.first.begin(), leaves.first.end() - 1);
    paths.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        leaves.entries[next[leaf]++] = {static_cast<std::uint32_t>(row), share};
    });
    return leaves;
}

// The predictions of a tree for each row: sums weighted by leaf shares, and the sums of these.
struct TreePredictions {
    std::vector<double> mixed, mass;
};

// What is the same for all trees.
struct LabelContext {
    const BaggedRows& rows;
    const VoteBits& bits;
    std::span<const std::int32_t> labels;
    const CountEstimate& estimate;
    std::size_t max_neighbors, width;
};

// The rows at a leaf as neighbors of one another; the fields of each lie side by side, since every pair is
// compared.
class LeafNeighbors {
  public:
    LeafNeighbors(const LabelContext& context, std::size_t tree, std::span<const std::uint16_t> in_bag)
        : context_(context),
          tree_(tree),
          in_bag_(in_bag),
          voters_(context.bits.n_words()),
          counts_(2 * context.rows.n_classes) {}

    void gather(std::span<const LeafRow> entries, std::size_t leaf) {
        n_all_ = entries.size();
        entries_.assign(entries.begin(), entries.end());
        if (n_all_ > context_.max_neighbors) draw(leaf);
        bits_.clear();
        slots_.clear();
        weights_.clear();
        for (const auto& [row, share] : entries_) {
            const auto bits = context_.bits.of(row);
            bits_.insert(bits_.end(), bits.begin(), bits.end());
            const std::size_t side = in_bag_[row] == 0 ? context_.rows.n_classes : 0;
            slots_.push_back(side + static_cast<std::size_t>(context_.rows.classes[row]));
            weights_.push_back(context_.rows.counted(row, in_bag_[row], share));
        }
        outcomes_.resize(entries_.size());
    }

    // Counts the neighbors that have the label of a row, by the votes of trees grown without it.
    std::span<const double> count(std::uint32_t row) {
        const auto label = static_cast<std::size_t>(context_.labels[row]);
        context_.bits.write_voters(row, voters_);
        compare_votes(bits_, context_.rows.n_classes, voters_, label, outcomes_);
        std::fill(counts_.begin(), counts_.end(), 0.0);
        std::size_t n_others = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const std::uint32_t other = entries_[i].row;
            if (outcomes_[i] == VoteOutcome::tied)
                outcomes_[i] = votes_for(other, label) ? VoteOutcome::same : VoteOutcome::other;
            const bool is_other = context_.rows.group(other) != context_.rows.group(row);
            n_others += is_other;
            counts_[slots_[i]] += outcomes_[i] == VoteOutcome::same && is_other ? weights_[i] : 0.0;
        }
        if (n_all_ > entries_.size()) {
            const double factor = scale(n_others);
            for (double& count : counts_) count *= factor;
        }
        return counts_;
    }

  private:
    // The rows of other groups at the leaf over those of them in the sample; estimated where groups have several rows.
    double scale(std::size_t n_others) const {
        if (!context_.rows.groups.empty()) return static_cast<double>(n_all_) / static_cast<double>(entries_.size());
        return static_cast<double>(n_all_ - 1) / static_cast<double>(n_others);
    }

    bool votes_for(std::uint32_t other, std::size_t label) const {
        return context_.bits.winner(other, voters_) == static_cast<std::int32_t>(label);
    }

    // Keeps a random sample of the rows, which depends only on the tree and the leaf: the same for any number of
    // threads.
    void draw(std::size_t leaf) {
        std::mt19937_64 random(tree_ * 0x9e3779b97f4a7c15ULL + leaf);
        for (std::size_t i = 0; i < context_.max_neighbors; ++i)
            std::swap(entries_[i], entries_[i + random() % (entries_.size() - i)]);
        entries_.resize(context_.max_neighbors);
    }

    const LabelContext& context_;
    std::size_t tree_, n_all_ = 0;
    std::span<const std::uint16_t> in_bag_;
    std::vector<std::uint64_t> voters_, bits_;
    std::vector<LeafRow> entries_;
    std::vector<std::size_t> slots_;
    std::vector<double> weights_, counts_;
    std::vector<VoteOutcome> outcomes_;
};

TreePredictions predict_tree(const LabelContext& context, const RowsByLeaf& leaves, std::size_t tree,
                             const StopToken& stop) {
    const BaggedRows& rows = context.rows;
    TreePredictions predictions{std::vector<double>(rows.classes.size() * context.width),
                                std::vector<double>(rows.classes.size())};
    const std::vector<std::uint16_t> in_bag = rows.bags->of(tree);
    LeafNeighbors neighbors(context, tree, in_bag);
    std::vector<double> prediction(context.width);
    for (std::size_t leaf = 0; leaf + 1 < leaves.first.size(); ++leaf) {
        const auto entries = leaves.at(leaf);
        if (std::none_of(entries.begin(), entries.end(), [&](const LeafRow& entry) { return in_bag[entry.row] == 0; }))
            continue;
        check_stop(stop);
        neighbors.gather(entries, leaf);
        for (const auto& [row, share] : entries) {
            if (in_bag[row] != 0) continue;
            const auto counts = neighbors.count(row);
            const auto own_class = static_cast<std::size_t>(rows.classes[row]);
            if (!context.estimate.estimate(counts.first(rows.n_classes), counts.last(rows.n_classes), own_class,
                                           prediction))
                continue;
            for (std::size_t k = 0; k < context.width; ++k)
                predictions.mixed[row * context.width + k] += share * prediction[k];
            predictions.mass[row] += share;
        }
    }
    return predictions;
}

}  // namespace

std::vector<double> predict_leave_one_out_by_label(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                                   const BaggedRows& rows, const TreeVotes& tree_votes,
                                                   const CountEstimate& estimate, std::size_t max_neighbors,
                                                   std::size_t n_threads, const StopToken& stop) {
    const std::size_t width = estimate.width(rows.n_classes);
    std::vector<std::int32_t> labels(paths.n_rows());
    vote(paths, tree_votes, rows.bags, {}, labels, n_threads, stop);
    const VoteBits bits(paths, tree_votes, rows.bags, n_threads, stop);
    const LabelContext context{rows, bits, labels, estimate, max_neighbors, width};
    PredictionSums sums(paths.n_rows(), width);
    for (std::size_t first = 0; first < paths.n_trees(); first += n_threads) {
        std::vector<TreePredictions> predictions(std::min(n_threads, paths.n_trees() - first));
        parallel_for(predictions.size(), n_threads, stop, [&](std::size_t i, std::size_t) {
            predictions[i] =
                predict_tree(context, group_by_leaf(paths, first + i, n_nodes[first + i], stop), first + i, stop);
        });
        for (const TreePredictions& tree : predictions) {
            for (std::size_t row = 0; row < tree.mass.size(); ++row)
                sums.add(row, std::span(tree.mixed).subspan(row * width, width), tree.mass[row]);
        }
    }
    return std::move(sums).means();
}

}  // namespace calibrant
