// Trees of a gradient booster as flat arrays, and their sum over rows. A row's leaf is found without branches: every
// test that fails removes the leaves below its first branch from a set of bits, and the first leaf left is the row's
// (Lucchese et al. 2015, QuickScorer); a test is made for many rows at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace calibrant {

inline constexpr std::size_t most_leaves = 64;

// The codes of a nominal column that take the first branch.
using CategorySet = std::array<std::uint64_t, 4>;

inline bool contains(const CategorySet& set, std::size_t code) { return (set[code / 64] >> (code % 64) & 1) != 0; }

// A test of a column: the first branch takes codes up to `cut` and the code `also`, or those of a set.
struct BinTest {
    std::uint32_t column = 0;
    std::uint8_t cut = 0, also = 0;
    bool is_nominal = false;
    CategorySet set{};

    bool is_first(std::uint8_t code) const { return is_nominal ? contains(set, code) : code <= cut || code == also; }
};

struct GradientTrees {
    std::vector<std::uint32_t> first_node{0}, first_leaf{0};  // of each tree, and their number
    std::vector<std::uint16_t> score{};                       // which score each tree adds to
    std::vector<std::uint32_t> column{};                      // of each node, likewise below
    std::vector<std::uint8_t> cut{}, also{};
    std::vector<std::int32_t> set_index{};     // -1 for a numeric test
    std::vector<std::uint64_t> kept_leaves{};  // where the test fails
    std::vector<double> values{};              // of each leaf, from left to right
    std::vector<CategorySet> sets{};

    std::size_t n_trees() const { return score.size(); }
    void truncate(std::size_t n_trees);
    void append(const GradientTrees& other);
};

// A tree while it grows: nodes refer to children, a leaf is the complement of its number.
struct GrowingTree {
    struct Node {
        BinTest test{};
        std::int32_t first = 0, second = 0;
    };
    std::vector<Node> nodes{};
    std::vector<double> values{};
};

// Adds a tree, its leaves numbered from left to right.
void append_tree(GradientTrees& trees, const GrowingTree& tree, std::size_t score);

// Codes of a block of rows: a pointer for each column.
using BlockColumns = std::span<const std::uint8_t* const>;

// Rows that are scored together.
inline constexpr std::size_t scored_rows = 1024;

// Adds the leaf values of the trees [begin, end) to the scores of at most `scored_rows` rows: score s of row i is
// at scores[s * stride + i]. The columns are those that nodes refer to.
void add_scores(const GradientTrees& trees, std::size_t begin, std::size_t end, BlockColumns columns,
                std::size_t n_rows, double* scores, std::size_t stride);

}  // namespace calibrant
