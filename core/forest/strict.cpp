#include "forest/strict.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "forest/vote_bits.hpp"

namespace calibrant {
namespace {

// A row, or a part of it, at a leaf.
struct Entry {
    std::uint32_t row;
    double share;
};

// The rows of a tree, leaf after leaf.
struct Leaves {
    std::vector<std::size_t> first;
    std::vector<Entry> entries;

    std::span<const Entry> at(std::size_t leaf) const {
        return {entries.data() + first[leaf], first[leaf + 1] - first[leaf]};
    }
};

Leaves by_leaf(const ForestWays& ways, std::size_t tree, std::size_t n_nodes, const StopToken& stop) {
    Leaves leaves{std::vector<std::size_t>(n_nodes + 1), {}};
    ways.each(tree, stop, [&](std::size_t, std::size_t leaf, double) { ++leaves.first[leaf + 1]; });
    std::partial_sum(leaves.first.begin(), leaves.first.end(), leaves.first.begin());
    leaves.entries.resize(leaves.first.back());
    std::vector<std::size_t> next(leaves.first.begin(), leaves.first.end() - 1);
    ways.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        leaves.entries[next[leaf]++] = {static_cast<std::uint32_t>(row), share};
    });
    return leaves;
}

// What a tree says of each row: a sum weighted by shares, and their sum.
struct TreeAnswers {
    std::vector<double> mixed, mass;
};

// What all trees share.
struct Strict {
    const BaggedRows& rows;
    const VoteBits& bits;
    std::span<const std::int32_t> labels;
    const Question& question;
    std::size_t most_beside, width;
};

// The rows at a leaf that stand beside those that ask, with what is needed of each in one place.
class Beside {
  public:
    Beside(const Strict& strict, std::size_t tree)
        : strict_(strict), tree_(tree), voters_(strict.bits.n_words()), counts_(2 * strict.rows.n_classes) {}

    void gather(std::span<const Entry> entries, std::size_t leaf) {
        n_all_ = entries.size();
        entries_.assign(entries.begin(), entries.end());
        if (n_all_ > strict_.most_beside) draw(leaf);
        bits_.clear();
        slots_.clear();
        weights_.clear();
        for (const auto& [row, share] : entries_) {
            const auto bits = strict_.bits.of(row);
            bits_.insert(bits_.end(), bits.begin(), bits.end());
            const std::size_t side = strict_.rows.draws.is_out(tree_, row) ? strict_.rows.n_classes : 0;
            slots_.push_back(side + static_cast<std::size_t>(strict_.rows.classes[row]));
            weights_.push_back(strict_.rows.counted(tree_, row) * share);
        }
        verdicts_.resize(entries_.size());
    }

    // Counts the rows that have the label of the one that asks, by the votes of trees without it.
    std::span<const double> count(std::uint32_t row) {
        const auto label = static_cast<std::size_t>(strict_.labels[row]);
        strict_.bits.write_voters(row, voters_);
        compare_votes(bits_, strict_.rows.n_classes, voters_, label, verdicts_);
        std::fill(counts_.begin(), counts_.end(), 0.0);
        std::size_t n_others = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const std::uint32_t other = entries_[i].row;
            if (verdicts_[i] == Verdict::tied) verdicts_[i] = is_alike(other, label) ? Verdict::alike : Verdict::other;
            n_others += other != row;
            counts_[slots_[i]] += verdicts_[i] == Verdict::alike && other != row ? weights_[i] : 0.0;
        }
        if (n_all_ > entries_.size()) {
            for (double& count : counts_) count *= static_cast<double>(n_all_ - 1) / static_cast<double>(n_others);
        }
        return counts_;
    }

  private:
    bool is_alike(std::uint32_t other, std::size_t label) const {
        return strict_.bits.winner(other, voters_) == static_cast<std::int32_t>(label);
    }

    // Keeps some of the entries; which ones hangs on the tree and the leaf alone.
    void draw(std::size_t leaf) {
        std::mt19937_64 random(tree_ * 0x9e3779b97f4a7c15ULL + leaf);
        for (std::size_t i = 0; i < strict_.most_beside; ++i)
            std::swap(entries_[i], entries_[i + random() % (entries_.size() - i)]);
        entries_.resize(strict_.most_beside);
    }

    const Strict& strict_;
    std::size_t tree_, n_all_ = 0;
    std::vector<std::uint64_t> voters_, bits_;
    std::vector<Entry> entries_;
    std::vector<std::size_t> slots_;
    std::vector<double> weights_, counts_;
    std::vector<Verdict> verdicts_;
};

TreeAnswers ask_tree(const Strict& strict, const Leaves& leaves, std::size_t tree, const StopToken& stop) {
    const BaggedRows& rows = strict.rows;
    TreeAnswers answers{std::vector<double>(rows.classes.size() * strict.width),
                        std::vector<double>(rows.classes.size())};
    Beside beside(strict, tree);
    std::vector<double> answer(strict.width);
    for (std::size_t leaf = 0; leaf + 1 < leaves.first.size(); ++leaf) {
        const auto entries = leaves.at(leaf);
        if (std::none_of(entries.begin(), entries.end(),
                         [&](const Entry& entry) { return rows.draws.is_out(tree, entry.row); }))
            continue;
        check_stop(stop);
        beside.gather(entries, leaf);
        for (const auto& [row, share] : entries) {
            if (!rows.draws.is_out(tree, row)) continue;
            const auto counts = beside.count(row);
            const auto own_class = static_cast<std::size_t>(rows.classes[row]);
            if (!strict.question.ask(counts.first(rows.n_classes), counts.last(rows.n_classes), own_class, answer))
                continue;
            for (std::size_t k = 0; k < strict.width; ++k) answers.mixed[row * strict.width + k] += share * answer[k];
            answers.mass[row] += share;
        }
    }
    return answers;
}

}  // namespace

std::vector<double> answer_strictly(const ForestWays& ways, std::span<const std::size_t> n_nodes,
                                    const BaggedRows& rows, const Ballots& ballots, const Question& question,
                                    std::size_t most_beside, std::size_t n_threads, const StopToken& stop) {
    const std::size_t width = question.width(rows.n_classes);
    std::vector<std::int32_t> labels(ways.n_rows());
    vote(ways, ballots, rows.draws, {}, labels, n_threads, stop);
    const VoteBits bits(ways, ballots, rows.draws, n_threads, stop);
    const Strict strict{rows, bits, labels, question, most_beside, width};
    AnswerSums sums(ways.n_rows(), width);
    for (std::size_t first = 0; first < ways.n_trees(); first += n_threads) {
        std::vector<TreeAnswers> answers(std::min(n_threads, ways.n_trees() - first));
        parallel_for(answers.size(), n_threads, stop, [&](std::size_t i, std::size_t) {
            answers[i] = ask_tree(strict, by_leaf(ways, first + i, n_nodes[first + i], stop), first + i, stop);
        });
        for (const TreeAnswers& tree : answers) {
            for (std::size_t row = 0; row < tree.mass.size(); ++row)
                sums.add(row, std::span(tree.mixed).subspan(row * width, width), tree.mass[row]);
        }
    }
    return std::move(sums).means();
}

}  // namespace calibrant
