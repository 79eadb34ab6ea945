#include "rank/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "compiler.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t n_lanes = 8, block_size = 512, n_tables = 4;
using Lanes = std::array<double, n_lanes>;

// Lanes are summed one by one at the end, so that the bits do not depend on the processor.
CALIBRANT_CLONES void add_products(const double* weights, const double* values, std::size_t n, Lanes& lanes) {
    Lanes own = lanes;
    std::size_t row = 0;
    for (; row + n_lanes <= n; row += n_lanes) {
        for (std::size_t lane = 0; lane < n_lanes; ++lane) own[lane] += weights[row + lane] * values[row + lane];
    }
    for (; row < n; ++row) own[row % n_lanes] += weights[row] * values[row];
    lanes = own;
}

// Computes replicates on one thread, with scratch memory of its own.
template <class Count>
class Replicator {
  public:
    Replicator(const ResampledRows& rows, const RankRequest& request, std::size_t n_units)
        : rows_(rows), request_(request), counts_(n_units) {
        if (!rows.row_weight.empty())
            weights_.resize(rows.n_rows);
        else if (!rows.row_unit.empty())
            row_counts_.resize(rows.n_rows);
    }

    void draw(const UnitDraws& draws, CounterRandom random) {
        std::fill(counts_.begin(), counts_.end(), Count{0});
        draws.add(random, std::span<Count>(counts_));
    }

    void leave_out(std::span<const std::uint32_t> blocks, std::size_t block) {
        for (std::size_t unit = 0; unit < counts_.size(); ++unit) counts_[unit] = blocks[unit] != block;
    }

    void take(std::span<const std::uint32_t> counts) {
        std::transform(counts.begin(), counts.end(), counts_.begin(),
                       [](std::uint32_t n) { return static_cast<Count>(n); });
    }

    void sum_up(std::size_t replicate, const ResampledSums& out) {
        if (!rows_.row_weight.empty()) return add_all<double>(replicate, out, weighted());
        add_all<Count>(replicate, out, rows_.row_unit.empty() ? std::span<const Count>(counts_) : gathered());
    }

  private:
    std::size_t unit_of(std::size_t row) const { return rows_.row_unit.empty() ? row : rows_.row_unit[row]; }

    std::span<const double> weighted() {
        for (std::size_t row = 0; row < rows_.n_rows; ++row)
            weights_[row] = rows_.row_weight[row] * static_cast<double>(counts_[unit_of(row)]);
        return weights_;
    }

    std::span<const Count> gathered() {
        for (std::size_t row = 0; row < rows_.n_rows; ++row) row_counts_[row] = counts_[rows_.row_unit[row]];
        return row_counts_;
    }

    template <class Weight>
    void add_all(std::size_t replicate, const ResampledSums& out, std::span<const Weight> weights) {
        using Total = std::conditional_t<std::is_floating_point_v<Weight>, double, std::uint64_t>;
        out.weight[replicate] = static_cast<double>(std::accumulate(weights.begin(), weights.end(), Total{0}));
        add_values(weights, out.values.subspan(replicate * rows_.values.size(), rows_.values.size()));
        if (rows_.n_cells > 0) add_cells(weights, out.cells.subspan(replicate * rows_.n_cells, rows_.n_cells));
        for (std::size_t r = 0; r < rows_.rankings.size(); ++r) {
            const RankMeasures measures = measure_ranking(rows_.rankings[r], weights, request_);
            std::memcpy(&out.rankings[(replicate * rows_.rankings.size() + r) * n_rank_measures], &measures,
                        sizeof measures);
        }
    }

    template <class Weight>
    void add_values(std::span<const Weight> weights, std::span<double> sums) {
        lanes_.assign(sums.size(), Lanes{});
        for (std::size_t begin = 0; begin < weights.size() && !sums.empty(); begin += block_size) {
            const std::size_t n = std::min(block_size, weights.size() - begin);
            std::array<double, block_size> block;
            std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(begin), n, block.begin());
            for (std::size_t v = 0; v < sums.size(); ++v)
                add_products(block.data(), rows_.values[v].data() + begin, n, lanes_[v]);
        }
        for (std::size_t v = 0; v < sums.size(); ++v)
            sums[v] = std::accumulate(lanes_[v].begin(), lanes_[v].end(), 0.0);
    }

    // Neighbouring rows go to different tables, since adding twice in a row to the same cell has to wait.
    template <class Weight>
    void add_cells(std::span<const Weight> weights, std::span<double> cells) {
        tables_.assign(n_tables * cells.size(), 0.0);
        for (std::size_t row = 0; row < weights.size(); ++row)
            tables_[(row % n_tables) * cells.size() + rows_.cells[row]] += static_cast<double>(weights[row]);
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            cells[cell] = 0;
            for (std::size_t table = 0; table < n_tables; ++table) cells[cell] += tables_[table * cells.size() + cell];
        }
    }

    const ResampledRows& rows_;
    const RankRequest& request_;
    std::vector<Count> counts_, row_counts_;
    std::vector<double> weights_, tables_;
    std::vector<Lanes> lanes_;
};

template <class Count>
void run(const ResampledRows& rows, const Resampling& how, const ResampleOptions& options, const ResampledSums& out,
         const StopToken& stop) {
    const Harmonic harmonic(options.everything ? 2 * rows.n_rows : 0);
    const RankRequest request{options.everything, options.top_share, &harmonic};
    const UnitDraws draws(how.units);
    std::vector<Replicator<Count>> workers(std::max<std::size_t>(1, options.n_threads),
                                           Replicator<Count>(rows, request, how.units.count));
    parallel_for(options.n_replicates, options.n_threads, stop, [&](std::size_t replicate, std::size_t number) {
        if (!how.counts.empty())
            workers[number].take(how.counts.subspan(replicate * how.units.count, how.units.count));
        else if (how.blocks.empty())
            workers[number].draw(draws, CounterRandom(how.seed, options.first + replicate));
        else
            workers[number].leave_out(how.blocks, options.first + replicate);
        workers[number].sum_up(replicate, out);
    });
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check(const ResampledRows& rows, const Resampling& how, std::size_t n_replicates) {
    const std::size_t n = rows.n_rows, n_units = how.units.count;
    require(rows.row_unit.empty() ? n == n_units : rows.row_unit.size() == n, "row_unit must have one entry per row");
    require(std::all_of(rows.row_unit.begin(), rows.row_unit.end(), [&](std::uint32_t unit) { return unit < n_units; }),
            "row_unit must hold units that exist");
    require(rows.row_weight.empty() || rows.row_weight.size() == n, "row_weight must have one entry per row");
    require(rows.n_cells == 0 || rows.cells.size() == n, "cells must have one entry per row");
    require(std::all_of(rows.cells.begin(), rows.cells.end(), [&](std::uint32_t cell) { return cell < rows.n_cells; }),
            "cells must be below n_cells");
    require(how.blocks.empty() || how.blocks.size() == n_units, "blocks must have one entry per unit");
    require(how.counts.empty() || how.counts.size() == n_replicates * n_units,
            "counts must have one entry per replicate and unit");
    for (const auto& values : rows.values) require(values.size() == n, "values must have one entry per row");
    for (const RankedRows& ranking : rows.rankings) {
        require(ranking.rows.empty() ? ranking.size() <= n : ranking.rows.size() == ranking.size(),
                "a ranking must have a row at each rank");
        require(std::all_of(ranking.rows.begin(), ranking.rows.end(), [&](std::uint32_t row) { return row < n; }),
                "a ranking must hold rows that exist");
    }
}

}  // namespace

void resample(const ResampledRows& rows, const Resampling& how, const ResampleOptions& options,
              const ResampledSums& out, const StopToken& stop) {
    check(rows, how, options.n_replicates);
    if (how.units.weights.empty() && how.counts.empty())
        run<std::uint8_t>(rows, how, options, out, stop);
    else
        run<std::uint32_t>(rows, how, options, out, stop);
}

}  // namespace calibrant
