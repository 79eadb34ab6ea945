// A small tree written down by hand and rows for it, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "table/coded_table.hpp"
#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace small_golf {

using namespace calibrant;

// Golf cut by hand: outlook, and humidity under sunny; the probabilities of class 1 at the nodes.
struct Small {
    Tree tree{1};
    std::vector<double> table{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};

    Small() {
        const std::vector<double> none{0};
        const auto add = [&](std::int32_t parent, double weight) { tree.add_node(parent, none, weight, 0); };
        add(Tree::no_node, 10);
        const std::vector<std::int32_t> branches{0, 1, 2};
        tree.make_nominal(0, 0, 3, branches);
        add(0, 5);
        tree.make_numeric(1, 1, 70, 0);
        add(1, 2);
        add(1, 3);
        add(0, 0);
        add(0, 5);
        tree.children = {1, 4, 5, 2, 3};
    }
};

struct Rows {
    std::vector<std::int32_t> outlook;
    std::vector<double> humidity;

    PredictRows view() const {
        return {outlook.size(),
                {StridedView<std::int32_t>{outlook.data(), outlook.size(), 1},
                 StridedView<double>{humidity.data(), humidity.size(), 1}}};
    }

    // The same rows as codes; the tree's cut at 70 is the code of the greatest value up to it.
    CodedTable coded(Tree& tree) const {
        Scratch scratch;
        std::vector<CodedColumn> columns{code_nominal({outlook.data(), outlook.size(), 1}, 3, {}),
                                         code_numeric<double>({humidity.data(), humidity.size(), 1}, scratch, {})};
        const auto& values = columns[1].values;
        const auto above = std::upper_bound(values.begin(), values.end(), 70.0);
        tree.cut_code[1] = static_cast<std::uint32_t>(above - values.begin() - 1);
        return CodedTable(outlook.size(), std::move(columns));
    }
};

// Many rows of every kind, some with missing values.
inline Rows many_rows(int n) {
    Rows rows;
    for (int i = 0; i < n; ++i) {
        rows.outlook.push_back(i % 4 - 1);
        rows.humidity.push_back(i % 7 == 0 ? std::numeric_limits<double>::quiet_NaN() : i % 100);
    }
    return rows;
}

}  // namespace small_golf
