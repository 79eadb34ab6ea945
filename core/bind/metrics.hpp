// Adds what metrics compute to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_metrics(nanobind::module_& module);

}  // namespace calibrant
