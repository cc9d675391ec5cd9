// What up to 32 samples of labels say of a run's documents, found in one pass over its list.
//
// A sample says two bits of a document: whether it is judged, and whether its label counts. Those of 32 samples are one
// word, so that a list looks up each document once, not once per sample; blocks of 32 documents are then turned, so
// that each sample has a word with its bits of these documents in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace poolwise {

inline constexpr std::uint32_t block_size = 32;  // documents with two bits each in one word

inline std::size_t block_count(std::uint32_t documents) { return (documents + block_size - 1) / block_size; }

// Fields j of rows i and i of rows j + width change places, in squares of 2 x width.
template <int width>
inline void turn_squares(std::uint64_t* rows, std::uint64_t low) {
    for (int square = 0; square < 32; square += 2 * width)
        for (int i = square; i < square + width; ++i) {
            const std::uint64_t other = ((rows[i] >> (2 * width)) ^ rows[i + width]) & low;
            rows[i + width] ^= other;
            rows[i] ^= other << (2 * width);
        }
}

// 32 words of 32 fields of two bits: field j of word i becomes field i of word j.
inline void turn(std::uint64_t* rows) {
    turn_squares<16>(rows, 0x00000000FFFFFFFFULL);
    turn_squares<8>(rows, 0x0000FFFF0000FFFFULL);
    turn_squares<4>(rows, 0x00FF00FF00FF00FFULL);
    turn_squares<2>(rows, 0x0F0F0F0F0F0F0F0FULL);
    turn_squares<1>(rows, 0x3333333333333333ULL);
}

class SampleCodes {
   public:
    static constexpr std::size_t most = 32;  // samples at once
    static constexpr std::size_t worth = 6;  // samples from which on this is faster than one at a time

    void open(std::size_t listed, std::size_t samples) {
        words_.assign(listed, 0);
        samples_ = samples;
    }

    // The classes of a sample's listed documents, -1 and -2 for those not judged; `code_of` is by class + 2.
    void add(std::size_t sample, const std::int32_t* state, const std::vector<std::uint8_t>& code_of) {
        for (std::size_t d = 0; d < words_.size(); ++d)
            words_[d] |= static_cast<std::uint64_t>(code_of[state[d] + 2]) << (2 * sample);
    }

    void reserve(std::size_t blocks) {
        blocks_ = blocks;
        laid_.resize(samples_ * blocks);
    }

    // The codes of a list of listed documents, from a block on.
    void lay_out(std::size_t block, const std::uint32_t* document, std::uint32_t known) {
        for (std::uint32_t begin = 0; begin < known; begin += block_size, ++block) {
            const std::uint32_t here = known - begin < block_size ? known - begin : block_size;
            std::uint64_t rows[block_size] = {};
            for (std::uint32_t i = 0; i < here; ++i) rows[i] = words_[document[begin + i]];
            turn(rows);
            for (std::size_t s = 0; s < samples_; ++s) laid_[s * blocks_ + block] = rows[s];
        }
    }

    const std::uint64_t* laid(std::size_t sample, std::size_t block) const {
        return laid_.data() + sample * blocks_ + block;
    }

   private:
    std::size_t samples_ = 0, blocks_ = 0;
    std::vector<std::uint64_t> words_;  // of the listed documents, two bits per sample
    std::vector<std::uint64_t> laid_;   // block by block of all lists, one sample after the other
};

}  // namespace poolwise
