#include "table/power_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

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
    // Adds a number of at most 32 bits once.
    void add_short(std::uint64_t mantissa) {
        sum[0] += mantissa;
        add_halves(square, 0, mantissa * mantissa);
    }
};

// Those of a class by sign and exponent; most tables use a few neighbouring exponents, so room is made page by page.
class Pages {
  public:
    Magnitudes& at(std::size_t place) {
        auto& page = pages_[place / page_size];
        if (page.empty()) page.resize(page_size);
        return page[place % page_size];
    }
    // Null where no number has come near the place.
    const Magnitudes* find(std::size_t place) const {
        const auto& page = pages_[place / page_size];
        return page.empty() ? nullptr : &page[place % page_size];
    }

  private:
    static constexpr std::size_t page_size = 32;
    std::array<std::vector<Magnitudes>, 2 * n_exponents / page_size> pages_{};
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

// The low bits of the mantissa of a double that are 0 for every number of type T.
template <class T>
constexpr int spare_bits = std::numeric_limits<double>::digits - std::numeric_limits<T>::digits;

template <class T>
std::vector<Pages> by_sign_and_exponent(std::span<const T> values, std::span<const std::uint32_t> labels,
                                        std::size_t n_classes, std::span<const double> counts) {
    std::vector<Pages> found(n_classes);
    for (std::size_t row = 0; row < values.size(); ++row) {
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(values[row]));
        const std::size_t place = bits >> mantissa_bits;
        const std::uint64_t implicit = place % n_exponents != 0 ? implicit_bit : 0;
        const std::uint64_t mantissa = ((bits & (implicit_bit - 1)) | implicit) >> spare_bits<T>;
        Magnitudes& magnitudes = found[labels[row]].at(place);
        if (!counts.empty())
            magnitudes.add(mantissa, static_cast<std::uint64_t>(counts[row]));
        else if constexpr (spare_bits<T> > 0)
            magnitudes.add_short(mantissa);
        else
            magnitudes.add(mantissa, 1);
    }
    return found;
}

PowerSums joined(const Pages& found, int spare) {
    const auto is_filled = [&](std::size_t exponent) {
        const std::array<std::uint64_t, 6> none{};
        const Magnitudes *above = found.find(exponent), *below = found.find(n_exponents + exponent);
        return (above != nullptr && above->square != none) || (below != nullptr && below->square != none);
    };
    std::size_t first = 0, last = n_exponents - 1;  // the last is that of infinite and missing values
    while (first < last && !is_filled(first)) ++first;
    while (first < last && !is_filled(last - 1)) --last;
    const std::size_t least = std::max(first, std::size_t{1});  // 0 has the unit of 1, without the implicit bit
    PowerSums sums{lowest_unit + static_cast<int>(least), {}, {}, {}};
    sums.positive.resize((last - first) / 64 + 5);
    sums.negative.resize(sums.positive.size());
    sums.squares.resize((last - first) / 32 + 6);
    for (std::size_t i = first; i < last; ++i) {
        const std::size_t bit = std::max(i, least) - least + static_cast<std::size_t>(spare);
        for (const bool is_negative : {false, true}) {
            const Magnitudes* const magnitudes = found.find(is_negative ? n_exponents + i : i);
            if (magnitudes == nullptr) continue;
            add_words(is_negative ? sums.negative : sums.positive, join(magnitudes->sum), bit);
            add_words(sums.squares, join(magnitudes->square), 2 * bit);
        }
    }
    return sums;
}

}  // namespace

template <class T>
std::vector<PowerSums> power_sums(std::span<const T> values, std::span<const std::uint32_t> labels,
                                  std::size_t n_classes, std::span<const double> counts) {
    std::vector<PowerSums> sums;
    for (const Pages& found : by_sign_and_exponent(values, labels, n_classes, counts))
        sums.push_back(joined(found, spare_bits<T>));
    return sums;
}

template std::vector<PowerSums> power_sums(std::span<const float>, std::span<const std::uint32_t>, std::size_t,
                                           std::span<const double>);
template std::vector<PowerSums> power_sums(std::span<const double>, std::span<const std::uint32_t>, std::size_t,
                                           std::span<const double>);

}  // namespace calibrant
