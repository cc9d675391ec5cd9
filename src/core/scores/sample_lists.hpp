// What up to 32 samples of labels show of a run's documents, found in one pass over its list.
//
// Whether a sample judges a document is a byte, 0 or 1. Those of 32 samples are a row of four words, and rows are added
// up on the way down a list, eight counts in one step. A list keeps the rows so far for the documents that some sample
// shows, in blocks of 32; a sample has a word of bits for each block that says which of them it shows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "reading/front.hpp"

namespace poolwise {

// Bits j of words i and i of words j + width change positions, in squares of 2 x width.
template <int width>
inline void turn_squares(std::uint32_t* words, std::uint32_t low) {
    for (int square = 0; square < 32; square += 2 * width)
        for (int i = square; i < square + width; ++i) {
            const std::uint32_t other = ((words[i] >> width) ^ words[i + width]) & low;
            words[i + width] ^= other;
            words[i] ^= other << width;
        }
}

// 32 words of 32 bits: bit j of word i becomes bit i of word j.
inline void turn(std::uint32_t* words) {
    turn_squares<16>(words, 0x0000FFFFU);
    turn_squares<8>(words, 0x00FF00FFU);
    turn_squares<4>(words, 0x0F0F0F0FU);
    turn_squares<2>(words, 0x33333333U);
    turn_squares<1>(words, 0x55555555U);
}

class SampleLists {
   public:
    static constexpr std::size_t most = 32;  // samples at once
    static constexpr std::size_t worth = 6;  // samples from which on this is faster than one at a time

    // A document of a list that some sample shows.
    struct Shown {
        std::uint32_t index, rank, document;
        std::uint32_t part;  // of the list, where its sums so far begin
    };

    // Views show the judged documents of some classes.
    void add_view(const std::vector<char>& shown) {
        views_.emplace_back().shows.assign(2 + shown.size(), 0);
        for (std::size_t c = 0; c < shown.size(); ++c) views_.back().shows[c + 2] = shown[c] != 0;
    }

    // Takes the classes of the listed documents, those of one sample after those of another.
    void open(const std::int32_t* states, std::size_t listed, std::size_t samples) {
        judged_.assign(listed, {});
        any_.assign(listed, 0);
        for (std::size_t s = 0; s < samples; ++s) {
            Row* const judged = judged_.data();
            for (std::size_t d = 0; d < listed; ++d) judged[d][s] = states[s * listed + d] >= 0;
        }
        for (View& view : views_) {
            view.shown.resize(listed);
            const std::uint8_t* const shows = view.shows.data() + 2;
            for (std::size_t d = 0; d < listed; ++d) {
                std::uint32_t bits = 0;
                for (std::size_t s = samples; s-- > 0;) bits = 2 * bits + shows[states[s * listed + d]];
                view.shown[d] = bits;
                any_[d] |= bits != 0;
            }
        }
    }

    // Forgets all lists.
    void clear() {
        lists_.assign(1, {});
        for (View& view : views_) view.bits.clear();
    }

    // Documents kept, of all lists.
    std::size_t size() const { return lists_.back().filled; }

    // The documents of a list, by rank.
    void add(const std::uint32_t* rank, const std::uint32_t* document, std::uint32_t known) {
        const List begin = lists_.back();
        const std::uint32_t parts = known / part + 1;
        make_room(begin.filled + known + block, (begin.part + parts + 1) * most);
        std::size_t filled = begin.filled;
        std::uint32_t* carried = carried_.data() + begin.part * most;
        std::fill_n(carried, most, 0U);
        for (std::uint32_t p = 0; p < parts; ++p, carried += most) {
            const Row sums = add_up(rank, document, p, std::min(known, (p + 1) * part), filled);
            for (std::size_t s = 0; s < most; ++s) carried[most + s] = carried[s] + sums[s];
        }
        for (View& view : views_) lay_out(view, begin.filled, filled);
        const std::size_t blocks = (filled - begin.filled + block - 1) / block;
        lists_.push_back({begin.filled + blocks * block, begin.part + parts + 1});
    }

    // Calls put(kept, judged documents above it) for the documents of a list that a view shows of a sample. Gives how
    // many of the list are judged.
    template <class Put>
    std::uint32_t each(std::size_t view, std::size_t list, std::size_t sample, const Put& put) const {
        const List &begin = lists_[list], &end = lists_[list + 1];
        const std::uint32_t* const carried = carried_.data() + begin.part * most + sample;
        const std::vector<std::uint32_t>& bits = views_[view].bits;
        for (std::size_t first = begin.filled; first < end.filled; first += block) {
            const Shown* const shown = shown_.data() + first;
            const std::uint8_t* const above = above_[first].data() + sample;
            for (std::uint32_t left = bits[first + sample]; left != 0; left &= left - 1) {
                const auto i = static_cast<std::size_t>(lowest_bit(left));
                put(shown[i], carried[shown[i].part] + above[i * most]);
            }
        }
        return carried[(end.part - begin.part - 1) * most];
    }

   private:
    using Row = std::array<std::uint8_t, most>;  // by sample
    static constexpr std::uint32_t part = 255;   // documents, as many as a byte can count
    static constexpr std::size_t block = 32;     // documents kept, with a bit each in a word
    static_assert(block == most, "bits of a block are turned in a square");

    struct View {
        std::vector<std::uint8_t> shows;   // by class + 2, as documents not judged are -1 and -2
        std::vector<std::uint32_t> shown;  // by listed document, a bit for each sample
        std::vector<std::uint32_t> bits;   // by block, then sample, a bit for each document
    };

    // Where a list begins.
    struct List {
        std::size_t filled = 0, part = 0;
    };

    // The judged documents of a part of a list. Each document is put down, and the next one in its place if no sample
    // shows it: no branch to guess.
    Row add_up(const std::uint32_t* rank, const std::uint32_t* document, std::uint32_t number, std::uint32_t end,
               std::size_t& filled) {
        const auto carried = static_cast<std::uint32_t>(number * most);
        const Row* const judged = judged_.data();
        const std::uint8_t* const any = any_.data();
        Shown* now = shown_.data() + filled;
        Row* above = above_.data() + filled;
        std::uint64_t sums[most / 8] = {};
        for (std::uint32_t i = number * part; i < end; ++i) {
            const std::uint32_t d = document[i];
            *now = {i, rank[i], d, carried};
            std::memcpy(above, sums, most);
            std::uint64_t row[most / 8];
            std::memcpy(row, judged + d, most);
            for (std::size_t w = 0; w < most / 8; ++w) sums[w] += row[w];
            now += any[d];
            above += any[d];
        }
        filled = static_cast<std::size_t>(now - shown_.data());
        Row all;
        std::memcpy(all.data(), sums, most);
        return all;
    }

    void make_room(std::size_t filled, std::size_t carried) {
        if (shown_.size() < filled) {
            shown_.resize(2 * filled);
            above_.resize(2 * filled);
        }
        if (carried_.size() < carried) carried_.resize(2 * carried);
    }

    void lay_out(View& view, std::size_t begin, std::size_t end) const {
        for (; begin < end; begin += block) {
            std::uint32_t words[block] = {};
            const std::size_t here = std::min(end - begin, block);
            for (std::size_t i = 0; i < here; ++i) words[i] = view.shown[shown_[begin + i].document];
            turn(words);
            view.bits.insert(view.bits.end(), words, words + block);
        }
    }

    std::vector<View> views_;
    std::vector<Row> judged_;             // by listed document: 1 where a sample judges it
    std::vector<std::uint8_t> any_;       // by listed document: whether some sample shows it in some view
    std::vector<List> lists_;             // one more than there are
    std::vector<Shown> shown_;            // list by list, each from a block on
    std::vector<Row> above_;              // judged documents above each of them in its part of the list
    std::vector<std::uint32_t> carried_;  // judged documents above each part of a list, and in all of it, by sample
};

}  // namespace poolwise
