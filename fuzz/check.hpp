// What the fuzz targets share: checks that stop the fuzzer, choices drawn from an input, feeding text in pieces.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pool/front.hpp"

// Stops with a message; the fuzzer then keeps the input.
#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                \
        }                                                                                \
    } while (false)

namespace fuzz {

// Choices that depend on nothing but the input, so that every input can be replayed and seeds stay plain text.
class Choices {
   public:
    explicit Choices(std::string_view text) {
        for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }

    // A number below `count`.
    std::uint32_t below(std::uint32_t count) {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32) % count;
    }

    bool coin() { return below(2) == 1; }

   private:
    std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

// Feeds a text whole, or in pieces of at most `longest` bytes.
template <class Reader>
poolwise::Problem feed(poolwise::Lines& lines, Reader& reader, std::string_view text, std::size_t longest,
                       Choices choices) {
    lines.restart();
    if (longest == 0) return lines.feed(reader, text.data(), text.size(), true);
    for (std::size_t at = 0;;) {
        const std::size_t left = text.size() - at;
        const std::size_t count = std::min<std::size_t>(left, choices.below(static_cast<std::uint32_t>(longest)) + 1);
        // The end may be known with the last piece, or only by an empty one after it.
        const bool last = count == left && (count == 0 || choices.coin());
        // A copy of its own, so that a read past the piece is noticed.
        const std::string piece(text.substr(at, count));
        if (poolwise::Problem problem = lines.feed(reader, piece.data(), piece.size(), last)) return problem;
        if (last) return {};
        at += count;
    }
}

inline bool same_problem(const poolwise::Problem& a, const poolwise::Problem& b) {
    return a.fault == b.fault && a.line == b.line && a.found == b.found;
}

}  // namespace fuzz
