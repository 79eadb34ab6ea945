#include "table/order_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t n_buckets = 8192;  // 255 positions lie in a thirtieth of them
constexpr std::size_t sample_size = 1024;
constexpr std::uint32_t unmarked = std::numeric_limits<std::uint32_t>::max();

// Buckets of about equal length between the values that hold all but the extremes of a sample. Rounding does not change
// that a greater value has no lesser bucket.
class LinearBuckets {
  public:
    template <class T>
    explicit LinearBuckets(const StridedView<T>& column) {
        std::vector<double> sample;
        for (std::size_t i = 0; i < sample_size; ++i) {
            const auto value = static_cast<double>(column[i * (column.size / sample_size + 1) % column.size]);
            if (std::isfinite(value)) sample.push_back(value);
        }
        if (sample.empty()) return;
        std::sort(sample.begin(), sample.end());
        low_ = sample[sample.size() / 100];
        const double length = sample[sample.size() - 1 - sample.size() / 100] - low_;
        const double scale = (n_buckets - 2) / length;
        if (std::isfinite(length) && std::isfinite(scale)) scale_ = scale;
    }

    template <class T>
    std::size_t of(T number) const {
        const auto value = static_cast<double>(number);
        const double at = (value - low_) * scale_ + 1;
        return at > 0 && scale_ > 0 ? static_cast<std::size_t>(std::min(at, double{n_buckets - 1})) : 0;
    }

  private:
    double low_ = 0, scale_ = 0;
};

// The positions where the sorted values of each bucket begin.
struct Begins {
    std::array<std::uint32_t, n_buckets + 1> begin{};

    std::uint32_t size(std::size_t bucket) const { return begin[bucket + 1] - begin[bucket]; }

    std::size_t bucket_at(std::size_t position) const {
        return static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), position) - begin.begin()) - 1;
    }
    std::size_t next_filled(std::size_t bucket) const {
        while (++bucket < n_buckets && begin[bucket] == begin[bucket + 1]) continue;
        return bucket;
    }
};

// The values that are not missing, side by side: both passes below read them, and columns of a matrix lie far apart.
template <class T>
std::vector<T> known_values(const StridedView<T>& column, const StopToken& stop) {
    std::vector<T> known(column.size);
    std::size_t n = 0;
    in_pieces(column.size, stop, [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            known[n] = column[row] + T{0};  // no -0
            n += column[row] == column[row];
        }
    });
    known.resize(n);
    return known;
}

}  // namespace

template <class T>
std::vector<OrderStatistic> order_statistics(StridedView<T> column, std::span<const std::int64_t> positions,
                                             const StopToken& stop) {
    if (positions.empty()) return {};
    const auto known = known_values(column, stop);
    if (known.empty()) throw std::out_of_range("a position of no values");
    const LinearBuckets buckets(StridedView<T>{known.data(), known.size(), 1});
    std::vector<std::uint16_t> bucket_of(known.size());
    Begins begins;
    for (std::size_t i = 0; i < known.size(); ++i) {
        bucket_of[i] = static_cast<std::uint16_t>(buckets.of(known[i]));
        ++begins.begin[bucket_of[i] + std::size_t{1}];
    }
    for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) begins.begin[bucket + 1] += begins.begin[bucket];
    std::array<std::uint32_t, n_buckets> next{};  // where the next value of a bucket goes; unmarked: nowhere
    next.fill(unmarked);
    std::uint32_t n_gathered = 0;
    const auto mark = [&](std::size_t bucket) {
        if (bucket >= n_buckets || next[bucket] != unmarked) return;
        next[bucket] = n_gathered;
        n_gathered += begins.size(bucket);
    };
    for (const std::int64_t position : positions) {
        if (position < 0 || static_cast<std::size_t>(position) >= known.size())
            throw std::out_of_range("a position beyond the values that are not missing");
        const std::size_t bucket = begins.bucket_at(static_cast<std::size_t>(position));
        mark(bucket);
        mark(begins.next_filled(bucket));
    }
    check_stop(stop);
    std::vector<double> gathered(n_gathered);
    for (std::size_t i = 0; i < known.size(); ++i) {
        std::uint32_t& at = next[bucket_of[i]];
        if (at != unmarked) gathered[at++] = static_cast<double>(known[i]);
    }
    const auto sorted_bucket = [&](std::size_t bucket) {  // all its values are in, so that `next` is where they end
        return std::span(gathered).subspan(next[bucket] - begins.size(bucket), begins.size(bucket));
    };
    for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
        if (next[bucket] != unmarked) std::ranges::sort(sorted_bucket(bucket));
    }
    std::vector<OrderStatistic> found;
    for (const std::int64_t position : positions) {
        const std::size_t bucket = begins.bucket_at(static_cast<std::size_t>(position));
        const auto values = sorted_bucket(bucket);
        const double value = values[static_cast<std::size_t>(position) - begins.begin[bucket]];
        const auto above = std::upper_bound(values.begin(), values.end(), value);
        const std::size_t following = begins.next_filled(bucket);
        const double first_after =
            following < n_buckets ? sorted_bucket(following).front() : std::numeric_limits<double>::quiet_NaN();
        found.push_back({value, above != values.end() ? *above : first_after});
    }
    return found;
}

template std::vector<OrderStatistic> order_statistics(StridedView<float>, std::span<const std::int64_t>,
                                                      const StopToken&);
template std::vector<OrderStatistic> order_statistics(StridedView<double>, std::span<const std::int64_t>,
                                                      const StopToken&);

}  // namespace calibrant
