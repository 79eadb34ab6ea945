// As many draws as a stratum has units, each unit as likely as its weight says, the same for the same place.
#include "rank/unit_draws.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_unit_draws {
namespace {

template <class Count>
std::vector<Count> drawn(const Units& units, std::uint64_t place) {
    std::vector<Count> counts(units.count);
    UnitDraws(units).add(CounterRandom(7, place), std::span<Count>(counts));
    return counts;
}

}  // namespace

TEST(a_stratum_gives_as_many_draws_as_it_has_units) {
    const std::vector<std::uint64_t> ends{3, 3, 10, 2010};
    const auto counts = drawn<std::uint8_t>({2010, ends, {}}, 0);
    CHECK(std::accumulate(counts.begin(), counts.begin() + 3, 0) == 3);
    CHECK(std::accumulate(counts.begin() + 3, counts.begin() + 10, 0) == 7);
    CHECK(std::accumulate(counts.begin() + 10, counts.end(), 0) == 2000);
}

TEST(an_index_gives_the_same_draws_again_and_another_index_others) {
    const std::vector<std::uint64_t> ends{50};
    const Units units{50, ends, {}};
    CHECK(drawn<std::uint8_t>(units, 3) == drawn<std::uint8_t>(units, 3));
    CHECK(drawn<std::uint8_t>(units, 3) != drawn<std::uint8_t>(units, 4));
}

TEST(units_are_drawn_in_proportion_to_their_weights) {
    const std::vector<std::uint64_t> ends{4};
    const std::vector<double> weights{1, 2.5, 0.5, 6};
    std::vector<double> total(4);
    constexpr std::size_t n_places = 4000;
    for (std::size_t place = 0; place < n_places; ++place) {
        const auto counts = drawn<std::uint32_t>({4, ends, weights}, place);
        for (std::size_t unit = 0; unit < 4; ++unit) total[unit] += counts[unit];
    }
    for (std::size_t unit = 0; unit < 4; ++unit) {
        const double expected = n_places * weights[unit];
        CHECK(std::abs(total[unit] - expected) < 6 * std::sqrt(expected));
    }
}

TEST(units_without_weights_are_equally_likely) {
    const std::vector<std::uint64_t> ends{5};
    std::vector<double> total(5);
    for (std::size_t place = 0; place < 4000; ++place) {
        const auto counts = drawn<std::uint8_t>({5, ends, {}}, place);
        for (std::size_t unit = 0; unit < 5; ++unit) total[unit] += counts[unit];
    }
    for (const double n : total) CHECK(std::abs(n - 4000) < 6 * std::sqrt(4000.0));
}

TEST(strata_that_do_not_rise_or_miss_units_throw) {
    const std::vector<std::uint64_t> falling{5, 3}, too_few{4};
    const Units out_of_order{5, falling, {}}, not_all{5, too_few, {}};
    CHECK_THROWS(UnitDraws(out_of_order), std::invalid_argument);
    CHECK_THROWS(UnitDraws(not_all), std::invalid_argument);
}

}  // namespace test_unit_draws
