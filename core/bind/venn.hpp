// Adds Venn-Abers predictors to the module of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace calibrant {

void bind_venn_abers(nanobind::module_& module);

}  // namespace calibrant
