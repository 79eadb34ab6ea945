// The classes that trees vote for. Ties are broken by summed class frequencies, then in favour of the lower class
// (Breiman 1996; Nielsen 2004, section 2.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/bags.hpp"
#include "forest/leaf_paths.hpp"
#include "stop.hpp"

namespace calibrant {

// Frequencies closer than this differ by rounding alone.
inline constexpr double vote_tolerance = 1e-9;

// The index of the greatest value, the first of equal ones.
std::size_t majority(std::span<const double> values);

// Sets the leaves of rows to `none` in the trees whose bag holds them; without bags none.
void mask_in_bag(const Bags* bags, IndexRange trees, IndexRange rows, ReachedLeaves& reached);

// The votes of trees by node, from the class frequencies of their nodes (nodes x classes for each tree).
class TreeVotes {
  public:
    TreeVotes(std::vector<std::span<const double>> tables, std::size_t n_classes);

    std::size_t n_trees() const { return tables_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    const double* frequencies(std::size_t tree, std::size_t leaf) const {
        return tables_[tree].data() + leaf * n_classes_;
    }

    // Throws std::invalid_argument unless the tables are those of the first trees.
    void check(const LeafPaths& paths) const {
        for (std::size_t tree = 0; tree < n_trees(); ++tree) paths.check_lines(tree, votes_[tree].size());
    }

    // The class that a tree votes for at a leaf.
    std::size_t vote(std::size_t tree, std::size_t leaf) const { return votes_[tree][leaf]; }
    // The class that a tree votes for where a row reaches several leaves; writes the frequencies mixed by share.
    std::size_t vote(std::size_t tree, std::span<const LeafShare> leaves, std::span<double> mixed) const;

    // Counts the votes for rows, rows x classes, and writes the winning classes, -1 where no tree voted.
    void elect(const ReachedLeaves& reached, std::span<std::uint32_t> votes, std::span<std::int32_t> labels) const;

  private:
    void count(const ReachedLeaves& reached, std::span<std::uint32_t> votes) const;
    std::int32_t winner(const ReachedLeaves& reached, std::size_t row, std::span<const std::uint32_t> votes) const;
    void add_frequencies(const ReachedLeaves& reached, std::size_t tree, std::size_t row, std::span<double> sums) const;

    std::vector<std::span<const double>> tables_;
    std::size_t n_classes_;
    std::vector<std::vector<std::uint16_t>> votes_;
};

// The class with most votes, among tied ones that of the greatest sum; `sum_up` writes the sums and is called for ties
// only. -1 without votes.
template <class SumUp>
std::int32_t winner_of(std::span<const std::uint32_t> votes, std::vector<double>& sums, SumUp&& sum_up) {
    std::size_t best = 0, n_best = 1;
    for (std::size_t k = 1; k < votes.size(); ++k) {
        n_best = votes[k] > votes[best] ? 1 : n_best + (votes[k] == votes[best]);
        if (votes[k] > votes[best]) best = k;
    }
    if (votes[best] == 0) return -1;
    if (n_best == 1) return static_cast<std::int32_t>(best);
    sums.assign(votes.size(), 0.0);
    sum_up(sums);
    for (std::size_t k = 0; k < votes.size(); ++k) {
        if (votes[k] < votes[best]) sums[k] = -1.0;
    }
    return static_cast<std::int32_t>(majority(sums));
}

// Counts the votes of the trees whose bag, if there are any, does not hold the row. `votes` is rows x classes, or
// empty.
void vote(const LeafPaths& paths, const TreeVotes& tree_votes, const Bags* bags, std::span<double> votes,
          std::span<std::int32_t> labels, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
