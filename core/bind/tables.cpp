// Coded tables.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/bind.hpp"
#include "bind/rows.hpp"
#include "table/cells.hpp"
#include "table/coded_table.hpp"
#include "table/normal_logs.hpp"
#include "table/order_statistics.hpp"
#include "table/power_sums.hpp"
#include "table/take_rows.hpp"
#include "tree/grow/grower.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

using NominalArgument = std::pair<Column<std::int32_t>, std::size_t>;
using ColumnArgument = std::variant<Column<float>, Column<double>, NominalArgument>;

struct ToSource {
    ColumnSource operator()(const Column<float>& column) const { return view(column); }
    ColumnSource operator()(const Column<double>& column) const { return view(column); }
    ColumnSource operator()(const NominalArgument& column) const {
        return NominalSource{view(column.first), column.second};
    }
};

CodedTable code_table(std::size_t n_rows, const std::vector<ColumnArgument>& columns, std::size_t n_threads) {
    std::vector<ColumnSource> sources;
    sources.reserve(columns.size());
    for (const auto& column : columns) sources.push_back(std::visit(ToSource{}, column));
    return run_interruptibly([&](const StopToken& stop) { return CodedTable::code(n_rows, sources, n_threads, stop); });
}

CodedTable code_when_asked(const Matrix<double>& matrix, std::size_t n_threads) {
    return run_interruptibly([&](const StopToken& stop) {
        return CodedTable::code_when_asked(matrix.shape(1), span_of(matrix), RowCells::few_values, n_threads, stop);
    });
}

using Taken = std::pair<CodedTable, std::vector<std::vector<std::uint32_t>>>;

Taken take_table(const CodedTable& table, const Column<std::int64_t>& rows, const std::vector<bool>& collected,
                 std::size_t n_threads) {
    auto taken = run_interruptibly(
        [&](const StopToken& stop) { return take_rows(table, view(rows), collected, n_threads, stop); });
    return {std::move(taken.table), std::move(taken.categories)};
}

using CodesArgument = std::variant<Column<std::uint16_t>, Column<std::uint32_t>>;

// A column as a pickle holds it: codes, number of values, and the values of a numeric one.
using ColumnState = std::tuple<CodesArgument, std::uint32_t, std::optional<Column<double>>>;

CodedColumn make_column(const ColumnState& state) {
    const auto& [codes, n_values, values] = state;
    CodedColumn column{.kind = values ? Kind::numeric : Kind::nominal, .n_values = n_values};
    std::visit(
        [&]<class Code>(const Column<Code>& array) {
            auto kept = copied(array);
            column.n_missing = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), missing_code<Code>));
            column.codes = std::move(kept);
        },
        codes);
    if (values) column.values = copied(*values);
    return column;
}

CodedTable restore_table(std::size_t n_rows, const std::vector<ColumnState>& columns,
                         const std::vector<std::optional<Column<double>>>& lows) {
    if (!lows.empty() && lows.size() != columns.size())
        throw std::invalid_argument("there must be one entry of lows for each column");
    const nb::gil_scoped_release released;
    std::vector<CodedColumn> restored;
    for (const auto& column : columns) restored.push_back(make_column(column));
    for (std::size_t j = 0; j < lows.size(); ++j) {
        if (lows[j]) restored[j].lows = copied(*lows[j]);
    }
    return CodedTable(n_rows, std::move(restored));
}

nb::object codes_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return std::visit(
        [&]<class Codes>(const Codes& codes) {
            if constexpr (!std::is_same_v<Codes, ByteCodes>)
                return view_array(codes, self);
            else
                return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(
                    codes.data(), {codes.size()}, self, {static_cast<std::int64_t>(codes.stride())}));
        },
        column.codes);
}

// A binned column: its number of values, and the greatest and least value of each bin of a numeric one.
using BinnedColumn = std::tuple<std::uint32_t, std::optional<Column<double>>, std::optional<Column<double>>>;

CodedTable byte_table(const Matrix<std::uint8_t>& matrix, const std::vector<BinnedColumn>& columns,
                      std::size_t n_threads) {
    if (matrix.shape(1) != columns.size()) throw std::invalid_argument("there must be one column of the matrix each");
    std::vector<CodedColumn> coded;
    for (const auto& [n_values, highs, lows] : columns) {
        CodedColumn column{.kind = highs ? Kind::numeric : Kind::nominal, .n_values = n_values};
        if (highs) column.values = copied(*highs);
        if (highs && lows) column.lows = copied(*lows);
        coded.push_back(std::move(column));
    }
    return run_interruptibly([&](const StopToken& stop) {
        return CodedTable::of_bytes(matrix.shape(0), matrix.data(), std::move(coded), n_threads, stop);
    });
}

nb::object byte_matrix(nb::handle_t<CodedTable> self) {
    const auto& table = nb::cast<const CodedTable&>(self);
    if (table.bytes() == nullptr) return nb::none();
    return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<2>>(table.bytes(),
                                                                            {table.n_rows(), table.n_columns()}, self));
}

using OutputBytes = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void code_columns(const std::vector<ColumnArgument>& columns, const std::vector<std::optional<Vector<double>>>& highs,
                  const OutputBytes& out, std::size_t n_threads) {
    if (columns.size() != out.shape(1) || highs.size() != columns.size())
        throw std::invalid_argument("there must be one column of the output and one entry of highs each");
    std::vector<ColumnSource> sources;
    std::vector<std::span<const double>> bounds;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        sources.push_back(std::visit(ToSource{}, columns[j]));
        bounds.push_back(highs[j] ? span_of(*highs[j]) : std::span<const double>());
    }
    run_interruptibly(
        [&](const StopToken& stop) { code_bytes(sources, bounds, {out.data(), out.size()}, n_threads, stop); });
}

template <class T>
nb::object values_at(const Column<T>& column, const Vector<std::int64_t>& positions) {
    const auto found = run_interruptibly(
        [&](const StopToken& stop) { return order_statistics(view(column), span_of(positions), stop); });
    return nb::make_tuple(to_vector(found, [](const OrderStatistic& each) { return each.value; }),
                          to_vector(found, [](const OrderStatistic& each) { return each.next; }));
}

using OutputCells = nb::ndarray<std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void cells_of(const std::variant<Column<float>, Column<double>>& values, const Column<double>& edges,
              const OutputCells& out, std::size_t n_threads) {
    std::variant<StridedView<float>, StridedView<double>> column;
    std::visit([&](const auto& array) { column = view(array); }, values);
    const auto bounds = copied(edges);
    // A value takes a small part of the time of a row of other work
    run_interruptibly(out.size() / 8, [&](const StopToken& stop) {
        find_cells(column, bounds, {out.data(), out.size()}, n_threads, stop);
    });
}

template <class T>
nb::list sums_of(const Vector<T>& values, const Vector<std::uint32_t>& labels, std::size_t n_classes,
                 const std::optional<Vector<double>>& counts) {
    if (labels.size() != values.size() || (counts && counts->size() != values.size()))
        throw std::invalid_argument("there must be one label and one count of each row");
    if (std::any_of(labels.data(), labels.data() + labels.size(), [=](auto label) { return label >= n_classes; }))
        throw std::out_of_range("a label beyond the classes");
    auto found = [&] {
        const nb::gil_scoped_release released;
        return power_sums(span_of(values), span_of(labels), n_classes, span_of(counts));
    }();
    const auto words = [](std::vector<std::uint64_t>& each) { return to_numpy(std::move(each), {each.size()}); };
    nb::list sums;
    for (PowerSums& each : found)
        sums.append(nb::make_tuple(each.exponent, words(each.positive), words(each.negative), words(each.squares)));
    return sums;
}

template <class T>
void normal_logs(const Column<T>& values, double step, double origin, double floor, const Matrix<double>& classes,
                 const OutputMatrix& output) {
    if (classes.shape(1) != 5 || output.shape(0) != classes.shape(0) || output.shape(1) != values.shape(0))
        throw std::invalid_argument("there must be five numbers of each class, and an output of classes x values");
    std::vector<NormalClass> normals;
    for (std::size_t k = 0; k < classes.shape(0); ++k) {
        const double* const each = classes.data() + 5 * k;
        normals.push_back({each[0], each[1], {each[2], each[3], each[4]}});
    }
    run_interruptibly(values.shape(0), [&](const StopToken& stop) {
        add_normal_logs(view(values), {step, origin, floor, normals}, {output.data(), output.size()}, stop);
    });
}

nb::object lows_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return column.is_binned() ? view_array(column.lows, self) : nb::none();
}

nb::object values_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return column.kind == Kind::nominal ? nb::none() : view_array(column.values, self);
}

}  // namespace

void bind_tables(nb::module_& module) {
    nb::class_<CodedTable>(module, "CodedTable", "Columns as small integers; immutable.")
        .def_prop_ro("n_rows", &CodedTable::n_rows)
        .def_prop_ro("n_columns", &CodedTable::n_columns)
        .def_prop_ro("n_bytes", &CodedTable::n_bytes)
        .def("codes", &codes_of, "index"_a,
             "Return a view of the codes of a column: uint8, uint16 or uint32, the greatest for missing values.")
        .def("values", &values_of, "index"_a,
             "Return the distinct values of a numeric column, ascending, or the greatest of each bin; None for a "
             "nominal "
             "one.")
        .def("lows", &lows_of, "index"_a,
             "Return the least value of each bin of a numeric column; None where each bin has one value.")
        .def_prop_ro("byte_matrix", &byte_matrix)
        .def(
            "n_values", [](const CodedTable& table, std::size_t index) { return table.column(index).n_values; },
            "index"_a)
        .def(
            "n_missing", [](const CodedTable& table, std::size_t index) { return table.column(index).n_missing; },
            "index"_a);

    module.def(
        "code_table", &code_table, "n_rows"_a, "columns"_a.noconvert(), "n_threads"_a,
        "Return columns coded: float32 or float64 arrays for numbers, (int32 codes, n_categories) for nominal ones.");
    module.def("draws_too_few_to_code", &draws_too_few_to_code, "n_rows"_a, "n_columns"_a, "max_features"_a,
               "Return whether trees that draw so many columns at a node grow faster from code_when_asked.");
    module.def(
        "code_when_asked", &code_when_asked, "matrix"_a.noconvert(), "n_threads"_a, nb::keep_alive<0, 1>(),
        "Return a table that views a matrix with a row for each column: those of many values are coded when they "
        "are first asked for.");
    module.def(
        "byte_table", &byte_table, "matrix"_a.noconvert(), "columns"_a.noconvert(), "n_threads"_a = 1,
        nb::keep_alive<0, 1>(),
        "Return a table that views a matrix of codes, 255 where missing: (n_values, highs, lows) for each column, "
        "the greatest and least values of its bins, None for a nominal one.");
    module.def("code_bytes", &code_columns, "columns"_a.noconvert(), "highs"_a.noconvert(), "out"_a.noconvert(),
               "n_threads"_a = 1,
               "Write the bin of each value, the first whose greatest value is not less, or its category code; 255 "
               "where missing.");
    module.def("values_at", &values_at<float>, "column"_a.noconvert(), "positions"_a.noconvert(),
               "Return the values at ascending positions of the sorted column, missing ones left out, and the least "
               "greater value of each, NaN where there is none.");
    module.def("values_at", &values_at<double>, "column"_a.noconvert(), "positions"_a.noconvert());
    module.def("power_sums", &sums_of<float>, "values"_a.noconvert(), "labels"_a.noconvert(), "n_classes"_a,
               "counts"_a.noconvert() = nb::none(),
               "Return the exact sums of the finite values of each class: the exponent of their unit, and the words, "
               "the lowest first, of the sum of the positive values, of the negative ones, and of the squares.");
    module.def("power_sums", &sums_of<double>, "values"_a.noconvert(), "labels"_a.noconvert(), "n_classes"_a,
               "counts"_a.noconvert() = nb::none());
    module.def(
        "add_normal_logs", &normal_logs<float>, "values"_a.noconvert(), "step"_a, "origin"_a, "floor"_a,
        "classes"_a.noconvert(), "output"_a.noconvert(),
        "Add to output (classes x values) the log-probability of the grid unit of each finite value, for classes "
        "of rows (mean, deviation, and the coefficients of the powers 0 to 2 of the squared distance).");
    module.def("add_normal_logs", &normal_logs<double>, "values"_a.noconvert(), "step"_a, "origin"_a, "floor"_a,
               "classes"_a.noconvert(), "output"_a.noconvert());
    module.def("find_cells", &cells_of, "values"_a.noconvert(), "edges"_a.noconvert(), "out"_a.noconvert(),
               "n_threads"_a = 1,
               "Write the number of edges that are less than each value, 65535 for NaN; edges are ascending.");
    module.def("take_table", &take_table, "table"_a, "rows"_a.noconvert(), "collected"_a, "n_threads"_a,
               "Return the table of some rows, and the codes that the categories of each collected column had.");
    module.def("restore_table", &restore_table, "n_rows"_a, "columns"_a.noconvert(), "lows"_a.noconvert() = nb::list(),
               "Return a table restored from (codes, n_values, values or None) for each column, and the least value of "
               "each bin of those in bins.");
}

}  // namespace calibrant
