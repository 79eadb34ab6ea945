// The bags of a forest: the number of times that each row is drawn for each tree. They follow from a seed, the tree and
// the number of a unit (a row, a row of its class or a group), so that whoever holds some of the rows draws theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace calibrant {

enum class BagKind : std::uint8_t { once, bootstrap, subsample };  // every unit once; with replacement; without it

struct BagSampling {
    BagKind kind = BagKind::once;
    std::uint64_t seed = 0;
    std::vector<std::uint64_t> n_units;      // of all rows anywhere; of each class where there are labels
    std::vector<std::uint64_t> first_units;  // those before the first row here, likewise; empty: none
    std::uint64_t n_drawn = 0;               // without replacement
    std::span<const std::uint16_t> labels;   // of the rows here, which are then drawn class by class
    std::span<const std::int64_t> groups;    // of the rows here, which are then drawn together
};

class Bags {
  public:
    // Throws std::invalid_argument where a row has no unit.
    Bags(BagSampling sampling, std::size_t n_rows);
    // From counts that somebody else drew, trees x rows.
    Bags(std::span<const std::uint16_t> drawn, std::size_t n_rows);

    std::size_t n_rows() const { return n_rows_; }
    // Throws std::invalid_argument unless the bags are those of so many rows, and there are so many.
    void check(std::size_t n_trees, std::size_t n_rows) const;

    // Writes the number of times that each row from `first` on is in the bag of a tree. Any thread may call it.
    void count(std::size_t tree, std::size_t first, std::span<std::uint16_t> counts) const;

    // The same for all rows.
    std::vector<std::uint16_t> of(std::size_t tree) const;

  private:
    void check_units() const;
    void add_up_classes();
    std::uint64_t first_unit(std::size_t label) const;
    std::uint64_t stream(std::size_t tree, std::size_t label) const;
    void count_units(std::size_t tree, std::size_t label, std::uint64_t first, std::span<std::uint16_t> counts) const;
    void count_by_class(std::size_t tree, std::size_t first, std::span<std::uint16_t> counts) const;
    void count_by_group(std::size_t tree, std::size_t first, std::span<std::uint16_t> counts) const;
    void subsample(std::size_t tree, std::uint64_t first, std::span<std::uint16_t> counts) const;
    std::uint64_t n_own_units(std::size_t label) const;
    // Draws of blocks of units, computed once.
    std::span<const std::uint64_t> block_draws(std::size_t tree, std::size_t label) const;
    std::vector<std::uint16_t> draw_groups(std::size_t tree) const;
    // The same, kept: rows that are read block by block have groups anywhere.
    std::span<const std::uint16_t> group_counts(std::size_t tree) const;

    BagSampling sampling_;
    std::size_t n_rows_;
    std::span<const std::uint16_t> drawn_;
    std::vector<std::uint64_t> class_counts_;  // of the rows before every `rows_at_once`-th, and of all
    mutable std::mutex guard_;
    mutable std::map<std::pair<std::size_t, std::size_t>, std::vector<std::uint64_t>> block_draws_;
    mutable std::map<std::size_t, std::vector<std::uint16_t>> group_counts_;
};

}  // namespace calibrant
