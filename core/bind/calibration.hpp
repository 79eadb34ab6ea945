// Adds what calibrators compute to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_calibration(nanobind::module_& module);

}  // namespace calibrant
