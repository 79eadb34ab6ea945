// Adds packed forests to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_packed_forests(nanobind::module_& module);

}  // namespace calibrant
