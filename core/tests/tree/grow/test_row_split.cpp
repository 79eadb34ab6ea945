#include "tree/grow/row_split.hpp"

#include "harness.hpp"
#include "tables.hpp"
#include "tree/grow/node_rules.hpp"

using namespace calibrant;

namespace test_row_split {
namespace {

std::vector<std::uint32_t> origins(const Partition& partition, Segment segment, bool is_presorted) {
    std::vector<std::uint32_t> rows;
    if (is_presorted) {
        for (const SortedRow& row : partition.sorted_rows(0, segment))
            rows.push_back(partition.origin(partition.number(row)));
    } else {
        rows.assign(partition.rows(segment).begin(), partition.rows(segment).end());
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

}  // namespace

TEST(a_cut_splits_the_same_rows_presorted_or_while_counting) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 50; ++trial) {
        tables::Problem problem{.labels = std::vector<std::uint16_t>(90)};
        std::vector<double> values(90);
        for (std::size_t i = 0; i < 90; ++i) {
            values[i] = static_cast<double>(random() % 80);
            problem.labels[i] = random() % 2;
            problem.weights.push_back(static_cast<double>(random() % 3) / (trial % 2 == 0 ? 1 : 2));
        }
        problem.add(values);
        const CodedTable table(90, problem.columns);
        const Examples examples{&table, problem.labels, problem.weights, 2};
        const RowKeys row_keys(table, problem.labels, {0}, keys_of(examples), value_gaps_of(table, 1e-5), 1, {});
        const RowCells row_cells(table, 1, {});
        std::vector<PendingNode> found[2];
        std::vector<std::uint32_t> left[2];
        for (const bool presorts : {false, true}) {
            Partition partition(table, problem.labels, problem.weights, row_keys, row_cells);
            if (presorts) partition.presort(partition.root(), tables::alone, {});
            partition.enter(partition.root());
            RowSplit split(examples, partition, row_keys);
            PendingNode node{.segment = partition.root(), .is_presorted = presorts, .counts = std::vector<double>(2)};
            for (std::size_t i = 0; i < 90; ++i) {
                node.counts[problem.labels[i]] += problem.weights[i];
                node.weight += problem.weights[i];
            }
            std::vector<PendingNode> children(2,
                                              PendingNode{.is_presorted = presorts, .counts = std::vector<double>(2)});
            split.by_cut(0, node, 20, children);
            split.split(node, children, tables::alone, {});
            left[presorts] = origins(partition, children[0].segment, presorts);
            found[presorts] = children;
        }
        CHECK(left[0] == left[1]);
        for (const std::size_t side : {0, 1}) {
            CHECK(found[0][side].counts == found[1][side].counts && found[0][side].weight == found[1][side].weight);
            CHECK(found[0][side].segment.size == found[1][side].segment.size);
        }
    }
}

}  // namespace test_row_split
