// A curve of cubic pieces as log-odds of sorted rows: the cross-entropy of each piece with the sums that make up its
// derivatives.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stop.hpp"

namespace calibrant {

// Rows in the order of the pieces; piece k has the rows from bounds[k] on and before bounds[k + 1].
struct PieceRows {
    std::span<const double> offsets;  // from the beginning of the row's piece
    std::span<const double> weights;
    std::span<const double> targets;  // target probability times weight
    std::span<const std::size_t> bounds;
};

struct PieceSums {
    double loss = 0;
    std::array<double, 4> slopes{};     // of weight * probability - target, times offset^0 to offset^3
    std::array<double, 7> curvature{};  // of weight * probability * (1 - probability), times offset^0 to offset^6
};

using Cubic = std::array<double, 4>;  // the cubic coefficient first

// A piece is summed by one thread in the order of its rows, so that any number of threads gives the same.
std::vector<PieceSums> piece_sums(const PieceRows& rows, std::span<const Cubic> cubics, std::size_t n_threads,
                                  const StopToken& stop);

}  // namespace calibrant
