// Runs the tests of the file named by the argument, or all of them.
#include "harness.hpp"

int main(int n_arguments, char** arguments) { return harness::run(n_arguments > 1 ? arguments[1] : ""); }
