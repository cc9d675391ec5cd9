// A pool as bytes and back, for workers with memory of their own. The bytes hold for one version of the code and one
// kind of machine; they are for passing on, not for keeping. A seal tells bytes that were damaged on the way, or come
// from elsewhere: what is read back is not looked at again.
#pragma once

#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "pool.hpp"

namespace poolwise {

// Changes with the order or kind of anything that is packed.
constexpr std::uint64_t layout = 0x706F6F6C00000004ULL;

// A sum of 64 bits over bytes, each of which changes it; the same in all processes.
inline std::uint64_t seal_of(std::string_view bytes) {
    std::uint64_t seal = layout ^ bytes.size();
    const auto mix = [&](std::uint64_t word) {
        seal = (seal ^ word) * 0x9E3779B97F4A7C15ULL;
        seal ^= seal >> 32;
    };
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) mix(load64(bytes.data()));
    for (const char byte : bytes) mix(static_cast<unsigned char>(byte));
    return seal;
}

inline std::string sealed(std::string bytes) {
    const std::uint64_t seal = seal_of(bytes);
    return bytes.append(reinterpret_cast<const char*>(&seal), sizeof seal);
}

inline std::string_view unsealed(std::string_view bytes) {
    std::uint64_t seal = 0;
    const std::size_t size = bytes.size() < sizeof seal ? 0 : bytes.size() - sizeof seal;
    if (size > 0) std::memcpy(&seal, bytes.data() + size, sizeof seal);
    if (seal != seal_of(bytes.substr(0, size)))
        throw std::invalid_argument("the bytes of a pool are damaged, or of another version of poolwise");
    return bytes.substr(0, size);
}

class Packer {
   public:
    template <class T>
    void number(T value) {
        static_assert(std::has_unique_object_representations_v<T> || std::is_arithmetic_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }

    void text(std::string_view text) {
        number(std::uint64_t{text.size()});
        bytes_.append(text);
    }

    template <class T>
    void numbers(const std::vector<T>& values) {
        static_assert(std::has_unique_object_representations_v<T> || std::is_arithmetic_v<T>);
        text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    }

    std::string bytes_;
};

class Unpacker {
   public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }

    template <class T>
    void number(T& value) {
        value = number<T>();
    }

    std::string_view text() { return take(number<std::uint64_t>()); }

    template <class T>
    void numbers(std::vector<T>& values) {
        const std::string_view data = text();
        values.resize(data.size() / sizeof(T));
        std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
    }

   private:
    std::string_view take(std::uint64_t size) {
        if (size > bytes_.size()) throw std::invalid_argument("the bytes of a pool end early");
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    std::string_view bytes_;
};

// The plain numbers of a list, a run and a pool, in one order for both ways.
template <class Each>
void each_number(List& list, Each each) {
    each(list.topic), each(list.known), each(list.retrieved), each(list.known_begin), each(list.all_begin);
}

template <class Each>
void each_number(Run& run, Each each) {
    each(run.lines), each(run.blank), each(run.ties), each(run.ignored_lines), each(run.ignored_topics);
    each(run.duplicates), each(run.comments), each(run.longer), each(run.nan);
}

template <class Each>
void each_number(Pool& pool, Each each) {
    each(pool.depth), each(pool.has_judgments), each(pool.has_strata), each(pool.has_subtopics);
    each(pool.label_lines), each(pool.label_blank), each(pool.label_duplicates), each(pool.label_comments);
}

inline std::string pack(const Pool& source) {
    Pool& pool = const_cast<Pool&>(source);  // only read here
    Packer out;
    const auto number = [&](const auto& value) { out.number(value); };
    each_number(pool, number);
    out.numbers(pool.distinct_labels);
    out.numbers(pool.label_values);
    out.numbers(pool.offsets);
    out.text(pool.topic_names.text());
    for (const auto& topic : pool.topics) {
        out.text(topic->documents.text());
        out.number(topic->listed);
        for (const auto* column : {&topic->labels, &topic->strata, &topic->rounds, &topic->subtopics.label})
            out.numbers(*column);
        out.text(topic->subtopics.names.text());
        for (const auto* column : {&topic->subtopics.document, &topic->subtopics.subtopic}) out.numbers(*column);
    }
    out.number(std::uint64_t{pool.runs.size()});
    for (Run& run : pool.runs) {
        each_number(run, number);
        for (const auto* column : {&run.rank, &run.document, &run.all}) out.numbers(*column);
        out.numbers(run.list_of_topic);
        out.numbers(run.tied);
        out.number(std::uint64_t{run.lists.size()});
        for (List& list : run.lists) each_number(list, number);
    }
    return sealed(std::move(out.bytes_));
}

// Fills an empty pool.
inline void unpack(std::string_view bytes, Pool& pool) {
    Unpacker in(unsealed(bytes));
    const auto number = [&](auto& value) { in.number(value); };
    each_number(pool, number);
    in.numbers(pool.distinct_labels);
    in.numbers(pool.label_values);
    in.numbers(pool.offsets);
    pool.topic_names.append_all(in.text());
    for (std::uint32_t t = 0; t < pool.topic_names.size(); ++t) {
        pool.topics.push_back(std::make_unique<Topic>());
        Topic& topic = *pool.topics.back();
        const std::string_view documents = in.text();
        in.number(topic.listed);
        // The filter is of the listed documents, which come first.
        const std::size_t listed = topic.documents.append_all(documents, topic.listed);
        topic.filter.fill(topic.documents);
        topic.documents.append_all(documents.substr(listed));
        for (auto* column : {&topic.labels, &topic.strata, &topic.rounds, &topic.subtopics.label}) in.numbers(*column);
        topic.subtopics.names.append_all(in.text());
        for (auto* column : {&topic.subtopics.document, &topic.subtopics.subtopic}) in.numbers(*column);
        if (pool.has_subtopics) topic.subtopics.count(topic.listed);
    }
    pool.runs.resize(in.number<std::uint64_t>());
    for (Run& run : pool.runs) {
        each_number(run, number);
        for (auto* column : {&run.rank, &run.document, &run.all}) in.numbers(*column);
        in.numbers(run.list_of_topic);
        in.numbers(run.tied);
        run.lists.resize(in.number<std::uint64_t>());
        for (List& list : run.lists) each_number(list, number);
    }
}

// One run, to be taken over by a pool of the same judgments. Documents that are not listed go by name.
inline std::string pack_run(const Pool& pool, std::size_t number) {
    Run run = pool.runs.at(number);
    Packer out;
    each_number(run, [&](const auto& value) { out.number(value); });
    for (const auto* column : {&run.rank, &run.document, &run.all}) out.numbers(*column);
    out.numbers(run.tied);
    out.number(std::uint64_t{run.lists.size()});
    for (List& list : run.lists) {
        each_number(list, [&](const auto& value) { out.number(value); });
        if (!pool.keep_all) continue;
        const Topic& topic = *pool.topics[list.topic];
        for (std::size_t at = list.all_begin; at < list.all_begin + list.retrieved; ++at)
            if (run.all[at] >= topic.listed) out.text(topic.documents[run.all[at]]);
    }
    return sealed(std::move(out.bytes_));
}

inline void unpack_run(std::string_view bytes, Pool& pool, std::size_t number) {
    Unpacker in(unsealed(bytes));
    Run run;
    each_number(run, [&](auto& value) { in.number(value); });
    for (auto* column : {&run.rank, &run.document, &run.all}) in.numbers(*column);
    in.numbers(run.tied);
    run.lists.resize(in.number<std::uint64_t>());
    for (List& list : run.lists) {
        each_number(list, [&](auto& value) { in.number(value); });
        if (!pool.keep_all) continue;
        Topic& topic = *pool.topics.at(list.topic);
        for (std::size_t at = list.all_begin; at < list.all_begin + list.retrieved; ++at)
            if (run.all.at(at) >= topic.listed) run.all[at] = topic.documents.insert(in.text());
    }
    pool.runs.at(number) = std::move(run);
}

}  // namespace poolwise
