#include "forest/leave_one_out.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "forest/leaf_counts.hpp"

namespace calibrant {
namespace {

// A count below this share of the weight subtracted from it is rounding error and taken as 0.
constexpr double rounding = 1e-9;

// Trees whose counts are held at a time: bounds the memory, yet gives every thread a tree.
constexpr std::size_t trees_at_once = 16;

// Class counts of a group's out-of-bag rows at each leaf that they reach, to be subtracted where one of them is
// predicted: rows of a group resemble one another, so the others would give a row's class away.
class GroupCounts {
  public:
    GroupCounts() = default;
    GroupCounts(const LeafPaths& paths, std::size_t tree, const BaggedRows& rows, const StopToken& stop);

    // The weight of each class among the group's out-of-bag rows at a leaf; the group must have one there.
    std::span<const double> at(std::size_t group, std::size_t leaf) const;

  private:
    std::size_t n_classes_ = 0;
    std::vector<std::uint64_t> keys_;  // group and leaf, ascending
    std::vector<double> counts_;       // keys x classes
};

std::uint64_t key_of(std::size_t group, std::size_t leaf) { return (static_cast<std::uint64_t>(group) << 32) | leaf; }

struct CountedRow {
    std::uint64_t key;
    std::size_t own_class;
    double weight;
};

GroupCounts::GroupCounts(const LeafPaths& paths, std::size_t tree, const BaggedRows& rows, const StopToken& stop)
    : n_classes_(rows.n_classes) {
    const std::vector<std::uint16_t> in_bag = rows.bags->of(tree);
    std::vector<CountedRow> entries;
    paths.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        if (in_bag[row] != 0) return;
        entries.push_back(
            {key_of(rows.group(row), leaf), static_cast<std::size_t>(rows.classes[row]), rows.counted(row, 0, share)});
    });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const CountedRow& a, const CountedRow& b) { return a.key < b.key; });
    for (const auto& [key, own_class, weight] : entries) {
        if (keys_.empty() || keys_.back() != key) {
            keys_.push_back(key);
            counts_.resize(counts_.size() + n_classes_);
        }
        counts_[counts_.size() - n_classes_ + own_class] += weight;
    }
}

std::span<const double> GroupCounts::at(std::size_t group, std::size_t leaf) const {
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key_of(group, leaf));
    return {counts_.data() + static_cast<std::size_t>(found - keys_.begin()) * n_classes_, n_classes_};
}

// The prediction of a tree for one row, mixed over the leaves that it reaches.
class RowEstimate {
  public:
    RowEstimate(const CountEstimate& estimate, std::size_t n_classes)
        : estimate_(estimate), counts_(2 * n_classes), estimated_(estimate.width(n_classes)), mixed_(estimated_) {}

    void begin() {
        std::fill(mixed_.begin(), mixed_.end(), 0.0);
        mass_ = 0;
    }
    // Adds the estimate of a leaf with the row's own count subtracted.
    void add_leaf(BinView bins, std::size_t leaf, std::size_t own_class, double own, double share) {
        copy_counts(bins, leaf);
        subtract(own_class, own);
        add_counts(own_class, share);
    }
    // Adds the estimate of a leaf with the counts of the row's group subtracted.
    void add_leaf(BinView bins, std::size_t leaf, std::size_t own_class, std::span<const double> group, double share) {
        copy_counts(bins, leaf);
        for (std::size_t k = 0; k < group.size(); ++k) subtract(k, group[k]);
        add_counts(own_class, share);
    }
    void add_to(PredictionSums& sums, std::size_t row) const { sums.add(row, mixed_, mass_); }

  private:
    void copy_counts(BinView bins, std::size_t leaf) {
        std::copy_n(bins.counts.data() + leaf * counts_.size(), counts_.size(), counts_.data());
    }
    void subtract(std::size_t own_class, double own) {
        double& left = counts_[counts_.size() / 2 + own_class];
        left -= own;
        if (left < rounding * own) left = 0;
    }
    void add_counts(std::size_t own_class, double share) {
        const std::size_t n = counts_.size() / 2;
        if (!estimate_.estimate({counts_.data(), n}, {counts_.data() + n, n}, own_class, estimated_)) return;
        for (std::size_t k = 0; k < mixed_.size(); ++k) mixed_[k] += share * estimated_[k];
        mass_ += share;
    }

    const CountEstimate& estimate_;
    std::vector<double> counts_, estimated_, mixed_;
    double mass_ = 0;
};

void check_whole(std::span<const std::span<const double>> whole, std::span<const std::size_t> n_nodes,
                 const BaggedRows& rows) {
    bool fits = whole.size() == n_nodes.size() && rows.groups.empty();
    for (std::size_t tree = 0; fits && tree < whole.size(); ++tree)
        fits = whole[tree].size() == n_nodes[tree] * 2 * rows.n_classes;
    if (!fits) throw std::invalid_argument("counts of all rows must be those of the trees, without groups");
}

}  // namespace

bool CountEstimate::estimate(std::span<const double> inside, std::span<const double> outside, std::size_t own_class,
                             std::span<double> to) const {
    if (alphas.empty()) {
        if (!(pooling.pool(inside, outside, to) > 0)) return false;
        pooling.rates(to);
        return true;
    }
    const double n_inside = std::accumulate(inside.begin(), inside.end(), 0.0),
                 n_outside = std::accumulate(outside.begin(), outside.end(), 0.0);
    const double n_added = std::accumulate(pooling.added.begin(), pooling.added.end(), 0.0);
    if (!(n_inside + n_outside > 0)) return false;
    for (std::size_t i = 0; i < alphas.size(); ++i) {
        const double total = n_inside + n_added + alphas[i] * n_outside;
        to[i] =
            (inside[own_class] + pooling.added[own_class] + alphas[i] * outside[own_class]) / (total > 0 ? total : 1.0);
    }
    return true;
}

std::vector<double> PredictionSums::means() && {
    for (std::size_t row = 0; row < n_trees_.size(); ++row) {
        const double n = n_trees_[row] > 0 ? n_trees_[row] : std::numeric_limits<double>::quiet_NaN();
        for (std::size_t k = 0; k < width_; ++k) sums_[row * width_ + k] /= n;
    }
    return std::move(sums_);
}

std::vector<double> predict_leave_one_out(const LeafPaths& paths, std::span<const std::size_t> n_nodes,
                                          const BaggedRows& rows, const CountEstimate& estimate,
                                          std::span<const std::span<const double>> whole, std::size_t n_threads,
                                          const StopToken& stop) {
    rows.bags->check(paths.n_trees(), paths.n_rows());
    if (!whole.empty()) check_whole(whole, n_nodes, rows);
    PredictionSums sums(paths.n_rows(), estimate.width(rows.n_classes));
    for (std::size_t first = 0; first < paths.n_trees(); first += trees_at_once) {
        const IndexRange trees{first, std::min(paths.n_trees(), first + trees_at_once)};
        std::vector<BinCounts> counted(whole.empty() ? trees.size() : 0);
        std::vector<BinView> bins;
        for (std::size_t i = 0; i < trees.size() && !whole.empty(); ++i)
            bins.push_back({rows.n_classes, whole[first + i]});
        std::vector<GroupCounts> groups(rows.groups.empty() ? 0 : trees.size());
        parallel_for(counted.size(), n_threads, stop, [&](std::size_t i, std::size_t) {
            counted[i] = count_leaves(paths, first + i, n_nodes[first + i], rows, {}, stop);
            if (!groups.empty()) groups[i] = GroupCounts(paths, first + i, rows, stop);
        });
        for (const BinCounts& each : counted) bins.push_back(each.view());
        paths.in_blocks(trees, n_threads, stop, [&](IndexRange block, ReachedLeaves& reached) {
            mask_in_bag(rows.bags, trees, block, reached);
            RowEstimate row_estimate(estimate, rows.n_classes);
            for (std::size_t i = 0; i < trees.size(); ++i) {
                for (std::size_t row = block.begin; row < block.end; ++row) {
                    const auto own_class = static_cast<std::size_t>(rows.classes[row]);
                    row_estimate.begin();
                    reached.each(i, row - block.begin, [&](std::size_t leaf, double share) {
                        if (groups.empty())
                            row_estimate.add_leaf(bins[i], leaf, own_class, rows.counted(row, 0, share), share);
                        else
                            row_estimate.add_leaf(bins[i], leaf, own_class, groups[i].at(rows.group(row), leaf), share);
                    });
                    row_estimate.add_to(sums, row);
                }
            }
        });
    }
    return std::move(sums).means();
}

}  // namespace calibrant
