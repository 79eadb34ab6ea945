// Adds boosted stumps to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_stumps(nanobind::module_& module);

}  // namespace calibrant
