#include "table/power_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace calibrant {
namespace {

constexpr int mantissa_bits = 52;
constexpr std::uint64_t implicit_bit = std::uint64_t{1} << mantissa_bits;
constexpr std::size_t n_exponents = 2048;  // the greatest is that of infinite and missing values
constexpr int lowest_unit = -1075;         // the unit of a number is 2 to this and its exponent, counted from 1

struct Wide {
    std::uint64_t low, high;
};

Wide multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Word = unsigned __int128;
    const Word product = Word{a} * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
    const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);
    return {a * b, a1 * b1 + (middle >> 32) + (other >> 32)};
#endif
}

// Sums of words in halves: those of 2^31 rows do not overflow, so that no addition waits for the carry of another.
template <std::size_t n>
void add_halves(std::array<std::uint64_t, n>& sums, std::size_t at, std::uint64_t word) {
    sums[2 * at] += word & 0xffffffff;
    sums[2 * at + 1] += word >> 32;
}

template <std::size_t n>
std::array<std::uint64_t, n / 2> join(const std::array<std::uint64_t, n>& halves) {
    std::array<std::uint64_t, n / 2> words{};
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < n / 2; ++i) {
        const std::uint64_t low = halves[2 * i] + carry, high = halves[2 * i + 1] + (low >> 32);
        words[i] = (low & 0xffffffff) | high << 32;
        carry = high >> 32;
    }
    return words;
}

// The sums of the magnitudes of the numbers of one sign and exponent, and of their squares.
struct Magnitudes {
    std::array<std::uint64_t, 4> sum{};
    std::array<std::uint64_t, 6> square{};

    void add(std::uint64_t mantissa, std::uint64_t count) {
        const Wide once = multiply(count, mantissa);
        const Wide low = multiply(once.low, mantissa), high = multiply(once.high, mantissa);
        add_halves(sum, 0, once.low);
        add_halves(sum, 1, once.high);
        add_halves(square, 0, low.low);
        add_halves(square, 1, low.high);
        add_halves(square, 1, high.low);
        add_halves(square, 2, high.high);
    }
};

// Adds words from a bit on; there is a word beyond every carry.
template <std::size_t n>
void add_words(std::vector<std::uint64_t>& sum, const std::array<std::uint64_t, n>& words, std::size_t bit) {
    for (std::size_t i = 0; i < 2 * n; ++i) {
        const std::size_t from = bit + 32 * i;  // halves, so that one and its carry never leave two words
        const std::uint64_t half = words[i / 2] >> (32 * (i % 2)) & 0xffffffff, low = half << (from % 64);
        std::size_t at = from / 64;
        sum[at] += low;
        std::uint64_t carry = (from % 64 > 32 ? half >> (64 - from % 64) : 0) + (sum[at] < low);
        while (carry != 0) {
            sum[++at] += carry;
            carry = sum[at] < carry;
        }
    }
}

template <class T, class CountOf>
std::vector<Magnitudes> by_sign_and_exponent(std::span<const T> values, std::span<const std::int64_t> rows,
                                             const CountOf& count_of) {
    std::vector<Magnitudes> found(2 * n_exponents);
    for (const std::int64_t at : rows) {
        const auto row = static_cast<std::size_t>(at);
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(values[row]));
        const std::size_t place = bits >> mantissa_bits;
        const std::uint64_t implicit = place % n_exponents != 0 ? implicit_bit : 0;
        found[place].add((bits & (implicit_bit - 1)) | implicit, count_of(row));
    }
    return found;
}

}  // namespace

template <class T>
PowerSums power_sums(std::span<const T> values, std::span<const std::int64_t> rows, std::span<const double> counts) {
    const auto found = counts.empty() ? by_sign_and_exponent(values, rows, [](std::size_t) { return std::uint64_t{1}; })
                                      : by_sign_and_exponent(values, rows, [&](std::size_t row) {
                                            return static_cast<std::uint64_t>(counts[row]);
                                        });
    const auto is_filled = [&](std::size_t exponent) {
        const std::array<std::uint64_t, 6> none{};
        return found[exponent].square != none || found[n_exponents + exponent].square != none;
    };
    std::size_t first = 0, last = n_exponents - 1;  // the last is that of infinite and missing values
    while (first < last && !is_filled(first)) ++first;
    while (first < last && !is_filled(last - 1)) --last;
    const std::size_t least = std::max(first, std::size_t{1});  // 0 has the unit of 1, without the implicit bit
    PowerSums sums{lowest_unit + static_cast<int>(least), {}, {}, {}};
    sums.positive.resize((last - first) / 64 + 4);
    sums.negative.resize(sums.positive.size());
    sums.squares.resize((last - first) / 32 + 5);
    for (std::size_t i = first; i < last; ++i) {
        const std::size_t bit = std::max(i, least) - least;
        add_words(sums.positive, join(found[i].sum), bit);
        add_words(sums.negative, join(found[n_exponents + i].sum), bit);
        add_words(sums.squares, join(found[i].square), 2 * bit);
        add_words(sums.squares, join(found[n_exponents + i].square), 2 * bit);
    }
    return sums;
}

template PowerSums power_sums(std::span<const float>, std::span<const std::int64_t>, std::span<const double>);
template PowerSums power_sums(std::span<const double>, std::span<const std::int64_t>, std::span<const double>);

}  // namespace calibrant
