// Rows of two classes ranked by the probability of one of them, the highest first; equal probabilities form a group.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "calibrate/pav.hpp"
#include "calibrate/score_groups.hpp"
#include "stop.hpp"

namespace calibrant {

// The keys of a ranking: the higher the probability, the lower the key, and in the lowest bit whether the row is
// positive. Numbers in [0, 1] leave two bits of a double free.
inline constexpr std::uint64_t bits_of_one = 0x3ff0000000000000ULL;

inline std::uint64_t rank_key(double probability, bool is_positive) {
    return (bits_of_one - std::bit_cast<std::uint64_t>(probability + 0.0)) << 1 |
           static_cast<std::uint64_t>(is_positive);
}
inline double probability_of(std::uint64_t key) { return std::bit_cast<double>(bits_of_one - (key >> 1)); }

// Sorted once; every measure is a walk over its groups.
class Ranking {
  public:
    // Probabilities must lie in [0, 1].
    Ranking(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop);

    std::size_t size() const { return size_; }
    double weight() const { return weight_; }
    double positive() const { return positive_; }

    // The blocks of isotonic regression of the negative class on the negated probability, since rankings descend;
    // computed once.
    const std::vector<ScoreBlock>& blocks() const;

    // Calls visit(ScoreGroup) for each distinct probability, the highest first.
    template <class Visit>
    void for_each_group(Visit&& visit) const {
        if (is_weighted_)
            walk(weighted_.slice(0, size_), visit);
        else
            walk(plain_.slice(0, size_), visit);
    }

    // The same from the lowest on.
    template <class Visit>
    void for_each_group_upwards(Visit&& visit) const {
        if (is_weighted_)
            walk_back(weighted_.slice(0, size_), visit);
        else
            walk_back(plain_.slice(0, size_), visit);
    }

  private:
    template <class Rank>
    static void add(ScoreGroup& group, const Rank& rank) {
        const double weight = rank.weight();
        group.weight += weight;
        group.positive += weight * static_cast<double>(rank.key & 1);
    }
    template <class Rank, class Visit>
    static void walk(std::span<const Rank> ranks, Visit&& visit) {
        for (std::size_t i = 0; i < ranks.size();) {
            const std::uint64_t first = ranks[i].key;
            ScoreGroup group{probability_of(first), 0, 0};
            do add(group, ranks[i++]);
            while (i < ranks.size() && (ranks[i].key ^ first) < 2);
            visit(group);
        }
    }
    template <class Rank, class Visit>
    static void walk_back(std::span<const Rank> ranks, Visit&& visit) {
        for (std::size_t i = ranks.size(); i > 0;) {
            const std::uint64_t first = ranks[i - 1].key;
            ScoreGroup group{probability_of(first), 0, 0};
            do add(group, ranks[--i]);
            while (i > 0 && (ranks[i - 1].key ^ first) < 2);
            visit(group);
        }
    }

    mutable std::once_flag pooled_;
    mutable std::vector<ScoreBlock> blocks_;
    bool is_weighted_;
    std::size_t size_;
    Buffer<PlainKey> plain_;
    Buffer<WeightedKey> weighted_;
    double weight_ = 0, positive_ = 0;
};

}  // namespace calibrant
