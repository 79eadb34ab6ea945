// Codes of a column in the narrowest width that holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "table/coding.hpp"

namespace calibrant {

// Calls fill with a vector of the narrowest width that holds the codes, every row missing at first.
template <class Fill>
Codes make_codes(std::size_t n_rows, std::size_t n_values, Fill&& fill) {
    auto make = [&]<class Code>(std::type_identity<Code>) {
        std::vector<Code> codes(n_rows, missing_code<Code>);
        fill(codes);
        return Codes{std::move(codes)};
    };
    if (n_values <= max_narrow_values) return make(std::type_identity<std::uint16_t>{});
    return make(std::type_identity<std::uint32_t>{});
}

}  // namespace calibrant
