// Predictions of many trees, summed. Numeric trees are laid out once for the rows of each type that come: a tree's
// equal predictions are stored once, so that the distinct ones stay in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "stop.hpp"
#include "tree/lanes.hpp"
#include "tree/predict.hpp"

namespace calibrant {

// A tree and its table of predictions, a row for each node; all tables of a forest have the same width.
struct Member {
    const Tree* tree;
    std::span<const double> table;
};

class PackedForest {
  public:
    // Throws std::invalid_argument unless there are members and each table has a row of `width` numbers for each node.
    PackedForest(std::vector<Member> members, std::size_t width);

    std::size_t n_trees() const { return members_.size(); }
    std::size_t width() const { return width_; }

    // Writes for each row the sum over the members of the table's row at its leaf, in the order of the members; missing
    // values are handled as in `predict`.
    void sum(const PredictRows& rows, std::span<double> out, std::size_t n_threads, const StopToken& stop) const;

  private:
    // The trees, whose leaves have the numbers of rows of their predictions.
    template <class AnyLanes>
    struct Packed {
        std::vector<AnyLanes> trees;
        std::vector<std::vector<double>> predictions;
    };
    // Made at the first rows of a type of columns; empty where a test is nominal.
    template <class... AnyLanes>
    struct Layouts {
        std::once_flag once{};
        std::size_t n_columns = 0;
        std::variant<std::monostate, Packed<AnyLanes>...> packed{};
    };
    template <std::size_t fixed_width>
    class BlockSums;

    template <class... AnyLanes>
    void pack(Layouts<AnyLanes...>& layouts, std::size_t n_columns, std::size_t n_threads, const StopToken& stop) const;
    template <class AnyLanes>
    std::optional<Packed<AnyLanes>> packed(std::size_t n_columns, std::size_t n_threads, const StopToken& stop) const;

    std::vector<Member> members_;
    std::size_t width_;
    mutable Layouts<Lanes<float>, Lanes<float, std::uint64_t>> of_floats_{};
    mutable Layouts<Lanes<double>> of_doubles_{};
};

}  // namespace calibrant
