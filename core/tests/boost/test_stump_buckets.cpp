// Buckets of neighbouring values hold every row once, in order; columns of few values have none.
#include "boost/stump_buckets.hpp"

#include <algorithm>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;

namespace {

CodedColumn coded(const std::vector<double>& values) {
    Scratch scratch;
    return code_numeric<double>({values.data(), values.size(), 1}, scratch, {});
}

}  // namespace

TEST(columns_of_few_values_and_of_categories_are_counted_as_they_are) {
    CHECK(StumpBuckets::of(coded({3, 1, 2})).empty());
    const std::vector<std::int32_t> categories(5000, 0);
    CHECK(StumpBuckets::of(code_nominal({categories.data(), categories.size(), 1}, 4000, {})).empty());
}

TEST(every_row_with_a_value_is_in_order_once_and_in_the_bucket_of_its_value) {
    std::vector<double> values;
    for (int i = 0; i < 20000; ++i)
        values.push_back(i % 10 == 0 ? tables::missing : i % 3 == 0 ? 7 : (i * 7919) % 5000);
    const CodedColumn column = coded(values);
    const StumpBuckets buckets = StumpBuckets::of(column);
    CHECK(buckets.order.size() == 18000 && buckets.n_values() == column.n_values);
    CHECK(std::is_sorted(buckets.order.begin(), buckets.order.end(),
                         [&](auto a, auto b) { return values[a] < values[b]; }));
    for (std::size_t bucket = 0; bucket < buckets.n_buckets(); ++bucket) {
        CHECK(buckets.first_value[bucket] < buckets.first_value[bucket + 1]);
        for (std::size_t value = buckets.first_value[bucket]; value < buckets.first_value[bucket + 1]; ++value) {
            for (const std::uint32_t row : buckets.rows_of(value))
                CHECK(buckets.of_row[row] == bucket && values[row] == column.values[value]);
        }
    }
    CHECK(buckets.of_row[0] == buckets.n_buckets());  // a missing
}

TEST(buckets_are_at_most_a_thousand_and_some) {
    std::vector<double> values;
    for (int i = 0; i < 300000; ++i) values.push_back(i);
    CHECK(StumpBuckets::of(coded(values)).n_buckets() <= 1024);
}
