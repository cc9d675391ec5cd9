// Scanning text: words between white space, numbers, and hashes of names.
// Everything here may read up to `padding` bytes past the end of a buffer, which owners of buffers provide.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace poolwise {

constexpr std::size_t padding = 64;

inline std::uint64_t load64(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Space, tab, newline, vertical tab, form feed and carriage return.
inline bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Equality of two names of the same size; both may be read over by `padding`.
inline bool same(const char* a, const char* b, std::size_t size) {
    for (; size > 8; a += 8, b += 8, size -= 8)
        if (load64(a) != load64(b)) return false;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return size == 0 || ((load64(a) ^ load64(b)) << (64 - 8 * size)) == 0;
#else
    return std::memcmp(a, b, size) == 0;
#endif
}

// Masks of 64 bytes, one bit each.
struct Masks {
    std::uint64_t separators = 0;  // white space and NUL
    std::uint64_t newlines = 0;
    std::uint64_t nuls = 0;
};

inline Masks classify(const char* at) {
    Masks masks;
#if defined(__SSE2__)
    const auto bits = [](__m128i bytes) {
        return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(bytes)));
    };
    for (int part = 0; part < 64; part += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + part));
        const __m128i nul = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());
        const __m128i control = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));  // 0 to 4 for white space below ' '
        const __m128i space = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                           _mm_cmpeq_epi8(_mm_min_epu8(control, _mm_set1_epi8(4)), control));
        masks.separators |= bits(_mm_or_si128(space, nul)) << part;
        masks.newlines |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))) << part;
        masks.nuls |= bits(nul) << part;
    }
#else
    for (int i = 0; i < 64; ++i) {
        masks.nuls |= static_cast<std::uint64_t>(at[i] == 0) << i;
        masks.newlines |= static_cast<std::uint64_t>(at[i] == '\n') << i;
        masks.separators |= static_cast<std::uint64_t>(is_space(static_cast<unsigned char>(at[i]))) << i;
    }
    masks.separators |= masks.nuls;
#endif
    return masks;
}

// The number of the lowest bit set; anything for 0.
inline int lowest_bit(std::uint64_t mask) {
#if defined(__GNUC__)
    return __builtin_ctzll(mask | 1ULL << 63);
#else
    int bit = 0;
    while (bit < 63 && (mask >> bit & 1) == 0) ++bit;
    return bit;
#endif
}

inline int count_bits(std::uint64_t mask) {
    mask -= mask >> 1 & 0x5555555555555555ULL;
    mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<int>((mask * 0x0101010101010101ULL) >> 56);
}

// Writes the numbers of the bits of `mask`, plus `base`; returns the place behind the last. Eight are written at a
// time without asking whether there are so many: fewer branches to mispredict.
inline std::uint32_t* write_bits(std::uint64_t mask, std::uint32_t base, std::uint32_t* next) {
    std::uint32_t* const end = next + count_bits(mask);
    for (; next < end; next += 8) {
        for (int i = 0; i < 8; ++i) {
            next[i] = base + static_cast<std::uint32_t>(lowest_bit(mask));
            mask &= mask - 1;
        }
    }
    return end;
}

// What `find_words` found: places where words begin and end, by turns, places of newlines, and the first NUL.
struct Layout {
    std::size_t edges = 0;
    std::size_t newlines = 0;
    std::size_t nul = ~std::size_t{0};
};

// Finds words and lines in the `size` bytes at `text`, which are taken to follow white space and end with a newline.
// Both arrays have room for `size` + 64 places; `text` may be read over by 64 bytes.
inline Layout find_words(const char* text, std::size_t size, std::uint32_t* edges, std::uint32_t* newlines) {
    Layout found;
    std::uint32_t* edge = edges;
    std::uint32_t* newline = newlines;
    std::uint64_t before = 1;
    for (std::size_t block = 0; block < size; block += 64) {
        Masks masks = classify(text + block);
        if (size - block < 64) {
            const std::uint64_t past = ~0ULL << (size - block);
            masks.separators |= past;
            masks.newlines &= ~past;
            masks.nuls &= ~past;
        }
        if (masks.nuls != 0 && found.nul == ~std::size_t{0}) found.nul = block + lowest_bit(masks.nuls);
        edge = write_bits(masks.separators ^ (masks.separators << 1 | before), static_cast<std::uint32_t>(block), edge);
        newline = write_bits(masks.newlines, static_cast<std::uint32_t>(block), newline);
        before = masks.separators >> 63;
    }
    found.edges = static_cast<std::size_t>(edge - edges);
    found.newlines = static_cast<std::size_t>(newline - newlines);
    return found;
}

// The words of one line, as places in a text.
class Words {
   public:
    Words(const char* text, const std::uint32_t* edges) : text_(text), edges_(edges) {}

    std::string_view operator[](int i) const { return {text_ + edges_[2 * i], edges_[2 * i + 1] - edges_[2 * i]}; }

   private:
    const char* text_;
    const std::uint32_t* edges_;
};

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

// A 64-bit hash that reads whole words and masks the tail, hence the padding.
inline std::uint64_t hash_name(const char* at, std::size_t size) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ size;
    while (size > 8) {
        hash = fold(hash ^ load64(at), 0xA0761D6478BD642FULL);
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
    return fold(hash ^ tail, 0xE7037ED1A0B428DBULL);
}

// A whole number that fills `word` and fits 32 bits; the two lowest values are reserved by the core.
enum class Integer { good, malformed, out_of_range };

inline Integer parse_integer(std::string_view word, std::int32_t& value) {
    if (!word.empty() && word[0] == '+') word.remove_prefix(1);
    if (word.empty() || word[0] == '+') return Integer::malformed;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end != word.data() + word.size() || status == std::errc::invalid_argument) return Integer::malformed;
    if (status == std::errc::result_out_of_range) return Integer::out_of_range;
    return value < std::numeric_limits<std::int32_t>::min() + 2 ? Integer::out_of_range : Integer::good;
}

inline bool parse_special(std::string_view word, double& value) {
    const bool negative = word[0] == '-';
    if (negative || word[0] == '+') word.remove_prefix(1);
    const auto is = [&](std::string_view name) {
        if (word.size() != name.size()) return false;
        for (std::size_t i = 0; i < name.size(); ++i)
            if ((word[i] | 0x20) != name[i]) return false;
        return true;
    };
    if (is("nan")) {
        value = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    if (!is("inf") && !is("infinity")) return false;
    value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
}

inline bool parse_number_slowly(std::string_view word, double& value) {
    if (word.empty()) return false;
    const std::string_view whole = word;
    if (word[0] == '+') {
        word.remove_prefix(1);
        if (word.empty() || word[0] == '-' || word[0] == '+') return false;
    }
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status == std::errc::invalid_argument || end != word.data() + word.size()) return parse_special(whole, value);
    if (status == std::errc::result_out_of_range) {
        // As strtod: too large becomes infinite, too small becomes zero. A number too large for a double has its
        // magnitude in its exponent's sign or in its many digits before the point.
        const bool negative = word[0] == '-';
        const std::size_t exponent = word.find_first_of("eE");
        const std::string_view digits = word.substr(negative, exponent == word.npos ? word.npos : exponent - negative);
        const std::size_t leading = digits.find_first_not_of("0.");
        const std::size_t point = digits.find('.') == digits.npos ? digits.size() : digits.find('.');
        bool large = exponent == word.npos && leading < point;
        if (exponent != word.npos) large = word[exponent + 1] != '-';
        value = large ? std::numeric_limits<double>::infinity() : 0.0;
        if (negative) value = -value;
    }
    return true;
}

// A 64-bit float that fills `word`. Up to 19 digits with a small exponent are exact in one multiplication or
// division by a power of ten (Clinger 1990, fast path); all else goes the slow way.
inline bool parse_number(std::string_view word, double& value) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* at = word.data();
    const char* const end = at + word.size();
    const bool negative = at != end && *at == '-';
    at += negative;
    std::uint64_t digits = 0;
    const char* const first = at;
    while (at != end && static_cast<unsigned char>(*at - '0') < 10) digits = digits * 10 + (*at++ - '0');
    std::ptrdiff_t count = at - first;
    std::ptrdiff_t decimals = 0;
    if (at != end && *at == '.') {
        const char* const point = ++at;
        while (at != end && static_cast<unsigned char>(*at - '0') < 10) digits = digits * 10 + (*at++ - '0');
        decimals = at - point;
        count += decimals;
    }
    if (at != end || count == 0 || count > 19 || digits > (1ULL << 53) || decimals > 22)
        return parse_number_slowly(word, value);
    value = static_cast<double>(digits) / powers[decimals];
    if (negative) value = -value;
    return true;
}

}  // namespace poolwise
