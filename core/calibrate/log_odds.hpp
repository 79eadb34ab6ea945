// Many probabilities as logarithms and as log-odds.
#pragma once

#include <cstddef>
#include <span>

namespace calibrant {

// ln p and ln(p / (1 - p)), with p kept at `least` or more, and at 1 - `least` or less for the odds; `least` is
// positive.
void write_logs(std::span<const double> proba, double least, std::span<double> out);
void write_logits(std::span<const double> proba, double least, std::span<double> out);

}  // namespace calibrant
