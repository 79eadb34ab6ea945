// Draws with replacement as counts, as many draws as units, exactly: the draws are split between the halves of ranges
// of units, so that the counts of some units follow without those of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calibrant {

class Multinomial {
  public:
    // Units whose number of draws can be kept, so that they are drawn without the splits above them.
    static constexpr std::uint64_t block_units = 4096;

    Multinomial(std::uint64_t seed, std::uint64_t n_units) : seed_(seed), n_units_(n_units) {}

    // The number of draws of each block, from that of the first unit to that of the last, in [first, last).
    std::vector<std::uint64_t> block_draws(std::uint64_t first, std::uint64_t last) const;

    // Writes the counts of the units from `first` on; `draws` are those of blocks, of which the first has number
    // `first_block`.
    void count(std::span<const std::uint64_t> draws, std::uint64_t first_block, std::uint64_t first,
               std::span<std::uint16_t> counts) const;

  private:
    // A range of units and the number of draws that fall into it.
    struct Node {
        std::uint64_t begin, size, n_draws;
    };

    template <class Visit>
    void descend(const Node& node, std::uint64_t first, std::uint64_t last, std::uint64_t largest, Visit&& visit) const;
    std::uint64_t stream(const Node& node) const;
    std::uint64_t draw_left(const Node& node, std::uint64_t left) const;
    void draw_few(const Node& node, std::uint64_t first, std::span<std::uint16_t> counts) const;

    std::uint64_t seed_, n_units_;
};

// Binomial(n, numerator / denominator), exactly, for a fraction below 1.
std::uint64_t draw_binomial(std::uint64_t seed, std::uint64_t stream, std::uint64_t n, std::uint64_t numerator,
                            std::uint64_t denominator);

}  // namespace calibrant
