// A test harness of one page: TEST(name) { CHECK(...); } and run(), which runs those of one file or all of them.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct Test {
    std::string_view file;
    const char* name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registrar {
    Registrar(std::string_view file, const char* name, void (*body)()) { tests().push_back({file, name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
    ++failures();
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

inline int run(std::string_view file) {
    int passed = 0, failed = 0;
    for (const auto& test : tests()) {
        if (!test.file.ends_with(file)) continue;
        const int before = failures();
        try {
            test.body();
        } catch (const std::exception& error) {
            fail(test.name, 0, std::string("threw ") + error.what());
        }
        if (failures() == before) {
            ++passed;
        } else {
            ++failed;
            std::fprintf(stderr, "FAILED %s\n", test.name);
        }
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return passed == 0 || failed > 0 ? 1 : 0;
}

}  // namespace harness

#define TEST(name)                                                            \
    static void name();                                                       \
    static const harness::Registrar registrar_##name{__FILE__, #name, &name}; \
    static void name()

#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) harness::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_THROWS(expression, type)                                                        \
    do {                                                                                      \
        bool thrown = false;                                                                  \
        try {                                                                                 \
            static_cast<void>(expression);                                                    \
        } catch (const type&) {                                                               \
            thrown = true;                                                                    \
        }                                                                                     \
        if (!thrown) harness::fail(__FILE__, __LINE__, #expression " does not throw " #type); \
    } while (false)
