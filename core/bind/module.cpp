// The Python module `_core`, part by part.
#include "bind/bind.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The native core of calibrant; private, its interface may change at any time.";
#ifdef NDEBUG
    // What a traceback or a cache still holds when Python ends is no leak, and the words would alarm people.
    nanobind::set_leak_warnings(false);
#endif
    calibrant::bind_tables(module);
    calibrant::bind_trees(module);
    calibrant::bind_packed_trees(module);
    calibrant::bind_bags(module);
    calibrant::bind_levels(module);
    calibrant::bind_forests(module);
    calibrant::bind_readings(module);
    calibrant::bind_stumps(module);
    calibrant::bind_gradient_boosting(module);
    calibrant::bind_calibration(module);
    calibrant::bind_bootstrap(module);
    calibrant::bind_metrics(module);
}
