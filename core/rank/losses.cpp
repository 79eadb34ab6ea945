// Blocks of rows, each summed in lanes that a compiler takes at once; blocks are shared among threads and added up in
// their order.
#include "rank/losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "exp_log.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t lanes = 16, chunk = 512, rows_of_block = std::size_t{1} << 16;
constexpr double least_normal = std::numeric_limits<double>::min();

CALIBRANT_CLONES double sum_of(const double* values, std::size_t n) {
    double sums[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[i + lane];
    }
    for (; i < n; ++i) sums[i % lanes] += values[i];
    double sum = 0;
    for (const double part : sums) sum += part;
    return sum;
}

CALIBRANT_CLONES double weighted_sum_of(const double* values, const double* weights, std::size_t n) {
    double products[chunk];
    for (std::size_t i = 0; i < n; ++i) products[i] = values[i] * weights[i];
    return sum_of(products, n);
}

// The sum over blocks of block(begin, end).
template <class Sum, class Block>
Sum sum_in_blocks(std::size_t n_rows, Threads threads, Block&& block) {
    const std::size_t n_blocks = (n_rows + rows_of_block - 1) / rows_of_block;
    std::vector<Sum> sums(n_blocks);
    parallel_for(n_blocks, threads.n, threads.stop, [&](std::size_t which, std::size_t) {
        sums[which] = block(which * rows_of_block, std::min(n_rows, (which + 1) * rows_of_block));
    });
    Sum all = std::move(sums.front());
    for (std::size_t which = 1; which < n_blocks; ++which) all += sums[which];
    return all;
}

// Calls body(begin, n) for chunks of rows that fit the first-level cache.
template <class Body>
void in_chunks(std::size_t begin, std::size_t end, Body&& body) {
    for (; begin < end; begin += chunk) body(begin, std::min(chunk, end - begin));
}

CALIBRANT_CLONES void write_squares(const double* probabilities, const bool* positive, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double error = probabilities[i] - static_cast<double>(static_cast<std::uint8_t>(positive[i]));
        out[i] = error * error;
    }
}

// The weighted sum over rows of the values that write(begin, n, values) writes for a chunk.
template <class Rows, class Write>
double sum_of_rows(const Rows& rows, Threads threads, Write&& write) {
    return sum_in_blocks<double>(rows.size(), threads, [&](std::size_t begin, std::size_t end) {
        double sum = 0, values[chunk];
        in_chunks(begin, end, [&](std::size_t first, std::size_t n) {
            write(first, n, values);
            sum += rows.weights.empty() ? sum_of(values, n) : weighted_sum_of(values, rows.weights.data() + first, n);
        });
        return sum;
    });
}

// The probability of each row's actual class.
CALIBRANT_CLONES void write_own(const double* probabilities, const bool* positive, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double is_positive = static_cast<double>(static_cast<std::uint8_t>(positive[i]));
        out[i] = is_positive * probabilities[i] + (1.0 - is_positive) * (1.0 - probabilities[i]);
    }
}
void write_own(const ScoreRows& rows, std::size_t begin, std::size_t n, double* out) {
    write_own(rows.scores.data() + begin, rows.positive.data() + begin, out, n);
}
void write_own(const ClassRows& rows, std::size_t begin, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = rows.table[(begin + i) * rows.n_classes + static_cast<std::size_t>(rows.labels[begin + i])];
}

CALIBRANT_CLONES double clip_and_find_least(double* values, std::size_t n, double least, double most) {
    double lowest[lanes];
    std::fill(lowest, lowest + lanes, 1.0);
    for (std::size_t i = 0; i < n; ++i) values[i] = std::min(std::max(values[i], least), most);
    for (std::size_t i = 0; i + lanes <= n; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) lowest[lane] = std::min(lowest[lane], values[i + lane]);
    }
    for (std::size_t i = n - n % lanes; i < n; ++i) lowest[0] = std::min(lowest[0], values[i]);
    return *std::min_element(lowest, lowest + lanes);
}
CALIBRANT_CLONES void negative_logs(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = 0.0 - log_of(values[i]);
}

// Logarithms one by one where a probability is 0 or below the normal numbers; zeros are counted instead.
double exact_logs(double* values, const double* weights, std::size_t n) {
    double at_zero = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (values[i] == 0) at_zero += weights == nullptr ? 1.0 : weights[i];
        values[i] = values[i] == 0 ? 0.0 : 0.0 - log_at(values[i]);
    }
    return at_zero;
}

double weight_at_one(const double* values, const double* weights, std::size_t n) {
    double at_one = 0;
    if (weights == nullptr) return static_cast<double>(std::count(values, values + n, 1.0));
    for (std::size_t i = 0; i < n; ++i) at_one += values[i] == 1.0 ? weights[i] : 0.0;
    return at_one;
}

struct LogLossTotal : LogLossSums {
    LogLossTotal& operator+=(const LogLossTotal& other) {
        sum += other.sum;
        at_zero += other.at_zero;
        at_one += other.at_one;
        return *this;
    }
};

template <class Rows>
LogLossSums log_loss_sums_of(const Rows& rows, double least, Threads threads) {
    return sum_in_blocks<LogLossTotal>(rows.size(), threads, [&](std::size_t begin, std::size_t end) {
        LogLossTotal sums;
        double values[chunk];
        in_chunks(begin, end, [&](std::size_t first, std::size_t n) {
            const double* const weights = rows.weights.empty() ? nullptr : rows.weights.data() + first;
            write_own(rows, first, n, values);
            const double lowest = clip_and_find_least(values, n, least, 1.0 - least);
            sums.at_one += weight_at_one(values, weights, n);
            if (lowest < least_normal)
                sums.at_zero += exact_logs(values, weights, n);
            else
                negative_logs(values, n);
            sums.sum += weights == nullptr ? sum_of(values, n) : weighted_sum_of(values, weights, n);
        });
        return sums;
    });
}

struct BinSums {
    std::vector<RankBin> bins;
    BinSums& operator+=(const BinSums& other) {
        for (std::size_t i = 0; i < bins.size(); ++i) {
            bins[i].weight += other.bins[i].weight;
            bins[i].positive += other.bins[i].positive;
            bins[i].probability += other.bins[i].probability;
        }
        return *this;
    }
};

}  // namespace

double squared_errors(const ScoreRows& rows, Threads threads) {
    return sum_of_rows(rows, threads, [&](std::size_t begin, std::size_t n, double* values) {
        write_squares(rows.scores.data() + begin, rows.positive.data() + begin, values, n);
    });
}

double squared_errors(const ClassRows& rows, Threads threads) {
    return sum_of_rows(rows, threads, [&](std::size_t begin, std::size_t n, double* values) {
        for (std::size_t i = 0; i < n; ++i) {
            const double* const row = rows.table.data() + (begin + i) * rows.n_classes;
            const double own = row[rows.labels[begin + i]];
            double others = 0;
            for (std::size_t k = 0; k < rows.n_classes; ++k)
                others += row[k] * row[k] * static_cast<double>(k != static_cast<std::size_t>(rows.labels[begin + i]));
            values[i] = (1 - own) * (1 - own) + others;
        }
    });
}

double own_squared_errors(const ClassRows& rows, Threads threads) {
    return sum_of_rows(rows, threads, [&](std::size_t begin, std::size_t n, double* values) {
        write_own(rows, begin, n, values);
        for (std::size_t i = 0; i < n; ++i) values[i] = (1 - values[i]) * (1 - values[i]);
    });
}

LogLossSums log_loss_sums(const ScoreRows& rows, double least, Threads threads) {
    return log_loss_sums_of(rows, least, threads);
}
LogLossSums log_loss_sums(const ClassRows& rows, double least, Threads threads) {
    return log_loss_sums_of(rows, least, threads);
}

std::vector<RankBin> width_sums(const ScoreRows& rows, std::size_t n_bins, Threads threads) {
    constexpr std::size_t copies = 4;  // of each bin: adding twice in a row to the same one would wait
    const double n = static_cast<double>(n_bins);
    std::vector<double> edges;
    for (std::size_t bin = 0; bin < n_bins; ++bin) edges.push_back(static_cast<double>(bin) / n);
    edges.push_back(std::numeric_limits<double>::infinity());
    const BinSums all = sum_in_blocks<BinSums>(rows.size(), threads, [&](std::size_t begin, std::size_t end) {
        BinSums sums{std::vector<RankBin>(n_bins * copies)};
        for (std::size_t row = begin; row < end; ++row) {
            const double p = rows.scores[row], weight = rows.weights.empty() ? 1.0 : rows.weights[row];
            std::size_t bin = std::min(static_cast<std::size_t>(p * n), n_bins - 1);
            bin -= static_cast<std::size_t>(p < edges[bin]);
            bin += static_cast<std::size_t>(p >= edges[bin + 1]);
            RankBin& to = sums.bins[bin * copies + row % copies];
            to.weight += weight;
            to.positive += weight * static_cast<double>(rows.positive[row]);
            to.probability += weight * p;
        }
        return sums;
    });
    std::vector<RankBin> bins(n_bins);
    for (std::size_t i = 0; i < all.bins.size(); ++i) {
        RankBin& to = bins[i / copies];
        to.weight += all.bins[i].weight;
        to.positive += all.bins[i].positive;
        to.probability += all.bins[i].probability;
    }
    return bins;
}

}  // namespace calibrant
