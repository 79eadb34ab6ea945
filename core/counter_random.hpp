// Random bits that depend only on a seed and a counter, so that any thread draws the same (Steele, Lea & Flood 2014:
// SplitMix64).
#pragma once

#include <cstdint>

namespace calibrant {

inline constexpr std::uint64_t splitmix_step = 0x9e3779b97f4a7c15;

// The finaliser of SplitMix64.
inline std::uint64_t finalize64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// One step of SplitMix64 from a state.
inline std::uint64_t mix64(std::uint64_t state) { return finalize64(state + splitmix_step); }

// A stream of random bits for each index.
class CounterRandom {
  public:
    CounterRandom(std::uint64_t seed, std::uint64_t index) : state_(finalize64(seed ^ mix64(index))) {}

    std::uint64_t bits() { return finalize64(state_ += splitmix_step); }

    // From [0, 1), in steps of 2^-53.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  private:
    std::uint64_t state_;
};

}  // namespace calibrant
