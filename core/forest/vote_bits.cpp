#include "forest/vote_bits.hpp"

#include <algorithm>
#include <bit>

#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr std::size_t word_bits = 64;

// The loop over pairs of rows. A number of words known at compile time halves its time.
template <std::size_t fixed_words>
CALIBRANT_INLINE void compare(const std::uint64_t* bits, std::size_t n_classes, std::span<const std::uint64_t> voters,
                              std::size_t label, std::span<VoteOutcome> outcomes) {
    const std::size_t n_words = fixed_words > 0 ? fixed_words : voters.size();
    for (VoteOutcome& outcome : outcomes) {
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
        outcome = own > most ? VoteOutcome::same : own == most && own > 0 ? VoteOutcome::tied : VoteOutcome::other;
    }
}

CALIBRANT_INLINE void compare_any(const std::uint64_t* bits, std::size_t n_classes,
                                  std::span<const std::uint64_t> voters, std::size_t label,
                                  std::span<VoteOutcome> outcomes) {
    if (voters.size() == 1)
        compare<1>(bits, n_classes, voters, label, outcomes);
    else if (voters.size() == 2)
        compare<2>(bits, n_classes, voters, label, outcomes);
    else
        compare<0>(bits, n_classes, voters, label, outcomes);
}

#if defined(CALIBRANT_HAS_POPCNT)
CALIBRANT_TARGET_POPCNT void compare_counting(const std::uint64_t* bits, std::size_t n_classes,
                                              std::span<const std::uint64_t> voters, std::size_t label,
                                              std::span<VoteOutcome> outcomes) {
    compare_any(bits, n_classes, voters, label, outcomes);
}
#endif

}  // namespace

VoteBits::VoteBits(const LeafPaths& paths, const TreeVotes& tree_votes, const Bags* bags, std::size_t n_threads,
                   const StopToken& stop)
    : tree_votes_(tree_votes),
      n_words_((tree_votes.n_trees() + word_bits - 1) / word_bits),
      bits_(paths.n_rows() * words_a_row()),
      leaves_(paths.n_rows() * tree_votes.n_trees()) {
    const IndexRange trees{0, tree_votes.n_trees()};
    paths.in_blocks(trees, n_threads, stop, [&](IndexRange rows, ReachedLeaves& reached) {
        mask_in_bag(bags, trees, rows, reached);
        record(rows, reached);
    });
}

// A row with missing values has a mixture of leaves in a tree: its number is kept below ReachedLeaves::none. Blocks
// number theirs from 0, and are moved behind those that are kept already.
void VoteBits::record(IndexRange rows, const ReachedLeaves& reached) {
    std::vector<double> mixtures;
    for (std::size_t row = rows.begin; row < rows.end; ++row) record_row(rows, reached, row, mixtures);
    if (mixtures.empty()) return;
    const std::scoped_lock lock(
        guard_);  // the order of mixtures may differ from run to run, what is read from each may not
    const auto n_before = static_cast<std::int32_t>(mixtures_.size() / tree_votes_.n_classes());
    mixtures_.insert(mixtures_.end(), mixtures.begin(), mixtures.end());
    for (std::size_t i = rows.begin * tree_votes_.n_trees(); i < rows.end * tree_votes_.n_trees(); ++i) {
        if (leaves_[i] < ReachedLeaves::none) leaves_[i] -= n_before;
    }
}

void VoteBits::record_row(IndexRange rows, const ReachedLeaves& reached, std::size_t row,
                          std::vector<double>& mixtures) {
    const std::size_t n_classes = tree_votes_.n_classes();
    for (std::size_t tree = 0; tree < tree_votes_.n_trees(); ++tree) {
        std::int32_t& leaf = leaves_[row * tree_votes_.n_trees() + tree] = reached.leaves(tree)[row - rows.begin];
        if (leaf == ReachedLeaves::none) continue;
        std::size_t vote = 0;
        if (leaf >= 0) {
            vote = tree_votes_.vote(tree, static_cast<std::size_t>(leaf));
        } else {
            mixtures.resize(mixtures.size() + n_classes);
            vote = tree_votes_.vote(tree, reached.shares(leaf), std::span(mixtures).last(n_classes));
            leaf = ReachedLeaves::none - static_cast<std::int32_t>(mixtures.size() / n_classes);
        }
        bits_[row * words_a_row() + vote * n_words_ + tree / word_bits] |= std::uint64_t{1} << (tree % word_bits);
    }
}

// A tree votes for one class, so that the bits of all classes together are the trees that vote at all.
void VoteBits::write_voters(std::size_t row, std::span<std::uint64_t> voters) const {
    const auto bits = of(row);
    for (std::size_t word = 0; word < n_words_; ++word) {
        voters[word] = 0;
        for (std::size_t k = 0; k < tree_votes_.n_classes(); ++k) voters[word] |= bits[k * n_words_ + word];
    }
}

std::int32_t VoteBits::winner(std::size_t row, std::span<const std::uint64_t> voters) const {
    const auto bits = of(row);
    const std::size_t n_classes = tree_votes_.n_classes();
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
    const std::int32_t leaf = leaves_[row * tree_votes_.n_trees() + tree];
    const double* const shares =
        leaf >= 0 ? tree_votes_.frequencies(tree, static_cast<std::size_t>(leaf))
                  : mixtures_.data() + static_cast<std::size_t>(ReachedLeaves::none - 1 - leaf) * sums.size();
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += shares[k];
}

void compare_votes(std::span<const std::uint64_t> bits, std::size_t n_classes, std::span<const std::uint64_t> voters,
                   std::size_t label, std::span<VoteOutcome> outcomes) {
#if defined(CALIBRANT_HAS_POPCNT)
    if (has_popcnt()) return compare_counting(bits.data(), n_classes, voters, label, outcomes);
#endif
    compare_any(bits.data(), n_classes, voters, label, outcomes);
}

}  // namespace calibrant
