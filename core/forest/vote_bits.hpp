// Votes on training rows as bits, one for each tree: what the trees without another row say of a row is counted in a
// few instructions.
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
    VoteBits(const ForestWays& ways, const Ballots& ballots, const Draws& draws, std::size_t n_threads,
             const StopToken& stop);

    std::size_t n_words() const { return n_words_; }
    std::size_t words_a_row() const { return n_words_ * ballots_.n_classes(); }

    // For each class in turn the trees without the row that vote for it.
    std::span<const std::uint64_t> of(std::size_t row) const {
        return {bits_.data() + row * words_a_row(), words_a_row()};
    }
    // The trees without the row.
    void write_voters(std::size_t row, std::span<std::uint64_t> voters) const;

    // The class that wins for a row among some of the trees without it, -1 where there is none.
    std::int32_t winner(std::size_t row, std::span<const std::uint64_t> voters) const;

  private:
    void note(Range rows, const Ends& ends);
    void note_row(Range rows, const Ends& ends, std::size_t row, std::vector<double>& mixtures);
    void add_frequencies(std::size_t row, std::size_t tree, std::span<double> sums) const;

    const Ballots& ballots_;
    std::size_t n_words_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::int32_t> leaves_;  // rows x trees; below -1 the place of a mixture, since the row was in parts
    std::vector<double> mixtures_;
    std::mutex guard_;
};

// How the votes on a row compare with a label.
enum class Verdict : std::uint8_t { other, alike, tied };

// Compares the votes of `voters` on rows, whose bits follow one another, with a label: `alike` where it has more than
// any other class.
void compare_votes(std::span<const std::uint64_t> bits, std::size_t n_classes, std::span<const std::uint64_t> voters,
                   std::size_t label, std::span<Verdict> verdicts);

}  // namespace calibrant
