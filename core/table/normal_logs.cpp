#include "table/normal_logs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t chunk = 512;
constexpr double farthest = 1e300;  // differences of positions stay finite

// The positions of numbers on the grid, in place; NaN where one is missing or infinite.
CALIBRANT_CLONES void take_positions(double* values, std::size_t n, double step, double origin) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_finite = std::abs(values[i]) <= std::numeric_limits<double>::max();
        const double multiple = std::rint(values[i] / step);
        const double clipped = std::min(std::max(multiple, -farthest), farthest);
        values[i] = is_finite ? clipped - origin : std::numeric_limits<double>::quiet_NaN();
    }
}

CALIBRANT_CLONES void add_logs(const double* positions, std::size_t n, const NormalClass& of, double floor,
                               double* out) {
    const double mean = of.mean, sd = of.sd;
    const auto [c0, c1, c2] = of.coefficients;
    for (std::size_t i = 0; i < n; ++i) {
        const double z = (positions[i] - mean) / sd, z2 = z * z;
        const double log = (z2 * c2 + c1) * z2 + c0;
        out[i] += positions[i] != positions[i] ? 0.0 : (log < floor ? floor : log);
    }
}

}  // namespace

template <class T>
void add_normal_logs(StridedView<T> values, const NormalLogs& logs, std::span<double> out, const StopToken& stop) {
    in_pieces(values.size, stop, [&](std::size_t begin, std::size_t end) {
        double positions[chunk];
        for (; begin < end; begin += chunk) {
            const std::size_t n = std::min(chunk, end - begin);
            for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<double>(values[begin + i]);
            take_positions(positions, n, logs.step, logs.origin);
            for (std::size_t k = 0; k < logs.classes.size(); ++k)
                add_logs(positions, n, logs.classes[k], logs.floor, out.data() + k * values.size + begin);
        }
    });
}

template void add_normal_logs(StridedView<float>, const NormalLogs&, std::span<double>, const StopToken&);
template void add_normal_logs(StridedView<double>, const NormalLogs&, std::span<double>, const StopToken&);

}  // namespace calibrant
