// Adds lazy trees to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_lazy_trees(nanobind::module_& module);

}  // namespace calibrant
