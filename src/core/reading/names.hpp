// A set of names, numbered in the order they came, found by hash and verified byte by byte.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace poolwise {

inline void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

class Names {
   public:
    static constexpr std::uint32_t none = ~0u;

    std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()); }

    std::string_view operator[](std::uint32_t number) const {
        const std::size_t end = number + 1 < size() ? begins_[number + 1] : used_;
        return {bytes_.data() + begins_[number], end - begins_[number] - 1};
    }

    // Looking up many names goes faster when their slots, and then their bytes, are on the way already.
    void prefetch_slot(std::uint64_t hash) const {
        if (!buckets_.empty()) prefetch(&buckets_[hash & (buckets_.size() - 1)]);
    }

    void prefetch_bytes(std::uint64_t hash) const {
        if (buckets_.empty()) return;
        const Bucket& bucket = buckets_[hash & (buckets_.size() - 1)];
        const std::uint32_t number = bucket.number[first_lane(bucket.equal(hash))];
        if (number != none) prefetch(bytes_.data() + begins_[number]);
    }

    // Reads everything once, in order, so that lookups in any order find it in the cache. That pays when there will be
    // at least as many of them as cache lines.
    void warm() const {
        touch(buckets_.data(), buckets_.size() * sizeof(Bucket));
        touch(begins_.data(), begins_.size() * sizeof(begins_[0]));
        touch(bytes_.data(), used_);
    }

    std::size_t cache_lines() const {
        return (buckets_.size() * sizeof(Bucket) + begins_.size() * sizeof(begins_[0]) + used_) / cache_line;
    }

    // Names given with their hash may be read over by `padding`.
    std::uint32_t find(std::uint64_t hash, std::string_view name) const {
        if (buckets_.empty()) return none;
        const Slot slot = slot_of(hash, name);
        return buckets_[slot.bucket].number[slot.lane];
    }

    std::uint32_t find(std::string_view name) const {
        const std::string copy = padded(name);
        return find(hash_name(copy.data(), name.size()), {copy.data(), name.size()});
    }

    // The name's number, new or old. None may hold a newline, which ends each.
    std::uint32_t insert(std::uint64_t hash, std::string_view name) {
        if (begins_.size() + 1 > most_names(buckets_.size())) resize(std::max<std::size_t>(4, 2 * buckets_.size()));
        const Slot slot = slot_of(hash, name);
        Bucket& bucket = buckets_[slot.bucket];
        if (bucket.number[slot.lane] == none) bucket.fill(slot.lane, static_cast<std::uint32_t>(hash), append(name));
        return bucket.number[slot.lane];
    }

    std::uint32_t insert(std::string_view name) {
        const std::string copy = padded(name);
        return insert(hash_name(copy.data(), name.size()), {copy.data(), name.size()});
    }

    // Room for so many names more, so that placing them moves none.
    void reserve(std::size_t more) {
        std::size_t buckets = std::max<std::size_t>(4, buckets_.size());
        while (most_names(buckets) < begins_.size() + more) buckets *= 2;
        begins_.reserve(begins_.size() + more);
        resize(buckets);
    }

    // Room for about as many names as others have.
    void reserve_like(const Names& others) {
        resize(std::max(buckets_.size(), others.buckets_.size()));
        begins_.reserve(others.begins_.size() + others.begins_.size() / 8);
        bytes_.resize(std::max(bytes_.size(), others.used_ + others.used_ / 8 + padding));
    }

    // Numbers the names in byte-wise order from number `from` on; returns for each old number the new one,
    // or nothing when the order was right already.
    std::vector<std::uint32_t> sort(std::uint32_t from = 0) {
        std::vector<std::uint32_t> order(size());
        std::iota(order.begin(), order.end(), 0u);
        const auto before = [&](std::uint32_t a, std::uint32_t b) { return (*this)[a] < (*this)[b]; };
        if (std::is_sorted(order.begin() + from, order.end(), before)) return {};
        std::sort(order.begin() + from, order.end(), before);
        return renumber(order);
    }

    // Puts the names in the given order of old numbers; returns for each old number the new one.
    std::vector<std::uint32_t> renumber(const std::vector<std::uint32_t>& order) {
        std::string bytes;
        bytes.reserve(used_ + padding);
        std::vector<std::uint32_t> begins, now(size());
        begins.reserve(size());
        for (std::uint32_t number = 0; number < size(); ++number) {
            now[order[number]] = number;
            begins.push_back(static_cast<std::uint32_t>(bytes.size()));
            bytes.append((*this)[order[number]]);
            bytes.push_back('\n');
        }
        used_ = bytes.size();
        bytes.append(padding, '\0');
        bytes_ = std::move(bytes);
        begins_ = std::move(begins);
        for (Bucket& bucket : buckets_)
            for (std::uint32_t& number : bucket.number)
                if (number != none) number = now[number];
        return now;
    }

    // Leaves only the names marked, in their order; returns for each old number the new one.
    std::vector<std::uint32_t> keep(const std::vector<char>& marked) {
        Names left;
        std::vector<std::uint32_t> now(size(), none);
        for (std::uint32_t number = 0; number < size(); ++number)
            if (marked[number]) now[number] = left.insert((*this)[number]);
        *this = std::move(left);
        return now;
    }

    // All names one after the other, each ended by a newline.
    std::string_view text() const { return {bytes_.data(), used_}; }

    // Appends up to `most` new names from such a text; returns how many bytes they took.
    std::size_t append_all(std::string_view text, std::uint32_t most = none) {
        std::size_t begin = 0;
        for (; most > 0 && begin < text.size(); --most) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            const std::string name = padded(text.substr(begin, end - begin));
            insert(hash_name(name.data(), end - begin), {name.data(), end - begin});
            begin = end + 1;
        }
        return std::min(begin, text.size());
    }

    template <class Visitor>
    void each_hash(Visitor visit) const {
        for (const Bucket& bucket : buckets_)
            for (std::size_t lane = 0; lane < lanes && bucket.number[lane] != none; ++lane) visit(bucket.hash[lane]);
    }

    std::size_t memory() const {
        return bytes_.capacity() + begins_.capacity() * sizeof(std::uint32_t) + buckets_.capacity() * sizeof(Bucket);
    }

    static std::string padded(std::string_view name) {
        std::string copy(name);
        copy.append(padding, '\0');
        return copy;
    }

   private:
    static constexpr std::size_t lanes =
        4;  // names of a bucket: four 32-bit hashes are compared in one step of 128 bits

    // Up to four names side by side: looking for one compares all in one step. They are filled from
    // the first lane on and never emptied; a full one sends names to the next.
    struct Bucket {
        std::uint32_t hash[lanes] = {};  // low halves
        std::uint32_t number[lanes] = {none, none, none, none};

        void fill(std::size_t lane, std::uint32_t hash_of, std::uint32_t number_of) {
            hash[lane] = hash_of;
            number[lane] = number_of;
        }

        bool is_full() const { return number[lanes - 1] != none; }

        // Lanes of that hash: a bit for each. Empty ones may be among them, after all others.
        unsigned equal(std::uint64_t wanted) const { return equal_lanes(hash, static_cast<std::uint32_t>(wanted)); }
        unsigned empty() const { return equal_lanes(number, none); }
    };

    struct Slot {
        std::size_t bucket, lane;
    };

    static std::size_t first_lane(unsigned found) { return static_cast<std::size_t>(lowest_bit(found | 1u << 3)); }

    // So many names fit into buckets without long searches.
    static std::size_t most_names(std::size_t buckets) { return 3 * buckets; }

    static constexpr std::size_t cache_line = 64;  // bytes, on x86 and most ARM processors

    static void touch(const void* data, std::size_t size) {
        const auto* const bytes = static_cast<const volatile char*>(data);
        for (std::size_t at = 0; at < size; at += cache_line) static_cast<void>(bytes[at]);
    }

    bool stands_at(std::size_t begin, std::string_view name) const {
        const char* const known = bytes_.data() + begin;
        return begin + name.size() < used_ && known[name.size()] == '\n' && same(known, name.data(), name.size());
    }

    // Where the name is, or the empty slot it would take.
    Slot slot_of(std::uint64_t hash, std::string_view name) const {
        const std::size_t mask = buckets_.size() - 1;
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            const Bucket& bucket = buckets_[at];
            for (unsigned found = bucket.equal(hash); found != 0; found &= found - 1) {
                const std::size_t lane = first_lane(found);
                const std::uint32_t number = bucket.number[lane];
                if (number == none || stands_at(begins_[number], name)) return {at, lane};
            }
            if (!bucket.is_full()) return {at, first_lane(bucket.empty())};
        }
    }

    std::uint32_t append(std::string_view name) {
        const std::size_t begin = used_, needed = begin + name.size() + 1 + padding;
        if (begin + name.size() >= none || size() + 1 >= none) throw std::length_error("too many names in one topic");
        if (needed > bytes_.size()) bytes_.resize(std::max(needed, bytes_.size() + bytes_.size() / 2), '\0');
        // In steps of the padding that both have: names are short, and a call would take longer than the bytes.
        for (std::size_t at = 0; at < name.size(); at += padding)
            std::memcpy(bytes_.data() + begin + at, name.data() + at, padding);
        bytes_[begin + name.size()] = '\n';
        begins_.push_back(static_cast<std::uint32_t>(begin));
        used_ = begin + name.size() + 1;
        return size() - 1;
    }

    void resize(std::size_t count) {
        if (count == buckets_.size()) return;
        const std::vector<Bucket> old = std::move(buckets_);
        buckets_.assign(count, Bucket{});
        for (const Bucket& bucket : old)
            for (std::size_t lane = 0; lane < lanes && bucket.number[lane] != none; ++lane) {
                std::size_t at = bucket.hash[lane] & (count - 1);
                while (buckets_[at].is_full()) at = (at + 1) & (count - 1);
                buckets_[at].fill(first_lane(buckets_[at].empty()), bucket.hash[lane], bucket.number[lane]);
            }
    }

    std::string bytes_;     // names one after the other, each ended by a newline, then at least the padding
    std::size_t used_ = 0;  // by names
    std::vector<std::uint32_t> begins_;
    std::vector<Bucket> buckets_;
};

// A few bits per name that tell quickly that most other names are not among them.
class Filter {
   public:
    void fill(const Names& names) {
        std::size_t bits = 64;
        while (bits < 16 * std::size_t{names.size()}) bits *= 2;
        words_.assign(bits / 64, 0);
        names.each_hash([&](std::uint64_t hash) {
            const std::uint64_t bit = slot(hash);
            words_[bit / 64] |= 1ULL << (bit % 64);
        });
    }

    bool may_hold(std::uint64_t hash) const {
        const std::uint64_t bit = slot(hash);
        return words_[bit / 64] >> (bit % 64) & 1;
    }

    std::size_t memory() const { return words_.capacity() * sizeof(std::uint64_t); }

   private:
    // By the high bits of what Names keeps of a hash, as its buckets go by the low ones.
    std::uint64_t slot(std::uint64_t hash) const { return (hash & 0xFFFFFFFF) * (words_.size() * 64) >> 32; }

    std::vector<std::uint64_t> words_;
};

}  // namespace poolwise
