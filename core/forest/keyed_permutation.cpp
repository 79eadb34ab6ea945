#include "forest/keyed_permutation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "compiler.hpp"
#include "counter_random.hpp"

namespace calibrant {
namespace {

// The finaliser of MurmurHash3 (32 bits).
CALIBRANT_INLINE std::uint32_t finalize32(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x85ebca6b;
    x = (x ^ (x >> 13)) * 0xc2b2ae35;
    return x ^ (x >> 16);
}

// Adds to each number, modulo n, one that depends on the other half of its pair.
CALIBRANT_INLINE void add_round(std::uint32_t* to, const std::uint32_t* from, std::size_t count, std::uint32_t key,
                                std::uint32_t n) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto added = static_cast<std::uint32_t>(std::uint64_t{finalize32(from[i] ^ key)} * n >> 32);
        const std::uint32_t sum = to[i] + added;
        to[i] = std::min(sum, sum - n);  // below n the difference wraps around
    }
}

CALIBRANT_CLONES void add_rounds(std::uint32_t* high, std::uint32_t* low, std::size_t count, const std::uint32_t* keys,
                                 std::size_t n_rounds, std::uint32_t n_high, std::uint32_t n_low) {
    for (std::size_t round = 0; round < n_rounds; round += 2) {
        add_round(high, low, count, keys[round], n_high);
        add_round(low, high, count, keys[round + 1], n_low);
    }
}

// A number below n, each as likely as the others (Lemire 2019).
std::uint32_t draw_below(CounterRandom& random, std::uint32_t n) {
    const auto rejected = static_cast<std::uint32_t>((std::uint64_t{1} << 32) % n);
    std::uint64_t product = (random.bits() >> 32) * n;
    while (static_cast<std::uint32_t>(product) < rejected) product = (random.bits() >> 32) * n;
    return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint64_t key, std::uint64_t n)
    : n_(static_cast<std::uint32_t>(n)),
      n_high_(static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))))),
      n_low_(n == 0 ? 0 : static_cast<std::uint32_t>((n + n_high_ - 1) / n_high_)) {
    if (n >= std::numeric_limits<std::uint32_t>::max() - 2 * std::uint64_t{n_high_})
        throw std::invalid_argument("a subsample must be drawn from fewer than 2^32 - 2^17 units");
    CounterRandom random(key, n);
    for (std::uint32_t& each : keys_) each = static_cast<std::uint32_t>(random.bits() >> 32);
    if (n > few) return;
    shuffled_.resize(n);
    std::iota(shuffled_.begin(), shuffled_.end(), 0U);
    for (std::uint32_t i = n_; i > 1; --i) std::swap(shuffled_[i - 1], shuffled_[draw_below(random, i)]);
}

void KeyedPermutation::map(std::span<const std::uint32_t> indices, std::span<std::uint32_t> values) const {
    if (!shuffled_.empty()) {
        for (std::size_t i = 0; i < indices.size(); ++i) values[i] = shuffled_[indices[i]];
        return;
    }
    for (std::size_t begin = 0; begin < indices.size(); begin += at_once)
        map_some(indices.data() + begin, std::min(at_once, indices.size() - begin), values.data() + begin);
}

void KeyedPermutation::map_some(const std::uint32_t* indices, std::size_t count, std::uint32_t* values) const {
    std::copy_n(indices, count, values);
    permute(values, count);
    for (std::size_t i = 0; i < count; ++i) {
        while (values[i] >= n_) permute(values + i, 1);  // one in sqrt(n) at most
    }
}

void KeyedPermutation::permute(std::uint32_t* values, std::size_t count) const {
    std::array<std::uint32_t, at_once> high, low;
    for (std::size_t i = 0; i < count; ++i) {
        high[i] = values[i] / n_low_;
        low[i] = values[i] - high[i] * n_low_;
    }
    add_rounds(high.data(), low.data(), count, keys_.data(), n_rounds, n_high_, n_low_);
    for (std::size_t i = 0; i < count; ++i) values[i] = high[i] * n_low_ + low[i];
}

}  // namespace calibrant
