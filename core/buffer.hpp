// An array whose items start uninitialised: pages that are never written cost nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace calibrant {

// Requests large pages where the system has them: far fewer page faults, and fewer misses of the address cache when
// writes are scattered, as in a radix sort.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t n_bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::size_t large_page = std::size_t{1} << 21;
    std::size_t whole = n_bytes;
    if (n_bytes >= large_page && std::align(large_page, large_page, memory, whole))
        madvise(memory, whole / large_page * large_page, MADV_HUGEPAGE);
#endif
}

template <class Item>
class Buffer {
  public:
    explicit Buffer(std::size_t size) : items_(std::make_unique_for_overwrite<Item[]>(size)), size_(size) {
        prefer_large_pages(items_.get(), size * sizeof(Item));
    }
    std::span<Item> slice(std::size_t begin, std::size_t n) { return {items_.get() + begin, n}; }
    std::span<const Item> slice(std::size_t begin, std::size_t n) const { return {items_.get() + begin, n}; }
    std::size_t size() const { return size_; }

  private:
    std::unique_ptr<Item[]> items_;
    std::size_t size_;
};

}  // namespace calibrant
