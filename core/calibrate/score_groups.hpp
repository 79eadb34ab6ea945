// Rows of two classes sorted by score, ties pooled.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "buffer.hpp"
#include "parallel.hpp"
#include "radix_sort.hpp"
#include "stop.hpp"

namespace calibrant {

inline std::uint64_t key_of(double score) { return order_key<std::uint64_t>(score); }

// The key of a row that counts once, and of a row with a weight.
struct PlainKey {
    std::uint64_t key;
    double weight() const { return 1.0; }
};
struct WeightedKey {
    std::uint64_t key;
    double weight_;
    double weight() const { return weight_; }
};

// Sorts by key, stably; `spare` is scratch memory of the same size.
void sort_scores(std::span<PlainKey> items, std::span<PlainKey> spare);
void sort_scores(std::span<WeightedKey> items, std::span<WeightedKey> spare);

// The score of each row, whether it is of the positive class, and its weight, 1 where there are none.
struct ScoreRows {
    std::span<const double> scores;
    std::span<const bool> positive;
    std::span<const double> weights;
    std::size_t size() const { return scores.size(); }
};

// Rows that share a score.
struct ScoreGroup {
    double score, weight, positive;
};

// The scores of each class sorted separately: labels need not be carried along, and two threads sort at once.
template <class Item>
class SortedScores {
  public:
    SortedScores(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop)
        : items_(rows.size() + 4), spare_(rows.size() + 4) {
        const auto n_positive = static_cast<std::size_t>(std::count(rows.positive.begin(), rows.positive.end(), true));
        sizes_ = {rows.size() - n_positive, n_positive};
        split_by_class(rows);
        parallel_for(2, n_threads, stop, [&](std::size_t which, std::size_t) {
            sort_scores(of_class(which), spare_.slice(begin(which), sizes_[which]));
        });
        for (std::size_t which = 0; which < 2; ++which)
            items_.slice(begin(which) + sizes_[which], 1).front().key = past_all;
    }

    // Calls visit(ScoreGroup) for each distinct score, ascending.
    template <class Visit>
    void for_each_group(Visit&& visit) {
        const Item* negative = of_class(0).data();
        const Item* positive = of_class(1).data();
        while (true) {
            const std::uint64_t key = std::min(negative->key, positive->key);
            if (key == past_all) return;
            double of_negative = 0, of_positive = 0;
            for (; negative->key == key; ++negative) of_negative += negative->weight();
            for (; positive->key == key; ++positive) of_positive += positive->weight();
            visit(ScoreGroup{number_of(key), of_negative + of_positive, of_positive});
        }
    }

  private:
    static constexpr std::uint64_t past_all = ~std::uint64_t{0};  // the key of a NaN, which no score is

    // One item is left free after each class: for the mark of its end, and for surplus writes.
    std::size_t begin(std::size_t which) const { return which == 0 ? 0 : sizes_[0] + 2; }
    std::span<Item> of_class(std::size_t which) { return items_.slice(begin(which), sizes_[which]); }

    static Item item_of(const ScoreRows& rows, std::size_t row) {
        if constexpr (std::is_same_v<Item, PlainKey>)
            return {key_of(rows.scores[row])};
        else
            return {key_of(rows.scores[row]), rows.weights[row]};
    }

    // Writes each row after both classes and advances in its own, since a branch on the label would be mispredicted.
    void split_by_class(const ScoreRows& rows) {
        Item* const negative = items_.slice(begin(0), sizes_[0] + 1).data();
        Item* const positive = items_.slice(begin(1), sizes_[1] + 1).data();
        std::size_t n_positive = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const Item item = item_of(rows, row);
            negative[row - n_positive] = item;
            positive[n_positive] = item;
            n_positive += rows.positive[row];
        }
    }

    Buffer<Item> items_, spare_;
    std::array<std::size_t, 2> sizes_{};
};

// The distinct scores with the weight of their rows, ascending.
std::vector<ScoreGroup> pool_ties(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
