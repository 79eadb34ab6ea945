// Adds replicates of samples and the variance of areas to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_bootstrap(nanobind::module_& module);

}  // namespace calibrant
