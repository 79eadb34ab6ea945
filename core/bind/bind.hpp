// The parts of the Python module `_core`. Each converts arrays, releases the GIL and calls the core; nothing is
// computed in the bindings.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_tables(nanobind::module_& module);
void bind_trees(nanobind::module_& module);
void bind_packed_trees(nanobind::module_& module);
void bind_bags(nanobind::module_& module);
void bind_levels(nanobind::module_& module);
void bind_forests(nanobind::module_& module);
void bind_readings(nanobind::module_& module);
void bind_stumps(nanobind::module_& module);
void bind_gradient_boosting(nanobind::module_& module);
void bind_calibration(nanobind::module_& module);
void bind_bootstrap(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);

}  // namespace calibrant
