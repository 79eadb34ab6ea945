// Functions compiled for several kinds of processor, the best one taken when the library is loaded.
#pragma once

// Sources that use it are compiled without fused multiply-adds, so that every kind of processor gives the same bits.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CALIBRANT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CALIBRANT_CLONES
#endif

#if defined(__GNUC__)
#define CALIBRANT_INLINE [[gnu::always_inline]] inline
#else
#define CALIBRANT_INLINE inline
#endif
