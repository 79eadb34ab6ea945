// Many rows of numbers down a tree of two-way numeric tests: eight at a time, so that one waits for memory while others walk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "predict.hpp"
#include "tree.hpp"

namespace calibrant {

template <class T>
class Lanes {
public:
    static constexpr std::size_t width = 8;
    static constexpr std::uint32_t unsure = 0xffffffff;

    // Nothing where the columns are not all of type T or a test is nominal.
    static std::optional<Lanes> make(const Tree& tree, const PredictRows& rows) {
        Lanes lanes;
        for (const PredictColumn& column : rows.columns) {
            const auto* view = std::get_if<StridedView<T>>(&column);
            if (view == nullptr) return {};
            lanes.columns_.push_back(*view);
        }
        lanes.steps_.reserve(tree.n_nodes());
        for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
            const auto self = static_cast<std::uint32_t>(node);
            if (tree.is_leaf(node)) {
                lanes.steps_.push_back({0.0, 0, {self, self}});
                continue;
            }
            if (tree.n_values[node] > 0) return {};
            lanes.steps_.push_back({tree.threshold[node], static_cast<std::uint32_t>(tree.feature[node]),
                                    {static_cast<std::uint32_t>(tree.child(node, 0)), static_cast<std::uint32_t>(tree.child(node, 1))}});
        }
        return lanes;
    }

    // The leaves of rows [begin, begin + n), n <= width; `unsure` for a row that may have met an unknown value.
    std::array<std::uint32_t, width> leaves(std::size_t begin, std::size_t n) const {
        std::array<std::uint32_t, width> at{};
        std::array<bool, width> is_unsure{};
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t lane = 0; lane < n; ++lane) {
                const Step& step = steps_[at[lane]];
                const T value = columns_[step.feature][begin + lane];
                const std::uint32_t next = step.child[!(static_cast<double>(value) <= step.threshold)];
                is_unsure[lane] |= value != value;
                moved |= next != at[lane];
                at[lane] = next;
            }
        }
        for (std::size_t lane = 0; lane < n; ++lane) {
            if (is_unsure[lane]) at[lane] = unsure;
        }
        return at;
    }

private:
    // A leaf leads to itself, whatever it asks.
    struct Step {
        double threshold;
        std::uint32_t feature;
        std::uint32_t child[2];
    };
    std::vector<Step> steps_;
    std::vector<StridedView<T>> columns_;
};

}  // namespace calibrant
