// Logarithms, exponentials, powers and the gamma function, one number at a time. Those of the C library
// differ in the last bit from processor to processor; these only add, multiply and divide and give the same bits
// everywhere. Within 1 unit in the last place unless stated otherwise.
#pragma once

namespace calibrant {

// ln(x): -inf at 0, NaN below. The same bits as log_of for a normal number.
double log_at(double x);

// log2(x): -inf at 0, NaN below; exact at powers of two.
double log2_of(double x);

// ln(1 + x) for x >= 0.
double log1p_of(double x);

// e^x; a result below the normal numbers is 0.
double exp_of(double x);

// x^y for x in (0, 1] and finite y >= 0; a power below 1e-3 loses a place for every 8 of its logarithm.
double power_of_share(double x, double y);

// ln of the gamma function for x > 0: within 2e-15 of the larger of 10 and the value.
double log_gamma(double x);

}  // namespace calibrant
