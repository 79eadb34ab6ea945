#include "forest/vote_bits.hpp"

#include <algorithm>
#include <bit>

#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr std::size_t word_bits = 64;

// The loop over pairs; a number of words known when compiled saves half of the time.
template <std::size_t fixed_words>
CALIBRANT_INLINE void compare(const std::uint64_t* bits, std::size_t n_classes, std::span<const std::uint64_t> voters,
                              std::size_t label, std::span<Verdict> verdicts) {
    const std::size_t n_words = fixed_words > 0 ? fixed_words : voters.size();
    for (Verdict& verdict : verdicts) {
        int own = 0, most = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            int votes = 0;
            for (std::size_t word = 0; word < n_words; ++word) votes += std::popcount(bits[word] & voters[word]);
            bits += n_words;
            if (k == label)
                own = votes;
            else
                most = std::max(most, votes);
        }
        verdict = own > most ? Verdict::alike : own == most && own > 0 ? Verdict::tied : Verdict::other;
    }
}

CALIBRANT_INLINE void compare_any(const std::uint64_t* bits, std::size_t n_classes,
                                  std::span<const std::uint64_t> voters, std::size_t label,
                                  std::span<Verdict> verdicts) {
    if (voters.size() == 1)
        compare<1>(bits, n_classes, voters, label, verdicts);
    else if (voters.size() == 2)
        compare<2>(bits, n_classes, voters, label, verdicts);
    else
        compare<0>(bits, n_classes, voters, label, verdicts);
}

#if defined(CALIBRANT_HAS_POPCNT)
CALIBRANT_TARGET_POPCNT void compare_counting(const std::uint64_t* bits, std::size_t n_classes,
                                              std::span<const std::uint64_t> voters, std::size_t label,
                                              std::span<Verdict> verdicts) {
    compare_any(bits, n_classes, voters, label, verdicts);
}
#endif

}  // namespace

VoteBits::VoteBits(const ForestWays& ways, const Ballots& ballots, const Draws& draws, std::size_t n_threads,
                   const StopToken& stop)
    : ballots_(ballots),
      n_words_((ballots.n_trees() + word_bits - 1) / word_bits),
      bits_(ways.n_rows() * words_a_row()),
      leaves_(ways.n_rows() * ballots.n_trees()) {
    const Range trees{0, ballots.n_trees()};
    ways.in_blocks(trees, n_threads, stop, [&](Range rows, Ends& ends) {
        draws.keep_outside(trees, rows, ends);
        note(rows, ends);
    });
}

void VoteBits::note(Range rows, const Ends& ends) {
    std::vector<double> mixtures;
    for (std::size_t row = rows.begin; row < rows.end; ++row) note_row(rows, ends, row, mixtures);
    if (mixtures.empty()) return;
    const std::scoped_lock lock(
        guard_);  // where a mixture stands may differ from run to run, but not what is read there
    const auto n_before = static_cast<std::int32_t>(mixtures_.size() / ballots_.n_classes());
    mixtures_.insert(mixtures_.end(), mixtures.begin(), mixtures.end());
    for (std::size_t i = rows.begin * ballots_.n_trees(); i < rows.end * ballots_.n_trees(); ++i) {
        if (leaves_[i] < Ends::nowhere) leaves_[i] -= n_before;
    }
}

void VoteBits::note_row(Range rows, const Ends& ends, std::size_t row, std::vector<double>& mixtures) {
    const std::size_t n_classes = ballots_.n_classes();
    for (std::size_t tree = 0; tree < ballots_.n_trees(); ++tree) {
        std::int32_t& leaf = leaves_[row * ballots_.n_trees() + tree] = ends.leaves(tree)[row - rows.begin];
        if (leaf == Ends::nowhere) continue;
        std::size_t vote = 0;
        if (leaf >= 0) {
            vote = ballots_.vote(tree, static_cast<std::size_t>(leaf));
        } else {
            mixtures.resize(mixtures.size() + n_classes);
            vote = ballots_.vote(tree, ends.parts(leaf), std::span(mixtures).last(n_classes));
            leaf = Ends::nowhere - static_cast<std::int32_t>(mixtures.size() / n_classes);
        }
        bits_[row * words_a_row() + vote * n_words_ + tree / word_bits] |= std::uint64_t{1} << (tree % word_bits);
    }
}

void VoteBits::write_voters(std::size_t row, std::span<std::uint64_t> voters) const {
    const auto bits = of(row);
    for (std::size_t word = 0; word < n_words_; ++word) {
        voters[word] = 0;
        for (std::size_t k = 0; k < ballots_.n_classes(); ++k) voters[word] |= bits[k * n_words_ + word];
    }
}

std::int32_t VoteBits::winner(std::size_t row, std::span<const std::uint64_t> voters) const {
    const auto bits = of(row);
    const std::size_t n_classes = ballots_.n_classes();
    std::vector<std::uint32_t> votes(n_classes);
    for (std::size_t i = 0; i < bits.size(); ++i)
        votes[i / n_words_] += static_cast<std::uint32_t>(std::popcount(bits[i] & voters[i % n_words_]));
    std::vector<double> sums;
    return winner_of(votes, sums, [&](std::span<double> to) {
        for (std::size_t word = 0; word < n_words_; ++word) {
            std::uint64_t left = 0;
            for (std::size_t k = 0; k < n_classes; ++k) left |= bits[k * n_words_ + word];
            for (left &= voters[word]; left != 0; left &= left - 1) {
                add_frequencies(row, word * word_bits + static_cast<std::size_t>(std::countr_zero(left)), to);
            }
        }
    });
}

void VoteBits::add_frequencies(std::size_t row, std::size_t tree, std::span<double> sums) const {
    const std::int32_t leaf = leaves_[row * ballots_.n_trees() + tree];
    const double* const shares =
        leaf >= 0 ? ballots_.frequencies(tree, static_cast<std::size_t>(leaf))
                  : mixtures_.data() + static_cast<std::size_t>(Ends::nowhere - 1 - leaf) * sums.size();
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += shares[k];
}

void compare_votes(std::span<const std::uint64_t> bits, std::size_t n_classes, std::span<const std::uint64_t> voters,
                   std::size_t label, std::span<Verdict> verdicts) {
#if defined(CALIBRANT_HAS_POPCNT)
    if (has_popcnt()) return compare_counting(bits.data(), n_classes, voters, label, verdicts);
#endif
    compare_any(bits.data(), n_classes, voters, label, verdicts);
}

}  // namespace calibrant
