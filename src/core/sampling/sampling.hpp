// Drawing samples of judgments: best ranks, permanent random numbers and the keys they are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "basics/front.hpp"
#include "pool/front.hpp"

namespace poolwise {

constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();  // no run retrieved the document

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input moves every bit of the output.
inline std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

// FNV-1a. Byte by byte and hence the same on every machine, which hash_name is not.
inline std::uint64_t spelled(std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

// Permanent random numbers (Brewer, Early and Joyce 1972; Ohlsson 1995): a document's number follows from seed, trial,
// topic and document id alone, and the n documents with the smallest numbers are a simple random sample. So a draw
// depends neither on the order of lines and topics nor on which other documents there are; larger draws contain
// smaller ones; and draws from disjoint strata are independent.
class RandomNumbers {
   public:
    RandomNumbers(std::uint64_t seed, std::uint64_t trial, std::string_view topic)
        : state_(mixed(mixed(mixed(seed + 0x9E3779B97F4A7C15ULL) + trial) ^ spelled(topic))) {}

    std::uint64_t of(std::uint64_t spelled_document) const { return mixed(mixed(state_ ^ spelled_document) + state_); }

   private:
    std::uint64_t state_;
};

// Where each topic's documents begin in arrays over all documents, not only the listed ones.
inline std::vector<std::int64_t> document_offsets(const Pool& pool) {
    std::vector<std::int64_t> offsets(1, 0);
    for (const auto& topic : pool.topics) offsets.push_back(offsets.back() + topic->documents.size());
    return offsets;
}

// The best rank that any of the runs gives each listed document.
inline std::vector<std::uint32_t> best_ranks(const Pool& pool, const std::vector<std::uint32_t>& runs) {
    std::vector<std::uint32_t> best(pool.offsets.back(), no_rank);
    for (const std::uint32_t r : runs) {
        const Run& run = pool.runs.at(r);
        for (const List& list : run.lists)
            for (std::size_t i = list.known_begin; i < list.known_begin + list.known; ++i) {
                std::uint32_t& rank = best[pool.offsets[list.topic] + run.document[i]];
                rank = std::min(rank, run.rank[i]);
            }
    }
    return best;
}

// The same for all documents of a pool that keeps them.
inline std::vector<std::uint32_t> best_ranks_of_all(const Pool& pool, const std::vector<std::uint32_t>& runs) {
    const std::vector<std::int64_t> offsets = document_offsets(pool);
    std::vector<std::uint32_t> best(static_cast<std::size_t>(offsets.back()), no_rank);
    for (const std::uint32_t r : runs) {
        const Run& run = pool.runs.at(r);
        if (run.all.empty()) continue;
        for (const List& list : run.lists)
            for (std::uint32_t i = 0; i < list.retrieved; ++i) {
                std::uint32_t& rank = best[offsets[list.topic] + run.all[list.all_begin + i]];
                rank = std::min(rank, i + 1);
            }
    }
    return best;
}

// The random numbers of all documents.
inline std::vector<std::uint64_t> random_numbers(const Pool& pool, std::uint64_t seed, std::uint64_t trial) {
    std::vector<std::uint64_t> numbers;
    for (std::uint32_t t = 0; t < pool.topics.size(); ++t) {
        const RandomNumbers random(seed, trial, pool.topic_names[t]);
        const Names& documents = pool.topics[t]->documents;
        for (std::uint32_t d = 0; d < documents.size(); ++d) numbers.push_back(random.of(spelled(documents[d])));
    }
    return numbers;
}

// What to draw: of each class of documents in each topic the first so many by random number keep their labels and
// the others become pooled. Documents of class -1 stay as they are.
struct Draw {
    const std::int32_t* labels;   // one per listed document
    const std::int32_t* classes;  // likewise
    std::size_t number_of_classes;
    const std::int64_t* counts;  // sets x topics x classes
    std::size_t sets;
    std::uint64_t seed;
    std::vector<std::uint64_t> trials;
};

// One topic's listed documents and their positions by random number within their class, for one trial after the other.
class TopicDraw {
   public:
    TopicDraw(const Pool& pool, const Draw& draw) : pool_(pool), draw_(draw) {}

    void open(std::uint32_t topic) {
        const Names& documents = pool_.topics[topic]->documents;
        name_ = pool_.topic_names[topic];
        listed_ = pool_.topics[topic]->listed;
        begin_ = pool_.offsets[topic];
        position_.assign(listed_, 0);
        spelled_.clear();
        members_.assign(draw_.number_of_classes, {});
        for (std::uint32_t d = 0; d < listed_; ++d) {
            spelled_.push_back(spelled(documents[d]));
            if (draw_.classes[begin_ + d] >= 0) members_[draw_.classes[begin_ + d]].push_back(d);
        }
        find_most(topic);
    }

    // Only positions up to the largest count that does not take the whole class are needed; all others come after.
    void shuffle(std::uint64_t trial) {
        const RandomNumbers random(draw_.seed, trial, name_);
        for (std::size_t c = 0; c < members_.size(); ++c) {
            const std::size_t most = most_[c];
            if (most == 0) continue;
            order_.clear();
            for (const std::uint32_t d : members_[c]) order_.push_back({random.of(spelled_[d]), d});
            std::nth_element(order_.begin(), order_.begin() + most, order_.end());
            if (draw_.sets > 1) std::sort(order_.begin(), order_.begin() + most);
            for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i].second] = std::min(i, most);
        }
    }

    // `counts` of this topic's classes, `labels` of all topics' documents.
    void fill(const std::int64_t* counts, std::int32_t* labels) const {
        for (std::uint32_t d = 0; d < listed_; ++d) {
            const std::int32_t class_here = draw_.classes[begin_ + d];
            const bool stays = class_here < 0 || static_cast<std::int64_t>(position_[d]) < counts[class_here];
            labels[begin_ + d] = stays ? draw_.labels[begin_ + d] : pooled;
        }
    }

   private:
    void find_most(std::uint32_t topic) {
        most_.assign(draw_.number_of_classes, 0);
        for (std::size_t s = 0; s < draw_.sets; ++s)
            for (std::size_t c = 0; c < most_.size(); ++c) {
                const std::int64_t count = draw_.counts[(s * pool_.topics.size() + topic) * most_.size() + c];
                if (count < static_cast<std::int64_t>(members_[c].size()))
                    most_[c] = std::max(most_[c], static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
            }
    }

    const Pool& pool_;
    const Draw& draw_;
    std::string_view name_;
    std::uint32_t listed_ = 0;
    std::size_t begin_ = 0;
    std::vector<std::uint64_t> spelled_;
    std::vector<std::vector<std::uint32_t>> members_;  // documents of each class
    std::vector<std::size_t> most_;                    // largest count of each class that is not all of it
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order_;
    std::vector<std::size_t> position_;
};

// Fills labels[trial][set][listed document].
inline void draw_samples(const Pool& pool, const Draw& draw, std::size_t threads, std::int32_t* labels) {
    const std::size_t topics = pool.topics.size(), listed = pool.offsets.back();
    for_each(topics, threads, [&](Stopper& stop) {
        return [&, labelled = TopicDraw(pool, draw)](std::size_t topic) mutable {
            labelled.open(static_cast<std::uint32_t>(topic));
            for (std::size_t t = 0; t < draw.trials.size(); ++t) {
                stop();
                labelled.shuffle(draw.trials[t]);
                for (std::size_t s = 0; s < draw.sets; ++s)
                    labelled.fill(draw.counts + (s * topics + topic) * draw.number_of_classes,
                                  labels + (t * draw.sets + s) * listed);
            }
        };
    });
}

// Numbers that identify documents and topics by what runs make of them alone, whatever names there are and in which
// order anything comes: drawn labels are keyed by them.
struct ContentKeys {
    std::vector<std::uint64_t> documents;  // listed ones, topic after topic
    std::vector<std::uint64_t> topics;
};

// The step of SplitMix64, 2^64 over the golden ratio, keeps 0 from being mixed to 0.
inline std::uint64_t scrambled(std::uint64_t x) { return mixed(x + 0x9E3779B97F4A7C15ULL); }

inline std::uint64_t scrambled(std::uint64_t a, std::uint64_t b) { return scrambled(scrambled(a) ^ b); }

// Refines colours (Weisfeiler and Leman 1968): a list is identified by the documents at its ranks, a run by its lists,
// a document by the lists it is in and its ranks there. Sums of scrambled numbers do not depend on orders. Documents
// that still have the same number are in no run at all, or have ranks that nothing distinguishes.
inline ContentKeys content_keys(const Pool& pool) {
    constexpr int rounds = 3;  // the first sees ranks alone, each later one also the documents of the same lists
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
                const std::uint64_t scrambled_list = scrambled(whole, lists[l]);
                std::uint64_t* const of_documents = next.data() + pool.offsets[list.topic];
                for (std::size_t i = list.known_begin; i < list.known_begin + list.known; ++i)
                    of_documents[run.document[i]] += scrambled(scrambled_list, run.rank[i]);
                keys.topics[list.topic] += scrambled(scrambled_list);
            }
        }
        keys.documents = std::move(next);
    }
    for (std::size_t t = 0; t < topics; ++t) keys.topics[t] = scrambled(keys.topics[t], pool.topics[t]->listed);
    return keys;
}

}  // namespace poolwise
