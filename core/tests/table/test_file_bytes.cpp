#include "table/file_bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace {

// A file without a name that holds the text.
struct Temporary {
    std::FILE* file = std::tmpfile();
    explicit Temporary(const std::string& text) {
        std::fwrite(text.data(), 1, text.size(), file);
        std::rewind(file);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() { std::fclose(file); }
    int descriptor() const { return ::fileno(file); }
};

}  // namespace

TEST(a_file_is_read_whole) {
    const std::string text(3'000'000, 'x');
    const Temporary file(text);
    std::vector<char> memory(text.size());
    CHECK(read_file(file.descriptor(), memory) == text.size());
    CHECK(std::string(memory.begin(), memory.end()) == text);
}

TEST(a_file_shorter_than_the_memory_ends_early_and_a_longer_one_is_cut) {
    std::vector<char> memory(5);
    CHECK(read_file(Temporary("abc").descriptor(), memory) == 3);
    CHECK(read_file(Temporary("abcdefgh").descriptor(), memory) == 5);
    CHECK(read_file(Temporary("abc").descriptor(), {}) == 0);
}

TEST(a_descriptor_that_is_none_is_an_error) {
    std::vector<char> memory(5);
    CHECK_THROWS(read_file(-1, memory), std::system_error);
}
