// Asks for memory that is about to be read: rows lie where no processor guesses.
#pragma once

namespace calibrant {

inline void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(at);
#endif
}

}  // namespace calibrant
