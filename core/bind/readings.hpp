// Adds Nielsen's readings of forests to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_readings(nanobind::module_& module);

}  // namespace calibrant
