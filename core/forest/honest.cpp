#include "forest/honest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace calibrant {
namespace {

// What is left of a count after a row's own is taken away is nothing if it is less than this share of it.
constexpr double rounding = 1e-9;

// Trees whose counts are held at a time.
constexpr std::size_t trees_at_once = 16;

// A row that asks a tree, and room for its answer.
class Asker {
  public:
    Asker(const Question& question, std::size_t n_classes)
        : question_(question), counts_(2 * n_classes), answer_(question.width(n_classes)), mixed_(answer_) {}

    void begin() {
        std::fill(mixed_.begin(), mixed_.end(), 0.0);
        mass_ = 0;
    }
    // Asks a leaf with the row's own count taken away.
    void ask(const TreePools& pools, std::size_t leaf, std::size_t own_class, double own, double share) {
        const std::size_t n = pools.n_classes;
        std::copy_n(pools.counts.data() + leaf * 2 * n, 2 * n, counts_.data());
        double& left = counts_[n + own_class];
        left -= own;
        if (left < rounding * own) left = 0;
        if (!question_.ask({counts_.data(), n}, {counts_.data() + n, n}, own_class, answer_)) return;
        for (std::size_t k = 0; k < mixed_.size(); ++k) mixed_[k] += share * answer_[k];
        mass_ += share;
    }
    void add_to(AnswerSums& sums, std::size_t row) const { sums.add(row, mixed_, mass_); }

  private:
    const Question& question_;
    std::vector<double> counts_, answer_, mixed_;
    double mass_ = 0;
};

}  // namespace

bool Question::ask(std::span<const double> inside, std::span<const double> outside, std::size_t own_class,
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

std::vector<double> AnswerSums::means() && {
    for (std::size_t row = 0; row < n_trees_.size(); ++row) {
        const double n = n_trees_[row] > 0 ? n_trees_[row] : std::numeric_limits<double>::quiet_NaN();
        for (std::size_t k = 0; k < width_; ++k) sums_[row * width_ + k] /= n;
    }
    return std::move(sums_);
}

std::vector<double> answer_without_own(const ForestWays& ways, std::span<const std::size_t> n_nodes,
                                       const BaggedRows& rows, const Question& question, std::size_t n_threads,
                                       const StopToken& stop) {
    AnswerSums sums(ways.n_rows(), question.width(rows.n_classes));
    for (std::size_t first = 0; first < ways.n_trees(); first += trees_at_once) {
        const Range trees{first, std::min(ways.n_trees(), first + trees_at_once)};
        std::vector<TreePools> pools(trees.size());
        parallel_for(trees.size(), n_threads, stop, [&](std::size_t i, std::size_t) {
            pools[i] = count_leaves(ways, first + i, n_nodes[first + i], rows, {}, stop);
        });
        ways.in_blocks(trees, n_threads, stop, [&](Range block, Ends& ends) {
            rows.draws.keep_outside(trees, block, ends);
            Asker asker(question, rows.n_classes);
            for (std::size_t i = 0; i < trees.size(); ++i) {
                for (std::size_t row = block.begin; row < block.end; ++row) {
                    const auto own_class = static_cast<std::size_t>(rows.classes[row]);
                    asker.begin();
                    ends.each(i, row - block.begin, [&](std::size_t leaf, double share) {
                        asker.ask(pools[i], leaf, own_class, rows.own_weight(row) * share, share);
                    });
                    asker.add_to(sums, row);
                }
            }
        });
    }
    return std::move(sums).means();
}

}  // namespace calibrant
