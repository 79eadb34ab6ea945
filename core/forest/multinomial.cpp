#include "forest/multinomial.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "compiler.hpp"
#include "counter_random.hpp"

namespace calibrant {
namespace {

constexpr std::uint64_t word_bits = 64;
constexpr std::uint64_t few_units = 256;  // a byte of random bits is a draw

constexpr std::uint64_t low_bits(std::uint64_t n) { return n == 0 ? 0 : ~std::uint64_t{0} >> (word_bits - n); }

// The number of heads in n tosses of a fair coin.
CALIBRANT_INLINE std::uint64_t toss(CounterRandom random, std::uint64_t n) {
    std::uint64_t heads = 0;
    for (; n >= word_bits; n -= word_bits) heads += static_cast<std::uint64_t>(std::popcount(random.bits()));
    return heads + static_cast<std::uint64_t>(std::popcount(random.bits() & low_bits(n)));
}

// The same of a coin that shows heads with probability numerator / denominator: where a random number in [0, 1) is
// below it, the two compared bit by bit, for 64 tosses at a time.
CALIBRANT_INLINE std::uint64_t toss_biased(CounterRandom random, std::uint64_t n, std::uint64_t numerator,
                                           std::uint64_t denominator) {
    std::uint64_t heads = 0;
    for (std::uint64_t done = 0; done < n; done += word_bits) {
        std::uint64_t undecided = low_bits(std::min(word_bits, n - done)), rest = numerator;
        while (undecided != 0) {
            const std::uint64_t bits = random.bits();
            rest *= 2;
            if (rest >= denominator) {
                heads += static_cast<std::uint64_t>(std::popcount(undecided & ~bits));
                undecided &= bits;
                rest -= denominator;
            } else {
                undecided &= ~bits;
            }
        }
    }
    return heads;
}

CALIBRANT_INLINE std::uint64_t toss_any(CounterRandom random, std::uint64_t n, std::uint64_t numerator,
                                        std::uint64_t denominator) {
    return 2 * numerator == denominator ? toss(random, n) : toss_biased(random, n, numerator, denominator);
}

#if defined(CALIBRANT_HAS_POPCNT)
CALIBRANT_TARGET_POPCNT std::uint64_t toss_counting(CounterRandom random, std::uint64_t n, std::uint64_t numerator,
                                                    std::uint64_t denominator) {
    return toss_any(random, n, numerator, denominator);
}
#endif

}  // namespace

std::uint64_t draw_binomial(std::uint64_t seed, std::uint64_t stream, std::uint64_t n, std::uint64_t numerator,
                            std::uint64_t denominator) {
#if defined(CALIBRANT_HAS_POPCNT)
    if (has_popcnt()) return toss_counting({seed, stream}, n, numerator, denominator);
#endif
    return toss_any({seed, stream}, n, numerator, denominator);
}

// Ranges that begin at one unit have different widths of their largest number.
std::uint64_t Multinomial::stream(const Node& node) const {
    return node.begin * word_bits + static_cast<std::uint64_t>(std::bit_width(node.size - 1));
}

std::uint64_t Multinomial::draw_left(const Node& node, std::uint64_t left) const {
    return draw_binomial(seed_, stream(node), node.n_draws, left, node.size);
}

// Visits the ranges of at most `largest` units that meet [first, last). The left part of a range is a power of two, so
// that nearly all parts are halves, whose draws take a bit each, and that blocks begin at multiples of their size.
template <class Visit>
void Multinomial::descend(const Node& node, std::uint64_t first, std::uint64_t last, std::uint64_t largest,
                          Visit&& visit) const {
    if (node.begin >= last || node.begin + node.size <= first) return;
    if (node.size <= largest) return visit(node);
    const std::uint64_t left = std::bit_floor(node.size - 1), n_left = draw_left(node, left);
    descend({node.begin, left, n_left}, first, last, largest, visit);
    descend({node.begin + left, node.size - left, node.n_draws - n_left}, first, last, largest, visit);
}

std::vector<std::uint64_t> Multinomial::block_draws(std::uint64_t first, std::uint64_t last) const {
    std::vector<std::uint64_t> draws;
    descend({0, n_units_, n_units_}, first, last, block_units,
            [&](const Node& block) { draws.push_back(block.n_draws); });
    return draws;
}

void Multinomial::count(std::span<const std::uint64_t> draws, std::uint64_t first_block, std::uint64_t first,
                        std::span<std::uint16_t> counts) const {
    const std::uint64_t last = first + counts.size();
    for (std::uint64_t begin = first / block_units * block_units; begin < last; begin += block_units) {
        const Node block{begin, std::min(block_units, n_units_ - begin), draws[begin / block_units - first_block]};
        descend(block, first, last, few_units, [&](const Node& node) { draw_few(node, first, counts); });
    }
}

void Multinomial::draw_few(const Node& node, std::uint64_t first, std::span<std::uint16_t> counts) const {
    std::array<std::uint16_t, few_units> drawn{};
    CounterRandom random(seed_, stream(node));
    const std::uint64_t mask = std::bit_ceil(node.size) - 1;
    std::uint64_t left = node.n_draws;
    const auto take = [&](std::uint64_t byte) {
        const std::uint64_t unit = byte & mask;
        if (unit >= node.size) return;
        ++drawn[unit];
        --left;
    };
    while (left >= sizeof(std::uint64_t)) {
        std::uint64_t bits = random.bits();
        for (std::size_t byte = 0; byte < sizeof bits; ++byte, bits >>= 8) take(bits & 0xff);
    }
    while (left > 0) take(random.bits() & 0xff);
    const std::uint64_t begin = std::max(first, node.begin),
                        end = std::min(first + counts.size(), node.begin + node.size);
    std::copy(drawn.begin() + static_cast<std::ptrdiff_t>(begin - node.begin),
              drawn.begin() + static_cast<std::ptrdiff_t>(end - node.begin),
              counts.begin() + static_cast<std::ptrdiff_t>(begin - first));
}

}  // namespace calibrant
