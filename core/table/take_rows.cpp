#include "table/take_rows.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "parallel.hpp"

namespace calibrant {
namespace {

using Rows = std::vector<std::uint32_t>;

Rows checked_rows(StridedView<std::int64_t> rows, std::size_t n_rows, const StopToken& stop) {
    Rows checked(rows.size);
    in_pieces(rows.size, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= n_rows)
                throw std::out_of_range("row " + std::to_string(rows[i]) + " of a table of " + std::to_string(n_rows) +
                                        " rows");
            checked[i] = static_cast<std::uint32_t>(rows[i]);
        }
    });
    return checked;
}

// Marks the codes that occur among the rows, and counts the missing ones.
template <class Column>
std::uint64_t mark_codes(const Column& codes, const Rows& rows, std::vector<std::uint32_t>& marks,
                         const StopToken& stop) {
    using Code = CodeOf<Column>;
    std::uint64_t n_missing = 0;
    in_pieces(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Code code = codes[rows[i]];
            if (code == missing_code<Code>) {
                ++n_missing;
            } else {
                marks[code] = 1;
            }
        }
    });
    return n_missing;
}

// The codes that are marked, in ascending order; `marks` becomes the new code of each.
std::vector<std::uint32_t> number_marked(std::vector<std::uint32_t>& marks) {
    std::vector<std::uint32_t> kept;
    for (std::size_t code = 0; code < marks.size(); ++code) {
        if (marks[code] == 0) continue;
        marks[code] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(static_cast<std::uint32_t>(code));
    }
    return kept;
}

std::vector<std::uint32_t> all_codes(std::vector<std::uint32_t>& marks) {
    for (std::size_t code = 0; code < marks.size(); ++code) marks[code] = static_cast<std::uint32_t>(code);
    return marks;
}

template <class Column>
Codes recoded(const Column& codes, const Rows& rows, const std::vector<std::uint32_t>& new_code, std::size_t n_values,
              const StopToken& stop) {
    using Code = CodeOf<Column>;
    return make_codes(rows.size(), n_values, [&](auto& taken) {
        using New = typename std::decay_t<decltype(taken)>::value_type;
        in_pieces(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Code code = codes[rows[i]];
                if (code != missing_code<Code>) taken[i] = static_cast<New>(new_code[code]);
            }
        });
    });
}

// The column of some rows; `kept` becomes the codes that its values or categories had.
CodedColumn take_column(const CodedColumn& column, const Rows& rows, bool keeps_all, std::vector<std::uint32_t>& kept,
                        const StopToken& stop) {
    CodedColumn taken{.kind = column.kind};
    std::visit(
        [&](const auto& codes) {
            std::vector<std::uint32_t> marks(column.n_values, 0);
            taken.n_missing = mark_codes(codes, rows, marks, stop);
            kept = keeps_all ? all_codes(marks) : number_marked(marks);
            taken.n_values = static_cast<std::uint32_t>(kept.size());
            taken.codes = recoded(codes, rows, marks, kept.size(), stop);
        },
        column.codes);
    if (column.kind == Kind::nominal) return taken;
    taken.values.reserve(kept.size());
    for (const std::uint32_t code : kept) taken.values.push_back(column.values[code]);
    if (!column.is_binned()) return taken;
    for (const std::uint32_t code : kept) taken.lows.push_back(column.lows[code]);
    return taken;
}

}  // namespace

TakenRows take_rows(const CodedTable& table, StridedView<std::int64_t> rows, const std::vector<bool>& collected,
                    std::size_t n_threads, const StopToken& stop) {
    if (collected.size() != table.n_columns())
        throw std::invalid_argument("collected must have a value for each of " + std::to_string(table.n_columns()) +
                                    " columns; got " + std::to_string(collected.size()));
    const Rows checked = checked_rows(rows, table.n_rows(), stop);
    std::vector<CodedColumn> columns(table.n_columns());
    std::vector<std::vector<std::uint32_t>> kept(table.n_columns());
    parallel_for(table.n_columns(), n_threads, stop, [&](std::size_t index, std::size_t) {
        const CodedColumn& column = table.column(index);
        const bool is_nominal = column.kind == Kind::nominal;
        columns[index] = take_column(column, checked, is_nominal && !collected[index], kept[index], stop);
        if (!is_nominal || !collected[index]) kept[index].clear();
    });
    return {CodedTable(checked.size(), std::move(columns), CodedTable::Checked{}), std::move(kept)};
}

}  // namespace calibrant
