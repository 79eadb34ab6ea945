// Rows are taken in small chunks that stay in the cache; every step over a chunk is a loop that runs several rows at a
// time.
#include "calibrate/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "exp_log.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t chunk = 128, lanes = 8, rows_of_block = std::size_t{1} << 16;

// Sums lane by lane, so that the order of summing does not depend on how many a processor takes at a time.
CALIBRANT_INLINE double dot(const double* a, const double* b) {
    double sums[lanes] = {};
    for (std::size_t i = 0; i < chunk; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

CALIBRANT_CLONES void add_rows(const LogisticRows& rows, std::span<const double> coef, std::size_t begin,
                               std::size_t end, LogisticSums& sums) {
    const std::size_t n_columns = rows.columns.size(), n_coefs = n_columns + 1;
    const double low = rows.low, high = rows.high;
    alignas(64) double x[LogisticSums::most][chunk], z[chunk], weight[chunk], target[chunk], residual[chunk],
        curvature[chunk], loss[chunk], bent[chunk];
    for (std::size_t i = 0; i < chunk; ++i) x[n_columns][i] = 1.0;
    for (std::size_t start = begin; start < end; start += chunk) {
        const std::size_t n = std::min(chunk, end - start);
        for (std::size_t i = 0; i < chunk; ++i) z[i] = coef[n_columns];
        for (std::size_t j = 0; j < n_columns; ++j) {
            const auto [values, scale, shift] = rows.columns[j];
            for (std::size_t i = 0; i < n; ++i) x[j][i] = values[start + i] * scale - shift;
            for (std::size_t i = n; i < chunk; ++i) x[j][i] = 0.0;
            for (std::size_t i = 0; i < chunk; ++i) z[i] += coef[j] * x[j][i];
        }
        const auto* const positive = reinterpret_cast<const std::uint8_t*>(rows.positive.data()) + start;
        for (std::size_t i = 0; i < n; ++i) {
            const double is_positive = positive[i];
            target[i] = is_positive * high + (1.0 - is_positive) * low;
        }
        for (std::size_t i = n; i < chunk; ++i) target[i] = 0.0;
        for (std::size_t i = 0; i < n; ++i) weight[i] = rows.weights.empty() ? 1.0 : rows.weights[start + i];
        for (std::size_t i = n; i < chunk; ++i) weight[i] = 0.0;
        for (std::size_t i = 0; i < chunk; ++i) {
            const double size = std::abs(z[i]), is_up = is_not_negative(z[i]), is_down = 1.0 - is_up;
            const double small = exp_minus(size), share = 1.0 / (1.0 + small), other = small * share;
            loss[i] = (is_up * (1.0 - target[i]) + is_down * target[i]) * size + log_one_plus(small);
            residual[i] = weight[i] * ((is_up * share + is_down * other) - target[i]);
            curvature[i] = weight[i] * share * other;
        }
        sums.loss += dot(weight, loss);
        for (std::size_t a = 0; a < n_coefs; ++a) {
            sums.gradient[a] += dot(residual, x[a]);
            for (std::size_t i = 0; i < chunk; ++i) bent[i] = curvature[i] * x[a][i];
            for (std::size_t b = a; b < n_coefs; ++b) sums.hessian[a][b] += dot(bent, x[b]);
        }
    }
}

void add(LogisticSums& all, const LogisticSums& part) {
    all.loss += part.loss;
    for (std::size_t a = 0; a < LogisticSums::most; ++a) {
        all.gradient[a] += part.gradient[a];
        for (std::size_t b = a; b < LogisticSums::most; ++b) all.hessian[a][b] += part.hessian[a][b];
    }
}

}  // namespace

LogisticSums logistic_sums(const LogisticRows& rows, std::span<const double> coef, std::size_t n_threads,
                           const StopToken& stop) {
    const std::size_t n_rows = rows.positive.size();
    std::vector<LogisticSums> of_block((n_rows + rows_of_block - 1) / rows_of_block);
    parallel_for(of_block.size(), n_threads, stop, [&](std::size_t block, std::size_t) {
        add_rows(rows, coef, block * rows_of_block, std::min(n_rows, (block + 1) * rows_of_block), of_block[block]);
    });
    LogisticSums all;
    for (const LogisticSums& part : of_block) add(all, part);
    for (std::size_t a = 0; a < LogisticSums::most; ++a) {
        for (std::size_t b = 0; b < a; ++b) all.hessian[a][b] = all.hessian[b][a];
    }
    return all;
}

}  // namespace calibrant
