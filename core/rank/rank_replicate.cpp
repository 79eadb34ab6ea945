#include "rank/rank_replicate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Weight>
using Sum = std::conditional_t<std::is_floating_point_v<Weight>, double, std::int64_t>;

// Calls at_group(positive, negative) with the weights of each group of rows that share a score.
template <class Weight, class Row, class AtGroup>
void for_each_group(const RankedRows& ranking, const Weight* weights, Row&& row, AtGroup&& at_group) {
    Sum<Weight> positive = 0, negative = 0;
    for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
        const auto weight = static_cast<Sum<Weight>>(weights[row(rank)]);
        const std::uint8_t mark = ranking.marks[rank];
        const auto of_positive = weight * static_cast<Sum<Weight>>(mark & mark_positive);
        positive += of_positive;
        negative += weight - of_positive;
        if (mark & mark_group_end) {
            at_group(positive, negative);
            positive = negative = 0;
        }
    }
}

template <class Weight, class Row>
RankMeasures area_alone(const RankedRows& ranking, const Weight* weights, Row&& row) {
    Sum<Weight> found = 0, passed = 0, twice = 0;
    for_each_group(ranking, weights, row, [&](Sum<Weight> positive, Sum<Weight> negative) {
        twice += negative * (2 * found + positive);
        found += positive;
        passed += negative;
    });
    const auto all_positive = static_cast<double>(found), all_negative = static_cast<double>(passed);
    const double pairs = all_positive * all_negative;
    return {all_positive, all_negative, pairs > 0 ? 0.5 * static_cast<double>(twice) / pairs : nan};
}

// Groups of positive weight in order: the positive and negative weight up to each, and the harmonic numbers there.
struct GroupBlock {
    static constexpr std::size_t capacity = 512;
    std::array<double, capacity + 1> found, passed, reached, rest;
    std::size_t size = 0;
};

struct Totals {
    double positive, negative;
};

// Sums over groups in lanes, which are added up one by one in the end, so that the bits do not depend on the processor.
struct GroupSums {
    static constexpr std::size_t n_lanes = 8;
    using Lanes = std::array<double, n_lanes>;
    Lanes twice{}, precision{}, ks{}, area{}, area_negative{};

    CALIBRANT_INLINE void add(const GroupBlock& block, const Totals& all, std::size_t i, std::size_t lane) {
        const double before_found = block.found[i], before_passed = block.passed[i], found = block.found[i + 1],
                     passed = block.passed[i + 1];
        const double positive = found - before_found, negative = passed - before_passed,
                     share = positive / (positive + negative);
        const double before = before_found + before_passed, left = all.positive + all.negative - found - passed;
        twice[lane] += negative * (before_found + found);
        precision[lane] += positive * found / (found + passed);
        ks[lane] = std::max(ks[lane], std::abs(found * all.negative - passed * all.positive));
        area[lane] += (before_found - share * before) * (block.reached[i + 1] - block.reached[i]);
        area_negative[lane] += (all.negative - passed - (1.0 - share) * left) * (block.rest[i] - block.rest[i + 1]);
    }
};

CALIBRANT_CLONES void add_block(const GroupBlock& block, const Totals& all, GroupSums& sums) {
    GroupSums own = sums;
    std::size_t i = 0;
    for (; i + GroupSums::n_lanes <= block.size; i += GroupSums::n_lanes) {
        for (std::size_t lane = 0; lane < GroupSums::n_lanes; ++lane) own.add(block, all, i + lane, lane);
    }
    for (; i < block.size; ++i) own.add(block, all, i, 0);
    sums = own;
}

double total(const GroupSums::Lanes& lanes) { return std::accumulate(lanes.begin(), lanes.end(), 0.0); }

// The positive weight expected in the leading share, from the first group that ends beyond it.
class Leading {
  public:
    explicit Leading(double wanted) : wanted_(wanted) {}

    void look_at(const GroupBlock& block) {
        if (is_done_) return;
        std::size_t i = 0;
        while (i < block.size && block.found[i + 1] + block.passed[i + 1] < wanted_) ++i;
        positive = block.found[i];
        if (i == block.size) return;
        const double before = block.found[i] + block.passed[i],
                     here = block.found[i + 1] + block.passed[i + 1] - before;
        positive += (block.found[i + 1] - block.found[i]) * (wanted_ - before) / here;
        is_done_ = true;
    }

    double positive = 0;

  private:
    double wanted_;
    bool is_done_ = false;
};

double as_double(double value) { return value; }

// Whole numbers below 2^52, by an operation that every processor has for several at once.
double as_double(std::int64_t value) {
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(0x1.0p52) | value) - 0x1.0p52;
}

// The record of a walk over the ranks: the positive (found) and negative (passed) weight up to each group with weight,
// from the end of the previous block.
template <class Value>
class Trail {
  public:
    // The number of rows that fit, whatever groups they form.
    std::size_t room() const { return GroupBlock::capacity - size_; }
    bool is_full() const { return room() == 0; }

    template <bool has_ties, class Weight, class Row>
    void follow(const RankedRows& ranking, const Weight* weights, Row&& row, std::size_t begin, std::size_t end) {
        const std::uint8_t* const marks = ranking.marks.data();
        std::size_t size = size_;
        Value found = found_[size], passed = passed_[size], positive = positive_, negative = negative_;
        for (std::size_t rank = begin; rank < end; ++rank) {
            const auto weight = static_cast<Value>(weights[row(rank)]);
            const auto of_positive = weight * static_cast<Value>(marks[rank] & mark_positive);
            positive += of_positive;
            negative += weight - of_positive;
            if (has_ties && !(marks[rank] & mark_group_end)) continue;
            found_[size + 1] = found += positive;
            passed_[size + 1] = passed += negative;
            size += positive + negative > 0;
            positive = negative = 0;
        }
        size_ = size;
        positive_ = positive;
        negative_ = negative;
    }

    void write(const Harmonic& harmonic, Value all, GroupBlock& block) const {
        for (std::size_t i = 0; i <= size_; ++i) {
            block.found[i] = as_double(found_[i]);
            block.passed[i] = as_double(passed_[i]);
        }
        block.size = size_;
        if (const double* const table = harmonic.up_to(all))
            look_up([=](Value n) { return table[static_cast<std::size_t>(n)]; }, all, block);
        else
            look_up([&](Value n) { return harmonic.at(n); }, all, block);
    }

    void begin_block() {
        found_[0] = found_[size_];
        passed_[0] = passed_[size_];
        size_ = 0;
    }

  private:
    template <class Look>
    void look_up(Look&& look, Value all, GroupBlock& block) const {
        for (std::size_t i = 0; i <= size_; ++i) {
            const Value reached = found_[i] + passed_[i];
            block.reached[i] = look(reached);
            block.rest[i] = look(all - reached);
        }
    }

    std::array<Value, GroupBlock::capacity + 1> found_{}, passed_{};
    Value positive_ = 0, negative_ = 0;  // of the current group
    std::size_t size_ = 0;
};

// All measures, block of groups by block.
template <class Value>
class Gatherer {
  public:
    Gatherer(Value positive, Value negative, const RankRequest& request)
        : harmonic_(*request.harmonic),
          all_(positive + negative),
          totals_{static_cast<double>(positive), static_cast<double>(negative)},
          leading_(request.top_share * static_cast<double>(all_)) {}

    void add(const Trail<Value>& trail) {
        trail.write(harmonic_, all_, block_);
        leading_.look_at(block_);
        add_block(block_, totals_, sums_);
    }

    RankMeasures result() const {
        const auto [positive, negative] = totals_;
        if (positive + negative == 0) return {0, 0, nan, nan, nan, nan, nan, nan};
        const bool both = positive > 0 && negative > 0;
        const double pairs = positive * negative;
        return {positive,
                negative,
                both ? 0.5 * total(sums_.twice) / pairs : nan,
                positive > 0 ? total(sums_.precision) / positive : nan,
                both ? *std::max_element(sums_.ks.begin(), sums_.ks.end()) / pairs : nan,
                leading_.positive,
                positive > 0 ? 1.0 + total(sums_.area) / positive : nan,
                negative > 0 ? 1.0 + total(sums_.area_negative) / negative : nan};
    }

  private:
    const Harmonic& harmonic_;
    Value all_;
    Totals totals_;
    Leading leading_;
    GroupBlock block_;
    GroupSums sums_;
};

// The weights of a ranking, and whether rows share a score.
template <class Value>
struct Overview {
    Value positive = 0, all = 0;
    bool has_ties = false;
};

template <class Weight, class Row>
Overview<Sum<Weight>> look_over(const RankedRows& ranking, const Weight* weights, Row&& row) {
    constexpr bool is_byte = std::is_same_v<Weight, std::uint8_t>;
    using Part = std::conditional_t<is_byte, std::uint16_t, Sum<Weight>>;
    const std::size_t part_size = is_byte ? 256 : ranking.size();  // 256 bytes sum to what 16 bits hold
    Overview<Sum<Weight>> seen;
    std::uint8_t shared = 0xff;
    for (std::size_t begin = 0; begin < ranking.size(); begin += part_size) {
        Part positive = 0, all = 0;
        const std::size_t end = std::min(ranking.size(), begin + part_size);
        for (std::size_t rank = begin; rank < end; ++rank) {
            const Weight weight = weights[row(rank)];
            const std::uint8_t mark = ranking.marks[rank];
            all = static_cast<Part>(all + weight);
            positive = static_cast<Part>(positive + (mark & mark_positive ? weight : Weight{0}));
            shared &= mark;
        }
        seen.positive += positive;
        seen.all += all;
    }
    seen.has_ties = !(shared & mark_group_end);
    return seen;
}

template <bool has_ties, class Weight, class Row>
RankMeasures gathered(const RankedRows& ranking, const Weight* weights, Gatherer<Sum<Weight>> gatherer, Row&& row) {
    Trail<Sum<Weight>> trail;
    for (std::size_t begin = 0, end; begin < ranking.size(); begin = end) {
        end = std::min(ranking.size(), begin + trail.room());
        trail.template follow<has_ties>(ranking, weights, row, begin, end);
        if (!trail.is_full()) continue;
        gatherer.add(trail);
        trail.begin_block();
    }
    gatherer.add(trail);
    return gatherer.result();
}

template <class Weight, class Row>
RankMeasures everything(const RankedRows& ranking, const Weight* weights, const RankRequest& request, Row&& row) {
    const auto seen = look_over(ranking, weights, row);
    const Gatherer<Sum<Weight>> gatherer(seen.positive, seen.all - seen.positive, request);
    return seen.has_ties ? gathered<true>(ranking, weights, gatherer, row)
                         : gathered<false>(ranking, weights, gatherer, row);
}

template <class Weight, class Row>
RankMeasures measured(const RankedRows& ranking, const Weight* weights, const RankRequest& request, Row&& row) {
    return request.everything ? everything(ranking, weights, request, row) : area_alone(ranking, weights, row);
}

}  // namespace

template <class Weight>
RankMeasures measure_ranking(const RankedRows& ranking, std::span<const Weight> weights, const RankRequest& request) {
    if (ranking.rows.empty()) return measured(ranking, weights.data(), request, [](std::size_t rank) { return rank; });
    return measured(ranking, weights.data(), request,
                    [rows = ranking.rows.data()](std::size_t rank) { return rows[rank]; });
}

template RankMeasures measure_ranking(const RankedRows&, std::span<const std::uint8_t>, const RankRequest&);
template RankMeasures measure_ranking(const RankedRows&, std::span<const std::uint32_t>, const RankRequest&);
template RankMeasures measure_ranking(const RankedRows&, std::span<const double>, const RankRequest&);

}  // namespace calibrant
