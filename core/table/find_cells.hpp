// The cell of each number among sorted edges, for counting values by ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "stop.hpp"
#include "table/coded_table.hpp"

namespace calibrant {

inline constexpr std::size_t most_edges = 65534;
inline constexpr std::uint16_t no_cell = 65535;  // of NaN

// Writes the number of edges that are less than each value: cell 0 is up to the first edge, the last beyond all of
// them. Throws std::invalid_argument for too many edges, edges that are not ascending, or an output of another length.
void find_cells(const std::variant<StridedView<float>, StridedView<double>>& values, std::span<const double> edges,
                std::span<std::uint16_t> out, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant
