// Rows are first split into many slices of neighbouring probabilities; each is then sorted within the cache, several at
// once. Rows already in order are copied.
#include "rank/ranking.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "radix_sort.hpp"

namespace calibrant {
namespace {

// Slices of 2048 rows of 16 bytes fit the first-level cache; more than 2048 slices would make the split itself miss the
// address cache. Chunks are large enough to outweigh a thread's share of counting slices.
constexpr std::size_t most_slices = 2048, rows_of_slice = 2048, most_chunks = 16, rows_of_chunk = std::size_t{1} << 16;

// Slices of equal width between the least and the greatest probability, the likeliest first.
class Slices {
  public:
    Slices(double low, double high, std::size_t n) : high_(high), last_(n - 1) {
        const double width = high - low;
        scale_ = width > 0 ? std::min(static_cast<double>(n) / width, 1e300) : 0;
    }
    std::size_t of(double probability) const {
        return std::min(static_cast<std::size_t>((high_ - probability) * scale_), last_);
    }

  private:
    double high_, scale_;
    std::size_t last_;
};

struct ProbabilityRange {
    double low = 1, high = 0;
    bool is_wrong = false;
    void add(const ProbabilityRange& other) {
        *this = {std::min(low, other.low), std::max(high, other.high), is_wrong || other.is_wrong};
    }
};

bool is_descending(std::span<const double> probabilities) {
    return std::is_sorted(probabilities.begin(), probabilities.end(), std::greater<>());
}

ProbabilityRange range_of(std::span<const double> probabilities) {
    ProbabilityRange range;
    for (const double p : probabilities) {
        range.low = p < range.low ? p : range.low;
        range.high = p > range.high ? p : range.high;
        range.is_wrong |= !(p >= 0.0) | !(p <= 1.0);
    }
    return range;
}

// Rows in equal chunks, one task each; their number does not depend on the threads.
class Chunks {
  public:
    explicit Chunks(std::size_t n_rows)
        : n_rows_(n_rows), n_(std::clamp<std::size_t>(n_rows / rows_of_chunk, 1, most_chunks)) {}
    std::size_t size() const { return n_; }
    std::size_t begin(std::size_t chunk) const { return n_rows_ / n_ * chunk + std::min(chunk, n_rows_ % n_); }

  private:
    std::size_t n_rows_, n_;
};

template <class Rank>
Rank rank_of(const ScoreRows& rows, std::size_t row) {
    if constexpr (std::is_same_v<Rank, PlainKey>)
        return {rank_key(rows.scores[row], rows.positive[row])};
    else
        return {rank_key(rows.scores[row], rows.positive[row]), rows.weights[row]};
}

// Slices are short: digits of 8 bits, as many as distinguish most of their rows with 4 bits to spare. The lowest bit,
// the class, does not count.
constexpr int digit_bits = 8, most_digits = 8, spare_bits = 4;
constexpr std::size_t few_ranks = 49;  // comparing sorts fewer faster than 256 counts are cleared and summed
using RankSort = LeadingBitsSort<digit_bits, most_digits, 1>;

template <class Rank>
void sort_ranks(std::span<Rank> ranks, std::span<Rank> spare) {
    const int enough = static_cast<int>(std::bit_width(ranks.size())) + spare_bits;
    RankSort::sort(ranks, spare, few_ranks, [enough](int width) {
        const int n = (std::min(width, enough) + digit_bits - 1) / digit_bits;
        return RankSort::Digits<int>{1 + std::max(0, width - n * digit_bits), n};
    });
}

template <class Rank>
class Sorter {
  public:
    Sorter(const ScoreRows& rows, Buffer<Rank>& ranks, std::size_t n_threads, const StopToken& stop)
        : rows_(rows), ranks_(ranks), n_threads_(n_threads), stop_(stop), chunks_(rows.size()) {}

    void sort() {
        const ProbabilityRange range = find_range();
        if (is_descending(rows_.scores)) return copy();
        const std::size_t n_slices =
            std::clamp<std::size_t>(std::bit_floor(rows_.size() / rows_of_slice + 1), 1, most_slices);
        const Slices slices(range.low, range.high, n_slices);
        split_into(slices, n_slices);
        sort_slices(n_slices);
    }

  private:
    template <class Body>
    void for_each_chunk(Body&& body) {
        parallel_for(chunks_.size(), n_threads_, stop_, [&](std::size_t chunk, std::size_t) {
            body(chunk, chunks_.begin(chunk), chunks_.begin(chunk + 1));
        });
    }

    ProbabilityRange find_range() {
        std::vector<ProbabilityRange> ranges(chunks_.size());
        for_each_chunk([&](std::size_t chunk, std::size_t begin, std::size_t end) {
            ranges[chunk] = range_of(rows_.scores.subspan(begin, end - begin));
        });
        ProbabilityRange all;
        for (const ProbabilityRange& range : ranges) all.add(range);
        if (all.is_wrong) throw std::invalid_argument("probabilities must lie in [0, 1]");
        return all;
    }

    void copy() {
        const std::span<Rank> to = ranks_.slice(0, rows_.size());
        for_each_chunk([&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) to[row] = rank_of<Rank>(rows_, row);
        });
    }

    // Counts first, so that every chunk knows where its rows of a slice belong; slices end at `ends_`.
    void split_into(const Slices& slices, std::size_t n_slices) {
        std::vector<std::vector<std::size_t>> places(chunks_.size());
        for_each_chunk([&](std::size_t chunk, std::size_t begin, std::size_t end) {
            std::vector<std::size_t> counts(n_slices);
            for (std::size_t row = begin; row < end; ++row) ++counts[slices.of(rows_.scores[row])];
            places[chunk] = std::move(counts);
        });
        std::size_t place = 0;
        for (std::size_t slice = 0; slice < n_slices; ++slice) {
            for (auto& of_chunk : places) place += std::exchange(of_chunk[slice], place);
            ends_.push_back(place);
        }
        const std::span<Rank> to = ranks_.slice(0, rows_.size());
        for_each_chunk([&](std::size_t chunk, std::size_t begin, std::size_t end) {
            std::size_t* const next = places[chunk].data();
            for (std::size_t row = begin; row < end; ++row)
                to[next[slices.of(rows_.scores[row])]++] = rank_of<Rank>(rows_, row);
        });
    }

    void sort_slices(std::size_t n_slices) {
        const auto begin_of = [&](std::size_t slice) { return slice == 0 ? 0 : ends_[slice - 1]; };
        std::size_t largest = 0;
        for (std::size_t slice = 0; slice < n_slices; ++slice)
            largest = std::max(largest, ends_[slice] - begin_of(slice));
        std::vector<Buffer<Rank>> spares;
        for (std::size_t worker = 0; worker < std::max<std::size_t>(1, std::min(n_threads_, n_slices)); ++worker)
            spares.emplace_back(largest);
        parallel_for(n_slices, n_threads_, stop_, [&](std::size_t slice, std::size_t worker) {
            const std::size_t n = ends_[slice] - begin_of(slice);
            sort_ranks(ranks_.slice(begin_of(slice), n), spares[worker].slice(0, n));
        });
    }

    const ScoreRows& rows_;
    Buffer<Rank>& ranks_;
    std::size_t n_threads_;
    const StopToken& stop_;
    Chunks chunks_;
    std::vector<std::size_t> ends_;
};

}  // namespace

Ranking::Ranking(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop)
    : is_weighted_(!rows.weights.empty()),
      size_(rows.size()),
      plain_(is_weighted_ ? 0 : size_),
      weighted_(is_weighted_ ? size_ : 0) {
    if (!is_weighted_) {
        Sorter<PlainKey>(rows, plain_, n_threads, stop).sort();
        weight_ = static_cast<double>(size_);
        positive_ = static_cast<double>(std::count(rows.positive.begin(), rows.positive.end(), true));
        return;
    }
    Sorter<WeightedKey>(rows, weighted_, n_threads, stop).sort();
    for_each_group([&](const ScoreGroup& group) {
        weight_ += group.weight;
        positive_ += group.positive;
    });
}

const std::vector<ScoreBlock>& Ranking::blocks() const {
    std::call_once(pooled_, [&] {
        for_each_group([&](const ScoreGroup& group) {
            pool_block(blocks_, {-group.score, -group.score, group.score * group.weight, group.weight,
                                 group.weight - group.positive});
        });
        blocks_.shrink_to_fit();
    });
    return blocks_;
}

}  // namespace calibrant
