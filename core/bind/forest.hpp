// Adds what is read from forests to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_forests(nanobind::module_& module);

}  // namespace calibrant
