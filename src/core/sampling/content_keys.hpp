// Numbers that say what a document, or a topic, is to the runs, whatever names there are and in which order anything
// stands: drawn labels are keyed by them.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling.hpp"

namespace poolwise {

struct ContentKeys {
    std::vector<std::uint64_t> documents;  // listed ones, topic after topic
    std::vector<std::uint64_t> topics;
};

inline std::uint64_t scrambled(std::uint64_t x) { return mixed(x + 0x9E3779B97F4A7C15ULL); }

inline std::uint64_t scrambled(std::uint64_t a, std::uint64_t b) { return scrambled(scrambled(a) ^ b); }

// Refines colours (Weisfeiler and Leman 1968): a list is told by the documents at its ranks, a run by its lists, a
// document by the lists it is in and its ranks there. Sums of scrambled numbers do not depend on orders. Documents that
// still have the same number are in no run at all, or in places that nothing tells apart.
inline ContentKeys content_keys(const Pool& pool) {
    constexpr int rounds = 3;
    ContentKeys keys{std::vector<std::uint64_t>(pool.offsets.back(), 0), {}};
    const std::size_t topics = pool.topics.size();
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::uint64_t> next(keys.documents.size(), 0);
        keys.topics.assign(topics, 0);
        for (const Run& run : pool.runs) {
            std::vector<std::uint64_t> lists;
            std::uint64_t whole = 0;
            for (const List& list : run.lists) {
                const std::uint64_t* const known = keys.documents.data() + pool.offsets[list.topic];
                std::uint64_t content = scrambled(list.retrieved);
                for (std::size_t i = list.known_begin; i < list.known_begin + list.known; ++i)
                    content += scrambled(run.rank[i], known[run.document[i]]);
                lists.push_back(content);
                whole += scrambled(content);
            }
            for (std::size_t l = 0; l < lists.size(); ++l) {
                const List& list = run.lists[l];
                const std::uint64_t own = scrambled(whole, lists[l]);
                std::uint64_t* const told = next.data() + pool.offsets[list.topic];
                for (std::size_t i = list.known_begin; i < list.known_begin + list.known; ++i)
                    told[run.document[i]] += scrambled(own, run.rank[i]);
                keys.topics[list.topic] += scrambled(own);
            }
        }
        keys.documents = std::move(next);
    }
    for (std::size_t t = 0; t < topics; ++t) keys.topics[t] = scrambled(keys.topics[t], pool.topics[t]->listed);
    return keys;
}

}  // namespace poolwise
