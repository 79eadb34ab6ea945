// A stream of random bits for each place (a seed and a number), so that any thread may draw it (Steele, Lea & Flood
// 2014: SplitMix64).
#pragma once

#include <cstdint>

namespace calibrant {

class CounterRandom {
  public:
    CounterRandom(std::uint64_t seed, std::uint64_t place) : state_(mixed(seed ^ mixed(place + step))) {}

    std::uint64_t bits() { return mixed(state_ += step); }

    // From [0, 1), in steps of 2^-53.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  private:
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    std::uint64_t state_;
};

}  // namespace calibrant
