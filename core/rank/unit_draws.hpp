// Bootstrap replicates as counts: the number of times each unit (a row, or a cluster of rows) is drawn with
// replacement, stratum by stratum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counter_random.hpp"

namespace calibrant {

// Units grouped by stratum; from each as many are drawn as it has. Weights are copies of a unit: a stratum has as many
// as its weights sum to, rounded.
struct Units {
    std::size_t count = 0;
    std::span<const std::uint64_t> stratum_ends;
    std::span<const double> weights;  // empty: one each
};

class UnitDraws {
  public:
    explicit UnitDraws(const Units& units);

    // Adds the draws of one replicate to counts, which are 0. A byte is enough for equal weights: 256 draws of one unit
    // have a chance below 1 in 256! for each unit.
    template <class Count>
    void add(CounterRandom random, std::span<Count> counts) const;

  private:
    struct Stratum {
        std::size_t begin, end, n_draws;
        double total;
    };

    template <class Count>
    static void add_uniform(CounterRandom& random, const Stratum& stratum, std::span<Count> counts);
    template <class Count>
    void add_weighted(CounterRandom& random, const Stratum& stratum, std::span<Count> counts) const;
    void add_up(const Units& units, Stratum& stratum);

    std::vector<Stratum> strata_;
    std::vector<double> sums_;           // of the weights up to each unit, within its stratum
    std::vector<std::uint64_t> guides_;  // the first unit whose sum exceeds each of equally spaced values
};

extern template void UnitDraws::add(CounterRandom, std::span<std::uint8_t>) const;
extern template void UnitDraws::add(CounterRandom, std::span<std::uint32_t>) const;

}  // namespace calibrant
