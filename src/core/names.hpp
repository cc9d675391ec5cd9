// A set of names, numbered in the order they came, found by hash and verified byte by byte.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace poolwise {

class Names {
   public:
    static constexpr std::uint32_t none = ~0u;

    std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }

    std::string_view operator[](std::uint32_t number) const {
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return {bytes_.data() + begin, ends_[number] - begin};
    }

    void prefetch(std::uint64_t hash) const {
#if defined(__GNUC__)
        if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
#endif
    }

    std::uint32_t find(std::uint64_t hash, std::string_view name) const {
        if (slots_.empty()) return none;
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            const Slot slot = slots_[at];
            if (slot.number == none) return none;
            if (slot.tag == tag(hash) && (*this)[slot.number] == name) return slot.number;
        }
    }

    std::uint32_t find(std::string_view name) const { return find(hash(name), name); }

    // The name's number, new or old.
    std::uint32_t insert(std::uint64_t hash, std::string_view name) {
        const std::uint32_t found = find(hash, name);
        return found != none ? found : append(hash, name);
    }

    std::uint32_t insert(std::string_view name) { return insert(hash(name), name); }

    // A name known to be new.
    std::uint32_t append(std::uint64_t hash, std::string_view name) {
        if (2 * (ends_.size() + 1) > slots_.size()) grow();
        bytes_.append(name);
        ends_.push_back(bytes_.size());
        place(hash, size() - 1);
        return size() - 1;
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
        bytes.reserve(bytes_.size());
        std::vector<std::size_t> ends;
        ends.reserve(ends_.size());
        std::vector<std::uint32_t> now(size());
        for (std::uint32_t number = 0; number < size(); ++number) {
            now[order[number]] = number;
            bytes.append((*this)[order[number]]);
            ends.push_back(bytes.size());
        }
        bytes_ = std::move(bytes);
        ends_ = std::move(ends);
        for (Slot& slot : slots_)
            if (slot.number != none) slot.number = now[slot.number];
        return now;
    }

    std::size_t memory() const {
        return bytes_.capacity() + ends_.capacity() * sizeof(std::size_t) + slots_.capacity() * sizeof(Slot);
    }

    static std::uint64_t hash(std::string_view name) {
        // A copy gives the padding that the hash reads over.
        std::string padded(name);
        padded.append(padding, '\0');
        return hash_name(padded.data(), name.size());
    }

   private:
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t number = none;
    };

    static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

    void place(std::uint64_t hash, std::uint32_t number) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        while (slots_[at].number != none) at = (at + 1) & mask;
        slots_[at] = {tag(hash), number};
    }

    void grow() {
        slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, Slot{});
        for (std::uint32_t number = 0; number < size(); ++number) place(hash((*this)[number]), number);
    }

    std::string bytes_;
    std::vector<std::size_t> ends_;
    std::vector<Slot> slots_;
};

}  // namespace poolwise
