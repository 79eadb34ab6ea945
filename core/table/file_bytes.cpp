#include "table/file_bytes.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace calibrant {
namespace {

// Only a hint: what comes of it is no concern of ours.
void ask_for_large_pages([[maybe_unused]] std::span<char> memory) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t page = 4096;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(memory.data() + memory.size()) / page * page;
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace

std::size_t read_file(int descriptor, std::span<char> memory) {
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    ask_for_large_pages(memory);
    std::size_t done = 0;
    while (done < memory.size()) {
        const auto n = ::read(descriptor, memory.data() + done, std::min(most_at_once, memory.size() - done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw std::system_error(errno, std::generic_category(), "read");
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

}  // namespace calibrant
