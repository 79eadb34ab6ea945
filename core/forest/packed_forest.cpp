#include "forest/packed_forest.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "tree/descent.hpp"

namespace calibrant {
namespace {

// Trees with fewer steps per row than this are fetched before they are walked (benchmarks/forests.py, 100 to 1,000
// rows: half the time).
constexpr std::size_t steps_per_row = 128;

// Rows of numbers, each stored once.
class DistinctRows {
  public:
    explicit DistinctRows(std::size_t width) : width_(width), seen_(0, Hash{this}, Equal{this}) {}

    std::uint32_t number_of(std::span<const double> row) {
        const auto next = static_cast<std::uint32_t>(values_.size() / width_);
        values_.insert(values_.end(), row.begin(), row.end());
        const auto [number, is_new] = seen_.insert(next);
        if (!is_new) values_.resize(values_.size() - width_);
        return *number;
    }
    std::vector<double> values() && { return std::move(values_); }

  private:
    struct Hash {
        const DistinctRows* rows;
        std::size_t operator()(std::uint32_t number) const {
            return std::hash<std::string_view>{}(rows->bytes_of(number));
        }
    };
    struct Equal {
        const DistinctRows* rows;
        bool operator()(std::uint32_t a, std::uint32_t b) const { return rows->bytes_of(a) == rows->bytes_of(b); }
    };
    std::string_view bytes_of(std::uint32_t number) const {
        return {reinterpret_cast<const char*>(values_.data() + number * width_), width_ * sizeof(double)};
    }

    std::size_t width_;
    std::vector<double> values_{};
    std::unordered_set<std::uint32_t, Hash, Equal> seen_;
};

}  // namespace

// The sums of a block of rows. A width known at compile time saves much of the time.
template <std::size_t fixed_width>
class PackedForest::BlockSums {
  public:
    BlockSums(const PackedForest& forest, const PredictRows& rows, std::span<double> out, const StopToken& stop)
        : members_(forest.members_),
          rows_(rows),
          out_(out.data()),
          width_(fixed_width > 0 ? fixed_width : forest.width_),
          mixture_(width_),
          stop_(stop) {}

    // Groups of rows descend a tree together; of the rows that are left each descends several trees.
    template <class AnyLanes>
    void add(const Packed<AnyLanes>& packed, const TypedColumns<typename AnyLanes::Value>& columns, std::size_t begin,
             std::size_t end) {
        const std::size_t rest = end - (end - begin) % lanes_at_once;
        for (std::size_t m = 0; m < members_.size() && begin < rest; ++m) {
            check_stop(stop_);
            Descent descent(*members_[m].tree, rows_);
            if (packed.trees[m].n_steps() < steps_per_row * (rest - begin)) packed.trees[m].fetch();
            for (std::size_t first = begin; first < rest; first += lanes_at_once) {
                const LaneLeaves leaves = packed.trees[m].leaves(columns, first, lanes_at_once);
                for (std::size_t lane = 0; lane < lanes_at_once; ++lane) {
                    if (leaves[lane] != may_miss_value)
                        add_prediction(packed.predictions[m], leaves[lane], first + lane);
                    else
                        add_shares(descent, m, first + lane);
                }
            }
        }
        for (std::size_t row = rest; row < end; ++row) {
            for (std::size_t m = 0; m < members_.size(); m += lanes_at_once) {
                const std::size_t n = std::min(lanes_at_once, members_.size() - m);
                const LaneLeaves leaves = AnyLanes::leaves_of_trees({&packed.trees[m], n}, columns, row);
                for (std::size_t lane = 0; lane < n; ++lane) {
                    if (leaves[lane] != may_miss_value) {
                        add_prediction(packed.predictions[m + lane], leaves[lane], row);
                    } else {
                        Descent descent(*members_[m + lane].tree, rows_);
                        add_shares(descent, m + lane, row);
                    }
                }
            }
        }
    }

    void add_one_by_one(std::size_t begin, std::size_t end) {
        for (std::size_t m = 0; m < members_.size(); ++m) {
            check_stop(stop_);
            Descent descent(*members_[m].tree, rows_);
            for (std::size_t row = begin; row < end; ++row) add_shares(descent, m, row);
        }
    }

  private:
    void add_prediction(const std::vector<double>& predictions, std::uint32_t number, std::size_t row) {
        const std::size_t width = fixed_width > 0 ? fixed_width : width_;
        const double* const from = predictions.data() + number * width;
        for (std::size_t k = 0; k < width; ++k) out_[row * width + k] += from[k];
    }

    // Adds the mean over the leaves that a row with missing values reaches.
    void add_shares(Descent& descent, std::size_t m, std::size_t row) {
        const double* const table = members_[m].table.data();
        std::fill(mixture_.begin(), mixture_.end(), 0.0);
        double total = 0;
        descent.descend(row, [&](std::size_t leaf, double share) {
            total += share;
            for (std::size_t k = 0; k < width_; ++k) mixture_[k] += share * table[leaf * width_ + k];
        });
        divide(mixture_, total);
        for (std::size_t k = 0; k < width_; ++k) out_[row * width_ + k] += mixture_[k];
    }

    std::span<const Member> members_;
    const PredictRows& rows_;
    double* out_;
    std::size_t width_;
    std::vector<double> mixture_;
    const StopToken& stop_;
};

PackedForest::PackedForest(std::vector<Member> members, std::size_t width)
    : members_(std::move(members)), width_(width) {
    if (members_.empty() || width == 0) throw std::invalid_argument("a forest needs trees and predictions");
    for (const Member& member : members_) {
        if (member.tree->n_nodes() == 0) throw std::invalid_argument("the tree has no nodes");
        if (member.table.size() != member.tree->n_nodes() * width)
            throw std::invalid_argument("each table must have one row per node, all of the same width");
    }
}

template <class AnyLanes>
std::optional<PackedForest::Packed<AnyLanes>> PackedForest::packed(std::size_t n_columns, std::size_t n_threads,
                                                                   const StopToken& stop) const {
    std::vector<std::optional<AnyLanes>> made(members_.size());
    Packed<AnyLanes> found;
    found.predictions.resize(members_.size());
    parallel_for(members_.size(), n_threads, stop, [&](std::size_t m, std::size_t) {
        const Member& member = members_[m];
        made[m] = AnyLanes::make(*member.tree, n_columns);
        if (!made[m]) return;
        DistinctRows distinct(width_);
        made[m]->renumber_leaves(
            [&](std::uint32_t node) { return distinct.number_of(member.table.subspan(node * width_, width_)); });
        found.predictions[m] = std::move(distinct).values();
    });
    for (auto& tree : made) {
        if (!tree) return {};
        found.trees.push_back(*std::move(tree));
    }
    return found;
}

template <class... AnyLanes>
void PackedForest::pack(Layouts<AnyLanes...>& layouts, std::size_t n_columns, std::size_t n_threads,
                        const StopToken& stop) const {
    std::call_once(layouts.once, [&] {
        layouts.n_columns = n_columns;
        const auto keep = [&](auto found) {
            if (!found) return false;
            layouts.packed = *std::move(found);
            return true;
        };
        [[maybe_unused]] const bool is_packed = (keep(packed<AnyLanes>(n_columns, n_threads, stop)) || ...);
    });
    if (n_columns != layouts.n_columns) throw std::invalid_argument("rows must have the columns of the forest");
}

void PackedForest::sum(const PredictRows& rows, std::span<double> out, std::size_t n_threads,
                       const StopToken& stop) const {
    if (out.size() != rows.n_rows * width_)
        throw std::invalid_argument("output must have one row per row, as wide as the tables");
    const auto in_blocks_of = [&](const auto& add_block) {
        in_blocks(rows.n_rows, rows_at_once(rows.n_rows, n_threads), n_threads, stop,
                  [&](std::size_t begin, std::size_t end) {
                      std::fill_n(out.data() + begin * width_, (end - begin) * width_, 0.0);
                      if (width_ == 2)
                          add_block(BlockSums<2>(*this, rows, out, stop), begin, end);
                      else
                          add_block(BlockSums<0>(*this, rows, out, stop), begin, end);
                  });
    };
    const auto sum_packed = [&](auto& layouts, const auto& columns) {
        pack(layouts, rows.columns.size(), n_threads, stop);
        return std::visit(
            [&]<class Found>(const Found& found) {
                if constexpr (!std::is_same_v<Found, std::monostate>)
                    in_blocks_of(
                        [&](auto&& sums, std::size_t begin, std::size_t end) { sums.add(found, columns, begin, end); });
                return !std::is_same_v<Found, std::monostate>;
            },
            layouts.packed);
    };
    if (const auto floats = TypedColumns<float>::of(rows); floats && sum_packed(of_floats_, *floats)) return;
    if (const auto doubles = TypedColumns<double>::of(rows); doubles && sum_packed(of_doubles_, *doubles)) return;
    in_blocks_of([](auto&& sums, std::size_t begin, std::size_t end) { sums.add_one_by_one(begin, end); });
}

}  // namespace calibrant
