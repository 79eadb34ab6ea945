// Rows are taken in small chunks that stay in the cache; every step over a chunk is a loop that runs several rows at a
// time.
#include "calibrate/cubic_pieces.hpp"

#include <algorithm>
#include <cmath>

#include "exp_log.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t chunk = 128, lanes = 8;

// Sums lane by lane, so that the order of summing does not depend on how many a processor takes at a time.
CALIBRANT_INLINE double total(const double* values) {
    double sums[lanes] = {};
    for (std::size_t i = 0; i < chunk; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[i + lane];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <std::size_t N>
CALIBRANT_INLINE void add_moments(double* values, const double* offset, std::array<double, N>& moments) {
    for (std::size_t power = 0; power < N; ++power) {
        moments[power] += total(values);
        for (std::size_t i = 0; i < chunk; ++i) values[i] *= offset[i];
    }
}

CALIBRANT_CLONES void add_rows(const PieceRows& rows, const Cubic& cubic, std::size_t begin, std::size_t end,
                               PieceSums& sums) {
    const auto [cubed, squared, straight, level] = cubic;
    alignas(64) double offset[chunk], weight[chunk], target[chunk], loss[chunk], slope[chunk], curvature[chunk];
    for (std::size_t start = begin; start < end; start += chunk) {
        const std::size_t n = std::min(chunk, end - start);
        for (std::size_t i = 0; i < n; ++i) offset[i] = rows.offsets[start + i];
        for (std::size_t i = 0; i < n; ++i) weight[i] = rows.weights[start + i];
        for (std::size_t i = 0; i < n; ++i) target[i] = rows.targets[start + i];
        for (std::size_t i = n; i < chunk; ++i) offset[i] = weight[i] = target[i] = 0.0;
        for (std::size_t i = 0; i < chunk; ++i) {
            const double z = ((cubed * offset[i] + squared) * offset[i] + straight) * offset[i] + level;
            const double size = std::abs(z), is_up = is_not_negative(z), is_down = 1.0 - is_up;
            const double small = exp_minus(size), share = 1.0 / (1.0 + small), other = small * share;
            loss[i] = weight[i] * log_one_plus(small) + (is_up * (weight[i] - target[i]) + is_down * target[i]) * size;
            slope[i] = weight[i] * (is_up * share + is_down * other) - target[i];
            curvature[i] = weight[i] * share * other;
        }
        sums.loss += total(loss);
        add_moments(slope, offset, sums.slopes);
        add_moments(curvature, offset, sums.curvature);
    }
}

}  // namespace

std::vector<PieceSums> piece_sums(const PieceRows& rows, std::span<const Cubic> cubics, std::size_t n_threads,
                                  const StopToken& stop) {
    std::vector<PieceSums> sums(cubics.size());
    parallel_for(cubics.size(), n_threads, stop, [&](std::size_t piece, std::size_t) {
        add_rows(rows, cubics[piece], rows.bounds[piece], rows.bounds[piece + 1], sums[piece]);
    });
    return sums;
}

}  // namespace calibrant
