#include "rank/unit_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace calibrant {
namespace {

// The number of the 2^32 values of half a draw to reject, so that every unit is equally likely (Lemire 2019).
std::uint32_t rejected(std::uint32_t size) { return static_cast<std::uint32_t>((std::uint64_t{1} << 32) % size); }

}  // namespace

UnitDraws::UnitDraws(const Units& units) {
    if (!units.weights.empty() && units.weights.size() != units.count)
        throw std::invalid_argument("weights must have one entry per unit");
    std::size_t begin = 0;
    for (const std::uint64_t end : units.stratum_ends) {
        if (end < begin || end > units.count) throw std::invalid_argument("strata must be in ascending order");
        if (end - begin > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("a stratum must have fewer than 2^32 units");
        if (end > begin) strata_.push_back({begin, end, end - begin, static_cast<double>(end - begin)});
        begin = end;
    }
    if (begin != units.count) throw std::invalid_argument("every unit must be in a stratum");
    if (units.weights.empty()) return;
    sums_.resize(units.count);
    guides_.resize(units.count);
    for (Stratum& stratum : strata_) add_up(units, stratum);
}

// Cumulated weights, and a guide table (Chen & Asau 1974): for each of as many steps as there are units the unit to
// search from, so that a draw looks at two units on average.
void UnitDraws::add_up(const Units& units, Stratum& stratum) {
    double sum = 0;
    for (std::size_t unit = stratum.begin; unit < stratum.end; ++unit) sums_[unit] = sum += units.weights[unit];
    stratum.total = sum;
    stratum.n_draws = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(sum)));
    const auto size = static_cast<double>(stratum.end - stratum.begin);
    std::size_t unit = stratum.begin;
    for (std::size_t step = stratum.begin; step < stratum.end; ++step) {
        const double reached = sum * (static_cast<double>(step - stratum.begin) / size);
        while (unit + 1 < stratum.end && sums_[unit] <= reached) ++unit;
        guides_[step] = unit;
    }
}

template <class Count>
void UnitDraws::add_uniform(CounterRandom& random, const Stratum& stratum, std::span<Count> counts) {
    const auto size = static_cast<std::uint32_t>(stratum.end - stratum.begin);
    const std::uint32_t limit = rejected(size);
    Count* const first = counts.data() + stratum.begin;
    std::size_t left = stratum.n_draws;
    const auto take = [&](std::uint64_t half) {
        const std::uint64_t product = half * size;
        if (static_cast<std::uint32_t>(product) < limit) return;
        ++first[product >> 32];
        --left;
    };
    // two draws from each number: half of 64 bits is enough for fewer than 2^32 units
    while (left > 1) {
        const std::uint64_t bits = random.bits();
        take(bits & 0xffffffff);
        take(bits >> 32);
    }
    while (left > 0) take(random.bits() >> 32);
}

template <class Count>
void UnitDraws::add_weighted(CounterRandom& random, const Stratum& stratum, std::span<Count> counts) const {
    const auto size = static_cast<double>(stratum.end - stratum.begin);
    for (std::size_t draw = 0; draw < stratum.n_draws; ++draw) {
        const double share = random.uniform();
        std::uint64_t unit = guides_[stratum.begin + static_cast<std::size_t>(share * size)];
        while (unit + 1 < stratum.end && sums_[unit] <= share * stratum.total) ++unit;
        ++counts[unit];
    }
}

template <class Count>
void UnitDraws::add(CounterRandom random, std::span<Count> counts) const {
    for (const Stratum& stratum : strata_) {
        if (sums_.empty())
            add_uniform(random, stratum, counts);
        else
            add_weighted(random, stratum, counts);
    }
}

template void UnitDraws::add(CounterRandom, std::span<std::uint8_t>) const;
template void UnitDraws::add(CounterRandom, std::span<std::uint32_t>) const;

}  // namespace calibrant
