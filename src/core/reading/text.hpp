// Scanning text: words between white space, and hashes of names.
// Everything here may read up to `padding` bytes past the end of a buffer, which owners of buffers provide;
// low_bytes reads a whole `window`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <random>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace poolwise {

constexpr std::size_t padding = 16;  // bytes past the end of text that loads of whole words may read
constexpr std::size_t window = 64;   // bytes of a line that are looked at together

inline std::uint64_t load64(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Space, tab, newline, vertical tab, form feed and carriage return.
inline bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#if defined(__SSE2__) && defined(__GNUC__)
#define POOLWISE_WINDOWS

// Which of the 16 bytes from `a` and from `b` on are equal: bit i represents byte i.
inline unsigned equal_bytes(const char* a, const char* b) {
    const auto load = [](const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b))));
}
#endif

// Which of four numbers equal one: bit i represents number i.
inline unsigned equal_lanes(const std::uint32_t (&numbers)[4], std::uint32_t wanted) {
#if defined(POOLWISE_WINDOWS)
    const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers));
    const __m128i equal = _mm_cmpeq_epi32(all, _mm_set1_epi32(static_cast<int>(wanted)));
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
#else
    unsigned found = 0;
    for (unsigned i = 0; i < 4; ++i) found |= static_cast<unsigned>(numbers[i] == wanted) << i;
    return found;
#endif
}

// Equality of two names of the same size; both may be read over by `padding`.
inline bool same(const char* a, const char* b, std::size_t size) {
#if defined(POOLWISE_WINDOWS)
    for (; size > 16; a += 16, b += 16, size -= 16)
        if (equal_bytes(a, b) != 0xFFFF) return false;
    return (~equal_bytes(a, b) & ((1u << size) - 1)) == 0;
#else
    for (; size > 8; a += 8, b += 8, size -= 8)
        if (load64(a) != load64(b)) return false;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return size == 0 || ((load64(a) ^ load64(b)) << (64 - 8 * size)) == 0;
#else
    return std::memcmp(a, b, size) == 0;
#endif
#endif
}

// The first byte of at most 0x20 at or after `at`: eight bytes are tested at a time. One must follow.
inline const char* word_end(const char* at) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    for (;; at += 8) {
        const std::uint64_t word = load64(at);
        // Sets the high bit of every byte below 0x21, and sometimes of bytes after the first of those.
        const std::uint64_t low = (word - ones * 0x21) & ~word & (ones * 0x80);
        if (low == 0) continue;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return at + (__builtin_ctzll(low) >> 3);
#else
        while (static_cast<unsigned char>(*at) > ' ') ++at;
        return at;
#endif
    }
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline const char* skip_blanks(const char* at) {
    while (static_cast<unsigned char>(*at) <= ' ' && is_blank(*at)) ++at;
    return at;
}

// Cuts a line into at most `most` words and leaves `at` at the newline or the NUL that stops it. Returns the number
// of words, however many; control characters that are no white space belong to words.
template <int most>
int split(const char*& at, std::string_view (&words)[most]) {
    int count = 0;
    for (at = skip_blanks(at); *at != '\n' && *at != '\0'; at = skip_blanks(at)) {
        const char* const begin = at;
        for (at = word_end(at); !is_space(static_cast<unsigned char>(*at)) && *at != '\0';) at = word_end(at + 1);
        if (count < most) words[count] = {begin, static_cast<std::size_t>(at - begin)};
        ++count;
    }
    return count;
}

// The number of the lowest bit set; there must be one.
inline int lowest_bit(std::uint64_t mask) {
#if defined(__GNUC__)
    return __builtin_ctzll(mask);
#else
    int bit = 0;
    while ((mask >> bit & 1) == 0) ++bit;
    return bit;
#endif
}

inline std::uint32_t count_bits(std::uint64_t mask) {
    mask -= mask >> 1 & 0x5555555555555555ULL;
    mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<std::uint32_t>((mask * 0x0101010101010101ULL) >> 56);
}

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    std::uint64_t x = (a ^ (a >> 32)) * 0x9E3779B97F4A7C15ULL + b;
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9ULL;
    return x ^ (x >> 32);
#endif
}

// Keys of the hash of names, drawn anew in every process: who knew them could write a file of names that all share one
// hash, and reading it would take hours. Nothing that is found depends on them. Fuzzing builds fix them, so that an
// input does the same again.
struct HashKeys {
    std::uint64_t first, second, begin;
};

// Chance from the system; where it gives none, the clock.
inline std::uint64_t draw_seed() noexcept {
#if defined(POOLWISE_HASH_SEED)
    return POOLWISE_HASH_SEED;
#else
    try {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32) ^ device();
    } catch (const std::exception&) {
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
#endif
}

inline HashKeys draw_hash_keys() noexcept {
    std::uint64_t state = draw_seed();
    const auto next = [&] {  // SplitMix64 (Steele, Lea and Flood 2014)
        std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    };
    return {next(), next(), next()};
}

inline const HashKeys hash_keys = draw_hash_keys();

// A 64-bit hash that reads whole words and masks the tail, hence the padding.
inline std::uint64_t hash_name(const char* at, std::size_t size) {
    // Most names have 8 to 16 bytes, which two words cover.
    if (size - 8 <= 8) return fold(load64(at) ^ hash_keys.first, load64(at + size - 8) ^ hash_keys.second ^ size);
    std::uint64_t hash = hash_keys.begin ^ size;
    while (size > 8) {
        hash = fold(hash ^ load64(at), hash_keys.first);
        at += 8;
        size -= 8;
    }
    std::uint64_t tail = 0;
    if (size > 0) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        tail = load64(at) & (~0ULL >> (64 - 8 * size));
#else
        std::memcpy(&tail, at, size);
#endif
    }
    return fold(hash ^ tail, hash_keys.second);
}

#if defined(POOLWISE_WINDOWS)
// Which of the 16 x `parts` bytes from `at` on are of at most 0x20: bit i represents byte i.
template <std::size_t parts>
inline std::uint64_t low_bytes(const char* at) {
    const __m128i space = _mm_set1_epi8(' ');
    std::uint64_t mask = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * part));
        const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes));
        mask |= static_cast<std::uint64_t>(found) << (16 * part);
    }
    return mask;
}
#endif

// Text that lines are expected to have at some position.
class Expected {
   public:
    void set(std::string_view text) {
        text_.assign(text);
        text_.append(padding, '\0');
        size_ = text.size();
        std::memcpy(first_, text_.data(), sizeof first_);
        mask_ = size_ < sizeof first_ ? (1u << size_) - 1 : 0xFFFF;
    }

    std::size_t size() const { return size_; }

    // Whether it is there; what is there may be read over by `padding`.
    bool stands_at(const char* at) const {
#if defined(POOLWISE_WINDOWS)
        return (~equal_bytes(at, first_) & mask_) == 0 && (size_ <= 16 || same(at + 16, text_.data() + 16, size_ - 16));
#else
        return same(at, text_.data(), size_);
#endif
    }

   private:
    char first_[16] = {};
    unsigned mask_ = 0;  // of these
    std::size_t size_ = 0;
    std::string text_;  // with padding
};

}  // namespace poolwise
