#include "boost/drawn_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "counter_random.hpp"
#include "forest/multinomial.hpp"

namespace calibrant {
namespace {

constexpr int point_bits = 53;          // a point is a multiple of 2^-53 of the total
constexpr std::uint64_t few_draws = 8;  // drawn one by one; of 4 to 32, the fastest on a million rows beside 4

// Splits the draws between the halves of ranges of points until a range lies between two edges, or has few draws.
class AxisDraws {
  public:
    AxisDraws(std::uint64_t seed, double total, std::span<const double> edges)
        : seed_(seed), total_(total), most_(std::nextafter(total, 0.0)), edges_(edges), counts_(edges.size() + 1) {}

    std::vector<double> count(std::uint64_t n_draws) && {
        const Range all{0, point_bits, n_draws};
        descend(all, {edges_before(0, {0, edges_.size()}), edges_before(last_of(all), {0, edges_.size()})});
        return {counts_.begin() + 1, counts_.end() - 1};  // without the points before and after all edges
    }

  private:
    // 2^n_bits points, and the number of draws among them.
    struct Range {
        std::uint64_t begin;
        int n_bits;
        std::uint64_t n_draws;
    };
    // The number of edges up to the first point of a range, and up to the last one.
    struct Edges {
        std::size_t first, last;
    };

    static std::uint64_t last_of(const Range& range) { return range.begin + (std::uint64_t{1} << range.n_bits) - 1; }

    double position(std::uint64_t point) const {
        return std::min(static_cast<double>(point) * 0x1p-53 * total_, most_);
    }

    // Edges up to a point, whose number is known to lie within these: a binary search without jumps.
    std::size_t edges_before(std::uint64_t point, const Edges& known) const {
        const double at = position(point);
        const double* first = edges_.data() + known.first;
        std::size_t n = known.last - known.first;
        for (; n > 1; n -= n / 2) first += first[n / 2 - 1] <= at ? n / 2 : 0;
        return static_cast<std::size_t>(first - edges_.data()) + (n == 1 && *first <= at ? 1 : 0);
    }

    void descend(const Range& range, const Edges& edges) {
        if (edges.first == edges.last) {
            counts_[edges.first] += static_cast<double>(range.n_draws);
        } else if (range.n_draws <= few_draws) {
            draw_few(range, edges);
        } else {
            const int n_bits = range.n_bits - 1;
            const std::uint64_t middle = range.begin + (std::uint64_t{1} << n_bits);
            const std::uint64_t n_left = draw_binomial(seed_, middle, range.n_draws, 1, 2);
            const std::size_t before = edges_before(middle - 1, edges);
            const bool is_edge = before < edges.last && edges_[before] <= position(middle);
            const std::size_t up_to = is_edge ? edges_before(middle, {before, edges.last}) : before;
            descend({range.begin, n_bits, n_left}, {edges.first, before});
            descend({middle, n_bits, range.n_draws - n_left}, {up_to, edges.last});
        }
    }

    // A range of one point lies between two edges, so that the middle of any other names it.
    void draw_few(const Range& range, const Edges& edges) {
        CounterRandom random(seed_, range.begin + (std::uint64_t{1} << (range.n_bits - 1)));
        for (std::uint64_t i = 0; i < range.n_draws; ++i)
            ++counts_[edges_before(range.begin + (random.bits() >> (64 - range.n_bits)), edges)];
    }

    std::uint64_t seed_;
    double total_, most_;  // a product with a tiny total may round up to it
    std::span<const double> edges_;
    std::vector<double> counts_;
};

}  // namespace

std::vector<double> draw_by_weight(std::uint64_t seed, std::uint64_t n_draws, double total,
                                   std::span<const double> edges) {
    if (edges.empty()) throw std::invalid_argument("there must be an edge");
    if (n_draws > std::uint64_t{1} << point_bits) throw std::invalid_argument("there must be at most 2^53 draws");
    return AxisDraws(seed, total, edges).count(n_draws);
}

}  // namespace calibrant
