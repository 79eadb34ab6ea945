// Votes on training rows as bits, one for each tree, so that the votes of the trees grown without another row are
// counted in a few instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "forest/votes.hpp"
#include "stop.hpp"

namespace calibrant {

class VoteBits {
  public:
    VoteBits(const LeafPaths& paths, const TreeVotes& tree_votes, const Bags* bags, std::size_t n_threads,
             const StopToken& stop);

    std::size_t n_words() const { return n_words_; }
    std::size_t words_a_row() const { return n_words_ * tree_votes_.n_classes(); }

    // For each class in turn the trees grown without the row that vote for it.
    std::span<const std::uint64_t> of(std::size_t row) const {
        return {bits_.data() + row * words_a_row(), words_a_row()};
    }
    // The trees grown without the row.
    void write_voters(std::size_t row, std::span<std::uint64_t> voters) const;

    // The class that some of the trees grown without a row vote for, -1 where there is no such tree.
    std::int32_t winner(std::size_t row, std::span<const std::uint64_t> voters) const;

  private:
    void record(IndexRange rows, const ReachedLeaves& reached);
    void record_row(IndexRange rows, const ReachedLeaves& reached, std::size_t row, std::vector<double>& mixtures);
    void add_frequencies(std::size_t row, std::size_t tree, std::span<double> sums) const;

    const TreeVotes& tree_votes_;
    std::size_t n_words_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::int32_t> leaves_;  // rows x trees; below -1 the index of a mixture: the row reached several leaves
    std::vector<double> mixtures_;
    std::mutex guard_;
};

// Whether a label wins the votes on a row: another class does, it does, or it shares the most votes.
enum class VoteOutcome : std::uint8_t { other, same, tied };

// Compares the votes of `voters` on rows, whose bits follow one another, with a label.
void compare_votes(std::span<const std::uint64_t> bits, std::size_t n_classes, std::span<const std::uint64_t> voters,
                   std::size_t label, std::span<VoteOutcome> outcomes);

}  // namespace calibrant
