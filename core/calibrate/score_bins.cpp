// Bins of equal weight without sorting all rows: they are counted in many narrow buckets, and only buckets where a bin
// may end are sorted.
#include "calibrate/score_bins.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

namespace calibrant {
namespace {

constexpr int most_bucket_bits = 18;  // 262,144 buckets, 4 MB: narrow enough that few rows are sorted
constexpr double slack = 1e-12;       // for sums that miss their share by rounding alone

struct Sums {
    double weight = 0, positive = 0;
    void add(double w, double is_positive) { weight += w, positive += w * is_positive; }
    void add(const Sums& other) { weight += other.weight, positive += other.positive; }
};

// Calls visit(row, weight) for every row; tests once whether there are weights.
template <class Visit>
void for_each_row(const ScoreRows& rows, Visit&& visit) {
    if (rows.weights.empty()) {
        for (std::size_t row = 0; row < rows.size(); ++row) visit(row, 1.0);
    } else {
        for (std::size_t row = 0; row < rows.size(); ++row) visit(row, rows.weights[row]);
    }
}

class ScoreBuckets {
  public:
    explicit ScoreBuckets(const ScoreRows& rows) : rows_(rows) {
        std::uint64_t highest = 0;
        for (const double score : rows.scores) {
            const std::uint64_t key = key_of(score);
            lowest_ = std::min(lowest_, key);
            highest = std::max(highest, key);
        }
        const int bucket_bits = std::min(most_bucket_bits, static_cast<int>(std::bit_width(rows.size())) + 1);
        shift_ = std::max(0, static_cast<int>(std::bit_width(highest - lowest_)) - bucket_bits);
        sums.resize(static_cast<std::size_t>((highest - lowest_) >> shift_) + 1);
        for_each_row(
            rows, [&](std::size_t row, double weight) { sums[of(rows.scores[row])].add(weight, rows.positive[row]); });
    }

    std::size_t of(double score) const { return static_cast<std::size_t>((key_of(score) - lowest_) >> shift_); }

    // The distinct scores of some buckets, ascending.
    std::vector<ScoreGroup> groups(const std::vector<std::uint8_t>& wanted, std::size_t n_threads,
                                   const StopToken& stop) const {
        std::vector<double> scores, weights;
        std::vector<std::uint8_t> positive;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (!wanted[of(rows_.scores[row])]) continue;
            scores.push_back(rows_.scores[row]);
            positive.push_back(rows_.positive[row]);
            if (!rows_.weights.empty()) weights.push_back(rows_.weights[row]);
        }
        const auto flags = std::make_unique<bool[]>(positive.size());
        std::copy(positive.begin(), positive.end(), flags.get());
        return pool_ties({scores, {flags.get(), positive.size()}, weights}, n_threads, stop);
    }

    std::vector<Sums> sums;

  private:
    const ScoreRows& rows_;
    std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
    int shift_ = 0;
};

// The cumulative weight at which each bin has its share; advances to the first share not yet reached.
class Shares {
  public:
    Shares(double total, std::size_t n_bins) : total_(total), n_bins_(static_cast<double>(n_bins)) {}
    bool is_reached(double weight) {
        bool any = false;
        for (; weight * n_bins_ >= next_ * total_ * (1 - slack) && next_ < n_bins_; ++next_) any = true;
        return any;
    }

  private:
    double total_, n_bins_, next_ = 1;
};

// Marks the buckets in which a share is reached, and the next one that holds a row.
std::vector<std::uint8_t> ends_of_bins(const std::vector<Sums>& buckets, Shares shares) {
    std::vector<std::uint8_t> wanted(buckets.size());
    double reached = 0;
    bool is_next = false;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        if (buckets[bucket].weight == 0) continue;
        reached += buckets[bucket].weight;
        const bool is_end = shares.is_reached(reached);
        wanted[bucket] = static_cast<std::uint8_t>(is_end || is_next);
        is_next = is_end;
    }
    return wanted;
}

class BinWriter {
  public:
    void add(const Sums& sums) { open_.add(sums); }
    void close_between(double below, double above) {
        bins.below.push_back(below);
        bins.above.push_back(above);
        close();
    }
    void close() {
        bins.weight.push_back(open_.weight);
        bins.positive.push_back(open_.positive);
        open_ = {};
    }
    ScoreBins bins;

  private:
    Sums open_;
};

ScoreBins write_bins(const ScoreBuckets& buckets, const std::vector<std::uint8_t>& wanted,
                     const std::vector<ScoreGroup>& groups, Shares shares) {
    BinWriter writer;
    double reached = 0;
    auto group = groups.begin();
    for (std::size_t bucket = 0; bucket < wanted.size(); ++bucket) {
        const double at_end = reached + buckets.sums[bucket].weight;
        if (!wanted[bucket]) writer.add(buckets.sums[bucket]);
        for (; wanted[bucket] && group != groups.end() && buckets.of(group->score) == bucket; ++group) {
            writer.add({group->weight, group->positive});
            reached += group->weight;
            const auto next = group + 1;
            const bool is_last = next == groups.end() || buckets.of(next->score) != bucket;
            if (shares.is_reached(is_last ? at_end : reached) && next != groups.end())
                writer.close_between(group->score, next->score);
        }
        reached = at_end;
    }
    writer.close();
    return writer.bins;
}

}  // namespace

ScoreBins count_bins(const ScoreRows& rows, std::size_t n_bins, std::size_t n_threads, const StopToken& stop) {
    const ScoreBuckets buckets(rows);
    double total = 0;
    for (const Sums& sums : buckets.sums) total += sums.weight;
    const Shares shares(total, n_bins);
    const std::vector<std::uint8_t> wanted = ends_of_bins(buckets.sums, shares);
    return write_bins(buckets, wanted, buckets.groups(wanted, n_threads, stop), shares);
}

ScoreBins width_bins(const ScoreRows& rows, std::size_t n_bins, double low, double high) {
    constexpr std::size_t copies = 4;  // of each bin: adding twice in a row to the same one would wait
    std::vector<double> edges{-std::numeric_limits<double>::infinity()};
    for (std::size_t i = 1; i < n_bins; ++i)
        edges.push_back(std::lerp(low, high, static_cast<double>(i) / static_cast<double>(n_bins)));
    edges.push_back(std::numeric_limits<double>::infinity());
    const double last = static_cast<double>(n_bins - 1);
    const double scale =
        std::min(static_cast<double>(n_bins) / (high / 2 - low / 2), std::numeric_limits<double>::max());
    std::vector<Sums> sums(copies * n_bins);
    for_each_row(rows, [&](std::size_t row, double weight) {
        const double score = rows.scores[row], place = (score / 2 - low / 2) * scale;
        auto bin = static_cast<std::size_t>(static_cast<std::int64_t>(std::max(0.0, std::min(place, last))));
        while (score < edges[bin]) --bin;
        while (score >= edges[bin + 1]) ++bin;
        sums[bin * copies + row % copies].add(weight, rows.positive[row]);
    });
    BinWriter writer;
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        for (std::size_t copy = 0; copy < copies; ++copy) writer.add(sums[bin * copies + copy]);
        if (bin + 1 < n_bins) writer.close_between(edges[bin + 1], edges[bin + 1]);
    }
    writer.close();
    return writer.bins;
}

}  // namespace calibrant
