// The door between Python and the core: arrays in, arrays out, the GIL released; nothing is computed here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "coded_table.hpp"
#include "file_bytes.hpp"
#include "parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;
template <class T>
using ReadOnly = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

// Runs work(stop_token) on a thread of its own with the GIL released, and lets Ctrl-C stop it.
template <class Work>
auto run_interruptibly(Work&& work) {
    std::stop_source stop;
    auto result = std::async(std::launch::async, [&] { return work(stop.get_token()); });
    const nb::gil_scoped_release released;
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        const nb::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() == 0) continue;
        stop.request_stop();
        {
            const nb::gil_scoped_release waiting;
            result.wait();
        }
        throw nb::python_error();
    }
    return result.get();
}

template <class T>
StridedView<T> view(const Column<T>& column) {
    return {column.data(), column.shape(0), column.stride(0)};
}

using NominalArgument = std::pair<Column<std::int32_t>, std::size_t>;
using ColumnArgument = std::variant<Column<float>, Column<double>, NominalArgument>;

struct ToSource {
    ColumnSource operator()(const Column<float>& column) const { return view(column); }
    ColumnSource operator()(const Column<double>& column) const { return view(column); }
    ColumnSource operator()(const NominalArgument& column) const { return NominalSource{view(column.first), column.second}; }
};

CodedTable code_table(std::size_t n_rows, const std::vector<ColumnArgument>& columns, std::size_t n_threads) {
    std::vector<ColumnSource> sources;
    sources.reserve(columns.size());
    for (const auto& column : columns) sources.push_back(std::visit(ToSource{}, column));
    return run_interruptibly([&](const std::stop_token& stop) {
        return CodedTable::code(n_rows, sources, n_threads, stop);
    });
}

using CodesArgument = std::variant<Column<std::uint16_t>, Column<std::uint32_t>>;

template <class T>
std::vector<T> copied(const Column<T>& column) {
    std::vector<T> values(column.shape(0));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = view(column)[i];
    return values;
}

// A column as a pickle holds it: codes, number of values, and the values of a numeric one.
using ColumnState = std::tuple<CodesArgument, std::uint32_t, std::optional<Column<double>>>;

CodedColumn make_column(const ColumnState& state) {
    const auto& [codes, n_values, values] = state;
    CodedColumn column{.kind = values ? Kind::numeric : Kind::nominal, .n_values = n_values};
    std::visit([&]<class Code>(const Column<Code>& given) {
        auto kept = copied(given);
        column.n_missing = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), missing_code<Code>));
        column.codes = std::move(kept);
    }, codes);
    if (values) column.values = copied(*values);
    return column;
}

CodedTable restore_table(std::size_t n_rows, const std::vector<ColumnState>& columns) {
    const nb::gil_scoped_release released;
    std::vector<CodedColumn> restored;
    for (const auto& column : columns) restored.push_back(make_column(column));
    return CodedTable(n_rows, std::move(restored));
}

template <class T>
nb::object as_array(const std::vector<T>& values, nb::handle owner) {
    return nb::cast(ReadOnly<T>(values.data(), {values.size()}, owner));
}

nb::object codes_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return std::visit([&](const auto& codes) { return as_array(codes, self); }, column.codes);
}

nb::object values_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return column.kind == Kind::nominal ? nb::none() : as_array(column.values, self);
}

nb::bytes read_descriptor(int descriptor, std::size_t size) {
    const auto whole = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!whole.is_valid()) throw nb::python_error();
    const std::span<char> memory(PyBytes_AsString(whole.ptr()), size);
    std::size_t n = 0;
    {
        const nb::gil_scoped_release released;
        n = read_file(descriptor, memory);
    }
    return n == size ? whole : nb::bytes(memory.data(), n);
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The native core of calibrant; private, its interface may change at any time.";

    nb::class_<CodedTable>(module, "CodedTable", "Columns as small integers; immutable.")
        .def_prop_ro("n_rows", &CodedTable::n_rows)
        .def_prop_ro("n_columns", &CodedTable::n_columns)
        .def_prop_ro("n_bytes", &CodedTable::n_bytes)
        .def("codes", &codes_of, "index"_a, "The codes of a column: uint16 or uint32, the greatest for missing; a view.")
        .def("values", &values_of, "index"_a, "The distinct values of a numeric column, ascending; None for a nominal one.")
        .def("n_values", [](const CodedTable& table, std::size_t index) { return table.column(index).n_values; }, "index"_a)
        .def("n_missing", [](const CodedTable& table, std::size_t index) { return table.column(index).n_missing; }, "index"_a);

    module.def("read_descriptor", &read_descriptor, "descriptor"_a, "size"_a, "Read at most size bytes of an open file, fast where they are many.");
    module.def("code_table", &code_table, "n_rows"_a, "columns"_a.noconvert(), "n_threads"_a,
               "Code columns: float32 or float64 arrays for numbers, (int32 codes, n_categories) for nominal ones.");
    module.def("restore_table", &restore_table, "n_rows"_a, "columns"_a.noconvert(),
               "Make a table again from (codes, n_values, values or None) for each column.");
}

}  // namespace calibrant
