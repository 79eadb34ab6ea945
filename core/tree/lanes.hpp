// Many rows descending a tree of numeric tests, eight at a time: while one waits for memory, the others go on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// `Link` holds the column that a node tests and the index of its first branch in one number.
template <class T, class Link = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>
class Lanes {
  public:
    static constexpr std::size_t width = 8;
    static constexpr std::uint32_t may_miss_value = 0xffffffff;

    // None where a column is not of type T, a test is nominal, or a link has too few bits for the columns and nodes.
    static std::optional<Lanes> make(const Tree& tree, const PredictRows& rows) {
        Lanes lanes;
        for (const PredictColumn& column : rows.columns) {
            const auto* view = std::get_if<StridedView<T>>(&column);
            if (view == nullptr) return {};
            lanes.columns_.push_back(*view);
        }
        lanes.column_bits_ = static_cast<int>(std::bit_width(std::max<std::size_t>(rows.columns.size(), 1) - 1));
        if (static_cast<int>(std::bit_width(tree.n_nodes() + 2)) + lanes.column_bits_ >
            std::numeric_limits<Link>::digits)
            return {};
        if (std::any_of(tree.n_values.begin(), tree.n_values.end(), [](std::uint32_t n) { return n > 0; })) return {};
        lanes.find_grid();
        lanes.lay_out(tree);
        return lanes;
    }

    // The leaves of rows [begin, begin + n), n <= width; `may_miss_value` for a row that a missing value may have led
    // astray.
    std::array<std::uint32_t, width> leaves(std::size_t begin, std::size_t n) const {
        if (is_grid_ && n == width) {
            const T* const first = columns_.front().data + static_cast<std::ptrdiff_t>(begin) * row_step_;
            const std::ptrdiff_t row_step = row_step_, column_step = column_step_;
            return walk(width, [=](std::size_t lane, Link column) {
                return first[static_cast<std::ptrdiff_t>(lane) * row_step +
                             static_cast<std::ptrdiff_t>(column) * column_step];
            });
        }
        return walk(n, [=, this](std::size_t lane, Link column) { return columns_[column][begin + lane]; });
    }

  private:
    static constexpr bool is_number = std::is_floating_point_v<T>;

    // Branches lie side by side: a value <= threshold leads to the first, others to the next. A leaf leads to itself
    // for every value, so that lanes need no test for leaves: its threshold is NaN, which no number is <=, and its link
    // the node before it; or the greatest code, which every code is <=, and its own index.
    struct Step {
        T threshold;
        Link link;
    };

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

    // For numbers the greatest T that does not exceed the threshold, which splits values of type T in the same way; for
    // codes the code of the cut.
    static T threshold_of(const Tree& tree, std::size_t node) {
        if constexpr (is_number) {
            const T rounded = static_cast<T>(tree.threshold[node]);
            const bool is_above = static_cast<double>(rounded) > tree.threshold[node];
            return is_above ? std::nextafter(rounded, -std::numeric_limits<T>::infinity()) : rounded;
        } else {
            return static_cast<T>(tree.cut_code[node]);
        }
    }
    static constexpr T at_a_leaf = is_number ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::max();

    static constexpr std::size_t root = 1;  // so that there is an index before it, for a link

    // Depth first, so that a small subtree lies in few cache lines.
    void lay_out(const Tree& tree) {
        struct Pending {
            std::size_t node, at;
        };
        std::vector<Pending> pending{{0, root}};
        steps_.resize(root + 1);
        node_at_.resize(root + 1);
        while (!pending.empty()) {
            const auto [node, at] = pending.back();
            pending.pop_back();
            node_at_[at] = static_cast<std::uint32_t>(node);
            const auto linked = [&](std::size_t column, std::size_t next) {
                return static_cast<Link>(next << column_bits_ | column);
            };
            if (tree.is_leaf(node)) {
                steps_[at] = {at_a_leaf, linked(0, at - is_number)};
                continue;
            }
            const std::size_t next = steps_.size();
            steps_[at] = {threshold_of(tree, node), linked(static_cast<std::size_t>(tree.feature[node]), next)};
            steps_.resize(next + 2);
            node_at_.resize(next + 2);
            pending.push_back({tree.child(node, 1), next + 1});
            pending.push_back({tree.child(node, 0), next});
        }
    }

    // Columns of one matrix are addressed by strides, which is faster than looking each up.
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

    template <class ValueOf>
    std::array<std::uint32_t, width> walk(std::size_t n, const ValueOf& value_of) const {
        const Step* const steps = steps_.data();
        const Link column_mask = (Link{1} << column_bits_) - 1;
        std::array<Link, width> at;
        at.fill(root);
        std::array<MissingSeen, width> seen{};
        Link moved = 1;
        while (moved != 0) {
            moved = 0;
            for (std::size_t lane = 0; lane < n; ++lane) {
                const Step step = steps[at[lane]];
                const T value = value_of(lane, step.link & column_mask);
                const Link next = (step.link >> column_bits_) + Link{!(value <= step.threshold)};
                seen[lane].add(value);
                moved |= next ^ at[lane];
                at[lane] = next;
            }
        }
        std::array<std::uint32_t, width> leaves{};
        for (std::size_t lane = 0; lane < n; ++lane)
            leaves[lane] = seen[lane].any() ? may_miss_value : node_at_[at[lane]];
        return leaves;
    }

    std::vector<Step> steps_;
    std::vector<std::uint32_t> node_at_;
    std::vector<StridedView<T>> columns_;
    int column_bits_ = 0;
    bool is_grid_ = false;
    std::ptrdiff_t row_step_ = 0, column_step_ = 0;
};

}  // namespace calibrant
