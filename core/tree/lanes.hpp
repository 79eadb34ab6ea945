// Many rows descending a tree of numeric tests, or a row several trees, eight at a time: while one waits for memory,
// the others go on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler.hpp"
#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace calibrant {

inline constexpr std::size_t lanes_at_once = 8;
inline constexpr std::uint32_t may_miss_value = 0xffffffff;  // of a lane that a missing value may have led astray
using LaneLeaves = std::array<std::uint32_t, lanes_at_once>;

// The columns of rows, all of type T.
template <class T>
class TypedColumns {
  public:
    // None where a column is of another type.
    static std::optional<TypedColumns> of(const PredictRows& rows) {
        TypedColumns typed;
        for (const PredictColumn& column : rows.columns) {
            const auto* view = std::get_if<StridedView<T>>(&column);
            if (view == nullptr) return {};
            typed.columns_.push_back(*view);
        }
        typed.find_grid();
        return typed;
    }

    // Calls use(value_of) with value_of(lane, column) of the rows from `row` on. Columns of one matrix are addressed by
    // strides, which is faster than looking each up, and those of a row side by side without a multiplication.
    template <class Use>
    auto at_row(std::size_t row, const Use& use) const {
        if (!is_grid_)
            return use([this, row](std::size_t lane, std::size_t column) { return columns_[column][row + lane]; });
        const std::ptrdiff_t row_step = row_step_, column_step = column_step_;
        const T* const first = columns_.front().data + static_cast<std::ptrdiff_t>(row) * row_step;
        const auto of_lane = [=](std::size_t lane) { return first + static_cast<std::ptrdiff_t>(lane) * row_step; };
        if (column_step == 1) return use([=](std::size_t lane, std::size_t column) { return of_lane(lane)[column]; });
        return use([=](std::size_t lane, std::size_t column) {
            return of_lane(lane)[static_cast<std::ptrdiff_t>(column) * column_step];
        });
    }

  private:
    void find_grid() {
        if (columns_.empty()) return;
        row_step_ = columns_.front().stride;
        const auto address = [&](std::size_t j) { return reinterpret_cast<std::intptr_t>(columns_[j].data); };
        const std::intptr_t step = columns_.size() > 1 ? address(1) - address(0) : 0;
        column_step_ = step / static_cast<std::intptr_t>(sizeof(T));
        is_grid_ = step % static_cast<std::intptr_t>(sizeof(T)) == 0;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            is_grid_ = is_grid_ && address(j) == address(0) + static_cast<std::intptr_t>(j) * step &&
                       columns_[j].stride == row_step_;
        }
    }

    std::vector<StridedView<T>> columns_;
    bool is_grid_ = false;
    std::ptrdiff_t row_step_ = 0, column_step_ = 0;
};

// A tree laid out for rows of type T. `Link` holds the column that a node tests and the index of its first branch in
// one number.
template <class T, class Link = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>
class Lanes {
  public:
    using Value = T;

    // None where a test is nominal, or a link has too few bits for the columns and nodes.
    static std::optional<Lanes> make(const Tree& tree, std::size_t n_columns) {
        Lanes lanes;
        lanes.column_bits_ = static_cast<int>(std::bit_width(std::max<std::size_t>(n_columns, 1) - 1));
        if (static_cast<int>(std::bit_width(tree.n_nodes() + 2)) + lanes.column_bits_ >
                std::numeric_limits<Link>::digits ||
            tree.n_nodes() > most_leaves)
            return {};
        if (std::any_of(tree.n_values.begin(), tree.n_values.end(), [](std::uint32_t n) { return n > 0; })) return {};
        if (std::any_of(tree.feature.begin(), tree.feature.end(),
                        [&](std::int32_t column) { return column >= static_cast<std::int64_t>(n_columns); }))
            throw std::invalid_argument("every test must be of a column that exists");
        lanes.lay_out(tree);
        return lanes;
    }

    // Replaces the number of each leaf, in the order of the layout: what the walks return.
    template <class NumberOf>
    void renumber_leaves(NumberOf&& number_of) {
        for (std::size_t at = root; at < steps_.size(); ++at)
            if (is_leaf(at)) set_number(at, number_of(number_at(at)));
    }

    // The leaves of rows [begin, begin + n), at most as many as lanes.
    LaneLeaves leaves(const TypedColumns<T>& columns, std::size_t begin, std::size_t n) const {
        const auto steps_of = [steps = steps_.data()](std::size_t) { return steps; };
        const Walked walked = columns.at_row(begin, [&](const auto& value_of) {
            return n == lanes_at_once ? walk(lanes_at_once, steps_of, column_bits_, value_of)
                                      : walk(n, steps_of, column_bits_, value_of);
        });
        LaneLeaves leaves{};
        for (std::size_t lane = 0; lane < n; ++lane) leaves[lane] = number_of(walked, lane);
        return leaves;
    }

    // The leaves of one row in at most as many trees as lanes, all of the same columns.
    static LaneLeaves leaves_of_trees(std::span<const Lanes> trees, const TypedColumns<T>& columns, std::size_t row) {
        std::array<const Step*, lanes_at_once> steps{};
        for (std::size_t lane = 0; lane < trees.size(); ++lane) steps[lane] = trees[lane].steps_.data();
        const auto steps_of = [&](std::size_t lane) { return steps[lane]; };
        const Walked walked = columns.at_row(row, [&](const auto& value_of) {
            return walk(trees.size(), steps_of, trees.front().column_bits_,
                        [&](std::size_t, std::size_t column) { return value_of(0, column); });
        });
        LaneLeaves leaves{};
        for (std::size_t lane = 0; lane < trees.size(); ++lane) leaves[lane] = trees[lane].number_of(walked, lane);
        return leaves;
    }

    // Reads the tree into the cache, line after line, which is faster than as walks come to it.
    void fetch() const {
        for (std::size_t at = 0; at < steps_.size(); at += 64 / sizeof(Step)) prefetch(&steps_[at]);
    }
    std::size_t n_steps() const { return steps_.size(); }

  private:
    static constexpr bool is_number = std::is_floating_point_v<T>;

    // Branches lie side by side: a value <= threshold leads to the first, others to the next. A leaf leads to itself
    // for every value, so that lanes need no test for leaves: its threshold is NaN, which no number is <=, and its link
    // the node before it; or the greatest code, which every code is <=, and its own index. The number of a leaf is the
    // payload of its NaN, as an array of numbers would take room in the cache (forests.py: 1.6 times as long).
    using Threshold = std::conditional_t<is_number && sizeof(Link) == 8, double, T>;
    struct Step {
        Threshold threshold;
        Link link;
    };
    using Bits = std::conditional_t<sizeof(Threshold) == 8, std::uint64_t, std::uint32_t>;
    static constexpr Bits payload = is_number ? (Bits{1} << (std::numeric_limits<Threshold>::digits - 2)) - 1 : 0;
    static constexpr std::size_t most_leaves =
        is_number ? std::min<std::uint64_t>(payload, may_miss_value - 1) : may_miss_value - 1;

    std::uint32_t number_at(std::size_t at) const {
        if constexpr (is_number)
            return static_cast<std::uint32_t>(std::bit_cast<Bits>(steps_[at].threshold) & payload);
        else
            return number_at_[at];
    }
    void set_number(std::size_t at, std::uint32_t number) {
        if constexpr (is_number)
            steps_[at].threshold = std::bit_cast<Threshold>(
                std::bit_cast<Bits>(std::numeric_limits<Threshold>::quiet_NaN()) | Bits{number});
        else
            number_at_[at] = number;
    }

    // Whether a path met a missing value: the sum of numbers is then NaN. One add per step, no branch.
    struct MissingSeen {
        std::conditional_t<is_number, T, bool> sum{};
        void add(T value) {
            if constexpr (is_number)
                sum += value;
            else
                sum |= value == missing_code<T>;
        }
        bool any() const {
            if constexpr (is_number)
                return sum != sum;
            else
                return sum;
        }
    };

    // For numbers the greatest one of the type that does not exceed the threshold, which splits values of type T in the
    // same way; for codes the code of the cut.
    static Threshold threshold_of(const Tree& tree, std::size_t node) {
        if constexpr (is_number) {
            const auto rounded = static_cast<Threshold>(tree.threshold[node]);
            const bool is_above = static_cast<double>(rounded) > tree.threshold[node];
            return is_above ? std::nextafter(rounded, -std::numeric_limits<Threshold>::infinity()) : rounded;
        } else {
            return static_cast<T>(tree.cut_code[node]);
        }
    }
    static constexpr std::size_t root = 1;  // so that there is an index before it, for a link

    // Depth first, so that a small subtree lies in few cache lines.
    void lay_out(const Tree& tree) {
        struct Pending {
            std::size_t node, at;
        };
        std::vector<Pending> pending{{0, root}};
        steps_.resize(root + 1);
        if constexpr (!is_number) number_at_.resize(tree.n_nodes() + root);
        while (!pending.empty()) {
            const auto [node, at] = pending.back();
            pending.pop_back();
            const auto linked = [&](std::size_t column, std::size_t next) {
                return static_cast<Link>(next << column_bits_ | column);
            };
            if (tree.is_leaf(node)) {
                steps_[at] = {std::numeric_limits<Threshold>::max(), linked(0, at - is_number)};
                set_number(at, static_cast<std::uint32_t>(node));
                continue;
            }
            const std::size_t next = steps_.size();
            steps_[at] = {threshold_of(tree, node), linked(static_cast<std::size_t>(tree.feature[node]), next)};
            steps_.resize(next + 2);
            pending.push_back({tree.child(node, 1), next + 1});
            pending.push_back({tree.child(node, 0), next});
        }
    }

    bool is_leaf(std::size_t at) const {
        if constexpr (is_number)
            return steps_[at].threshold != steps_[at].threshold;
        else
            return steps_[at].link >> column_bits_ == at;
    }

    // Where lanes have ended.
    struct Walked {
        std::array<Link, lanes_at_once> at;
        std::array<MissingSeen, lanes_at_once> seen{};
    };

    template <class StepsOf, class ValueOf>
    static Walked walk(std::size_t n, const StepsOf& steps_of, int column_bits, const ValueOf& value_of) {
        const Link column_mask = (Link{1} << column_bits) - 1;
        Walked walked;
        walked.at.fill(root);
        Link moved = 1;
        while (moved != 0) {
            moved = 0;
            for (std::size_t lane = 0; lane < n; ++lane) {
                Link& at = walked.at[lane];
                const Step step = steps_of(lane)[at];
                const T value = value_of(lane, step.link & column_mask);
                const Link next = (step.link >> column_bits) + Link{!(value <= step.threshold)};
                walked.seen[lane].add(value);
                moved |= next ^ at;
                at = next;
            }
        }
        return walked;
    }

    std::uint32_t number_of(const Walked& walked, std::size_t lane) const {
        return walked.seen[lane].any() ? may_miss_value : number_at(walked.at[lane]);
    }

    std::vector<Step> steps_;
    std::vector<std::uint32_t> number_at_;  // of codes
    int column_bits_ = 0;
};

}  // namespace calibrant
