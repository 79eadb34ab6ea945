#include "table/coding.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "harness.hpp"
#include "parallel.hpp"

using namespace calibrant;

namespace test_coding {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
CodedColumn coded(const std::vector<T>& column) {
    Scratch scratch;
    return code_numeric<T>({column.data(), column.size(), 1}, scratch, {});
}

const std::vector<std::uint16_t>& narrow(const CodedColumn& column) { return std::get<0>(column.codes); }

// The textbook: sort, make unique, look up.
template <class T>
bool equals_brute_force(const std::vector<T>& column) {
    std::vector<double> values;
    for (const T value : column) {
        if (!std::isnan(value)) values.push_back(static_cast<double>(value));
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const CodedColumn result = coded(column);
    if (result.values != values || result.n_values != values.size()) return false;
    return std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (std::size_t row = 0; row < column.size(); ++row) {
                const auto found = std::lower_bound(values.begin(), values.end(), static_cast<double>(column[row]));
                const auto rank = static_cast<std::size_t>(found - values.begin());
                const bool right = std::isnan(column[row]) ? codes[row] == missing_code<Code> : codes[row] == rank;
                if (!right) return false;
            }
            return true;
        },
        result.codes);
}

}  // namespace

TEST(numbers_become_ranks_of_their_distinct_values) {
    const auto column = coded<double>({2.5, -1.0, 2.5, 7.25});
    CHECK((narrow(column) == std::vector<std::uint16_t>{1, 0, 1, 2}));
    CHECK((column.values == std::vector<double>{-1.0, 2.5, 7.25}));
}

TEST(nan_is_missing_and_counted) {
    const auto column = coded<double>({nan_value, 1.5, nan_value});
    CHECK((narrow(column) == std::vector<std::uint16_t>{65535, 0, 65535}));
    CHECK(column.n_missing == 2 && column.n_values == 1);
}

TEST(a_column_of_missing_values_has_no_values) {
    const auto column = coded<float>({NAN, NAN});
    CHECK(column.n_values == 0 && column.n_missing == 2 && column.values.empty());
    CHECK(coded<double>({}).size() == 0);
}

TEST(infinities_are_ordinary_extremes) {
    const auto column = coded<double>({infinity, 0.0, -infinity, 1e308});
    CHECK((narrow(column) == std::vector<std::uint16_t>{3, 1, 0, 2}));
    CHECK((coded<double>({infinity, infinity, 3.0}).values == std::vector<double>{3.0, infinity}));
}

TEST(minus_zero_is_zero) {
    for (const double other : {1.0, 0.5, 1e300, 0.1}) {
        const auto column = coded<double>({-0.0, 0.0, other});
        CHECK(column.n_values == 2);
        CHECK(!std::signbit(column.values[0]));
    }
}

TEST(neighbouring_doubles_stay_apart) {
    const double next = std::nextafter(0.1, 1.0);
    CHECK(coded<double>({next, 0.1, next}).n_values == 2);
    CHECK(coded<double>({9007199254740992.0, 9007199254740990.0, 5e-324, 0.0}).n_values == 4);
}

TEST(coding_equals_brute_force_on_every_path) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (const std::size_t n : {1, 2, 10, 1000, 70000, 200000}) {
        std::vector<double> wide(n), whole(n), tied(n), huge(n);
        std::vector<float> single(n);
        for (std::size_t i = 0; i < n; ++i) {
            wide[i] = normal(random);
            whole[i] = std::floor(1000 * normal(random));
            tied[i] = std::floor(3 * normal(random)) / 8;
            huge[i] = std::ldexp(normal(random), static_cast<int>(random() % 2000) - 1000);
            single[i] = static_cast<float>(wide[i]);
            if (i % 13 == 5) wide[i] = whole[i] = tied[i] = nan_value;
        }
        CHECK(equals_brute_force(wide) && equals_brute_force(whole) && equals_brute_force(tied));
        CHECK(equals_brute_force(huge) && equals_brute_force(single));
    }
}

TEST(long_ranges_of_single_floats_do_not_round) {
    const std::size_t n = (std::size_t{1} << 24) + 64;
    std::vector<float> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = static_cast<float>(i % (std::size_t{1} << 24)) + 1;
    column.back() = 16777220.0F;
    const auto result = coded(column);
    CHECK(result.n_values == (std::uint32_t{1} << 24) + 1);
    CHECK(result.values.back() == 16777220.0);
}

TEST(doubles_beyond_the_floats_stay_apart) { CHECK(coded<double>({1e300, -1e300, infinity, 0.5}).n_values == 4); }

TEST(width_follows_the_number_of_values) {
    std::vector<double> column(65535);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<double>(i) + 0.5;
    CHECK(coded(column).codes.index() == 0);
    column.push_back(-1.0);
    CHECK(coded(column).codes.index() == 1);
}

TEST(a_strided_column_equals_its_copy) {
    const std::vector<float> matrix{1.5F, 9.0F, 0.5F, 8.0F, 1.5F, 7.0F};
    Scratch scratch;
    const auto column = code_numeric<float>({matrix.data(), 3, 2}, scratch, {});
    CHECK((narrow(column) == std::vector<std::uint16_t>{1, 0, 1}));
    const auto backwards = code_numeric<float>({matrix.data() + 5, 6, -1}, scratch, {});
    CHECK((narrow(backwards) == std::vector<std::uint16_t>{2, 1, 3, 0, 4, 1}));
}

TEST(categories_keep_their_codes_and_unseen_ones_theirs) {
    const std::vector<std::int32_t> codes{2, -1, 0};
    const auto column = code_nominal({codes.data(), 3, 1}, 5, {});
    CHECK((narrow(column) == std::vector<std::uint16_t>{2, 65535, 0}));
    CHECK(column.n_values == 5 && column.n_missing == 1 && column.kind == Kind::nominal);
    CHECK(code_nominal({codes.data(), 3, 1}, 65536, {}).codes.index() == 1);
}

TEST(a_code_beyond_the_categories_throws) {
    const std::vector<std::int32_t> codes{0, 3};
    CHECK_THROWS(code_nominal({codes.data(), 2, 1}, 3, {}), std::invalid_argument);
}

TEST(coding_stops_on_request) {
    StopSource stop;
    stop.request_stop();
    const std::vector<double> column{1.0};
    Scratch scratch;
    CHECK_THROWS(code_numeric<double>({column.data(), 1, 1}, scratch, stop.token()), Interrupted);
}

}  // namespace test_coding
