// What compilers do beyond the standard: functions compiled for several kinds of processor, inlining forced or
// forbidden, prefetching. Every name here has a meaning for every compiler; where one lacks the feature, the name
// stands for plain C++.
#pragma once

// CALIBRANT_CLONES: the function is compiled for several kinds of processor, and the best is taken when the library is
// loaded. Without fused multiply-adds all of them give the same bits. CALIBRANT_BASELINE holds them to the oldest kind.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(CALIBRANT_BASELINE)
#define CALIBRANT_HAS_POPCNT 1
#define CALIBRANT_TARGET_POPCNT __attribute__((target("popcnt")))
#if defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CALIBRANT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#if !defined(CALIBRANT_CLONES)
#define CALIBRANT_CLONES
#endif

#if defined(__GNUC__)
#define CALIBRANT_INLINE __attribute__((always_inline)) inline
#define CALIBRANT_NOINLINE __attribute__((noinline))
#elif defined(_MSC_VER)
#define CALIBRANT_INLINE __forceinline
#define CALIBRANT_NOINLINE __declspec(noinline)
#else
#define CALIBRANT_INLINE inline
#define CALIBRANT_NOINLINE
#endif

namespace calibrant {

// Requests memory that is about to be read: rows lie where no processor guesses.
inline void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
}

#if defined(CALIBRANT_HAS_POPCNT)
inline bool has_popcnt() { return __builtin_cpu_supports("popcnt") != 0; }
#endif

}  // namespace calibrant
