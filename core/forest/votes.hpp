// The classes that trees vote for, and how ties are settled: by summed class frequencies, then for the lower class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/leaf_paths.hpp"
#include "stop.hpp"

namespace calibrant {

// Frequencies that differ by less are rounded apart, not different.
inline constexpr double vote_tolerance = 1e-9;

// The place of the greatest value, the first of equal ones.
std::size_t majority(std::span<const double> values);

// How often each row was drawn for each tree, trees x rows; empty where all rows are asked about in all trees.
struct Draws {
    std::span<const std::uint16_t> in_bag;
    std::size_t n_rows;

    bool is_out(std::size_t tree, std::size_t row) const { return in_bag[tree * n_rows + row] == 0; }
    // Sends rows nowhere in the trees that they were drawn for.
    void keep_outside(Range trees, Range rows, Ends& ends) const;
};

// What trees vote with: the class frequencies of their nodes, nodes x classes for each tree.
class Ballots {
  public:
    Ballots(std::vector<std::span<const double>> tables, std::size_t n_classes);

    std::size_t n_trees() const { return tables_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    const double* frequencies(std::size_t tree, std::size_t leaf) const {
        return tables_[tree].data() + leaf * n_classes_;
    }

    // Gives the class that a tree votes for at a leaf.
    std::size_t vote(std::size_t tree, std::size_t leaf) const { return votes_[tree][leaf]; }
    // Gives the class that a tree votes for where a row is in parts, and writes the frequencies mixed by share.
    std::size_t vote(std::size_t tree, std::span<const End> parts, std::span<double> mixed) const;

    // Counts the votes on rows, rows x classes, and writes the winners, -1 where no tree voted.
    void settle(const Ends& ends, std::span<std::uint32_t> votes, std::span<std::int32_t> labels) const;

  private:
    void count(const Ends& ends, std::span<std::uint32_t> votes) const;
    std::int32_t winner(const Ends& ends, std::size_t row, std::span<const std::uint32_t> votes) const;
    void add_frequencies(const Ends& ends, std::size_t tree, std::size_t row, std::span<double> sums) const;

    std::vector<std::span<const double>> tables_;
    std::size_t n_classes_;
    std::vector<std::vector<std::uint16_t>> votes_;
};

// Of the classes with most votes the one with the greatest sum; `sum_up` writes the sums and is called for ties only.
// -1 without votes.
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

// Lets the trees vote on rows: those that a row was drawn for have no say. `votes` is rows x classes, or empty.
void vote(const ForestWays& ways, const Ballots& ballots, const Draws& draws, std::span<double> votes,
          std::span<std::int32_t> labels, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
