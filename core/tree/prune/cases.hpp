// The training cases at the nodes of a finished tree, split again by its tests; cases with a missing value go where
// the test sends them, or down every branch, their weight shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/grow/grower.hpp"
#include "tree/tree.hpp"

namespace calibrant {

struct Case {
    std::uint32_t row;
    double weight;
};

// Where the cases of a node lie. Those of a branch lie inside, in any order, or on top of all others.
struct Slice {
    std::size_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
};

// A node's cases after its test: those with missing values, then branch after branch.
struct SplitCases {
    Slice missing{};
    double known_weight = 0;
    std::vector<std::size_t> bounds{};  // branch b has the cases from bounds[b] to bounds[b + 1]
};

class Cases {
  public:
    Cases(const Tree& tree, const Examples& examples);

    Slice all() const { return all_; }
    SplitCases split(std::size_t node, Slice cases);

    // The cases of a branch, none where no known value leads there. Where values are missing they are copied to the
    // top, which must be truncated to its former height afterwards.
    Slice enter(const SplitCases& split, std::size_t branch);
    std::size_t top() const { return cases_.size(); }
    void truncate(std::size_t top) { cases_.resize(top); }

    // Calls add(class, weight) for each case.
    template <class Add>
    void tally(Slice cases, Add&& add) const {
        for (std::size_t i = cases.begin; i < cases.end; ++i)
            add(std::size_t{examples_.labels[cases_[i].row]}, cases_[i].weight);
    }

  private:
    void find_branches(std::size_t node, Slice cases);

    const Tree& tree_;
    const Examples& examples_;
    Slice all_;
    std::vector<Case> cases_, spare_;
    std::vector<std::uint32_t> branches_;
};

}  // namespace calibrant
